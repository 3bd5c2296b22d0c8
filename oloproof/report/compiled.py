"""What compiling a suite came to, before anything ran: hashes, calls, and what each gate can decide."""

from __future__ import annotations

from oloproof.canon.encoding import Json
from oloproof.plan.keys import subject_digest
from oloproof.plan.plan import Decidability, GateEntry, Plan
from oloproof.report.wording import percent, plural

FORMAT_VERSION = 1


def calls_planned(plan: Plan) -> int:
    """System calls that a run makes if nothing is stored yet."""
    observed = [step for step in plan.steps if step.kind == "observe"]
    return sum(plan.case_set(step.cases).n_eligible * plan.system(step.system).repeats for step in observed)


def compiled_text(plan: Plan, *, written: str | None) -> str:
    """A summary for people. written: where the plan was written, as they see the path."""
    lines = [f"suite {plan.suite.name}"]
    lines.extend(
        f"  cases {entry.name}: {plural(entry.n_total, 'case')}, {entry.n_eligible:,} eligible" for entry in plan.cases
    )
    for entry in plan.systems:
        lines.append(f"  system {entry.variant}: subject {subject_digest(entry)}")
        if entry.code is not None and entry.code.unresolved:
            lines.append(f"    imports that are not in its identity: {', '.join(entry.code.unresolved)}")
    lines.append(f"  {plural(calls_planned(plan), 'system call')} if nothing is stored yet")
    for gate in plan.gates:
        lines.extend(_gate_lines(gate))
    lines.append(f"decision_hash {plan.decision_hash}")
    lines.append(f"plan_hash     {plan.plan_hash}")
    if written is not None:
        lines.append(f"plan written to {written}")
    return "\n".join(lines) + "\n"


def _gate_lines(gate: GateEntry) -> list[str]:
    advisory = " (advisory)" if gate.advisory else ""
    lines = [f"gate {gate.name}{advisory} on {', '.join(gate.systems)}, {percent(gate.confidence)} two-sided"]
    for item in gate.decidability:
        require = gate.requires[item.require]
        where = f" in {item.slice} = {item.slice_value}" if item.slice else ""
        lines.append(f"  require {require.metric} {require.op} {percent(require.threshold)}{where}: {_what(item)}")
    return lines


def _what(item: Decidability) -> str:
    """Which counts decide; for unequal clusters only whether any can."""
    of = f"of {plural(item.n, item.unit)}"
    if item.passes is None and item.fails is None and (item.can_pass or item.can_fail):
        can = [word for word, holds in (("PASS", item.can_pass), ("FAIL", item.can_fail)) if holds]
        return f"can {' and '.join(can)} with {plural(item.n, item.unit)} of unequal size"
    passes = "PASS never" if item.passes is None else f"PASS {_range(item.passes, item.n)}"
    fails = "FAIL never" if item.fails is None else f"FAIL {_range(item.fails, item.n)}"
    needed = f"; PASS needs at least {plural(item.n_needed, item.unit)}" if not item.can_pass and item.n_needed else ""
    if item.unit == "case":
        return f"{passes}, {fails} right {of}{needed}"
    # Partly right clusters lie in between: PASS is certain by wholly right ones, FAIL by wholly wrong ones.
    return f"{passes} {of} wholly right; {fails} with anything right{needed}"


def _range(limits: tuple[int, ...], n: int) -> str:
    low, high = limits
    if low == high:
        return f"at {low}"
    return f"from {low}" if high == n else f"to {high}"


def compiled_json(plan: Plan, *, written: str | None) -> dict[str, Json]:
    """The same for programs."""
    return {
        "calls": calls_planned(plan),
        "decision_hash": plan.decision_hash,
        "format_version": FORMAT_VERSION,
        "gates": [
            {
                "advisory": gate.advisory,
                "decidability": [
                    {
                        "can_fail": item.can_fail,
                        "can_pass": item.can_pass,
                        "fails": None if item.fails is None else list(item.fails),
                        "n": item.n,
                        "n_needed": item.n_needed,
                        "passes": None if item.passes is None else list(item.passes),
                        "require": item.require,
                        "slice": item.slice,
                        "slice_value": item.slice_value,
                        "unit": item.unit,
                    }
                    for item in gate.decidability
                ],
                "id": gate.name,
            }
            for gate in plan.gates
        ],
        "plan": written,
        "plan_hash": plan.plan_hash,
        "subjects": {entry.variant: subject_digest(entry) for entry in plan.systems},
        "suite": plan.suite.name,
    }
