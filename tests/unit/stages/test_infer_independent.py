"""Independent cases: exact bounds, missing cases at their worst and best, four counts."""

from dataclasses import replace
from fractions import Fraction

import pytest
from laws.builders import INSUFFICIENT, PASS, case, find, gate, given, measurement, metric, outcomes, plan

from oloproof.stages.infer import infer
from oloproof.stages.infer.table import RepeatedCase, StrayMeasurement


def test_missing_cases_count_as_wrong_below_and_as_right_above():
    found = find(plan(), given(outcomes(right=80, wrong=10, missing=10)))
    certificate = found.inference.certificate
    assert (certificate.n_success, certificate.n, certificate.n_missing) == (80, 100, 10)
    assert (round(found.lower, 3), round(found.upper, 3)) == (0.708, 0.951)
    assert found.counts == (100, 100, 90, 10)


def test_the_estimate_is_over_observed_cases_with_both_ends_beside_it():
    found = find(plan(), given(outcomes(right=80, wrong=10, missing=10))).inference
    assert (found.estimate, found.estimate_low, found.estimate_high) == (80 / 90, 0.8, 0.9)


def test_an_ineligible_case_is_in_the_total_and_nowhere_else():
    run = given(outcomes(right=78, wrong=2) + [True] * 20)
    cases = tuple(replace(item, eligible=number < 80) for number, item in enumerate(run.cases))
    found = find(plan(gate("0.92")), replace(run, cases=cases))
    assert found.counts == (100, 80, 80, 0)
    assert found.inference.certificate.n == 80
    assert round(found.lower, 3) == 0.913


def test_a_missing_ineligible_case_is_not_missing():
    run = given([True, True, "timeout"])
    cases = (*run.cases[:2], replace(run.cases[2], eligible=False))
    assert find(plan(), replace(run, cases=cases)).counts == (3, 2, 2, 0)


def test_no_eligible_case_gives_no_bounds():
    run = given(outcomes(right=3))
    found = find(plan(), replace(run, cases=tuple(replace(item, eligible=False) for item in run.cases)))
    assert (found.inference.lower, found.inference.upper, found.inference.method) == (None, None, None)
    assert (found.state, found.reasons, found.counts) == (INSUFFICIENT, ("no_eligible",), (3, 0, 0, 0))


def test_no_case_at_all_gives_no_bounds():
    found = find(plan(), given([]))
    assert (found.state, found.reasons, found.counts) == (INSUFFICIENT, ("no_eligible",), (0, 0, 0, 0))


@pytest.mark.parametrize("op", [">=", "<="])
@pytest.mark.parametrize("threshold", ["0", "0.5", "1"])
def test_nothing_observed_is_anything_between_0_and_1(op, threshold):
    found = find(plan(gate(threshold, op)), given(outcomes(right=0, missing=5)))
    assert (found.lower, found.upper) == (0.0, 1.0)
    assert (found.state, found.reasons, found.counts) == (INSUFFICIENT, ("nothing_observed",), (5, 5, 0, 5))


def test_a_planned_trial_that_has_no_record_is_missing():
    run = given(outcomes(right=10))
    found = find(plan(), replace(run, measurements=run.measurements[:7]))
    assert found.counts == (10, 10, 7, 3)
    assert found.inference.certificate.n_missing == 3


def test_an_output_of_another_type_is_no_verdict():
    odd = [{"pass": 1}, {"pass": "true"}, {"pass": 1.0}, {"other": True}, {}]
    found = find(plan(), given([True, *odd]))
    assert found.counts == (6, 6, 1, 5)


def test_only_the_metrics_own_output_counts():
    found = find(plan(metrics=[metric(output="strict")]), given([{"pass": True, "strict": False}] * 4))
    assert found.inference.certificate.n_success == 0


def test_declared_errors_are_observed_failures():
    found = find(plan(metrics=[metric(errors="failed")]), given(outcomes(right=90, missing=10)))
    assert found.counts == (100, 100, 100, 0)
    assert found.inference.certificate.n_success == 90
    assert "errors_count_as_failed" in found.inference.assumptions


def test_an_evaluators_failure_is_never_the_systems():
    run = given(outcomes(right=90, missing=10, why="evaluator_error"))
    assert find(plan(metrics=[metric(errors="failed")]), run).counts == (100, 100, 90, 10)


def test_a_failure_that_would_help_a_maximum_stays_missing():
    run = given(outcomes(right=2, wrong=98, missing=100))
    found = find(plan(gate("0.1", "<="), metrics=[metric(errors="failed")]), run)
    assert found.counts == (200, 200, 100, 100)
    assert found.state is INSUFFICIENT
    assert "errors_count_as_failed" not in found.inference.assumptions


def test_one_independent_case_is_evidence_of_one_case():
    found = find(plan(gate("0.025")), given([True]))
    assert found.state is PASS
    assert abs(Fraction(found.lower) - Fraction("0.025")) < Fraction(1, 10**16)


def test_a_case_twice_is_refused():
    with pytest.raises(RepeatedCase):
        infer(plan(), [case("a"), case("a")], [])


@pytest.mark.parametrize(
    "stray",
    [
        measurement("b", True),
        measurement("a", True),
        measurement("a", False, repeat=1),
        measurement("a", True, case_set="x"),
    ],
)
def test_a_measurement_of_no_planned_trial_or_a_second_one_is_refused(stray):
    with pytest.raises(StrayMeasurement):
        infer(plan(), [case("a")], [measurement("a", True), stray])


def test_the_key_covers_every_trial_that_counts_and_no_salt():
    run = given([True, False, "timeout"])
    honest = find(plan(), run).inference.key
    salted = tuple(replace(item, salt="f" * 32) for item in run.measurements)
    assert find(plan(), replace(run, measurements=salted)).inference.key == honest
    for number, outcome in enumerate((False, True, "refused")):
        changed = list(run.measurements)
        changed[number] = measurement(changed[number].id, outcome)
        assert find(plan(), replace(run, measurements=tuple(changed))).inference.key != honest


def test_a_trial_without_a_record_has_the_key_of_one_that_was_unavailable():
    run, without = given([True, "unavailable"]), given([True, True])
    assert (
        find(plan(), replace(without, measurements=without.measurements[:1])).inference.key
        == find(plan(), run).inference.key
    )
