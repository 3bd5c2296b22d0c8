"""Clusters: what a unit is, how much it counts, and when there is no answer."""

from dataclasses import replace

import pytest
from laws.builders import (
    INSUFFICIENT,
    PASS,
    REVIEW,
    by_cluster,
    case,
    clustered,
    find,
    gate,
    given,
    measurement,
    metric,
    outcomes,
    plan,
)

from oloproof.chain.case import SAME_INPUT
from oloproof.stats import phantom


def test_equal_clusters_need_no_rule():
    found = find(plan(metrics=[by_cluster()]), clustered(*[[True] * 100] * 5))
    assert round(found.lower, 3) == 0.478
    assert (found.inference.n_clusters, found.inference.method.id) == (5, "phantom")
    assert found.counts == (500, 500, 500, 0)


def test_equal_clusters_that_are_wholly_right_or_wrong_are_as_many_cases():
    run = clustered(*[[True] * 10] * 9, [False] * 10)
    found = find(plan(gate("0.8"), metrics=[by_cluster()]), run)
    nine_of_ten = find(plan(), given(outcomes(right=9, wrong=1)))
    assert found.lower == pytest.approx(nine_of_ten.lower, abs=1e-10)
    assert found.upper == pytest.approx(nine_of_ten.upper, abs=1e-10)
    assert found.state is INSUFFICIENT


@pytest.mark.parametrize("size", [1, 4])
def test_equal_clusters_say_which_weighing_their_bound_holds_for(size):
    """Sizes that happen to be equal show nothing of larger clusters, so equal weights are what is claimed."""
    run = clustered(*[[True] * size] * 40)
    silent, by_case = (
        find(plan(metrics=[by_cluster(**changes)]), run).inference for changes in ({}, {"weight_by": "case"})
    )
    assert (silent.lower, silent.upper) == (by_case.lower, by_case.upper)
    assert silent.assumptions[-1] == "clusters_weigh_equally"
    assert by_case.assumptions[-1] == "clusters_of_one_size"


def test_clusters_of_one_case_are_exact():
    found = find(plan(metrics=[by_cluster()]), clustered(*[[True]] * 36))
    assert (found.inference.method.id, found.inference.n_clusters, found.state) == ("clopper_pearson", 36, PASS)


def test_clusters_of_one_case_under_a_larger_cap_are_not_exact():
    """Where larger clusters could be sampled and always fail, 36 single passes say little."""
    found = find(plan(metrics=[by_cluster(max_size=10)]), clustered(*[[True]] * 36))
    sizes = [1.0] * 36
    assert found.lower == phantom.lower_bound(sizes, sizes, cap=10, bound_alpha="0.025")
    assert "max_size_declared" in found.inference.assumptions
    assert found.state is INSUFFICIENT


@pytest.mark.parametrize("changes", [{"max_size": 1}, {"max_size": 10, "weight_by": "cluster"}])
def test_a_cap_that_cannot_matter_leaves_single_cases_exact(changes):
    found = find(plan(metrics=[by_cluster(**changes)]), clustered(*[[True]] * 36))
    assert found.inference.method.id == "clopper_pearson"


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.parametrize("weigh", [{}, {"weight_by": "cluster"}, {"max_size": 100}, {"sizes_uninformative": True}])
def test_one_cluster_says_nothing(size, weigh):
    run = clustered(outcomes(right=size))
    found = find(plan(gate("0.001"), metrics=[by_cluster(**weigh)]), run)
    assert (found.state, found.reasons) == (INSUFFICIENT, ("too_few_clusters",))
    assert (found.inference.lower, found.inference.upper, found.inference.n_clusters) == (None, None, 1)


def test_unequal_clusters_without_a_rule_are_for_a_person():
    found = find(plan(metrics=[by_cluster()]), clustered([True] * 3, [True] * 2, [True] * 2))
    assert (found.state, found.reasons) == (REVIEW, ("estimand_undeclared",))


def test_weighing_by_case_alone_does_not_say_how_large_a_cluster_can_be():
    run = clustered([True] * 3, [True] * 2, [True] * 2)
    assert find(plan(metrics=[by_cluster(weight_by="case")]), run).reasons == ("estimand_undeclared",)


def test_a_cluster_with_most_cases_is_for_a_person():
    run = clustered([True] * 11, *[[True]] * 10)
    found = find(plan(metrics=[by_cluster(max_size=100)]), run)
    assert (found.state, found.reasons) == (REVIEW, ("dominant_cluster",))


