"""What clusters can show at best."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.stats.exact import BadSize, cluster_ceiling_reaches, cluster_floor_within, smallest_n_that_can_pass
from oloproof.stats.products import product_reaches

ALPHA = "0.025"


@given(
    st.lists(st.integers(1, 30), max_size=80),
    st.integers(30, 60),
    st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=100),
)
def test_the_ceiling_is_the_exact_product(sizes, cap, threshold):
    product = prod((1 + size * (1 - threshold) / (threshold * cap) for size in sizes), start=Fraction(1))
    rule = {"cap": cap, "bound_alpha": ALPHA}
    assert cluster_ceiling_reaches(sizes, threshold=threshold, **rule) == (product >= 40)
    assert cluster_floor_within(sizes, threshold=1 - threshold, **rule) == (product >= 40)


@pytest.mark.parametrize(("threshold", "n_units"), [("0.8", 28), ("0.9", 58)])
def test_half_of_the_clusters_at_a_fifth_of_the_cap(threshold, n_units):
    """Figures of the design: 28 and 58 clusters, not the 17 and 36 of equal sizes."""
    for count, reaches in ((n_units, True), (n_units - 1, False)):
        sizes = [5] * (count // 2) + [1] * (count - count // 2)
        assert cluster_ceiling_reaches(sizes, cap=5, threshold=threshold, bound_alpha=ALPHA) is reaches


@pytest.mark.parametrize("threshold", ["0.8", "0.9", "0.95", "0.99"])
def test_equal_clusters_need_as_many_as_cases_do(threshold):
    n = smallest_n_that_can_pass(op=">=", threshold=threshold, bound_alpha=ALPHA)
    assert n is not None
    assert cluster_ceiling_reaches([7] * n, cap=7, threshold=threshold, bound_alpha=ALPHA)
    assert not cluster_ceiling_reaches([7] * (n - 1), cap=7, threshold=threshold, bound_alpha=ALPHA)


def test_a_product_that_meets_the_target_exactly_reaches_it():
    assert product_reaches({Fraction(2): 3, Fraction(5): 1}, Fraction(40))
    assert product_reaches({Fraction(3, 2): 400}, Fraction(3, 2) ** 400)
    assert not product_reaches({Fraction(3, 2): 400}, Fraction(3, 2) ** 400 + Fraction(1, 10**80))


def test_a_threshold_outside_the_open_range_needs_no_product():
    assert cluster_ceiling_reaches([1], cap=1, threshold="0", bound_alpha=ALPHA)
    assert not cluster_ceiling_reaches([1] * 1000, cap=1, threshold="1", bound_alpha=ALPHA)


def test_a_hundred_thousand_clusters_of_as_many_sizes():
    sizes = list(range(1, 100_001))
    assert cluster_ceiling_reaches(sizes, cap=100_000, threshold="0.9", bound_alpha=ALPHA)
    assert not cluster_ceiling_reaches(sizes, cap=10**12, threshold="0.9", bound_alpha=ALPHA)


@pytest.mark.parametrize("size", [0, -1, 6])
def test_a_size_outside_the_cap_is_refused(size):
    with pytest.raises(BadSize):
        cluster_ceiling_reaches([3, size], cap=5, threshold="0.9", bound_alpha=ALPHA)
