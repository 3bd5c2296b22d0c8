"""Failures grouped into factors: by the evaluator's reason, by slice, and by why cases are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oloproof.chain.case import Case
from oloproof.chain.diagnosis import Diagnosis, Factor
from oloproof.chain.measurement import Measurement
from oloproof.chain.reasons import About, reason_of
from oloproof.plan.cells import one_sided
from oloproof.plan.plan import MetricEntry, Plan
from oloproof.stats import binomial

#: Failing cases that a record names; the count says how many there are.
MAX_CASES = 20
#: What every group here assumes; a striking one is a lead and no finding.
_ASSUMPTION = {
    False: "exploratory: cases taken as independent; not corrected for the number of groups searched",
    True: "exploratory: cases taken as independent although clusters are declared; not corrected for the number of "
    "groups searched",
}


@dataclass(slots=True)
class _Group:
    """The cases of one factor; ids in file order."""

    failed: list[str] = field(default_factory=list)
    n_group: int = 0


def diagnose(plan: Plan, cases: Iterable[Case], measurements: Iterable[Measurement]) -> tuple[Diagnosis, ...]:
    """The groups that hold at least one failed or missing case, in file order; a pure function of records."""
    by_place = {(case.case_set, case.id): case for case in cases if case.eligible}
    trials: dict[tuple[str, str, str], dict[str, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    for found in measurements:
        if (found.case_set, found.id) in by_place:
            trials[found.case_set, found.system, found.evaluator][found.id].append(found)
    groups: dict[Factor, _Group] = {}
    for column in _columns(plan):
        members = trials[column.case_set, column.system, column.metric.evaluator]
        groups |= _group(column, [(by_place[column.case_set, name], found) for name, found in members.items()])
    clustered = {metric.name: metric.cluster is not None for metric in plan.metrics}
    return tuple(
        _record(plan, factor, group, n_searched=len(groups), is_clustered=clustered[factor.metric])
        for factor, group in sorted(groups.items(), key=lambda item: item[0].sort_key())
        if group.failed
    )


class _Column(NamedTuple):
    case_set: str
    metric: MetricEntry
    system: str

    def factor(self, kind: str, name: str, value: str) -> Factor:
        return Factor(kind, self.case_set, self.metric.name, self.system, name, value)


def _columns(plan: Plan) -> tuple[_Column, ...]:
    """What the gates look at, each once."""
    return tuple(
        dict.fromkeys(
            _Column(gate.cases, plan.metric(require.metric), system)
            for gate in plan.gates
            for require in gate.requires
            for system in gate.systems
        )
    )


def _group(column: _Column, members: Sequence[tuple[Case, list[Measurement]]]) -> dict[Factor, _Group]:
    """One column's groups. Reasons are shares of all observed cases, missing ones of all eligible cases."""
    groups: dict[Factor, _Group] = defaultdict(_Group)
    n_observed = 0
    for case, trials in members:
        fate = _fate(column.metric, trials)
        if fate.is_missing:
            groups[column.factor("missing", "reason", str(fate.reason))].failed.append(case.id)
            continue
        n_observed += 1
        if fate.reason is not None:
            groups[column.factor("reason", "reason", fate.reason)].failed.append(case.id)
        for name, value in case.slices.items():
            part = groups[column.factor("slice", name, value)]
            part.n_group += 1
            part.failed.extend([case.id] if fate.reason is not None else [])
    totals = {"missing": len(members), "reason": n_observed}
    for factor, group in groups.items():
        group.n_group = totals.get(factor.kind, group.n_group)
    return dict(groups)


class _Fate(NamedTuple):
    """Why a case is missing, or why it failed; a reason of None is a case that passed."""

    is_missing: bool
    reason: str | None


def _fate(metric: MetricEntry, trials: Sequence[Measurement]) -> _Fate:
    """A case is missing if any trial is, else it failed if any trial failed: the first such trial says why."""
    for trial in trials:
        if trial.outputs is None:
            reason = str(trial.reason)
            counts_as_failed = metric.errors == "failed" and reason_of(reason).about is About.OBSERVATION
            return _Fate(is_missing=not counts_as_failed, reason=reason)
    for trial in trials:
        if trial.outputs is not None and trial.outputs.get(metric.output) is not True:
            return _Fate(is_missing=False, reason=trial.reason or "different")
    return _Fate(is_missing=False, reason=None)


def _record(plan: Plan, factor: Factor, group: _Group, *, n_searched: int, is_clustered: bool) -> Diagnosis:
    alpha = one_sided(plan.policy.confidence)
    bounds = binomial.clopper_pearson(len(group.failed), group.n_group, bound_alpha=alpha)
    assert bounds.lower is not None  # both ends exist for n >= 1
    assert bounds.upper is not None
    return Diagnosis(
        factor=factor,
        n_failed=len(group.failed),
        n_group=group.n_group,
        lower=bounds.lower,
        upper=bounds.upper,
        confidence=plan.policy.confidence,
        assumption=_ASSUMPTION[is_clustered],
        n_searched=n_searched,
        cases=tuple(group.failed[:MAX_CASES]),
    )
