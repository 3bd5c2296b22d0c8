"""The names of a bundle's files."""

from __future__ import annotations

from typing import Final

from oloproof.chain.link import PACKED, Link

ENVELOPE: Final = "evidence.dsse.json"
PLAN: Final = "plan.json"
PLAN_STATEMENT: Final = "attestations/plan.dsse.json"
#: Files in these folders with these endings are judged alone, and ignored where they are not understood.
COMPANIONS: Final = (("attestations/", ".dsse.json"), ("timestamps/", ".tsr"))


def records(link: Link) -> str:
    """The record file of a link."""
    return f"records/{link.value}.jsonl"


def pack(link: Link) -> str:
    """The contents that a link's records commit to."""
    return f"blobs/{link.value}.pack"


def index(link: Link) -> str:
    """The addresses and sizes of a pack's entries."""
    return f"blobs/{link.value}.index"


#: Every file that a bundle must have.
REQUIRED: Final = frozenset(
    (ENVELOPE, PLAN, *map(records, Link), *map(pack, PACKED), *map(index, PACKED)),
)


def is_companion(name: str) -> bool:
    """True for a file that the signed statement need not name."""
    return any(
        name.startswith(folder) and name.endswith(ending) and "/" not in name.removeprefix(folder)
        for folder, ending in COMPANIONS
    )
