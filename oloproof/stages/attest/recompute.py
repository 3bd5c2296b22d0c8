"""The same arithmetic again: records as they stand in the bundle against records made anew from the measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from oloproof.canon.encoding import Json
from oloproof.chain.case import Case
from oloproof.chain.decision import Decision
from oloproof.chain.diagnosis import Diagnosis
from oloproof.chain.inference import Inference
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement
from oloproof.chain.recommendation import Recommendation
from oloproof.chain.run_state import RunState
from oloproof.plan.plan import Plan
from oloproof.stages.attest import layout
from oloproof.stages.attest.closure import Walked
from oloproof.stages.attest.statement import DecisionStatement, claim_gates
from oloproof.stages.attest.verdict import Failure, FailureClass, Level

#: How far a bound or an estimate may lie from the recomputed one (measured worst 1.9e-13).
RELATIVE_TOLERANCE: Final = 1e-9
ABSOLUTE_TOLERANCE: Final = 1e-12
#: Differences that are told one by one.
MAX_TOLD: Final = 20

#: The fields that may differ within the tolerance; all others must be equal.
_FLOATS: Final[Mapping[Link, frozenset[str]]] = {
    Link.INFERENCE: frozenset(("lower", "upper", "estimate", "estimate_low", "estimate_high")),
    Link.DIAGNOSIS: frozenset(("lower", "upper")),
}


class _Infer(Protocol):
    def __call__(
        self, plan: Plan, cases: Iterable[Case], measurements: Iterable[Measurement]
    ) -> tuple[Inference, ...]: ...


class _Diagnose(Protocol):
    def __call__(
        self, plan: Plan, cases: Iterable[Case], measurements: Iterable[Measurement]
    ) -> tuple[Diagnosis, ...]: ...


class _Decide(Protocol):
    def __call__(self, plan: Plan, inferences: Iterable[Inference]) -> tuple[Decision, ...]: ...


class _Recommend(Protocol):
    def __call__(
        self, plan: Plan, decisions: Iterable[Decision], inferences: Iterable[Inference]
    ) -> Recommendation: ...


@dataclass(frozen=True, slots=True)
class Recomputation:
    """The four pure steps from measurements to a recommendation."""

    infer: _Infer
    diagnose: _Diagnose
    decide: _Decide
    recommend: _Recommend


@dataclass(frozen=True, slots=True)
class Concluded:
    """The records of a bundle that recomputing must give again."""

    inferences: tuple[Inference, ...]
    diagnoses: tuple[Diagnosis, ...]
    decisions: tuple[Decision, ...]
    recommendation: Recommendation


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, and how many numbers were equal only within the tolerance."""

    failures: tuple[Failure, ...]
    n_within_tolerance: int


class _Record(Protocol):
    def to_json(self) -> dict[str, Json]: ...


def compare(plan: Plan, walked: Walked, stated: Concluded, pure: Recomputation) -> Comparison:
    """Recomputes all that follows from the measurements and compares it with what the bundle says."""
    inferences = pure.infer(plan, walked.cases, walked.measurements)
    decisions = pure.decide(plan, inferences)
    differences = _Differences()
    differences.lists(Link.INFERENCE, stated.inferences, inferences)
    differences.lists(Link.DIAGNOSIS, stated.diagnoses, pure.diagnose(plan, walked.cases, walked.measurements))
    differences.lists(Link.DECISION, stated.decisions, decisions)
    again = pure.recommend(plan, decisions, inferences)
    differences.lists(Link.RECOMMENDATION, (stated.recommendation,), (again,))
    return Comparison(tuple(differences.failures[:MAX_TOLD]), differences.n_within_tolerance)


def compare_statement(statement: DecisionStatement, stated: Concluded) -> tuple[Failure, ...]:
    """What the signed statement says otherwise than the records of its own bundle."""
    differences = _Differences()
    place = f"{layout.ENVELOPE} payload"
    if statement.run_state is not RunState.COMPLETE:
        differences.note(place, f"run_state {statement.run_state}: only a COMPLETE run has decisions and a bundle")
    if statement.recommendation != stated.recommendation:
        differences.note(place, "its recommendation is not that of the records")
    because, decisions, inferences = stated.recommendation.because, stated.decisions, stated.inferences
    inferred = {item.cell for item in inferences}
    if any(item.cell not in inferred for item in decisions):
        differences.note(layout.records(Link.DECISION), "a decision on a cell that has no inference")
    elif statement.gates != claim_gates(because, decisions, inferences):
        differences.note(place, "its gates are not those of the records")
    return tuple(differences.failures)


class _Differences:
    """Collects what differs."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.n_within_tolerance = 0

    def note(self, place: str, reason: str) -> None:
        self.failures.append(Failure(FailureClass.MISMATCH, Level.RECOMPUTE, place, reason))

    def lists(self, link: Link, stated: Sequence[_Record], again: Sequence[_Record]) -> None:
        place = layout.records(link)
        if len(stated) != len(again):
            self.note(place, f"{len(stated)} records; recomputed: {len(again)}")
        for number, (one, other) in enumerate(zip(stated, again, strict=False), 1):
            if one != other:
                self._fields(link, f"{place} line {number}", one.to_json(), other.to_json())

    def _fields(self, link: Link, place: str, stated: Mapping[str, Json], again: Mapping[str, Json]) -> None:
        for name in sorted(stated.keys() | again.keys()):
            one, other = stated.get(name), again.get(name)
            if one == other:
                continue
            if name in _FLOATS.get(link, ()) and _is_close(one, other):
                self.n_within_tolerance += 1
            else:
                self.note(place, f"{name} is {_told(one)}; recomputed: {_told(other)}")


def _is_close(one: Json, other: Json) -> bool:
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    return abs(one - other) <= max(RELATIVE_TOLERANCE * abs(other), ABSOLUTE_TOLERANCE)


def _told(value: Json) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + "…"  # noqa: PLR2004 -- enough to see what differs
