"""Laws of inference and decision that hold for every run, whatever its design."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import nextafter
from random import Random

import pytest
from hypothesis import assume, settings
from hypothesis import given as drawn
from hypothesis import strategies as st
from laws.builders import FAIL, INSUFFICIENT, PASS, REVIEW, clustered, find, gate, given, metric, outcomes, plan
from laws.runs import OPS, THRESHOLDS, runs

from oloproof.chain.decision import DecisionState
from oloproof.stages.decide import decide_exactly, read_interval

#: How far a computed bound may stray from the law that its exact value obeys; below the tolerance of decisions.
STRAY = 1e-10


def found_in(run, threshold="0.9", op=">="):
    return find(plan(gate(threshold, op), metrics=[run.metric], repeats=run.repeats), run.records())


def known(bound, otherwise):
    return otherwise if bound is None else bound


@settings(max_examples=200)
@drawn(runs(), THRESHOLDS, OPS, st.data())
def test_a_lost_trial_never_narrows_the_interval_and_never_helps_to_decide(run, threshold, op, data):
    case = data.draw(st.integers(0, len(run.trials) - 1))
    trial = data.draw(st.integers(0, run.repeats - 1))
    whole, holed = found_in(run, threshold, op), found_in(run.without(case, trial), threshold, op)
    assert known(holed.inference.lower, 0.0) <= known(whole.inference.lower, 0.0) + STRAY
    assert known(holed.inference.upper, 1.0) >= known(whole.inference.upper, 1.0) - STRAY
    if holed.state in (PASS, FAIL):
        assert whole.state is holed.state
    assert holed.counts[3] >= whole.counts[3]
    assert holed.counts[:2] == whole.counts[:2]


@settings(max_examples=150)
@drawn(runs(), THRESHOLDS, OPS)
def test_exactly_one_state_with_exactly_one_reason(run, threshold, op):
    found = found_in(run, threshold, op)
    assert found.state in set(DecisionState)
    assert len(found.reasons) == 1
    assert (found.state is REVIEW) == found.inference.declined


@settings(max_examples=150)
@drawn(runs(), THRESHOLDS, OPS)
def test_the_four_counts_add_up(run, threshold, op):
    n_total, n_eligible, n_observed, n_missing = found_in(run, threshold, op).counts
    assert n_total == n_eligible == len(run.trials)
    assert n_observed == sum(all(isinstance(item, bool) for item in case) for case in run.trials)
    assert n_observed + n_missing == n_eligible


@settings(max_examples=150)
@drawn(runs(), THRESHOLDS)
def test_a_minimum_on_successes_mirrors_a_maximum_on_failures(run, threshold):
    mirrored = format(1 - Decimal(threshold), "f")
    one, other = found_in(run, threshold, ">="), found_in(run.mirrored(), mirrored, "<=")
    assert one.state is other.state
    for bound, opposite in ((one.inference.lower, other.inference.upper), (one.inference.upper, other.inference.lower)):
        assert (bound is None) == (opposite is None)
        assert bound is None or bound == pytest.approx(1 - opposite, abs=STRAY)


@settings(max_examples=100)
@drawn(runs(), THRESHOLDS, OPS, st.integers(0, 10**6))
def test_the_order_of_records_never_changes_anything(run, threshold, op, seed):
    records = run.records()
    cases, measurements = list(records.cases), list(records.measurements)
    Random(seed).shuffle(cases)  # noqa: S311 -- an order, not a secret
    Random(seed + 1).shuffle(measurements)  # noqa: S311 -- as above
    of = plan(gate(threshold, op), metrics=[run.metric], repeats=run.repeats)
    assert find(of, replace(records, cases=tuple(cases), measurements=tuple(measurements))) == find(of, records)


@settings(max_examples=100)
@drawn(runs(), st.integers(0, 10**6))
def test_the_names_of_clusters_never_change_anything(run, seed):
    assume(run.labels is not None)
    names = sorted(set(run.labels))
    others = [f"@{name}" for name in names]
    Random(seed).shuffle(others)  # noqa: S311 -- an order, not a secret
    renamed = replace(run, labels=tuple(dict(zip(names, others, strict=True))[label] for label in run.labels))
    one, other = found_in(run).inference, found_in(renamed).inference
    assert (one.lower, one.upper, one.estimate, one.reasons) == (
        other.lower,
        other.upper,
        other.estimate,
        other.reasons,
    )


@settings(max_examples=150)
@drawn(runs(), THRESHOLDS, OPS)
def test_bounds_enclose_what_missing_cases_leave_open(run, threshold, op):
    found = found_in(run, threshold, op).inference
    assume(found.lower is not None)
    assert 0 <= found.lower <= found.estimate_low <= found.estimate_high <= found.upper <= 1


@settings(max_examples=150)
@drawn(runs(), THRESHOLDS, OPS)
def test_a_decision_agrees_with_the_bounds_that_are_shown(run, threshold, op):
    """The bounds shown are rounded outward, so that a threshold met exactly lies at most one float away."""
    found, limit = found_in(run, threshold, op), Fraction(threshold)
    if found.state is PASS and op == ">=":
        assert Fraction(nextafter(found.lower, 2.0)) > limit
    if found.state is PASS and op == "<=":
        assert Fraction(nextafter(found.upper, -1.0)) < limit
    if found.state is FAIL and op == ">=":
        assert Fraction(nextafter(found.upper, -1.0)) < limit
    if found.state is FAIL and op == "<=":
        assert Fraction(nextafter(found.lower, 2.0)) > limit
    if found.state is INSUFFICIENT and found.inference.certificate is not None:
        assert Fraction(found.lower) < limit if op == ">=" else Fraction(found.upper) > limit


@settings(max_examples=200)
@drawn(
    st.integers(1, 60),
    st.data(),
    st.decimals("0.001", "0.999", places=3),
    st.sampled_from(["0.025", "0.05", "0.005"]),
    OPS,
)
def test_the_certificate_says_what_its_bounds_say(n, data, threshold, alpha, op):
    right = data.draw(st.integers(0, n))
    missing = data.draw(st.integers(0, n - right))
    confidence = format(1 - 2 * Decimal(alpha), "f")
    run = given(outcomes(right=right, wrong=n - right - missing, missing=missing))
    assume(missing < n)
    found = find(plan(gate(str(threshold), op, confidence=confidence)), run)
    exactly = decide_exactly(found.inference.certificate, op, str(threshold), alpha)
    assert exactly.state is found.state
    assert read_interval(found.lower, found.upper, op, float(threshold)).state is found.state


@settings(max_examples=60)
@drawn(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_higher_minimum_is_never_easier(n, right, missing):
    right, missing = min(right, n), min(missing, n - min(right, n))
    run = given(outcomes(right=right, wrong=n - right - missing, missing=missing))
    order = [FAIL, INSUFFICIENT, PASS]
    states = [find(plan(gate(threshold)), run).state for threshold in ("0.1", "0.4", "0.6", "0.9", "0.99")]
    ranks = [order.index(state) for state in states]
    assert ranks == sorted(ranks, reverse=True)


@settings(max_examples=60)
@drawn(runs(), st.integers(0, 4))
def test_ineligible_cases_change_the_total_alone(run, n_more):
    records = run.records()
    more = given([["timeout"] * run.repeats] * n_more, labels=["a"] * n_more if run.labels else None)
    cases = tuple(replace(item, id=f"x{item.id}", eligible=False) for item in more.cases)
    measurements = tuple(replace(item, id=f"x{item.id}") for item in more.measurements)
    of = plan(metrics=[run.metric], repeats=run.repeats)
    wider = replace(records, cases=records.cases + cases, measurements=records.measurements + measurements)
    one, other = find(of, records), find(of, wider)
    assert other.counts == (one.counts[0] + n_more, *one.counts[1:])
    assert replace(other.inference, counts=one.inference.counts) == one.inference


@settings(max_examples=40)
@drawn(st.lists(st.integers(0, 6), min_size=2, max_size=12), st.integers(1, 4))
def test_copies_of_every_case_in_its_cluster_are_no_evidence(right, n_copies):
    """Equal clusters: the same answers again, in the same clusters, leave the interval where it is."""
    once = clustered(*[outcomes(right=k, wrong=6 - k) for k in right])
    again = clustered(*[outcomes(right=k, wrong=6 - k) * n_copies for k in right])
    of = plan(metrics=[metric(cluster="group")])
    one, other = find(of, once), find(of, again)
    assert other.lower == pytest.approx(one.lower, abs=STRAY)
    assert other.upper == pytest.approx(one.upper, abs=STRAY)
