"""Decisions: read on the interval, under the plan's thresholds, one state and one reason a cell."""

from dataclasses import replace
from decimal import localcontext

import pytest
from laws.builders import (
    FAIL,
    INSUFFICIENT,
    PASS,
    REVIEW,
    by_cluster,
    clustered,
    find,
    find_all,
    gate,
    given,
    outcomes,
    plan,
)

from oloproof.chain.cell import Cell
from oloproof.chain.decision import worst_of
from oloproof.chain.inference import Certificate
from oloproof.plan.cells import WrongCells
from oloproof.plan.plan import RequireEntry
from oloproof.stages.decide import decide, decide_bounds, decide_exactly, read_interval
from oloproof.stages.infer import infer


@pytest.mark.parametrize(
    ("right", "op", "threshold", "state", "reason"),
    [
        (97, ">=", "0.9", PASS, "lower_reaches_threshold"),
        (90, ">=", "0.9", INSUFFICIENT, "threshold_inside_interval"),
        (80, ">=", "0.9", FAIL, "upper_below_threshold"),
        (3, "<=", "0.1", PASS, "upper_within_threshold"),
        (10, "<=", "0.1", INSUFFICIENT, "threshold_inside_interval"),
        (20, "<=", "0.1", FAIL, "lower_above_threshold"),
    ],
)
def test_independent_cases_are_decided_by_their_certificate(right, op, threshold, state, reason):
    found = find(plan(gate(threshold, op)), given(outcomes(right=right, wrong=100 - right)))
    assert (found.state, found.reasons) == (state, (reason,))


@pytest.mark.parametrize(
    ("right", "op", "threshold", "state"),
    [
        (10, ">=", "0.85", PASS),
        (9, ">=", "0.95", FAIL),
        (9, ">=", "0.9", INSUFFICIENT),
        (0, "<=", "0.2", PASS),
        (1, "<=", "0.05", FAIL),
        (1, "<=", "0.1", INSUFFICIENT),
    ],
)
def test_clusters_are_decided_by_their_bounds(right, op, threshold, state):
    run = clustered(*[outcomes(right=right, wrong=10 - right)] * 60)
    found = find(plan(gate(threshold, op), metrics=[by_cluster()]), run)
    assert found.state is state
    assert found.inference.certificate is None


def test_a_bound_at_the_threshold_passes_and_fails_nothing():
    assert read_interval(0.8, 0.8, ">=", 0.8).state is PASS
    assert read_interval(0.8, 0.8, "<=", 0.8).state is PASS
    assert read_interval(0.7, 0.8, ">=", 0.8).state is INSUFFICIENT
    assert read_interval(0.8, 0.9, "<=", 0.8).state is INSUFFICIENT


def test_an_absent_bound_decides_nothing_on_its_side():
    assert read_interval(None, 0.7, ">=", 0.8).state is FAIL
    assert read_interval(None, 0.9, ">=", 0.8).state is INSUFFICIENT
    assert read_interval(0.9, None, ">=", 0.8).state is PASS
    assert read_interval(None, None, ">=", 0.8).state is INSUFFICIENT


@pytest.mark.parametrize("distance", [0.0, 4e-10, -4e-10])
@pytest.mark.parametrize("op", [">=", "<="])
def test_a_computed_bound_too_near_the_threshold_decides_nothing(op, distance):
    near = 0.8 + distance
    assert decide_bounds(near, 0.99, op, "0.8") == (INSUFFICIENT, "within_numerical_tolerance")
    assert decide_bounds(0.01, near, op, "0.8") == (INSUFFICIENT, "within_numerical_tolerance")


def test_a_computed_bound_farther_than_the_tolerance_decides():
    assert decide_bounds(0.8 + 1e-9, 0.99, ">=", "0.8").state is PASS
    assert decide_bounds(0.01, 0.8 - 1e-9, ">=", "0.8").state is FAIL


def test_0_and_1_are_exact():
    assert decide_bounds(0.0, 0.5, ">=", "0").state is PASS
    assert decide_bounds(0.5, 1.0, "<=", "1").state is PASS
    assert decide_bounds(0.5, 1.0, ">=", "1").state is INSUFFICIENT


def test_a_clustered_bound_is_held_from_its_threshold_end_to_end():
    run = clustered(*[[True] * 10] * 36)
    bound = find(plan(gate("0.5"), metrics=[by_cluster()]), run).lower
    found = find(plan(gate(f"{bound:.12f}"), metrics=[by_cluster()]), run)
    assert (found.state, found.reasons) == (INSUFFICIENT, ("within_numerical_tolerance",))


