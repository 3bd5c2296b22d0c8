"""Clopper-Pearson floats agree with the certificate to the last place."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.stats.binomial import METHOD, clopper_pearson, worst_case
from oloproof.stats.exact import BadCount, lower_bound_reaches, upper_bound_within

ALPHA = "0.025"
GRID = [(k, n) for n in (1, 2, 3, 10, 29, 60, 200) for k in sorted({0, 1, n // 3, n // 2, n - 1, n})]


@pytest.mark.parametrize("alpha", ["0.025", "0.005", "0.00001", "0.5"])
@pytest.mark.parametrize(("k", "n"), [*GRID, (1, 10_000), (9_999, 10_000), (5_000, 10_000), (90_000, 100_000)])
def test_bounds_are_the_floats_next_to_the_exact_bounds(k, n, alpha):
    bounds = clopper_pearson(k, n, bound_alpha=alpha)
    if k:
        above = math.nextafter(bounds.lower, 1)
        assert lower_bound_reaches(k, n, threshold=Fraction(bounds.lower), bound_alpha=alpha)
        assert not lower_bound_reaches(k, n, threshold=Fraction(above), bound_alpha=alpha)
    if k < n:
        under = math.nextafter(bounds.upper, 0)
        assert upper_bound_within(k, n, threshold=Fraction(bounds.upper), bound_alpha=alpha)
        assert not upper_bound_within(k, n, threshold=Fraction(under), bound_alpha=alpha)


def test_the_ends_of_the_range_are_exact():
    assert clopper_pearson(0, 20, bound_alpha=ALPHA).lower == 0.0
    assert clopper_pearson(20, 20, bound_alpha=ALPHA).upper == 1.0


@settings(deadline=None)
@given(
    st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from(["0.8", "0.9", "0.5"]),
)
def test_a_float_bound_never_contradicts_the_certificate(kn, threshold):
    k, n = kn
    bounds = clopper_pearson(k, n, bound_alpha=ALPHA)
    limit = Fraction(threshold)
    if bounds.lower >= limit:
        assert lower_bound_reaches(k, n, threshold=limit, bound_alpha=ALPHA)
    if bounds.upper <= limit:
        assert upper_bound_within(k, n, threshold=limit, bound_alpha=ALPHA)


def test_a_missing_case_widens_the_interval_on_both_sides():
    whole = clopper_pearson(90, 100, bound_alpha=ALPHA)
    holed = worst_case(85, 10, 100, bound_alpha=ALPHA)
    assert holed.lower < whole.lower < whole.upper < holed.upper


def test_nothing_observed_says_nothing():
    bounds = worst_case(0, 10, 10, bound_alpha=ALPHA)
    assert (bounds.lower, bounds.upper) == (0.0, 1.0)


@pytest.mark.parametrize(("k", "missing", "n"), [(5, 6, 10), (-1, 0, 10), (5, -1, 10), (0, 0, 0)])
def test_impossible_counts_are_refused(k, missing, n):
    with pytest.raises(BadCount):
        worst_case(k, missing, n, bound_alpha=ALPHA)


def test_the_method_says_that_it_is_proved():
    assert (METHOD.id, METHOD.guarantee) == ("clopper_pearson", "proved")
