"""Certificates on counts against plain sums of fractions."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.stats.exact import (
    BadBoundAlpha,
    BadCount,
    InexactNumber,
    critical_counts,
    exact_fraction,
    lower_bound_is_above,
    lower_bound_reaches,
    smallest_n_that_can_pass,
    upper_bound_is_below,
    upper_bound_within,
)

ALPHA = "0.025"
alphas = st.sampled_from([Fraction(1, 40), Fraction(1, 20), Fraction(1, 200), Fraction(1, 2)])
thresholds = st.one_of(
    st.fractions(min_value=0, max_value=1, max_denominator=1000), st.sampled_from([Fraction(-1, 10), Fraction(11, 10)])
)


@st.composite
def counts(draw, most=60):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


def tail_at_least(k, n, p):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def tail_at_most(k, n, p):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


@given(counts(), thresholds, alphas)
def test_each_predicate_is_the_exact_tail_sum(kn, threshold, alpha):
    k, n = kn
    inside = 0 < threshold < 1
    rule = {"threshold": threshold, "bound_alpha": alpha}
    reaches = tail_at_least(k, n, threshold) <= alpha if inside and k else threshold <= 0
    above = tail_at_least(k, n, threshold) < alpha if inside and k else threshold < 0 or (threshold == 0 and k > 0)
    below = tail_at_most(k, n, threshold) < alpha if inside and k < n else threshold > 1 or (threshold == 1 and k < n)
    within = tail_at_most(k, n, threshold) <= alpha if inside and k < n else threshold >= 1
    assert lower_bound_reaches(k, n, **rule) == reaches
    assert lower_bound_is_above(k, n, **rule) == above
    assert upper_bound_is_below(k, n, **rule) == below
    assert upper_bound_within(k, n, **rule) == within


@given(counts(most=3000), thresholds, alphas)
def test_failures_mirror_successes(kn, threshold, alpha):
    k, n = kn
    rule, mirrored = (
        {"threshold": threshold, "bound_alpha": alpha},
        {"threshold": 1 - threshold, "bound_alpha": alpha},
    )
    assert lower_bound_reaches(k, n, **rule) == upper_bound_within(n - k, n, **mirrored)
    assert upper_bound_is_below(k, n, **rule) == lower_bound_is_above(n - k, n, **mirrored)


@given(counts(), thresholds, alphas)
def test_nothing_passes_and_fails_at_once(kn, threshold, alpha):
    k, n = kn
    rule = {"threshold": threshold, "bound_alpha": alpha}
    assert not (lower_bound_reaches(k, n, **rule) and upper_bound_is_below(k, n, **rule))
    assert not (upper_bound_within(k, n, **rule) and lower_bound_is_above(k, n, **rule))


@given(st.integers(1, 60), thresholds, alphas)
def test_one_more_success_never_loses_a_pass(n, threshold, alpha):
    rule = {"threshold": threshold, "bound_alpha": alpha}
    passes = [lower_bound_reaches(k, n, **rule) for k in range(n + 1)]
    fails = [upper_bound_is_below(k, n, **rule) for k in range(n + 1)]
    assert passes == sorted(passes)
    assert fails == sorted(fails, reverse=True)


@given(st.integers(1, 60), thresholds, alphas)
def test_critical_counts_of_a_minimum_are_those_of_brute_force(n, threshold, alpha):
    rule = {"threshold": threshold, "bound_alpha": alpha}
    found = critical_counts(n, op=">=", **rule)
    assert found.pass_limit == min((k for k in range(n + 1) if lower_bound_reaches(k, n, **rule)), default=None)
    assert found.fail_limit == max((k for k in range(n + 1) if upper_bound_is_below(k, n, **rule)), default=None)


@given(st.integers(1, 60), thresholds, alphas)
def test_critical_counts_of_a_maximum_are_those_of_brute_force(n, threshold, alpha):
    rule = {"threshold": threshold, "bound_alpha": alpha}
    found = critical_counts(n, op="<=", **rule)
    assert found.pass_limit == max((k for k in range(n + 1) if upper_bound_within(k, n, **rule)), default=None)
    assert found.fail_limit == min((k for k in range(n + 1) if lower_bound_is_above(k, n, **rule)), default=None)


def test_a_lower_bound_that_equals_the_threshold_reaches_it():
    assert lower_bound_reaches(1, 1, threshold="0.025", bound_alpha=ALPHA)
    assert not lower_bound_is_above(1, 1, threshold="0.025", bound_alpha=ALPHA)


def test_an_upper_bound_that_equals_the_threshold_is_not_below_it():
    assert upper_bound_within(0, 1, threshold="0.975", bound_alpha=ALPHA)
    assert not upper_bound_is_below(0, 1, threshold="0.975", bound_alpha=ALPHA)


def test_no_finite_number_of_successes_shows_a_rate_of_one():
    assert not lower_bound_reaches(10**6, 10**6, threshold="1", bound_alpha=ALPHA)
    assert critical_counts(50, op=">=", threshold="1", bound_alpha=ALPHA).pass_limit is None


def test_two_hundred_cases_at_ninety_percent():
    """The figures of the language reference: PASS from 189, FAIL to 170."""
    found = critical_counts(200, op=">=", threshold="0.9", bound_alpha=ALPHA)
    assert (found.pass_limit, found.fail_limit) == (189, 170)


@pytest.mark.parametrize(("threshold", "n"), [("0.8", 17), ("0.9", 36), ("0.95", 72), ("0.99", 368), ("0.995", 736)])
def test_smallest_n_that_can_pass(threshold, n):
    assert smallest_n_that_can_pass(op=">=", threshold=threshold, bound_alpha=ALPHA) == n
    mirrored = 1 - Fraction(threshold)
    assert smallest_n_that_can_pass(op="<=", threshold=mirrored, bound_alpha=ALPHA) == n


def test_smallest_n_where_the_best_bound_meets_the_threshold_exactly():
    assert smallest_n_that_can_pass(op=">=", threshold="0.5", bound_alpha="0.125") == 3


@pytest.mark.parametrize(
    ("op", "threshold", "n"), [(">=", "1", None), ("<=", "0", None), (">=", "0", 1), ("<=", "1", 1)]
)
def test_smallest_n_at_the_ends_of_the_range(op, threshold, n):
    assert smallest_n_that_can_pass(op=op, threshold=threshold, bound_alpha=ALPHA) == n


@pytest.mark.parametrize("text", ["1/3", "nan", "inf", "1_0", "", " 1", "1e9999", "0x1", "1.", "\u0661", 0.9, None])
def test_what_is_not_plain_decimal_text_is_refused(text):
    with pytest.raises(InexactNumber):
        exact_fraction(text)


@pytest.mark.parametrize(
    ("text", "value"), [("0.9", Fraction(9, 10)), ("-1e-3", Fraction(-1, 1000)), ("2", Fraction(2))]
)
def test_decimal_text_is_read_exactly(text, value):
    assert exact_fraction(text) == value


@pytest.mark.parametrize("alpha", ["0", "-0.1", "0.51", "1"])
def test_an_error_rate_that_bounds_nothing_is_refused(alpha):
    with pytest.raises(BadBoundAlpha):
        lower_bound_reaches(1, 2, threshold="0.5", bound_alpha=alpha)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(BadCount):
        upper_bound_within(k, n, threshold="0.5", bound_alpha=ALPHA)