def test_independent_cases_know_no_tolerance():
    """L of 1 of 1 is bound_alpha itself: 0.025 passes, and the next decimal does not."""
    one = Certificate(1, 1, 0, "", "")
    assert decide_exactly(one, ">=", "0.025", "0.025").state is PASS
    assert decide_exactly(one, ">=", "0.02500000000000000000001", "0.025").state is INSUFFICIENT


def test_thresholds_come_from_the_plan_and_not_from_the_record():
    of = plan(gate("0.9"))
    run = given(outcomes(right=90, wrong=10))
    (honest,) = infer(of, run.cases, run.measurements)
    forged = replace(
        honest,
        bound_alpha="0.5",
        confidence="0",
        certificate=replace(honest.certificate, threshold="0.1", bound_alpha="0.5"),
    )
    (decision,) = decide(of, [forged])
    assert (decision.state, decision.threshold) == (INSUFFICIENT, "0.9")


def test_bounds_beside_a_certificate_decide_nothing():
    of = plan(gate("0.9"))
    run = given(outcomes(right=90, wrong=10))
    (honest,) = infer(of, run.cases, run.measurements)
    (decision,) = decide(of, [replace(honest, lower=0.95, upper=0.99)])
    assert decision.state is INSUFFICIENT


def test_a_reason_of_inference_decides_whatever_the_bounds_are():
    run = clustered([True] * 3, [True] * 2, [True] * 2)
    (declined,) = infer(plan(metrics=[by_cluster()]), run.cases, run.measurements)
    (review,) = decide(plan(metrics=[by_cluster()]), [replace(declined, lower=0.99, upper=1.0)])
    (cannot,) = decide(plan(), [replace(declined, declined=False, lower=0.99, upper=1.0)])
    assert (review.state, cannot.state) == (REVIEW, INSUFFICIENT)


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found[:0],
        lambda found: found * 2,
        lambda found: (replace(found[0], cell=Cell("x", 0, "bot", None, None)),),
    ],
)
def test_a_cell_that_is_absent_twice_or_strange_stops_all_decisions(change):
    run = given(outcomes(right=50))
    with pytest.raises(WrongCells):
        decide(plan(), change(infer(plan(), run.cases, run.measurements)))


def test_every_require_line_is_a_cell_of_its_own():
    band = (RequireEntry("right", ">=", "0.5"), RequireEntry("right", "<=", "0.6"))
    found = find_all(plan(gate(requires=band)), given(outcomes(right=90, wrong=10)))
    assert [item.state for item in found] == [PASS, FAIL]


def test_every_slice_value_is_a_cell_of_its_own_and_an_empty_one_cannot_pass():
    run = given(outcomes(right=40, wrong=40))
    cases = tuple(replace(item, slices={"language": "de" if n < 40 else "fr"}) for n, item in enumerate(run.cases))
    of = plan(gate("0.8", across="language"), slices={"language": ("de", "el", "fr")})
    found = find_all(of, replace(run, cases=cases))
    assert [item.decision.cell.slice_value for item in found] == ["de", "el", "fr"]
    assert [item.state for item in found] == [PASS, INSUFFICIENT, FAIL]
    assert found[1].reasons == ("no_eligible",)
    assert worst_of(item.state for item in found) is FAIL


def test_bonferroni_shares_alpha_among_the_cells_of_the_gate():
    run = given(outcomes(right=40))
    cases = tuple(replace(item, slices={"language": "de" if n < 20 else "fr"}) for n, item in enumerate(run.cases))
    of = plan(gate("0.8", across="language", correction="bonferroni"), slices={"language": ("de", "fr")})
    found = find_all(of, replace(run, cases=cases))
    assert [item.inference.bound_alpha for item in found] == ["0.0125", "0.0125"]
    assert found[0].lower == pytest.approx(0.0125 ** (1 / 20), abs=1e-12)


def test_no_decimal_context_of_other_code_moves_a_decision():
    with localcontext() as context:
        context.prec = 1
        found = find(plan(gate("0.9", confidence="0.975")), given(outcomes(right=36)))
    assert found.inference.bound_alpha == "0.0125"
    assert found.state is INSUFFICIENT


def test_decisions_stand_in_the_order_of_gates_and_cells():
    of = plan(gate("0.9", name="b"), gate("0.8", name="a"), gate("0.7", name="a-b"))
    run = given(outcomes(right=50))
    decisions = decide(of, infer(of, run.cases, run.measurements))
    assert [item.cell.gate for item in decisions] == ["a", "a-b", "b"]


def test_a_gate_is_the_worst_of_its_cells():
    assert worst_of([PASS, INSUFFICIENT]) is INSUFFICIENT
    assert worst_of([PASS, INSUFFICIENT, REVIEW]) is REVIEW
    assert worst_of([REVIEW, FAIL, INSUFFICIENT, PASS]) is FAIL
    assert worst_of([PASS, PASS]) is PASS
