"""The decision record: what the interval says of one cell of a gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from oloproof.canon.encoding import Json
from oloproof.chain.cell import Cell
from oloproof.chain.fields import BadRecord, Fields
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import reason_of


class DecisionState(StrEnum):
    """Exactly four. INSUFFICIENT_EVIDENCE is no soft FAIL and never a PASS; MANUAL_REVIEW: a person must act."""

    PASS = "PASS"  # noqa: S105 -- a state, not a password
    FAIL = "FAIL"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    MANUAL_REVIEW = "MANUAL_REVIEW"


#: From worst to best: a gate, and a release, is as bad as its worst part.
FROM_WORST = (
    DecisionState.FAIL,
    DecisionState.MANUAL_REVIEW,
    DecisionState.INSUFFICIENT_EVIDENCE,
    DecisionState.PASS,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """One cell's state. File order: (gate, cell). A gate's state is the worst of its cells."""

    cell: Cell
    op: Literal[">=", "<="]
    threshold: str
    state: DecisionState
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        for reason in self.reasons:
            reason_of(reason)

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "cell": self.cell.to_json(),
            "gate": self.cell.gate,
            "link": Link.DECISION,
            "op": self.op,
            "reasons": list(self.reasons),
            "state": self.state,
            "threshold": self.threshold,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Decision:
        """Reads it back. Raises: BadRecord, UnknownReason."""
        fields = Fields(Link.DECISION, value)
        fields.expect("link", Link.DECISION.value)
        fields.expect("v", RECORD_VERSION)
        cell, op, state = Cell.from_json(fields.take("cell", list)), fields.take("op", str), fields.take("state", str)
        fields.expect("gate", cell.gate)
        if op not in (">=", "<="):
            raise BadRecord(Link.DECISION, f"op {op[:80]!r}")
        if state not in DecisionState.__members__:
            raise BadRecord(Link.DECISION, f"state {state[:80]!r}")
        found = cls(
            cell=cell,
            op=">=" if op == ">=" else "<=",
            threshold=fields.take("threshold", str),
            state=DecisionState(state),
            reasons=fields.take_texts("reasons"),
        )
        fields.done()
        return found


def worst_of(states: Iterable[DecisionState]) -> DecisionState:
    """The worst of at least one state."""
    return min(states, key=FROM_WORST.index)
