"""Decisions to a recommendation: what the policy makes of the gates' states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oloproof.chain.decision import Decision, DecisionState, worst_of
from oloproof.chain.inference import Inference
from oloproof.chain.recommendation import Action, Because, NextStep, Recommendation
from oloproof.plan.cells import CellKey, check_cells
from oloproof.plan.plan import GateEntry, Plan

#: From worst to best.
_ACTIONS = (Action.BLOCK, Action.WARN, Action.ALLOW)


def recommend(plan: Plan, decisions: Iterable[Decision], inferences: Iterable[Inference]) -> Recommendation:
    """The release action, why, and what to act on; a pure function of records.

    Raises: WrongCells unless there is one decision for each cell of the plan and no other.
    """
    decided, inferences = tuple(decisions), tuple(inferences)
    check_cells(plan, (CellKey(*item.cell.to_key()) for item in decided))
    because = tuple(_because(plan, gate, decided) for gate in plan.gates)
    action = min((item.action for item in because), key=_ACTIONS.index)
    steps = [
        NextStep(item.cell, reason)
        for item in decided
        if item.state is not DecisionState.PASS
        for reason in item.reasons
    ]
    return Recommendation(action, because, (*steps, *_missing_step(inferences, decided)))


def _because(plan: Plan, gate: GateEntry, decided: Sequence[Decision]) -> Because:
    state = worst_of(item.state for item in decided if item.cell.gate == gate.name)
    action = action_for(state, warn_on=plan.policy.warn_on, advisory=gate.advisory)
    return Because(gate.name, state, gate.advisory, action)


def action_for(state: DecisionState, *, warn_on: Sequence[str], advisory: bool) -> Action:
    """PASS allows; every other state blocks unless the policy warns on it or the gate is advisory (specs/chain.md)."""
    if state is DecisionState.PASS:
        return Action.ALLOW
    return Action.WARN if advisory or state in warn_on else Action.BLOCK


def _missing_step(inferences: Iterable[Inference], decided: Sequence[Decision]) -> list[NextStep]:
    undecided = {item.cell for item in decided if item.state is DecisionState.INSUFFICIENT_EVIDENCE}
    widened = any(item.counts.n_missing for item in inferences if item.cell in undecided)
    return [NextStep(None, "missing_widens")] if widened else []