def test_a_cluster_with_half_of_the_cases_is_not_most():
    run = clustered([True] * 10, *[[True]] * 10)
    assert find(plan(metrics=[by_cluster(max_size=100)]), run).inference.method.id == "phantom"


def test_a_cluster_beyond_its_cap_is_for_a_person():
    run = clustered([True] * 4, [True] * 3, [True] * 3)
    assert find(plan(metrics=[by_cluster(max_size=3)]), run).reasons == ("cap_exceeded",)


def test_macro_and_micro_are_both_there_and_each_says_which_it_is():
    """Half the clusters have 20 cases at 0.70, half 4 cases at 0.98 (here 14 of 20, 4 of 4)."""
    run = clustered(*[outcomes(right=14, wrong=6)] * 10, *[outcomes(right=4)] * 10)
    macro = find(plan(metrics=[by_cluster(weight_by="cluster")]), run).inference
    micro = find(plan(metrics=[by_cluster(max_size=20)]), run).inference
    assert (macro.estimate, micro.estimate) == (0.85, 0.75)
    assert "clusters_weigh_equally" in macro.assumptions
    assert "max_size_declared" in micro.assumptions


def test_a_wholly_missing_cluster_widens_both_sides():
    whole = clustered(*[outcomes(right=8, wrong=2)] * 20)
    holed = clustered(*[outcomes(right=8, wrong=2)] * 19, outcomes(right=0, missing=10))
    one, other = (find(plan(metrics=[by_cluster()]), run) for run in (whole, holed))
    assert other.lower < one.lower < one.upper < other.upper
    assert other.counts == (200, 200, 190, 10)


def test_only_eligible_cases_make_a_clusters_size():
    run = clustered([True] * 3, [True] * 2, [True] * 2)
    cases = (replace(run.cases[0], eligible=False), *run.cases[1:])
    found = find(plan(metrics=[by_cluster()]), replace(run, cases=cases))
    assert (found.inference.n_clusters, found.counts) == (3, (7, 6, 6, 0))


def test_a_cluster_of_ineligible_cases_is_no_cluster():
    run = clustered([True] * 2, [True] * 2)
    cases = tuple(replace(item, eligible=number < 2) for number, item in enumerate(run.cases))
    assert find(plan(metrics=[by_cluster()]), replace(run, cases=cases)).reasons == ("too_few_clusters",)


def test_identical_inputs_are_one_unit():
    labels = [f"c{number % 12:04}" for number in range(120)]
    found = find(plan(), given([True] * 120, labels=labels, by=SAME_INPUT))
    assert found.inference.n_clusters == 12
    assert found.lower == pytest.approx(0.025 ** (1 / 12), abs=1e-10)
    assert found.state is INSUFFICIENT
    assert find(plan(), given([True] * 120)).state is PASS  # what taking them as independent would say


def test_unequal_groups_of_identical_inputs_weigh_equally():
    run = given([True, True, True, False, True], labels=["a", "a", "a", "b", "c"], by=SAME_INPUT)
    found = find(plan(), run).inference
    assert (found.n_clusters, found.estimate, found.assumptions[-1]) == (3, 2 / 3, "clusters_weigh_equally")


def test_a_declared_clustering_holds_before_that_of_identical_inputs():
    cases = [case(f"c{n}", clusters={"group": "ab"[n // 2], SAME_INPUT: f"c{n}"}) for n in range(4)]
    run = replace(given([]), cases=tuple(cases), measurements=tuple(measurement(f"c{n}", True) for n in range(4)))
    assert find(plan(metrics=[by_cluster()]), run).inference.n_clusters == 2


def test_a_case_without_a_label_joins_no_cluster_that_is_called_like_it():
    cases = [case("a", clusters={"group": "b"}), case("b"), case("c", clusters={"group": "b"})]
    run = replace(given([]), cases=tuple(cases), measurements=tuple(measurement(name, True) for name in "abc"))
    assert find(plan(metrics=[by_cluster(weight_by="cluster")]), run).inference.n_clusters == 2


def test_labels_that_begin_like_ours_are_labels():
    run = given([True] * 4, labels=["@input", "@c0000", "@input", "@c0000"])
    assert find(plan(metrics=[by_cluster()]), run).inference.n_clusters == 2


def test_an_independent_metric_does_not_look_at_declared_clusters():
    assert find(plan(metrics=[metric()]), clustered([True] * 50, [True])).inference.n_clusters is None
