"""Diagnoses: failures and missing cases grouped, with counts and an interval for each group."""

from dataclasses import replace

from hypothesis import given as drawn
from hypothesis import strategies as st
from laws.builders import by_cluster, case, clustered, gate, given, measurement, metric, outcomes, plan

from oloproof.plan.plan import RequireEntry
from oloproof.stages.diagnose import MAX_CASES, diagnose
from oloproof.stats.binomial import clopper_pearson


def groups(of, run):
    return {
        (item.factor.kind, item.factor.name, item.factor.value): item
        for item in diagnose(of, run.cases, run.measurements)
    }


def diagnosed(of, run):
    return diagnose(of, run.cases, run.measurements)


def sliced(run, values):
    cases = tuple(replace(item, slices={"language": value}) for item, value in zip(run.cases, values, strict=True))
    return replace(run, cases=cases)


def test_nothing_wrong_is_nothing_to_tell():
    assert diagnosed(plan(), given(outcomes(right=10))) == ()


def test_failures_are_grouped_by_the_evaluators_reason():
    run = given([True, False, "timeout", *[{"pass": False}] * 2])
    measurements = list(run.measurements)
    measurements[3] = replace(measurements[3], reason="no_number")
    found = groups(plan(), replace(run, measurements=tuple(measurements)))
    assert {key: (item.n_failed, item.n_group) for key, item in found.items()} == {
        ("reason", "reason", "different"): (2, 4),
        ("reason", "reason", "no_number"): (1, 4),
        ("missing", "reason", "timeout"): (1, 5),
    }


def test_failures_are_grouped_by_slice_over_the_slices_observed_cases():
    run = sliced(given([True, False, False, True, "timeout"]), ["de", "de", "fr", "fr", "fr"])
    found = groups(plan(), run)
    assert found["slice", "language", "de"].cases == ("c0001",)
    assert (found["slice", "language", "fr"].n_failed, found["slice", "language", "fr"].n_group) == (1, 2)


def test_a_rate_has_its_exact_interval():
    found = groups(plan(), given(outcomes(right=7, wrong=3)))["reason", "reason", "different"]
    bounds = clopper_pearson(3, 10, bound_alpha="0.025")
    assert (found.lower, found.upper, found.confidence) == (bounds.lower, bounds.upper, "0.95")


def test_every_record_says_how_many_groups_were_searched():
    run = sliced(given([True, False, False, True]), ["de", "de", "fr", "el"])
    assert {item.n_searched for item in diagnosed(plan(), run)} == {4}


def test_clusters_are_named_as_what_the_interval_leaves_out():
    (found,) = diagnosed(plan(metrics=[by_cluster()]), clustered([False], [True]))
    assert found.assumption == "independent_cases_despite_clusters_uncorrected"


def test_ineligible_cases_are_in_no_group():
    run = given([False, False, "timeout"])
    cases = (run.cases[0], *(replace(item, eligible=False) for item in run.cases[1:]))
    (found,) = diagnose(plan(), cases, run.measurements)
    assert (found.n_failed, found.n_group, found.cases) == (1, 1, ("c0000",))


def test_many_failures_name_the_first_and_count_all():
    (found,) = diagnosed(plan(), given(outcomes(right=0, wrong=50)))
    assert (found.n_failed, len(found.cases), found.cases[0]) == (50, MAX_CASES, "c0000")


def test_a_trial_without_a_record_is_missing():
    run = given([True, True])
    found = groups(plan(), replace(run, measurements=run.measurements[:1]))
    assert found["missing", "reason", "unavailable"].cases == ("c0001",)


def test_an_output_of_another_type_is_missing_as_in_inference():
    assert groups(plan(), given([True, {"pass": 1}]))["missing", "reason", "evaluator_output"].n_failed == 1


def test_a_case_is_missing_if_any_trial_is_and_else_failed_if_any_trial_failed():
    run = given([[False, "timeout"], [True, False], [True, True]])
    found = groups(plan(repeats=2), run)
    assert found["missing", "reason", "timeout"].cases == ("c0000",)
    assert found["reason", "reason", "different"].cases == ("c0001",)


def test_a_declared_error_is_a_failure_but_no_more_than_what_is_missing():
    run = given([["timeout", True], ["timeout", "evaluator_error"]])
    found = groups(plan(metrics=[metric(errors="failed")], repeats=2), run)
    assert found["reason", "reason", "timeout"].cases == ("c0000",)
    assert found["missing", "reason", "evaluator_error"].cases == ("c0001",)


def test_under_a_maximum_what_the_metric_counts_is_what_goes_wrong():
    run = sliced(given([True, False, False, "timeout"]), ["de", "de", "fr", "fr"])
    found = groups(plan(gate("0.1", "<="), metrics=[metric(errors="failed")]), run)
    assert set(found) == {("slice", "language", "de"), ("missing", "reason", "timeout")}
    assert found["slice", "language", "de"].cases == ("c0000",)


def test_a_metric_between_two_lines_counts_what_is_not_right():
    band = (RequireEntry("right", ">=", "0.5"), RequireEntry("right", "<=", "0.9"))
    assert groups(plan(gate(requires=band)), given([True, False]))["reason", "reason", "different"].cases == ("c0001",)


def test_the_same_column_in_two_gates_is_told_once():
    run = given([False, True])
    assert len(diagnosed(plan(gate("0.9", name="a"), gate("0.8", name="b")), run)) == 1


@drawn(st.permutations(range(6)), st.permutations(range(6)))
def test_the_order_of_records_changes_nothing(first, second):
    cases = [case(f"c{n}") for n in range(6)]
    found = [measurement(f"c{n % 3}", [False, "timeout", False][n % 3], repeat=n // 3) for n in range(6)]
    found[5] = replace(found[5], reason="no_number")
    of = plan(repeats=2)
    assert diagnose(of, [cases[n] for n in first], [found[n] for n in second]) == diagnose(of, cases, found)
