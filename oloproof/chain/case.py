"""The case record: what a case is worth to inference, and commitments to what it holds."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json
from oloproof.chain.commitment import Commitment
from oloproof.chain.fields import BadRecord, Fields, check_salt
from oloproof.chain.link import RECORD_VERSION, Link

#: Name of the cluster that groups identical inputs; no declared cluster can have it, since `@` is in no NAME.
SAME_INPUT = "@input"


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a case set. File order: (case_set, id) by UTF-8 bytes.

    occurrence: 0, 1, ... among cases of the set with equal inputs, in id order. clusters: declared name → label after
    uniting identical inputs, and SAME_INPUT where the set has identical inputs. slices: declared name → value.
    """

    case_set: str
    id: str
    occurrence: int
    clusters: dict[str, str]
    slices: dict[str, str]
    weight: int
    eligible: bool
    input: Commitment
    expect: Commitment | None
    salt: str

    def __post_init__(self) -> None:
        check_salt(Link.CASE, self.salt)

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "clusters": self.clusters,
            "eligible": self.eligible,
            "expect": self.expect.to_json() if self.expect else None,
            "id": self.id,
            "input": self.input.to_json(),
            "link": Link.CASE,
            "occurrence": self.occurrence,
            "salt": self.salt,
            "set": self.case_set,
            "slices": self.slices,
            "v": RECORD_VERSION,
            "weight": self.weight,
        }

    @classmethod
    def from_json(cls, value: Json) -> Case:
        """Reads it back. Raises: BadRecord, BadDigest."""
        fields = Fields(Link.CASE, value)
        fields.expect("link", Link.CASE.value)
        fields.expect("v", RECORD_VERSION)
        expect = fields.take_optional("expect", dict)
        found = cls(
            case_set=fields.take("set", str),
            id=fields.take("id", str),
            occurrence=fields.take_count("occurrence"),
            clusters=_labels(fields.take("clusters", dict)),
            slices=_labels(fields.take("slices", dict)),
            weight=fields.take_count("weight"),
            eligible=fields.take("eligible", bool),
            input=Commitment.from_json(fields.take("input", dict)),
            expect=None if expect is None else Commitment.from_json(expect),
            salt=fields.take("salt", str),
        )
        fields.done()
        return found


def _labels(value: dict[str, Json]) -> dict[str, str]:
    labels = {name: label for name, label in value.items() if isinstance(label, str)}
    if len(labels) != len(value):
        raise BadRecord(Link.CASE, "cluster labels and slice values must be strings")
    return labels
