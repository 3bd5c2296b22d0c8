"""The cells of a plan and the error rate of their bounds."""

from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.builders import gate, plan

from oloproof.plan.cells import CellKey, WrongCells, bound_alpha, cells_of, check_cells, one_sided
from oloproof.plan.plan import RequireEntry

LINES = (RequireEntry("right", ">=", "0.5"), RequireEntry("right", "<=", "0.9"))


def test_cells_stand_in_the_order_line_system_slice_value():
    made = gate(requires=LINES, systems=("a", "b"), across="language")
    of = plan(made, slices={"language": ("de", "fr")})
    assert cells_of(of, made) == tuple(
        CellKey("good", line, system, "language", value)
        for line in (0, 1)
        for system in ("a", "b")
        for value in ("de", "fr")
    )


def test_a_gate_without_a_slice_has_no_slice_value():
    assert cells_of(plan(), gate()) == (CellKey("good", 0, "bot", None, None),)


@pytest.mark.parametrize(
    ("confidence", "n", "alpha"),
    [
        ("0.95", 1, "0.025"), ("0.9", 1, "0.05"), ("0.99", 1, "0.005"), ("0.5", 1, "0.25"), ("0.999", 1, "0.0005"),
        ("0.95", 2, "0.0125"), ("0.95", 3, "0.00833333333333"), ("0.95", 7, "0.00357142857142"),
        ("0.95000", 1, "0.025"),
    ],
)  # fmt: skip
def test_alpha_is_half_of_what_the_confidence_leaves(confidence, n, alpha):
    assert one_sided(confidence, n_cells=n) == alpha


@given(st.decimals("0.01", "0.9999999999", places=10), st.integers(1, 5000))
def test_alpha_is_never_rounded_up(confidence, n):
    text = format(confidence, "f")
    exactly = (1 - Fraction(text)) / (2 * n)
    found = Fraction(one_sided(text, n_cells=n))
    assert exactly * (1 - Fraction(1, 10**11)) <= found <= exactly


def test_alpha_is_not_rounded_up_for_a_confidence_of_many_digits():
    text = "0.5000000000000000000000000000000001"
    assert Fraction(one_sided(text)) < (1 - Fraction(text)) / 2


def test_alpha_does_not_hang_on_the_decimal_context():
    with localcontext() as context:
        context.prec, context.rounding = 2, ROUND_UP
        assert one_sided("0.95", n_cells=3) == "0.00833333333333"


def test_bonferroni_counts_all_cells_of_the_gate():
    made = gate(requires=LINES, across="language", correction="bonferroni")
    of = plan(made, slices={"language": ("de", "fr")})
    assert bound_alpha(of, made) == "0.00625"
    assert bound_alpha(of, gate(requires=LINES, across="language")) == "0.025"
    assert Decimal(bound_alpha(of, made)) * 4 == Decimal("0.025")


def test_cells_of_the_plan_are_each_there_once():
    of = plan(gate(requires=LINES), gate(name="other"))
    every = [*cells_of(of, of.gates[0]), *cells_of(of, of.gates[1])]
    check_cells(of, reversed(every))
    for wrong in (every[:-1], [*every, every[0]], [*every[:-1], CellKey("x", 0, "bot", None, None)], []):
        with pytest.raises(WrongCells):
            check_cells(of, wrong)


def test_what_is_absent_and_what_is_strange_is_named():
    with pytest.raises(WrongCells) as caught:
        check_cells(plan(), [CellKey("x", 0, "bot", None, None)])
    assert caught.value.absent == (CellKey("good", 0, "bot", None, None),)
    assert caught.value.strange == (CellKey("x", 0, "bot", None, None),)
