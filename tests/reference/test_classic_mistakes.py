"""Classic mistakes on tiny inputs (design, STATISTICS section 4, rows 1 to 7): the wrong answer is not given.

Convention: 95 % two-sided, each bound at 2.5 %. L and U are compared to the digits printed there.
"""

import pytest

from oloproof.stats.binomial import clopper_pearson, worst_case
from oloproof.stats.exact import cluster_ceiling_reaches, lower_bound_reaches, upper_bound_is_below
from oloproof.stats.phantom import lower_bound

ALPHA = "0.025"


def passes(k, n, threshold):
    return lower_bound_reaches(k, n, threshold=threshold, bound_alpha=ALPHA)


def fails(k, n, threshold):
    return upper_bound_is_below(k, n, threshold=threshold, bound_alpha=ALPHA)


def test_1_the_point_estimate_does_not_decide():
    bounds = clopper_pearson(18, 20, bound_alpha=ALPHA)
    assert (round(bounds.lower, 3), round(bounds.upper, 3)) == (0.683, 0.988)
    assert not passes(18, 20, "0.9")
    assert not fails(18, 20, "0.9")


def test_2_ten_of_ten_has_no_zero_width_interval():
    assert clopper_pearson(10, 10, bound_alpha=ALPHA).lower == pytest.approx(0.025 ** (1 / 10), abs=1e-12)
    assert not passes(10, 10, "0.9")


def test_3_twenty_of_twenty_does_not_reach_what_wilson_says():
    assert round(clopper_pearson(20, 20, bound_alpha=ALPHA).lower, 4) == 0.8316
    assert not passes(20, 20, "0.835")


def test_4_five_documents_of_a_hundred_questions_are_five_units():
    assert round(lower_bound([100.0] * 5, [100.0] * 5, cap=100, bound_alpha=ALPHA), 3) == 0.478
    assert not cluster_ceiling_reaches([100] * 5, cap=100, threshold="0.9", bound_alpha=ALPHA)
    assert passes(500, 500, "0.9")  # what treating questions as cases would say


def test_5_repeated_trials_are_not_cases():
    found = lower_bound([20.0] * 8 + [0.0] * 2, [20.0] * 10, cap=20, bound_alpha=ALPHA)
    assert round(found, 3) == 0.444
    assert passes(160, 200, "0.7")  # what treating trials as cases would say


def test_6_missing_cases_are_not_dropped():
    assert round(worst_case(95, 5, 100, bound_alpha=ALPHA).lower, 3) == 0.887
    assert not passes(95, 100, "0.95")
    assert passes(95, 95, "0.95")  # what dropping them would say


def test_7_missing_cases_count_against_either_decision():
    assert worst_case(80, 20, 100, bound_alpha=ALPHA).upper == 1.0
    assert not fails(100, 100, "0.9")
    assert fails(80, 100, "0.9")  # what counting them as failed on both sides would say
