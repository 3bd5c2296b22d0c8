"""Rows to units: the independent pieces that an interval counts, with missing trials at their worst and best."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from oloproof.chain.case import SAME_INPUT
from oloproof.chain.counts import Counts
from oloproof.chain.reasons import About, reason_of
from oloproof.plan.plan import MetricEntry
from oloproof.stages.infer.table import Row, Trial


@dataclass(frozen=True, slots=True)
class Scored:
    """One eligible case: how many of its trials are right, with missing ones as wrong (worst) and as right (best).

    observed: the same where no trial is missing, else None. Whole numbers, since sums of them are exact in any order.
    """

    case_id: str
    worst: int
    best: int
    observed: int | None


@dataclass(frozen=True, slots=True)
class Unit:
    """One cluster (or case) of eligible cases: their number, and the right trials of all of them.

    observed: right trials of its n_observed cases that miss none.
    """

    size: int
    worst: int
    best: int
    observed: int
    n_observed: int


def score(metric: MetricEntry, rows: Sequence[Row], op: Literal[">=", "<="]) -> list[Scored]:
    """The eligible cases of a column as scores; a case is observed once all its trials are."""
    read = _reader(metric, errors_fail=errors_fail(metric, op))
    scored = []
    for row in rows:
        if not row.case.eligible:
            continue
        values = [read(trial) for trial in row.trials]
        n_missing = values.count(None)
        n_right = values.count(1)
        scored.append(Scored(row.case.id, n_right, n_right + n_missing, None if n_missing else n_right))
    return scored


def errors_fail(metric: MetricEntry, op: Literal[">=", "<="]) -> bool:
    """True where a system's failure counts as 0: declared, and on a line that 0 does not help to PASS.

    Under a maximum a failure that counted as 0 would speak for the system, so there it stays missing and bounded.
    """
    return metric.errors == "failed" and op == ">="


def _reader(metric: MetricEntry, *, errors_fail: bool) -> Callable[[Trial], int | None]:
    """How one trial counts: 1, 0 or unknown."""

    def read(trial: Trial) -> int | None:
        if isinstance(trial, str):
            failed = errors_fail and reason_of(trial).about is About.OBSERVATION
            return 0 if failed else None
        value = trial.get(metric.output)
        return int(value) if isinstance(value, bool) else None

    return read


def count(rows: Sequence[Row], scored: Sequence[Scored]) -> Counts:
    """The four counts; a case with any trial missing is missing."""
    n_observed = sum(item.observed is not None for item in scored)
    return Counts(len(rows), len(scored), n_observed, len(scored) - n_observed)


def cluster_name(metric: MetricEntry, rows: Sequence[Row]) -> str | None:
    """The clustering that holds for a metric: the declared one, else that of identical inputs where there are any."""
    if metric.cluster is not None:
        return metric.cluster
    return SAME_INPUT if any(SAME_INPUT in row.case.clusters for row in rows) else None


def group(scored: Sequence[Scored], rows: Sequence[Row], cluster: str | None) -> list[Unit]:
    """The units of the eligible cases, in order of their labels; each case its own where there is no clustering."""
    if cluster is None:
        return [Unit(1, item.worst, item.best, item.observed or 0, item.observed is not None) for item in scored]
    labels = {row.case.id: row.case.clusters.get(cluster) for row in rows}
    members: dict[tuple[bool, str], list[Scored]] = defaultdict(list)
    for item in scored:
        label = labels.get(item.case_id)
        # Labels and ids are names of two kinds: a case without a label joins no cluster that is called like it.
        members[(True, item.case_id) if label is None else (False, label)].append(item)
    return [_unit(members[label]) for label in sorted(members)]


def _unit(members: Sequence[Scored]) -> Unit:
    seen = [item.observed for item in members if item.observed is not None]
    return Unit(
        size=len(members),
        worst=sum(item.worst for item in members),
        best=sum(item.best for item in members),
        observed=sum(seen),
        n_observed=len(seen),
    )


def has_dominant(units: Sequence[Unit]) -> bool:
    """True where one unit holds more than half of all cases."""
    return 2 * max(unit.size for unit in units) > sum(unit.size for unit in units)


def distinct_sizes(units: Sequence[Unit]) -> int:
    """How many different sizes the units have."""
    return len(Counter(unit.size for unit in units))
