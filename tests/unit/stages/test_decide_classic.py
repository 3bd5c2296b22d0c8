"""Mistakes that other tools made, on tiny inputs: the wrong answer is not given .

Convention: 95 % two-sided, each bound at 2.5 %. Bounds are compared to the digits printed there.
"""

from dataclasses import replace

import pytest
from laws.builders import (
    FAIL,
    INSUFFICIENT,
    PASS,
    by_cluster,
    clustered,
    find,
    find_all,
    gate,
    given,
    metric,
    outcomes,
    plan,
)

from oloproof.chain.decision import worst_of
from oloproof.chain.measurement import Measurement
from oloproof.plan.plan import RequireEntry


def interval(found):
    return round(found.lower, 3), round(found.upper, 3)


def test_row_1_the_estimate_does_not_decide():
    found = find(plan(gate("0.9")), given(outcomes(right=18, wrong=2)))
    assert (interval(found), found.state) == ((0.683, 0.988), INSUFFICIENT)


def test_row_2_ten_of_ten_is_no_certainty():
    found = find(plan(gate("0.9")), given(outcomes(right=10)))
    assert (round(found.lower, 4), found.state) == (0.6915, INSUFFICIENT)


def test_row_3_the_bound_is_exact_on_its_one_side():
    found = find(plan(gate("0.835")), given(outcomes(right=20)))
    assert (round(found.lower, 4), found.state) == (0.8316, INSUFFICIENT)


def test_row_4_five_documents_are_five_units():
    found = find(plan(gate("0.9"), metrics=[by_cluster()]), clustered(*[[True] * 100] * 5))
    assert (round(found.lower, 3), found.state) == (0.478, INSUFFICIENT)


def test_row_5_trials_are_not_cases():
    found = find(plan(gate("0.7"), repeats=20), given([[True] * 20] * 8 + [[False] * 20] * 2))
    assert (round(found.lower, 3), found.state) == (0.444, INSUFFICIENT)


def test_row_6_missing_cases_are_not_dropped():
    found = find(plan(gate("0.95")), given(outcomes(right=95, missing=5)))
    assert (round(found.lower, 3), found.state) == (0.887, INSUFFICIENT)


def test_row_7_missing_cases_fail_nothing():
    found = find(plan(gate("0.9")), given(outcomes(right=80, missing=20)))
    assert (found.upper, found.state) == (1.0, INSUFFICIENT)
    declared = find(plan(gate("0.9"), metrics=[metric(errors="failed")]), given(outcomes(right=80, missing=20)))
    assert (round(declared.upper, 3), declared.state, declared.counts) == (0.873, FAIL, (100, 100, 100, 0))


def test_row_8_ineligible_cases_are_not_in_the_denominator():
    run = given(outcomes(right=78, wrong=2) + [True] * 20)
    cases = tuple(replace(item, eligible=number < 80) for number, item in enumerate(run.cases))
    found = find(plan(gate("0.92")), replace(run, cases=cases))
    assert (round(found.lower, 3), found.state, found.counts) == (0.913, INSUFFICIENT, (100, 80, 80, 0))


def test_row_9_a_failure_that_is_taken_back_is_missing():
    found = find(plan(gate("0.9")), given(outcomes(right=90, missing=10, why="refused")))
    assert (found.counts, found.state) == ((100, 100, 90, 10), INSUFFICIENT)


def test_row_13_a_two_sided_interval_errs_at_half_on_each_side():
    found = find(plan(gate("0.84")), given(outcomes(right=29, wrong=1)))
    assert (round(found.lower, 3), found.inference.bound_alpha, found.state) == (0.828, "0.025", INSUFFICIENT)
    assert find(plan(gate("0.84", confidence="0.9")), given(outcomes(right=29, wrong=1))).state is PASS


def test_row_15_a_conjunction_is_not_corrected():
    lines = tuple(RequireEntry("right", ">=", f"0.{n}") for n in (5, 6, 7, 8, 9))
    found = find_all(plan(gate(requires=lines)), given(outcomes(right=36)))
    assert {item.inference.bound_alpha for item in found} == {"0.025"}
    assert worst_of(item.state for item in found) is PASS


def test_row_23_macro_and_micro_are_declared_and_differ():
    run = clustered(*[outcomes(right=14, wrong=6)] * 10, *[outcomes(right=4)] * 10)
    macro = find(plan(metrics=[by_cluster(weight_by="cluster")]), run).inference.estimate
    micro = find(plan(metrics=[by_cluster(max_size=20)]), run).inference.estimate
    assert (macro, micro) == (0.85, 0.75)
    assert find(plan(metrics=[by_cluster()]), run).reasons == ("estimand_undeclared",)


