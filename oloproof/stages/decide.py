"""Inferences to decisions: read on the interval, never on the estimate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, assert_never

from oloproof.chain.decision import Decision, DecisionState
from oloproof.chain.inference import Certificate, Inference
from oloproof.plan.cells import CellKey, bound_alpha, check_cells
from oloproof.plan.plan import Plan
from oloproof.stats import exact

#: How far a bound may move between platforms, relative and absolute (measured worst 1.9e-13).
RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12


class Ruling(NamedTuple):
    """A state and the one reason for it."""

    state: DecisionState
    reason: str


def decide(plan: Plan, inferences: Iterable[Inference]) -> tuple[Decision, ...]:
    """One decision a cell, in file order. Threshold, direction and alpha come from the plan, never from a record.

    Raises: WrongCells unless there is one inference for each cell of the plan and no other.
    """
    inferred = tuple(inferences)
    check_cells(plan, (CellKey(*item.cell.to_key()) for item in inferred))
    rules = {gate.name: (gate.requires, bound_alpha(plan, gate)) for gate in plan.gates}
    decisions = []
    for inference in inferred:
        requires, alpha = rules[inference.cell.gate]
        require = requires[inference.cell.require]
        state, reasons = _decide_cell(inference, require.op, require.threshold, alpha)
        decisions.append(Decision(inference.cell, require.op, require.threshold, state, reasons))
    return tuple(sorted(decisions, key=lambda item: (item.cell.gate.encode(), item.cell.sort_key())))


def _decide_cell(
    inference: Inference, op: Literal[">=", "<="], threshold: str, alpha: str
) -> tuple[DecisionState, tuple[str, ...]]:
    if inference.declined:
        return DecisionState.MANUAL_REVIEW, inference.reasons
    if inference.reasons:
        return DecisionState.INSUFFICIENT_EVIDENCE, inference.reasons
    certificate = inference.certificate
    ruling = (
        decide_exactly(certificate, op, threshold, alpha)
        if certificate is not None
        else decide_bounds(inference.lower, inference.upper, op, threshold)
    )
    return ruling.state, (ruling.reason,)


def decide_exactly(certificate: Certificate, op: Literal[">=", "<="], threshold: str, bound_alpha: str) -> Ruling:
    """The state by integers alone: missing cases at their worst for PASS, at their best for FAIL."""
    k, n, m = certificate.n_success, certificate.n, certificate.n_missing
    match op:
        case ">=":
            passes = exact.lower_bound_reaches(k, n, threshold=threshold, bound_alpha=bound_alpha)
            fails = exact.upper_bound_is_below(k + m, n, threshold=threshold, bound_alpha=bound_alpha)
        case "<=":
            passes = exact.upper_bound_within(k + m, n, threshold=threshold, bound_alpha=bound_alpha)
            fails = exact.lower_bound_is_above(k, n, threshold=threshold, bound_alpha=bound_alpha)
        case _:
            assert_never(op)
    return _ruling(op, passes=passes, fails=fails)


def decide_bounds(lower: float | None, upper: float | None, op: Literal[">=", "<="], threshold: str) -> Ruling:
    """The state by computed bounds; one too near the threshold to call on every machine decides nothing."""
    limit = float(threshold)
    if _is_too_near(lower, limit) or _is_too_near(upper, limit):
        return Ruling(DecisionState.INSUFFICIENT_EVIDENCE, "within_numerical_tolerance")
    return read_interval(lower, upper, op, limit)


def read_interval(lower: float | None, upper: float | None, op: Literal[">=", "<="], limit: float) -> Ruling:
    """The state by bounds as they stand: L == T passes a minimum and U == T fails none; a maximum mirrors.

    A bound of None decides nothing on its side.
    """
    match op:
        case ">=":
            passes, fails = lower is not None and lower >= limit, upper is not None and upper < limit
        case "<=":
            passes, fails = upper is not None and upper <= limit, lower is not None and lower > limit
        case _:
            assert_never(op)
    return _ruling(op, passes=passes, fails=fails)


def _is_too_near(bound: float | None, limit: float) -> bool:
    """0 and 1 are exact by construction, so that they may meet a threshold."""
    if bound is None or bound in (0.0, 1.0):
        return False
    return abs(bound - limit) <= max(RELATIVE_TOLERANCE * abs(limit), ABSOLUTE_TOLERANCE)


def _ruling(op: Literal[">=", "<="], *, passes: bool, fails: bool) -> Ruling:
    if passes:
        reason = "lower_reaches_threshold" if op == ">=" else "upper_within_threshold"
        return Ruling(DecisionState.PASS, reason)
    if fails:
        reason = "upper_below_threshold" if op == ">=" else "lower_above_threshold"
        return Ruling(DecisionState.FAIL, reason)
    return Ruling(DecisionState.INSUFFICIENT_EVIDENCE, "threshold_inside_interval")
