"""A plan's own references: what a compiler of ours never breaks, and a hostile plan may."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

from oloproof.plan.plan import GateEntry, Plan
from oloproof.stages.attest import layout
from oloproof.stages.attest.verdict import FailureClass, Rejected

#: Longest decimal text of a threshold or a confidence; exact arithmetic grows with it.
MAX_DECIMAL_CHARACTERS: Final = 32
#: Most cells of a plan, and most entries of each kind that it declares: a statement of 8 MB cannot name more cells.
MAX_CELLS: Final = 50_000
MAX_DECLARED: Final = 4_096
#: Most repeats of one system; the product with the cases is bounded by the record files.
MAX_REPEATS: Final = 1_000_000


def check_plan(plan: Plan) -> None:
    """Holds a plan to its references: every name that it uses is one that it declares, once.

    Raises: Rejected (MALFORMED).
    """
    for what, names in (
        ("case set", [entry.name for entry in plan.cases]),
        ("cluster", [entry.name for entry in plan.clusters]),
        ("slice", [entry.name for entry in plan.slices]),
        ("system variant", [entry.variant for entry in plan.systems]),
        ("evaluator", [entry.name for entry in plan.evaluators]),
        ("metric", [entry.name for entry in plan.metrics]),
        ("gate", [entry.name for entry in plan.gates]),
        ("step", [f"{step.kind} {step.cases} {step.system} {step.evaluator}" for step in plan.steps]),
    ):
        _expect(len(names) <= MAX_DECLARED, f"more than {MAX_DECLARED} of the kind {what}")
        _expect(len(set(names)) == len(names), f"a {what} is declared twice")
    _expect(bool(plan.gates and plan.systems and plan.cases), "no gate, no system or no case set")
    _expect(not plan.judges, "judges, which this version does not check")
    _check_numbers(plan)
    _check_metrics(plan)
    _check_steps(plan)
    _expect(count_cells(plan) <= MAX_CELLS, f"more than {MAX_CELLS} cells")
    for gate in plan.gates:
        _check_gate(plan, gate)


def count_cells(plan: Plan) -> int:
    """How many cells a plan has, without listing them."""
    n_values = {entry.name: len(entry.values) for entry in plan.slices}
    return sum(
        len(gate.requires) * len(gate.systems) * (1 if gate.across is None else n_values.get(gate.across, 0))
        for gate in plan.gates
    )


def _check_numbers(plan: Plan) -> None:
    for entry in plan.cases:
        _expect(0 <= entry.n_eligible <= entry.n_total, f"counts of case set {entry.name!r}")
    for system in plan.systems:
        _expect(1 <= system.repeats <= MAX_REPEATS, f"repeats of system {system.variant!r}")
    for part in plan.slices:
        _expect(part.values == tuple(sorted(set(part.values))), f"values of slice {part.name!r}")
    confidences = [plan.policy.confidence, *(gate.confidence for gate in plan.gates)]
    for text in confidences:
        value = _decimal(text)
        _expect(value is not None and 0 < value < 1, f"confidence {text[:80]!r}")


def _check_metrics(plan: Plan) -> None:
    evaluators = {entry.name: entry for entry in plan.evaluators}
    clusters = {entry.name for entry in plan.clusters}
    for metric in plan.metrics:
        _expect(metric.evaluator in evaluators, f"the evaluator of metric {metric.name!r}")
        outputs = evaluators[metric.evaluator].outputs
        _expect(outputs.get(metric.output) == "bool", f"the output of metric {metric.name!r}")
        _expect(metric.cluster is None or metric.cluster in clusters, f"the cluster of metric {metric.name!r}")
        _expect(metric.max_size is None or metric.max_size >= 1, f"max_size of metric {metric.name!r}")


def _check_steps(plan: Plan) -> None:
    sets, systems = {entry.name for entry in plan.cases}, {entry.variant for entry in plan.systems}
    evaluators = {entry.name for entry in plan.evaluators}
    observed = {(step.cases, step.system) for step in plan.steps if step.kind == "observe"}
    for step in plan.steps:
        _expect(step.cases in sets and step.system in systems, "a step's case set or system")
        if step.kind == "measure":
            _expect(step.evaluator in evaluators, "a step's evaluator")
            _expect((step.cases, step.system) in observed, "a step that measures what none observes")
        else:
            _expect(step.evaluator is None, "a step that observes with an evaluator")


def _check_gate(plan: Plan, gate: GateEntry) -> None:
    metrics = {entry.name: entry for entry in plan.metrics}
    measured = {(step.cases, step.system, step.evaluator) for step in plan.steps if step.kind == "measure"}
    _expect(bool(gate.requires and gate.systems), f"gate {gate.name!r} requires nothing")
    _expect(len(set(gate.systems)) == len(gate.systems), f"a system of gate {gate.name!r} stands twice")
    _expect(gate.across is None or gate.across in _names(plan.slices), f"the slice of gate {gate.name!r}")
    _expect(gate.across is None or bool(_values(plan, gate.across)), f"the slice of gate {gate.name!r} has no value")
    for require in gate.requires:
        value = _decimal(require.threshold)
        _expect(value is not None and 0 <= value <= 1, f"threshold {require.threshold[:80]!r} of gate {gate.name!r}")
        _expect(require.metric in metrics, f"a metric of gate {gate.name!r}")
        for system in gate.systems:
            place = (gate.cases, system, metrics[require.metric].evaluator)
            _expect(place in measured, f"gate {gate.name!r} reads what no step measures")


def _values(plan: Plan, name: str) -> tuple[str, ...]:
    return next((entry.values for entry in plan.slices if entry.name == name), ())


def _names(entries: Iterable[object]) -> frozenset[object]:
    return frozenset(getattr(entry, "name", None) for entry in entries)


def _decimal(text: str) -> Decimal | None:
    """A plain decimal text of bounded length, or None: no exponent, which could stand for 10^999999."""
    if len(text) > MAX_DECIMAL_CHARACTERS or not text.replace(".", "", 1).isdigit() or not text.isascii():
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _expect(holds: bool, reason: str) -> None:  # noqa: FBT001 -- the claim itself
    if not holds:
        raise Rejected(FailureClass.MALFORMED, layout.PLAN, f"the plan does not hold together: {reason}")
