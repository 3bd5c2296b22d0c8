"""The recommendation record: what to do with the release."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from oloproof.canon.encoding import Json
from oloproof.chain.decision import DecisionState
from oloproof.chain.fields import BadRecord, Fields
from oloproof.chain.link import RECORD_VERSION, Link


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
class Recommendation:
    """The one record of its file. because: every gate in plan order; next_steps: in words, for a person."""

    action: Action
    because: tuple[Because, ...]
    next_steps: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "action": self.action,
            "because": [item.to_json() for item in self.because],
            "link": Link.RECOMMENDATION,
            "next_steps": list(self.next_steps),
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
            fields.take_texts("next_steps"),
        )
        fields.done()
        return found
