"""One inference for every cell of every gate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from oloproof.chain.case import Case
from oloproof.chain.cell import Cell
from oloproof.chain.counts import Counts
from oloproof.chain.inference import Inference
from oloproof.chain.measurement import Measurement
from oloproof.plan.cells import CellKey, bound_alpha, cells_of
from oloproof.plan.keys import inference_key
from oloproof.plan.plan import GateEntry, MetricEntry, Plan
from oloproof.stages.infer.proportion import Answer, Design, bound
from oloproof.stages.infer.table import Row, Table
from oloproof.stages.infer.units import cluster_name, count, errors_fail, group, score
from oloproof.stats.bounds import Bounds


def infer(plan: Plan, cases: Iterable[Case], measurements: Iterable[Measurement]) -> tuple[Inference, ...]:
    """The inferences of all cells, in file order. A pure function of records: verification replays it.

    Raises: RepeatedCase, StrayMeasurement.
    """
    table = Table(cases, measurements)
    columns: dict[tuple[str, str, str], list[Row]] = {}
    found = []
    for gate in plan.gates:
        alpha = bound_alpha(plan, gate)
        for key in cells_of(plan, gate):
            metric = plan.metric(gate.requires[key.require].metric)
            place = (gate.cases, key.system, metric.evaluator)
            n_repeats = plan.system(key.system).repeats
            if place not in columns:
                columns[place] = table.column(*place, n_repeats=n_repeats)
            rows = _within(columns[place], key)
            found.append(_infer_cell(plan, gate, key, rows, alpha))
    return tuple(sorted(found, key=lambda item: item.cell.sort_key()))


def _within(rows: list[Row], key: CellKey) -> list[Row]:
    if key.slice is None:
        return rows
    return [row for row in rows if row.case.slices.get(key.slice) == key.slice_value]


def _infer_cell(plan: Plan, gate: GateEntry, key: CellKey, rows: Sequence[Row], alpha: str) -> Inference:
    require = gate.requires[key.require]
    metric = plan.metric(require.metric)
    scored = score(metric, rows, require.op)
    counts = count(rows, scored)
    cluster = cluster_name(metric, rows)
    units = group(scored, rows, cluster)
    n_repeats = plan.system(key.system).repeats
    if not counts.n_eligible:
        answer = Answer(None, (), Bounds(None, None), (None, None, None), reasons=("no_eligible",))
    elif not counts.n_observed and all(item.worst == 0 and item.best == n_repeats for item in scored):
        answer = Answer(None, (), Bounds(0.0, 1.0), (None, Fraction(0), Fraction(1)), reasons=("nothing_observed",))
    else:
        answer = bound(units, Design(metric, cluster, n_repeats), threshold=require.threshold, bound_alpha=alpha)
    encoded = [line for row in rows if row.case.eligible for line in row.encoded]
    n_clusters = len(units) if cluster is not None and counts.n_eligible else None
    return _record(plan, gate, key, answer, _Facts(metric, counts, n_clusters, alpha, encoded))


class _Facts:
    """What a record says beside the method's answer."""

    __slots__ = ("alpha", "counts", "encoded", "metric", "n_clusters")

    def __init__(
        self, metric: MetricEntry, counts: Counts, n_clusters: int | None, alpha: str, encoded: list[bytes]
    ) -> None:
        self.metric, self.counts, self.n_clusters = metric, counts, n_clusters
        self.alpha, self.encoded = alpha, encoded


def _record(plan: Plan, gate: GateEntry, key: CellKey, answer: Answer, facts: _Facts) -> Inference:
    cell = Cell(*key)
    fails = errors_fail(facts.metric, gate.requires[key.require].op)
    declared = ("errors_count_as_failed",) if fails else ()
    estimate, low, high = (None if value is None else float(value) for value in answer.estimates)
    return Inference(
        cell=cell,
        metric=facts.metric.name,
        method=answer.method,
        assumptions=(*answer.assumptions, *declared),
        confidence=gate.confidence,
        bound_alpha=facts.alpha,
        counts=facts.counts,
        n_clusters=facts.n_clusters,
        lower=answer.bounds.lower,
        upper=answer.bounds.upper,
        estimate=estimate,
        estimate_low=low,
        estimate_high=high,
        certificate=answer.certificate,
        declined=answer.declined,
        reasons=answer.reasons,
        key=inference_key(plan.decision_hash, cell.to_json(), facts.encoded),
        seed=None,
    )
