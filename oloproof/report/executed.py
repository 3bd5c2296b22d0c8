"""What one exec came to, for people and for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from oloproof.canon.encoding import Json
from oloproof.chain.cell import Cell
from oloproof.chain.decision import Decision
from oloproof.chain.diagnosis import Diagnosis
from oloproof.chain.inference import Inference
from oloproof.chain.reasons import REASONS, reason_of
from oloproof.chain.run_state import RunState
from oloproof.plan.plan import GateEntry
from oloproof.report.diagnostics import escape
from oloproof.report.run import Outcome, Run
from oloproof.report.steps import step_texts
from oloproof.report.wording import cell_name, counts, interval, percent, plural, share

FORMAT_VERSION = 1
#: Assumptions of a diagnosis that a clustering contradicts.
DESPITE_CLUSTERS = ("independent_cases_despite_clusters_uncorrected",)
#: Groups of failures that text shows; `oloproof show RUN diagnosis` has all.
_SHOWN_GROUPS = 8


def run_text(run: Run, *, bundle: str | None, tool: str = "oloproof") -> str:
    """A run for people: calls, decisions, recommendation, next steps, and how to verify the bundle at that path.

    tool: how the command is called where this is read.
    """
    lines = [f"run {run.id}: {run.state}", *_call_lines(run)]
    if run.outcome is None:
        lines.append(_why(run))
        return "\n".join(lines) + "\n"
    outcome = run.outcome
    for gate in run.plan.gates:
        lines.extend(_gate_lines(gate, outcome))
        if run.looks.get(gate.name, 1) > 1:
            lines.append(
                f"  look {run.looks[gate.name]} at this gate: a gate that is looked at until it passes proves less"
            )
    lines.extend(_diagnosis_lines(outcome.diagnoses))
    lines += ["", f"recommendation: {outcome.recommendation.action}"]
    lines.extend(f"  next: {step}" for step in step_texts(outcome.recommendation.next_steps, _by_cell(outcome)))
    if bundle is not None:
        was_there = " (unchanged)" if run.was_there else ""
        lines += ["", f"evidence: {bundle}{was_there}", f"verify it with: {tool} verify {shlex.quote(bundle)}"]
    return "\n".join(lines) + "\n"


def _by_cell(outcome: Outcome) -> dict[Cell, Inference]:
    return {item.cell: item for item in outcome.inferences}


def _call_lines(run: Run) -> list[str]:
    lines = [
        f"  systems: {plural(run.observed.called, 'call')}, {plural(run.observed.reused, 'observation')} reused",
        f"  evaluators: {plural(run.measured.called, 'call')}, {plural(run.measured.reused, 'measurement')} reused",
    ]
    missing = run.measured.missing or run.observed.missing
    for code, n in missing.items():
        words = run.observed.details.get(code)
        lines.append(f"  missing: {n:,} x {code} ({REASONS[code].meaning})" + (f": {escape(words)}" if words else ""))
    return lines


def _why(run: Run) -> str:
    meaning = reason_of(run.reason).meaning if run.reason else "no reason was recorded"
    detail = f": {escape(run.detail)}" if run.detail else ""
    again = "; what finished is kept: run the same command again to go on" if run.state is RunState.CANCELLED else ""
    return f"no decision: {meaning}{detail}{again}"


def _gate_lines(gate: GateEntry, outcome: Outcome) -> Iterator[str]:
    state = next(item.state for item in outcome.recommendation.because if item.gate == gate.name)
    inferred = {item.cell: item for item in outcome.inferences}
    yield ""
    yield f"{state:<21} {escape(gate.name)}{' (advisory)' if gate.advisory else ''}"
    decisions = [item for item in outcome.decisions if item.cell.gate == gate.name]
    for item in decisions:
        found = inferred[item.cell]
        own = f"{item.state}: " if len(decisions) > 1 else ""
        yield f"  {own}{escape(found.metric)} of {cell_name(item.cell)} {item.op} {percent(item.threshold)}"
        yield f"    {_number(found)}"
        yield f"    cases: {counts(found.counts, found.n_clusters)}"
        yield f"    {_reasons(item)}"


def _number(found: Inference) -> str:
    if found.method is None:
        return f"estimate {share(found.estimate)}, interval {interval(found.lower, found.upper)}"
    rate = percent(found.bound_alpha)
    bounded = f", {interval(found.estimate_low, found.estimate_high)} with missing" if found.counts.n_missing else ""
    return (
        f"estimate {share(found.estimate)}{bounded}, interval {interval(found.lower, found.upper)} by "
        f"{found.method.id} ({found.method.guarantee}); each bound errs in at most {rate} of such runs"
    )


def _reasons(decision: Decision) -> str:
    return "; ".join(reason_of(code).meaning for code in decision.reasons)


def _diagnosis_lines(diagnoses: tuple[Diagnosis, ...]) -> Iterator[str]:
    if not diagnoses:
        return
    largest = sorted(diagnoses, key=lambda item: (-item.n_failed / item.n_group, item.factor.sort_key()))
    yield ""
    despite = any(item.assumption in DESPITE_CLUSTERS for item in diagnoses)
    independent = "independent although clusters are declared" if despite else "independent"
    searched = plural(diagnoses[0].n_searched, "group")
    yield f"failures by factor (exploratory: cases taken as {independent}, not corrected for {searched} searched):"
    for item in largest[:_SHOWN_GROUPS]:
        factor = item.factor
        name = "missing" if factor.kind == "missing" else factor.name
        yield escape(
            f"  {item.n_failed} of {item.n_group} of {factor.metric} of {factor.system}, {name} = {factor.value}: "
            f"{interval(item.lower, item.upper)}"
        )
    if len(largest) > _SHOWN_GROUPS:
        yield f"  and {len(largest) - _SHOWN_GROUPS} more: oloproof show last diagnosis"


def run_json(run: Run, *, bundle: str | None) -> dict[str, Json]:
    """The JSON of `exec` (docs/reference/cli.md); a run that is not COMPLETE has no `gates` and no recommendation."""
    body: dict[str, Json] = {
        "bundle": bundle,
        "calls": {"evaluator": run.measured.called, "judge": 0, "system": run.observed.called},
        "decision_hash": run.plan.decision_hash,
        "exit_code": run.exit_code,
        "format_version": FORMAT_VERSION,
        "missing": dict(run.measured.missing or run.observed.missing),
        "plan_hash": run.plan.plan_hash,
        "recommendation": None,
        "reused": {"measurements": run.measured.reused, "observations": run.observed.reused},
        "run": run.id,
        "run_state": run.state,
    }
    if run.outcome is None:
        return body | {"reason": run.reason, "message": run.detail}
    recommendation = run.outcome.recommendation
    return body | {
        "gates": [_gate_json(gate, run.outcome) for gate in run.plan.gates],
        "recommendation": {
            "action": recommendation.action,
            "because": [item.to_json() for item in recommendation.because],
            "next_steps": list(step_texts(recommendation.next_steps, _by_cell(run.outcome))),
        },
    }


def _gate_json(gate: GateEntry, outcome: Outcome) -> dict[str, Json]:
    inferred = {item.cell: item for item in outcome.inferences}
    decisions = [item for item in outcome.decisions if item.cell.gate == gate.name]
    state = next(item.state for item in outcome.recommendation.because if item.gate == gate.name)
    return {
        "advisory": gate.advisory,
        "id": gate.name,
        "reasons": list(dict.fromkeys(code for item in decisions if item.state is state for code in item.reasons)),
        "requires": [_require_json(item, inferred[item.cell]) for item in decisions],
        "state": state,
    }


def _require_json(decision: Decision, found: Inference) -> dict[str, Json]:
    cell = decision.cell
    return {
        "clusters": found.n_clusters,
        "confidence": found.confidence,
        "counts": found.counts.to_json(),
        "estimate": found.estimate,
        "guarantee": found.method.guarantee if found.method else None,
        "lower": found.lower,
        "method": found.method.id if found.method else None,
        "metric": found.metric,
        "op": decision.op,
        "reasons": list(decision.reasons),
        "slice": None if cell.slice is None else {"name": cell.slice, "value": cell.slice_value},
        "state": decision.state,
        "system": cell.system,
        "threshold": decision.threshold,
        "upper": found.upper,
    }
