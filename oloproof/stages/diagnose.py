"""Failures grouped into factors: by the evaluator's reason, by slice, and by why cases are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from oloproof.chain.case import Case
from oloproof.chain.diagnosis import Diagnosis, Factor
from oloproof.chain.measurement import Measurement
from oloproof.chain.reasons import About, reason_of
from oloproof.plan.cells import one_sided
from oloproof.plan.plan import MetricEntry, Plan
from oloproof.stats import binomial

#: Failing cases that a record names; the count says how many there are.
MAX_CASES = 20
#: What every group here assumes, by whether the metric is clustered; a striking group is a lead and no finding.
ASSUMPTIONS = {False: "independent_cases_uncorrected", True: "independent_cases_despite_clusters_uncorrected"}


@dataclass(slots=True)
class _Group:
    """The cases of one factor; ids in file order."""

    failed: list[str] = field(default_factory=list)
    n_group: int = 0


def diagnose(plan: Plan, cases: Iterable[Case], measurements: Iterable[Measurement]) -> tuple[Diagnosis, ...]:
    """The groups that hold at least one failed or missing case, in file order; a pure function of records."""
    eligible: dict[str, list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: case.id.encode()):
        if case.eligible:
            eligible[case.case_set].append(case)
    trials = {(item.case_set, item.system, item.evaluator, item.id, item.repeat): item for item in measurements}
    groups: dict[Factor, _Group] = {}
    for column in _columns(plan):
        place = (column.case_set, column.system, column.metric.evaluator)
        repeats = range(plan.system(column.system).repeats)
        members = [
            (case, [trials.get((*place, case.id, repeat)) for repeat in repeats]) for case in eligible[column.case_set]
        ]
        groups |= _group(column, members)
    clustered = {metric.name: metric.cluster is not None for metric in plan.metrics}
    return tuple(
        _record(plan, factor, group, n_searched=len(groups), is_clustered=clustered[factor.metric])
        for factor, group in sorted(groups.items(), key=lambda item: item[0].sort_key())
        if group.failed
    )


class _Column(NamedTuple):
    """What gates look at. is_capped: only from above, so that what the metric counts is what goes wrong."""

    case_set: str
    metric: MetricEntry
    system: str
    is_capped: bool

    def factor(self, kind: str, name: str, value: str) -> Factor:
        return Factor(kind, self.case_set, self.metric.name, self.system, name, value)


def _columns(plan: Plan) -> tuple[_Column, ...]:
    """What the gates look at, each once."""
    ops: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for gate in plan.gates:
        for require in gate.requires:
            for system in gate.systems:
                ops[gate.cases, require.metric, system].add(require.op)
    return tuple(
        _Column(case_set, plan.metric(metric), system, is_capped=found == {"<="})
        for (case_set, metric, system), found in ops.items()
    )


def _group(column: _Column, members: Sequence[tuple[Case, Sequence[Measurement | None]]]) -> dict[Factor, _Group]:
    """One column's groups. Reasons are shares of all observed cases, missing ones of all eligible cases."""
    groups: dict[Factor, _Group] = defaultdict(_Group)
    n_observed = 0
    for case, trials in members:
        fate = _fate(column, trials)
        if fate.kind == "missing":
            groups[column.factor("missing", "reason", str(fate.reason))].failed.append(case.id)
            continue
        n_observed += 1
        if fate.reason is not None:
            groups[column.factor("reason", "reason", fate.reason)].failed.append(case.id)
        for name, value in case.slices.items():
            part = groups[column.factor("slice", name, value)]
            part.n_group += 1
            part.failed.extend([case.id] if fate.kind == "failed" else [])
    totals = {"missing": len(members), "reason": n_observed}
    for factor, group in groups.items():
        group.n_group = totals.get(factor.kind, group.n_group)
    return dict(groups)


class _Fate(NamedTuple):
    """What became of a case, and why where something says so."""

    kind: Literal["passed", "failed", "missing"]
    reason: str | None


def _fate(column: _Column, trials: Sequence[Measurement | None]) -> _Fate:
    """A case is missing if any trial is, else it failed if any trial failed: the first such trial says why."""
    fates = [_fate_of_trial(column, trial) for trial in trials]
    for kind in ("missing", "failed"):
        for fate in fates:
            if fate.kind == kind:
                return fate
    return _Fate("passed", None)


def _fate_of_trial(column: _Column, trial: Measurement | None) -> _Fate:
    """As inference reads it: a value of another type is no value, and an error fails only where it speaks against."""
    if trial is None:
        return _Fate("missing", "unavailable")
    if trial.outputs is None:
        reason = str(trial.reason)
        fails = column.metric.errors == "failed" and not column.is_capped
        return _Fate("failed" if fails and reason_of(reason).about is About.OBSERVATION else "missing", reason)
    value = trial.outputs.get(column.metric.output)
    if not isinstance(value, bool):
        return _Fate("missing", "evaluator_output")
    if value is column.is_capped:
        return _Fate("failed", trial.reason if column.is_capped else trial.reason or "different")
    return _Fate("passed", None)


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
        assumption=ASSUMPTIONS[is_clustered],
        n_searched=n_searched,
        cases=tuple(group.failed[:MAX_CASES]),
    )
