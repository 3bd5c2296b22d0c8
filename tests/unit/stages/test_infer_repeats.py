"""Repeated trials: the case is the unit, and its score is the mean of its trials."""

import pytest
from laws.builders import INSUFFICIENT, PASS, by_cluster, find, gate, given, metric, outcomes, plan


def test_trials_are_not_cases():
    run = given([[True] * 20] * 8 + [[False] * 20] * 2)
    found = find(plan(gate("0.7"), repeats=20), run)
    assert round(found.lower, 3) == 0.444
    assert (found.state, found.counts) == (INSUFFICIENT, (10, 10, 10, 0))


def test_more_trials_of_equal_cases_do_not_narrow_the_interval():
    found = [find(plan(repeats=n), given([[True] * n] * 8 + [[False] * n] * 2)) for n in (2, 40)]
    assert found[0].lower == pytest.approx(found[1].lower, abs=1e-10)


def test_a_case_with_any_trial_missing_is_missing():
    found = find(plan(repeats=3), given([[True, True, "timeout"], [True] * 3, [False] * 3]))
    assert found.counts == (3, 3, 2, 1)
    assert found.inference.estimate == 0.5


def test_a_missing_trial_counts_at_its_worst_and_at_its_best():
    found = find(plan(repeats=4), given([[True, True, False, "timeout"]] * 2)).inference
    assert (found.estimate, found.estimate_low, found.estimate_high) == (None, 0.5, 0.75)


def test_declared_errors_fail_their_trial_only():
    run = given([[True, "timeout"]] * 10)
    found = find(plan(metrics=[metric(errors="failed")], repeats=2), run)
    assert (found.counts, found.inference.estimate) == ((10, 10, 10, 0), 0.5)


def test_a_trial_without_a_record_is_missing():
    found = find(plan(repeats=2), given([[True]] * 5))
    assert found.counts == (5, 5, 0, 5)
    assert (found.inference.estimate_low, found.inference.estimate_high) == (0.5, 1.0)


def test_one_case_is_one_unit_however_often_it_is_tried():
    found = find(plan(gate("0.001"), repeats=50), given([[True] * 50]))
    assert (found.state, found.reasons) == (INSUFFICIENT, ("too_few_clusters",))


def test_repeated_trials_in_clusters_are_clusters():
    run = given([[True] * 5] * 80, labels=[f"g{n // 2}" for n in range(80)])
    found = find(plan(gate("0.9"), metrics=[by_cluster()], repeats=5), run)
    assert (found.inference.n_clusters, found.state) == (40, PASS)
    assert found.lower == pytest.approx(0.025 ** (1 / 40), abs=1e-10)


def test_all_trials_missing_is_nothing_observed():
    run = given([["timeout"] * 3] * 4)
    assert find(plan(repeats=3), run).reasons == ("nothing_observed",)


def test_single_trials_are_independent_cases():
    assert find(plan(), given(outcomes(right=3))).inference.method.id == "clopper_pearson"
