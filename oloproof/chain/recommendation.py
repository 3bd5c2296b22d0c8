"""The recommendation record: what to do with the release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from oloproof.canon.encoding import Json
from oloproof.chain.cell import Cell
from oloproof.chain.decision import DecisionState
from oloproof.chain.fields import BadRecord, Fields
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import reason_of


class Action(StrEnum):
    """A release action; a field of its own and no fifth decision state."""

    ALLOW = "ALLOW"
    WARN = "WARN"
    BLOCK = "BLOCK"


@dataclass(frozen=True, slots=True)
class Because:
    """One gate's share in the action: its state, and the action that this state alone asks for."""

    gate: str
    state: DecisionState
    advisory: bool
    action: Action

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {"action": self.action, "advisory": self.advisory, "gate": self.gate, "state": self.state}

    @classmethod
    def from_json(cls, value: Json) -> Because:
        """Reads it back. Raises: BadRecord."""
        fields = Fields(Link.RECOMMENDATION, value)
        state, action = fields.take("state", str), fields.take("action", str)
        if state not in DecisionState.__members__ or action not in Action.__members__:
            raise BadRecord(Link.RECOMMENDATION, f"state {state[:80]!r}, action {action[:80]!r}")
        found = cls(fields.take("gate", str), DecisionState(state), fields.take("advisory", bool), Action(action))
        fields.done()
        return found


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something to act on: a cell that did not PASS and one reason of it; cell None: it concerns the run as a whole."""

    cell: Cell | None
    reason: str

    def __post_init__(self) -> None:
        reason_of(self.reason)

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {"cell": None if self.cell is None else self.cell.to_json(), "reason": self.reason}

    @classmethod
    def from_json(cls, value: Json) -> NextStep:
        """The step that to_json wrote. Raises: BadRecord, UnknownReason."""
        fields = Fields(Link.RECOMMENDATION, value)
        cell = fields.take_optional("cell", list)
        found = cls(None if cell is None else Cell.from_json(cell), fields.take("reason", str))
        fields.done()
        return found


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The one record of its file. because: every gate in plan order; next_steps: what a person can act on."""

    action: Action
    because: tuple[Because, ...]
    next_steps: tuple[NextStep, ...]

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "action": self.action,
            "because": [item.to_json() for item in self.because],
            "link": Link.RECOMMENDATION,
            "next_steps": [item.to_json() for item in self.next_steps],
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Recommendation:
        """Reads it back. Raises: BadRecord."""
        fields = Fields(Link.RECOMMENDATION, value)
        fields.expect("link", Link.RECOMMENDATION.value)
        fields.expect("v", RECORD_VERSION)
        action = fields.take("action", str)
        if action not in Action.__members__:
            raise BadRecord(Link.RECOMMENDATION, f"action {action[:80]!r}")
        found = cls(
            Action(action),
            tuple(Because.from_json(item) for item in fields.take("because", list)),
            tuple(NextStep.from_json(item) for item in fields.take("next_steps", list)),
        )
        fields.done()
        return found
