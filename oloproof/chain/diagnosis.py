"""The diagnosis record: failures that share a factor, with counts and what the grouping assumes."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json, encode
from oloproof.chain.fields import BadRecord, Fields
from oloproof.chain.link import RECORD_VERSION, Link

#: What a factor can group by.
KINDS = ("reason", "slice", "missing")


@dataclass(frozen=True, slots=True)
class Factor:
    """What the failures of a group share: [kind, case set, metric, system, name, value].

    kind `reason`: the evaluator's reason (value); `slice`: slice name and value; `missing`: why cases are missing.
    """

    kind: str
    case_set: str
    metric: str
    system: str
    name: str
    value: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadRecord(Link.DIAGNOSIS, f"factor kind {self.kind[:80]!r}")

    def to_json(self) -> list[Json]:
        """Its canonical array."""
        return [self.kind, self.case_set, self.metric, self.system, self.name, self.value]

    def sort_key(self) -> bytes:
        """Order of factors: by the bytes of the canonical array."""
        return encode(self.to_json())

    @classmethod
    def from_json(cls, value: Json) -> Factor:
        """Reads it back. Raises: BadRecord."""
        match value:
            case [str(), str(), str(), str(), str(), str()]:
                return cls(*value)
            case _:
                raise BadRecord(Link.DIAGNOSIS, "a factor is [kind, case set, metric, system, name, value]")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One group. File order: the factor's sort key.

    n_failed: failed (or missing) cases with this factor; n_group: cases that the rate is over; rate = n_failed/n_group
    with its interval at the policy's confidence, uncorrected; n_searched: how many groups were compared, so that a
    reader can judge a striking one; cases: the first failing ids in file order.
    """

    factor: Factor
    n_failed: int
    n_group: int
    lower: float
    upper: float
    confidence: str
    assumption: str
    n_searched: int
    cases: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.n_failed <= self.n_group:
            raise BadRecord(Link.DIAGNOSIS, f"{self.n_failed} failed of {self.n_group}")

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "assumption": self.assumption,
            "cases": list(self.cases),
            "confidence": self.confidence,
            "counts": {"failed": self.n_failed, "group": self.n_group},
            "factor": self.factor.to_json(),
            "link": Link.DIAGNOSIS,
            "lower": self.lower,
            "searched": self.n_searched,
            "upper": self.upper,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Diagnosis:
        """Reads it back. Raises: BadRecord."""
        fields = Fields(Link.DIAGNOSIS, value)
        fields.expect("link", Link.DIAGNOSIS.value)
        fields.expect("v", RECORD_VERSION)
        counts = Fields(Link.DIAGNOSIS, fields.take("counts", dict))
        lower, upper = fields.take_number("lower"), fields.take_number("upper")
        if lower is None or upper is None:
            raise BadRecord(Link.DIAGNOSIS, "a rate has both bounds")
        found = cls(
            factor=Factor.from_json(fields.take("factor", list)),
            n_failed=counts.take_count("failed"),
            n_group=counts.take_count("group"),
            lower=lower,
            upper=upper,
            confidence=fields.take("confidence", str),
            assumption=fields.take("assumption", str),
            n_searched=fields.take_count("searched"),
            cases=fields.take_texts("cases"),
        )
        counts.done()
        fields.done()
        return found