def test_row_24_thirds_and_tenths_add_up_exactly():
    trials = [[True, True, False]] * 9 + [[False, False, True]] * 9
    found = find(plan(repeats=3), given(trials)).inference
    assert (found.estimate, found.estimate_low, found.estimate_high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("reason", ["non_finite", "out_of_range"])
def test_row_25_a_score_that_is_none_is_missing(reason):
    found = find(plan(gate("0.95")), given([True] * 99 + [reason]))
    assert (found.counts, found.state) == ((100, 100, 99, 1), INSUFFICIENT)


@pytest.mark.parametrize(
    ("threshold", "state"), [("0.85", INSUFFICIENT), ("0.70", PASS), ("0.96", FAIL), ("0.95", INSUFFICIENT)]
)
def test_c1_errors_do_not_raise_a_score(threshold, state):
    found = find(plan(gate(threshold)), given(outcomes(right=80, wrong=10, missing=10, why="system_error")))
    assert (interval(found), found.counts, found.state) == ((0.708, 0.951), (100, 100, 90, 10), state)
    assert (found.inference.estimate_low, found.inference.estimate_high) == (0.8, 0.9)


@pytest.mark.parametrize(("n", "state"), [(1, INSUFFICIENT), (5, INSUFFICIENT), (35, INSUFFICIENT), (36, PASS)])
def test_c2_everything_right_in_few_cases_is_not_enough(n, state):
    found = find(plan(gate("0.9")), given(outcomes(right=n)))
    assert found.lower == pytest.approx(0.025 ** (1 / n), abs=1e-12)
    assert found.state is state


def test_c4_an_interval_stays_inside_the_scale():
    found = find(plan(), given(outcomes(right=9, wrong=1)))
    assert interval(found) == (0.555, 0.997)


def test_c4_one_cluster_gives_nothing():
    found = find(plan(metrics=[by_cluster()]), clustered(outcomes(right=10, wrong=10)))
    assert (found.inference.lower, found.state, found.reasons) == (None, INSUFFICIENT, ("too_few_clusters",))


def test_c4_ten_uniform_clusters_are_ten_units():
    run = clustered(*[[True] * 10] * 9, [False] * 10)
    assert find(plan(gate("0.8"), metrics=[by_cluster()]), run).state is INSUFFICIENT
    assert find(plan(gate("0.8")), given(outcomes(right=90, wrong=10))).state is PASS  # what ignoring them would say


def test_c10_a_score_that_is_not_finite_is_missing_and_touches_no_other_metric():
    other = metric("other", evaluator="other")
    run = given([*outcomes(right=4), "non_finite"])
    beside = tuple(replace(item, evaluator="other", outputs={"pass": True}, reason=None) for item in run.measurements)
    of = plan(
        gate(requires=(RequireEntry("right", ">=", "0.5"), RequireEntry("other", ">=", "0.5"))),
        metrics=[metric(), other],
    )
    found = find_all(of, replace(run, measurements=run.measurements + beside))
    assert [item.counts for item in found] == [(5, 5, 4, 1), (5, 5, 5, 0)]


def test_v01_an_unreadable_verdict_is_missing_and_no_worst_score():
    found = find(plan(gate("0.6")), given(outcomes(right=8, missing=2, why="evaluator_output")))
    assert (found.counts, round(found.lower, 3), found.state) == ((10, 10, 8, 2), 0.444, INSUFFICIENT)
    assert (found.inference.estimate_low, found.inference.estimate_high) == (0.8, 1.0)


def test_v03_a_system_that_breaks_on_the_hard_rows_is_not_better():
    whole = find(plan(gate("0.8")), given([True, False, True, False]))
    broken = find(plan(gate("0.8")), given([True, "system_error", True, "system_error"]))
    assert (whole.inference.estimate, whole.inference.estimate_low, whole.inference.estimate_high) == (0.5, 0.5, 0.5)
    assert (broken.inference.estimate, broken.inference.estimate_low, broken.inference.estimate_high) == (1.0, 0.5, 1.0)
    assert (broken.counts, broken.state) == ((4, 4, 2, 2), INSUFFICIENT)
    assert broken.lower == whole.lower


def test_v04_a_case_without_any_verdict_is_missing_in_every_metric():
    names = ["a", "b", "c", "d"]
    measurements: list[Measurement] = []
    run = given([True, "evaluator_timeout", True])
    for name in names:
        measurements += [replace(item, evaluator=name) for item in run.measurements]
    of = plan(
        gate(requires=tuple(RequireEntry(name, ">=", "0.5") for name in names)),
        metrics=[metric(name, evaluator=name) for name in names],
    )
    found = find_all(of, replace(run, measurements=tuple(measurements)))
    assert [item.counts for item in found] == [(3, 3, 2, 1)] * 4


def test_v06_the_interval_of_the_negated_rate_is_the_mirrored_one():
    run, negated = given([True, False, "timeout"]), given([False, True, "timeout"])
    one, other = find(plan(), run), find(plan(), negated)
    assert (other.lower, other.upper) == pytest.approx((1 - one.upper, 1 - one.lower), abs=1e-15)


def test_v15_a_quota_is_no_failed_task():
    found = find(plan(gate("0.5")), given(outcomes(right=14, wrong=4, missing=2, why="unavailable")))
    assert (found.counts, round(found.lower, 3), found.state) == ((20, 20, 18, 2), 0.457, INSUFFICIENT)
    assert (found.inference.estimate_low, found.inference.estimate_high) == (0.7, 0.8)
