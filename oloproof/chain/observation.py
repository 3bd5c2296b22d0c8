"""The observation record: what a system (or a judge, when asked) did with a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from oloproof.canon.digests import DigestText, bytes_of
from oloproof.canon.encoding import Json
from oloproof.chain.commitment import Commitment
from oloproof.chain.fields import BadRecord, Fields, check_salt
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import reason_of


@dataclass(frozen=True, slots=True)
class Observation:
    """One attempted execution. File order: (role, case_set, id, system, judge, ordinal, repeat).

    role: judges are observed too, but their observations never count in a metric's denominator; they name the system
    whose answer they judged. system: the system variant. judge: its name, or None for a system's own observation.
    ordinal: which request of a judge for this case. identity: digest of everything that determines the answer.
    output: None exactly when reason says why there is none.
    """

    role: Literal["system", "judge"]
    case_set: str
    id: str
    system: str
    judge: str | None
    ordinal: int
    repeat: int
    identity: DigestText
    reason: str | None
    output: Commitment | None
    usage: dict[str, int] | None
    served_model: str | None
    salt: str

    def __post_init__(self) -> None:
        bytes_of(self.identity)
        check_salt(Link.OBSERVATION, self.salt)
        if (self.reason is None) == (self.output is None):
            raise BadRecord(Link.OBSERVATION, "an output and a reason for its absence exclude each other")
        if self.reason is not None:
            reason_of(self.reason)
        if (self.role == "judge") != (self.judge is not None):
            raise BadRecord(Link.OBSERVATION, "a judge is named exactly in the judges' observations")

    @property
    def is_missing(self) -> bool:
        """True where the system gave no answer."""
        return self.reason is not None

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "id": self.id,
            "identity": self.identity,
            "judge": self.judge,
            "link": Link.OBSERVATION,
            "ordinal": self.ordinal,
            "output": self.output.to_json() if self.output else None,
            "reason": self.reason,
            "repeat": self.repeat,
            "role": self.role,
            "salt": self.salt,
            "served_model": self.served_model,
            "set": self.case_set,
            "status": "missing" if self.is_missing else "ok",
            "system": self.system,
            "usage": self.usage,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Observation:
        """Reads it back. Raises: BadRecord, BadDigest, UnknownReason."""
        fields = Fields(Link.OBSERVATION, value)
        fields.expect("link", Link.OBSERVATION.value)
        fields.expect("v", RECORD_VERSION)
        output = fields.take_optional("output", dict)
        usage = fields.take_optional("usage", dict)
        role = fields.take("role", str)
        if role not in ("system", "judge"):
            raise BadRecord(Link.OBSERVATION, f"role {role[:80]!r}")
        found = cls(
            role="system" if role == "system" else "judge",
            case_set=fields.take("set", str),
            id=fields.take("id", str),
            system=fields.take("system", str),
            judge=fields.take_optional("judge", str),
            ordinal=fields.take_count("ordinal"),
            repeat=fields.take_count("repeat"),
            identity=DigestText(fields.take("identity", str)),
            reason=fields.take_optional("reason", str),
            output=None if output is None else Commitment.from_json(output),
            usage=None if usage is None else _usage(usage),
            served_model=fields.take_optional("served_model", str),
            salt=fields.take("salt", str),
        )
        fields.expect("status", "missing" if found.is_missing else "ok")
        fields.done()
        return found


def _usage(value: dict[str, Json]) -> dict[str, int]:
    usage = {name: n for name, n in value.items() if type(n) is int and n >= 0}
    if len(usage) != len(value):
        raise BadRecord(Link.OBSERVATION, "usage must hold counts only")
    return usage
