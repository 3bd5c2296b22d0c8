"""A commitment to content that lies in a blob pack and may be withheld."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.digests import DigestText, bytes_of
from oloproof.canon.encoding import Json
from oloproof.chain.fields import BadRecord, Fields

TEXT = "text/plain; charset=utf-8"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Commitment:
    """sha256(salt, content), the content's size in bytes without its salt, and its media type."""

    digest: DigestText
    size: int
    media_type: str

    def __post_init__(self) -> None:
        bytes_of(self.digest)
        if self.size < 0 or self.media_type not in (TEXT, JSON):
            raise BadRecord("commitment", f"size {self.size}, media type {self.media_type[:80]!r}")

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {"commitment": self.digest, "media_type": self.media_type, "size": self.size}

    @classmethod
    def from_json(cls, value: Json) -> Commitment:
        """Reads it back. Raises: BadRecord, BadDigest."""
        fields = Fields("commitment", value)
        found = cls(
            DigestText(fields.take("commitment", str)), fields.take_count("size"), fields.take("media_type", str)
        )
        fields.done()
        return found
