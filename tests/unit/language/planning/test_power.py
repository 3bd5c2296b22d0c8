"""What the compiler says a gate can decide is what the product's own intervals would decide, count by count."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oloproof.language.planning.power import Part, judge_gate
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.suite import GateDef, MetricDef, RequireDef
from oloproof.language.source import Span
from oloproof.plan.cases import CaseRow
from oloproof.plan.plan import Decidability
from oloproof.stats import binomial, phantom
from oloproof.stats.bounds import Bounds
from oloproof.stats.exact import Op

NOWHERE = Span("suite.olo", 0, 0)
THRESHOLDS = ["0.005", "0.05", "0.1", "0.3", "0.5", "0.7", "0.8", "0.9", "0.95", "0.995"]


def _metric(**more: Any) -> MetricDef:  # noqa: ANN401 -- fields of the record
    plain = {
        "cluster": None, "weight_by": None, "max_size": None, "sizes_uninformative": False, "method": None,
        "errors": "missing",
    }  # fmt: skip
    return MetricDef(name="m", kind="proportion", evaluator="e", output="pass", span=NOWHERE, **{**plain, **more})


def _rows(sizes: Sequence[int]) -> list[CaseRow]:
    places = [(group, n) for group, size in enumerate(sizes) for n in range(size)]
    return [
        CaseRow(f"{group}-{n}", "x", None, b"", b"", 0, {"k": f"k{group}"}, {}, 1, eligible=True) for group, n in places
    ]


def _judged(
    sizes: Sequence[int],
    op: Op,
    threshold: str,
    *,
    confidence: str = "0.95",
    findings: Findings | None = None,
    **metric: Any,  # noqa: ANN401 -- fields of the record
) -> Decidability:
    line = RequireDef("m", op, Decimal(threshold), NOWHERE, NOWHERE)
    gate = GateDef("g", (line,), "s", "c", None, "none", Decimal(confidence), advisory=True, span=NOWHERE)
    (found,) = judge_gate(gate, {"m": _metric(**metric)}, [Part(None, None, _rows(sizes))], findings or Findings())
    return found


def _alpha(confidence: str) -> str:
    return format((1 - Decimal(confidence)) / 2, "f")


def _states(bounds: Bounds, op: Op, threshold: str) -> tuple[bool, bool]:
    """PASS and FAIL as decide reads them off an interval."""
    limit = float(threshold)
    if op == ">=":
        return bounds.lower >= limit, bounds.upper < limit
    return bounds.upper <= limit, bounds.lower > limit


def _range(states: Sequence[tuple[bool, bool]], which: int) -> tuple[int, int] | None:
    counts = [k for k, state in enumerate(states) if state[which]]
    assert counts == list(range(counts[0], counts[-1] + 1)) if counts else True
    return (counts[0], counts[-1]) if counts else None


@pytest.mark.parametrize("confidence", ["0.5", "0.8", "0.95", "0.999"])
@pytest.mark.parametrize("op", [">=", "<="])
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_independent_cases_are_decided_as_clopper_pearson_decides_them(threshold, op, confidence):
    for n in range(1, 41):
        bounds = [binomial.worst_case(k, 0, n, bound_alpha=_alpha(confidence)) for k in range(n + 1)]
        if any(abs(end - float(threshold)) < 1e-9 for pair in bounds for end in (pair.lower, pair.upper)):
            continue  # the certificate is exact there and floats are not
        states = [_states(pair, op, threshold) for pair in bounds]
        found = _judged([1] * n, op, threshold, confidence=confidence)
        assert (found.unit, found.n) == ("case", n)
        assert (found.passes, found.fails) == (_range(states, 0), _range(states, 1))
        assert (found.can_pass, found.can_fail) == (found.passes is not None, found.fails is not None)
        assert found.can_pass == (n >= found.n_needed)


@pytest.mark.parametrize("op", [">=", "<="])
@pytest.mark.parametrize("threshold", ["0.1", "0.5", "0.8", "0.9"])
@pytest.mark.parametrize("size", [2, 7])
def test_clusters_of_one_size_are_decided_as_the_phantom_unit_decides_them(size, threshold, op):
    for n in range(2, 41, 3):
        sizes = [float(size)] * n
        states = []
        for k in range(n + 1):
            sums = [float(size)] * k + [0.0] * (n - k)
            lower = phantom.lower_bound(sums, sizes, cap=float(size), bound_alpha="0.025")
            upper = phantom.upper_bound(sums, sizes, cap=float(size), bound_alpha="0.025")
            states.append(_states(Bounds(lower, upper), op, threshold))
        found = _judged([size] * n, op, threshold, cluster="k")
        assert (found.unit, found.n) == ("cluster", n)
        assert (found.passes, found.fails) == (_range(states, 0), _range(states, 1))


@pytest.mark.parametrize("op", [">=", "<="])
@pytest.mark.parametrize("threshold", ["0.1", "0.5", "0.8", "0.9"])
def test_clusters_that_weigh_equally_are_decided_as_units_of_size_one(threshold, op):
    for n in range(2, 41, 5):
        uneven = [1 + place % 4 for place in range(n)]
        found = _judged(uneven, op, threshold, cluster="k", weight_by="cluster")
        plain = _judged([1] * n, op, threshold)
        assert (found.passes, found.fails, found.n) == (plain.passes, plain.fails, n)
        assert found.unit == "cluster"


SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=40)


@given(SIZES, st.integers(0, 5), st.sampled_from(THRESHOLDS), st.sampled_from([">=", "<="]))
def test_uneven_clusters_can_decide_exactly_what_their_best_and_worst_results_decide(sizes, spare, threshold, op):
    assume(len(set(sizes)) > 1)
    assume(2 * max(sizes) <= sum(sizes))
    cap, limit = max(sizes) + spare, float(threshold)
    floats = [float(size) for size in sizes]
    highest = phantom.lower_bound(floats, floats, cap=float(cap), bound_alpha="0.025")
    lowest = phantom.upper_bound([0.0] * len(sizes), floats, cap=float(cap), bound_alpha="0.025")
    assume(min(abs(highest - limit), abs(lowest - limit)) > 1e-9)
    found = _judged(sizes, op, threshold, cluster="k", max_size=cap)
    right, wrong = highest >= limit, lowest < limit
    if op == "<=":
        right, wrong = lowest <= limit, highest > limit
    assert (found.can_pass, found.can_fail) == (right, wrong)
    assert (found.passes, found.fails, found.n_needed) == (None, None, None)


@given(SIZES, st.sampled_from(THRESHOLDS))
def test_sizes_that_say_nothing_are_capped_by_the_largest_that_was_seen(sizes, threshold):
    assume(2 * max(sizes) <= sum(sizes))
    free = _judged(sizes, ">=", threshold, cluster="k", sizes_uninformative=True)
    capped = _judged(sizes, ">=", threshold, cluster="k", max_size=max(sizes))
    assert free == capped


@given(SIZES, st.sampled_from(THRESHOLDS), st.sampled_from([">=", "<="]))
def test_a_dominated_case_set_decides_nothing(sizes, threshold, op):
    findings = Findings()
    found = _judged([sum(sizes) + 1, *sizes], op, threshold, cluster="k", max_size=999, findings=findings)
    assert (found.can_pass, found.can_fail) == (False, False)
    assert [item.code for item in findings.all()] == ["OLO310", "OLO611"]


def test_one_cluster_decides_nothing():
    found = _judged([30], ">=", "0.5", cluster="k")
    assert (found.can_pass, found.can_fail, found.n) == (False, False, 1)


@given(SIZES, st.sampled_from(THRESHOLDS))
def test_the_bound_in_a_message_stands_on_the_right_side_of_the_threshold(sizes, threshold):
    assume(2 * max(sizes) <= sum(sizes))
    findings = Findings()
    found = _judged(sizes, ">=", threshold, cluster="k", max_size=max(sizes), findings=findings)
    told = [item.message for item in findings.all() if item.code == "OLO611"]
    assert bool(told) is not found.can_pass
    for message in told:
        assert float(message.rsplit(" ", 1)[1]) < float(threshold)


@pytest.mark.parametrize(("threshold", "needed"), [("0.8", 17), ("0.9", 36), ("0.95", 72), ("0.99", 368)])
def test_the_numbers_that_a_pass_needs_are_those_of_the_table(threshold, needed):
    # The published rule is the smallest n with T to the n at most alpha.
    assert _judged([1] * 5, ">=", threshold).n_needed == needed


def test_halves_at_the_cap_and_at_a_fifth_of_it_need_more():
    # With half of the clusters at the cap and half at a fifth of it 28 and 58 are needed, not 17 and 36.
    for threshold, needed in (("0.8", 28), ("0.9", 58)):
        for n in (needed - 2, needed):
            found = _judged([5, 1] * (n // 2), ">=", threshold, cluster="k", max_size=5)
            assert found.can_pass == (n >= needed)
