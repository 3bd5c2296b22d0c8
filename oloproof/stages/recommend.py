"""Decisions to a recommendation: what the policy makes of the gates' states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oloproof.chain.decision import Decision, DecisionState, worst_of
from oloproof.chain.inference import Inference
from oloproof.chain.recommendation import Action, Because, Recommendation
from oloproof.plan.cells import CellKey, check_cells
from oloproof.plan.plan import GateEntry, Plan

#: From worst to best.
_ACTIONS = (Action.BLOCK, Action.WARN, Action.ALLOW)

#: What a person does next, by reason. Words and no numbers: bounds may differ in their last digits between machines,
#: and this text is compared when a bundle is verified.
_STEPS = {
    "threshold_inside_interval": "the data cannot tell: add {unit}s, or ask for less",
    "upper_below_threshold": "the system is below what is asked for: improve it; more {unit}s will not help",
    "lower_above_threshold": "the system is above what is allowed: improve it; more {unit}s will not help",
    "within_numerical_tolerance": "a bound meets the threshold to within rounding: add {unit}s",
    "no_eligible": "no case is eligible: check the eligibility rule",
    "nothing_observed": "nothing was measured: see the reasons for missing cases",
    "too_few_clusters": "one cluster says nothing about others: add clusters",
    "dominant_cluster": "one cluster holds most cases: balance the case set, then decide by hand",
    "estimand_undeclared": "say how unequal clusters count: weight_by = cluster, or max_size, or sizes_uninformative",
    "cap_exceeded": "a cluster is larger than max_size: declare the true largest size",
    "out_of_range": "a score lies outside its declared range: mend the evaluator",
}


def recommend(plan: Plan, decisions: Iterable[Decision], inferences: Iterable[Inference]) -> Recommendation:
    """The release action, why, and the next steps in words; a pure function of records.

    Raises: WrongCells unless there is one decision for each cell of the plan and no other.
    """
    decided, inferred = tuple(decisions), {item.cell: item for item in inferences}
    check_cells(plan, (CellKey(*item.cell.to_key()) for item in decided))
    because = tuple(_because(plan, gate, decided) for gate in plan.gates)
    action = min((item.action for item in because), key=_ACTIONS.index)
    steps = [_step(item, inferred[item.cell]) for item in decided if item.state is not DecisionState.PASS]
    missing = _missing_step(inferred.values(), decided)
    return Recommendation(action, because, (*steps, *missing))


def _because(plan: Plan, gate: GateEntry, decided: Sequence[Decision]) -> Because:
    state = worst_of(item.state for item in decided if item.cell.gate == gate.name)
    action = action_for(state, warn_on=plan.policy.warn_on, advisory=gate.advisory)
    return Because(gate.name, state, gate.advisory, action)


def action_for(state: DecisionState, *, warn_on: Sequence[str], advisory: bool) -> Action:
    """PASS allows; every other state blocks unless the policy warns on it or the gate is advisory (RECORDS §4)."""
    if state is DecisionState.PASS:
        return Action.ALLOW
    return Action.WARN if advisory or state in warn_on else Action.BLOCK


def _step(decision: Decision, inference: Inference) -> str:
    cell = decision.cell
    where = f"{cell.gate} ({inference.metric} of {cell.system}"
    where += f", {cell.slice} = {cell.slice_value})" if cell.slice else ")"
    unit = "case" if inference.n_clusters is None else "cluster"
    words = [_STEPS[reason].format(unit=unit) for reason in decision.reasons if reason in _STEPS]
    return f"{where}: {'; '.join(words)}"


def _missing_step(inferences: Iterable[Inference], decided: Sequence[Decision]) -> list[str]:
    undecided = {item.cell for item in decided if item.state is DecisionState.INSUFFICIENT_EVIDENCE}
    if any(item.counts.n_missing for item in inferences if item.cell in undecided):
        return ["missing cases widen these intervals: exec again asks those anew whose reason may pass"]
    return []
