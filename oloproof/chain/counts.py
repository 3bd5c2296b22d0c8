"""The four counts that every metric records."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json
from oloproof.chain.fields import Fields
from oloproof.errors import OloproofError


class IncoherentCounts(OloproofError):
    """Counts that do not add up: total >= eligible = observed + missing, none negative."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        super().__init__(
            f"total {counts.n_total}, eligible {counts.n_eligible}, observed {counts.n_observed}, "
            f"missing {counts.n_missing}: total >= eligible = observed + missing does not hold"
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cases a metric could, should and did see. n_eligible == n_observed + n_missing <= n_total."""

    n_total: int
    n_eligible: int
    n_observed: int
    n_missing: int

    def __post_init__(self) -> None:
        adds_up = self.n_observed + self.n_missing == self.n_eligible <= self.n_total
        if not adds_up or self.n_observed < 0 or self.n_missing < 0:
            raise IncoherentCounts(self)

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "eligible": self.n_eligible,
            "missing": self.n_missing,
            "observed": self.n_observed,
            "total": self.n_total,
        }

    @classmethod
    def from_json(cls, value: Json) -> Counts:
        """Reads it back. Raises: BadRecord, IncoherentCounts."""
        fields = Fields("counts", value)
        found = cls(
            fields.take_count("total"),
            fields.take_count("eligible"),
            fields.take_count("observed"),
            fields.take_count("missing"),
        )
        fields.done()
        return found
