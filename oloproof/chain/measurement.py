"""The measurement record: what an evaluator says of an observation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from oloproof.canon.digests import DigestText, bytes_of
from oloproof.canon.encoding import Json
from oloproof.chain.fields import BadRecord, Fields, check_salt
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import reason_of

#: What an evaluator may put out: a verdict, a number, a label.
Output: TypeAlias = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One evaluation. File order: (case_set, id, system, evaluator, repeat).

    digest: the evaluator's identity. observations: leaf hashes of the records it read. outputs: name → value, or None
    exactly when the case could not be measured, and then reason says why; with outputs, reason says why they are bad.
    """

    case_set: str
    id: str
    system: str
    evaluator: str
    repeat: int
    digest: DigestText
    observations: tuple[DigestText, ...]
    outputs: dict[str, Output] | None
    reason: str | None
    salt: str

    def __post_init__(self) -> None:
        bytes_of(self.digest)
        check_salt(Link.MEASUREMENT, self.salt)
        if self.outputs is None and self.reason is None:
            raise BadRecord(Link.MEASUREMENT, "neither outputs nor the reason why there are none")
        if self.reason is not None:
            reason_of(self.reason)

    @property
    def is_missing(self) -> bool:
        """True where the case could not be measured."""
        return self.outputs is None

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "digest": self.digest,
            "evaluator": self.evaluator,
            "id": self.id,
            "link": Link.MEASUREMENT,
            "observations": list(self.observations),
            "outputs": self.outputs,
            "reason": self.reason,
            "repeat": self.repeat,
            "salt": self.salt,
            "set": self.case_set,
            "status": "missing" if self.is_missing else "observed",
            "system": self.system,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Measurement:
        """Reads it back. Raises: BadRecord, BadDigest, UnknownReason."""
        fields = Fields(Link.MEASUREMENT, value)
        fields.expect("link", Link.MEASUREMENT.value)
        fields.expect("v", RECORD_VERSION)
        outputs = fields.take_optional("outputs", dict)
        found = cls(
            case_set=fields.take("set", str),
            id=fields.take("id", str),
            system=fields.take("system", str),
            evaluator=fields.take("evaluator", str),
            repeat=fields.take_count("repeat"),
            digest=DigestText(fields.take("digest", str)),
            observations=tuple(map(DigestText, fields.take_texts("observations"))),
            outputs=None if outputs is None else _outputs(outputs),
            reason=fields.take_optional("reason", str),
            salt=fields.take("salt", str),
        )
        fields.expect("status", "missing" if found.is_missing else "observed")
        fields.done()
        return found


def _outputs(value: dict[str, Json]) -> dict[str, Output]:
    outputs = {name: item for name, item in value.items() if isinstance(item, bool | int | float | str)}
    if len(outputs) != len(value):
        raise BadRecord(Link.MEASUREMENT, "an output must be a boolean, a number or a string")
    return outputs
