"""The evidence record: where everything came from, as the signer's own word."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json
from oloproof.chain.fields import Fields
from oloproof.chain.link import RECORD_VERSION, Link


@dataclass(frozen=True, slots=True)
class Evidence:
    """The one record of its file; every field is a claim that only recomputing turns into a check.

    tool: name, version, code digest. plugins: as the plan lists them. sources: path → digest of the suite's
    texts and data files. platform: interpreter, libraries and machine type, without host or user. redaction: the
    policy that was applied. looks: for each gate the digests of the distinct inferences seen so far.
    """

    tool: dict[str, Json]
    plugins: tuple[Json, ...]
    sources: dict[str, Json]
    platform: dict[str, Json]
    redaction: dict[str, Json]
    looks: dict[str, Json]

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "link": Link.EVIDENCE,
            "looks": self.looks,
            "platform": self.platform,
            "plugins": list(self.plugins),
            "redaction": self.redaction,
            "sources": self.sources,
            "tool": self.tool,
            "v": RECORD_VERSION,
        }

    @classmethod
    def from_json(cls, value: Json) -> Evidence:
        """Reads it back. Raises: BadRecord."""
        fields = Fields(Link.EVIDENCE, value)
        fields.expect("link", Link.EVIDENCE.value)
        fields.expect("v", RECORD_VERSION)
        found = cls(
            tool=fields.take("tool", dict),
            plugins=tuple(fields.take("plugins", list)),
            sources=fields.take("sources", dict),
            platform=fields.take("platform", dict),
            redaction=fields.take("redaction", dict),
            looks=fields.take("looks", dict),
        )
        fields.done()
        return found
