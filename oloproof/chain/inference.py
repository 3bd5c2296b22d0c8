"""The inference record: a metric with an interval over a declared denominator."""

from __future__ import annotations

import math
from dataclasses import dataclass

from oloproof.canon.digests import DigestText, bytes_of
from oloproof.canon.encoding import Json
from oloproof.chain.cell import Cell
from oloproof.chain.counts import Counts
from oloproof.chain.fields import BadRecord, Fields
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import reason_of

#: How it can be known that a method's bounds err at most at their rate.
GUARANTEES = ("proved", "conjectured", "simulated", "approximate")


@dataclass(frozen=True, slots=True)
class Method:
    """A named interval method. guarantee: one of GUARANTEES."""

    id: str
    version: int
    guarantee: str

    def __post_init__(self) -> None:
        if self.guarantee not in GUARANTEES:
            raise BadRecord("method", f"guarantee {self.guarantee[:80]!r}")

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {"guarantee": self.guarantee, "id": self.id, "version": self.version}

    @classmethod
    def from_json(cls, value: Json) -> Method:
        """Reads it back. Raises: BadRecord."""
        fields = Fields("method", value)
        found = cls(fields.take("id", str), fields.take_count("version"), fields.take("guarantee", str))
        fields.done()
        return found


@dataclass(frozen=True, slots=True)
class Certificate:
    """What decides a binomial cell exactly, in integers and decimal text: k successes of n, m of n missing."""

    n_success: int
    n: int
    n_missing: int
    threshold: str
    bound_alpha: str

    def __post_init__(self) -> None:
        if not 0 <= self.n_success <= self.n_success + self.n_missing <= self.n:
            raise BadRecord("certificate", f"k {self.n_success}, m {self.n_missing}, n {self.n}")

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "bound_alpha": self.bound_alpha,
            "k": self.n_success,
            "kind": "binomial",
            "m": self.n_missing,
            "n": self.n,
            "threshold": self.threshold,
        }

    @classmethod
    def from_json(cls, value: Json) -> Certificate:
        """Reads it back. Raises: BadRecord."""
        fields = Fields("certificate", value)
        fields.expect("kind", "binomial")
        found = cls(
            fields.take_count("k"),
            fields.take_count("n"),
            fields.take_count("m"),
            fields.take("threshold", str),
            fields.take("bound_alpha", str),
        )
        fields.done()
        return found


@dataclass(frozen=True, slots=True)
class Inference:
    """One cell's number with its uncertainty. File order: the cell's sort key.

    method: None where nothing could be computed, and then reasons say why. lower, upper: fractions, None where that
    side is unknown. estimate: over observed cases only; estimate_low, estimate_high: the same with every missing case
    at its worst and at its best. n_clusters: None where cases are independent. declined: the method refuses to answer,
    and only a person can go on. key: digest of the definition and of every value read. seed: of resampling, or None.
    """

    cell: Cell
    metric: str
    method: Method | None
    assumptions: tuple[str, ...]
    confidence: str
    bound_alpha: str
    counts: Counts
    n_clusters: int | None
    lower: float | None
    upper: float | None
    estimate: float | None
    estimate_low: float | None
    estimate_high: float | None
    certificate: Certificate | None
    declined: bool
    reasons: tuple[str, ...]
    key: DigestText
    seed: DigestText | None

    def __post_init__(self) -> None:
        bytes_of(self.key)
        if self.seed is not None:
            bytes_of(self.seed)
        for reason in self.reasons:
            reason_of(reason)
        if self.n_clusters is not None and self.n_clusters < 0:
            raise BadRecord(Link.INFERENCE, "clusters is negative")
        if any(x is not None and not math.isfinite(x) for x in (self.lower, self.upper)):
            raise BadRecord(Link.INFERENCE, "bounds are finite or null")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise BadRecord(Link.INFERENCE, f"lower {self.lower} above upper {self.upper}")

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "assumptions": list(self.assumptions),
            "bound_alpha": self.bound_alpha,
            "cell": self.cell.to_json(),
            "certificate": self.certificate.to_json() if self.certificate else None,
            "clusters": self.n_clusters,
            "confidence": self.confidence,
            "counts": self.counts.to_json(),
            "declined": self.declined,
            "estimate": self.estimate,
            "estimate_high": self.estimate_high,
            "estimate_low": self.estimate_low,
            "key": self.key,
            "link": Link.INFERENCE,
            "lower": self.lower,
            "method": self.method.to_json() if self.method else None,
            "metric": self.metric,
            "reasons": list(self.reasons),
            "seed": self.seed,
            "upper": self.upper,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Inference:
        """Reads it back. Raises: BadRecord, BadDigest, IncoherentCounts, UnknownReason."""
        fields = Fields(Link.INFERENCE, value)
        fields.expect("link", Link.INFERENCE.value)
        fields.expect("v", RECORD_VERSION)
        certificate, method = fields.take_optional("certificate", dict), fields.take_optional("method", dict)
        seed = fields.take_optional("seed", str)
        found = cls(
            cell=Cell.from_json(fields.take("cell", list)),
            metric=fields.take("metric", str),
            method=None if method is None else Method.from_json(method),
            assumptions=fields.take_texts("assumptions"),
            confidence=fields.take("confidence", str),
            bound_alpha=fields.take("bound_alpha", str),
            counts=Counts.from_json(fields.take("counts", dict)),
            n_clusters=fields.take_optional("clusters", int),
            lower=fields.take_number("lower"),
            upper=fields.take_number("upper"),
            estimate=fields.take_number("estimate"),
            estimate_low=fields.take_number("estimate_low"),
            estimate_high=fields.take_number("estimate_high"),
            certificate=None if certificate is None else Certificate.from_json(certificate),
            declined=fields.take("declined", bool),
            reasons=fields.take_texts("reasons"),
            key=DigestText(fields.take("key", str)),
            seed=None if seed is None else DigestText(seed),
        )
        fields.done()
        return found
