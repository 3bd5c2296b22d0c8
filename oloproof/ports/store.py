"""The store: results by key in blocks, canonical record files once by content, and what happened to runs.

Three kinds of thing, never mixed: *results* (what a call gave, found again by its cache key within a scope),
*files* (the canonical lines of one link, found again by content or by the step that gave them), *runs* (volatile:
when, where, how it ended). Whatever is acknowledged survives the death of the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from oloproof.canon.digests import DigestText
from oloproof.canon.encoding import Json
from oloproof.canon.lines import Chunk, Summary
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.errors import OloproofError


class StoreUnusable(OloproofError):
    """The store cannot be opened, read or written: nothing more can be kept, so nothing more is asked for."""

    exit_code = 5

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(f"the store {place} cannot be used: {reason}")


class DamagedFile(StoreUnusable):
    """A stored record file that is not as it was written; it is set aside, so that the next exec rebuilds it."""

    def __init__(self, place: str, sha256: bytes) -> None:
        self.sha256 = sha256
        super().__init__(
            place, f"record file {sha256.hex()[:16]}… is damaged and was set aside; run again to rebuild it"
        )


class Result(NamedTuple):
    """One stored result. key: 32 bytes. body: canonical JSON. volatile: JSON that is beside the record, never in it."""

    key: bytes
    body: bytes
    volatile: bytes = b"{}"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A canonical record file in the store: its link and its sums; `summary.sha256` addresses it."""

    link: Link
    summary: Summary


@dataclass(frozen=True, slots=True)
class RunRow:
    """One exec. files: link → sha256 of its record file, for complete runs. detail: counts, messages, times."""

    id: str
    suite: str
    plan_hash: str
    state: RunState | None
    started_at: str
    ended_at: str | None
    files: dict[Link, bytes]
    detail: dict[str, Json]


class Store(Protocol):
    """One store file. Every method may raise StoreUnusable (adapters define nothing else for a person to see)."""

    def lookup(self, link: Link, scope: str, keys: Sequence[bytes]) -> list[Result | None]:
        """What is stored under each key of a block, in the keys' order; a damaged body is a miss, never an error.

        scope: the identity that all the keys belong to (a system variant's, an evaluator's).
        """

    def append(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Acknowledges finished results one by one as they come (the journal): durable when this returns."""

    def seal(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Stores a finished block as one segment, and drops the journal's rows of the same keys in one transaction."""

    def forget(self, link: Link, scope: str) -> None:
        """Drops every result of a scope: what was kept there turned out to be of something else."""

    def write_file(self, link: Link, chunks: Iterable[Chunk]) -> StoredFile:
        """Stores a record file once; an equal file is found, not written again."""

    def read_file(self, sha256: bytes) -> Iterator[Chunk]:
        """The chunks of a stored file; each is checked against its leaf hashes. Raises: DamagedFile."""

    def find_file(self, sha256: bytes) -> StoredFile | None:
        """The file at this address, or None if it was never stored whole, was damaged or was removed."""

    def bind_step(self, key: bytes, outcome: Json) -> None:
        """Remembers what a whole step gave: file addresses and counts."""

    def find_step(self, key: bytes) -> Json:
        """What bind_step remembered, or None."""

    def begin_run(self, *, suite: str, plan_hash: str) -> str:
        """Opens a run row and gives its id. Runs left open by a process that is dead are closed as CANCELLED."""

    def end_run(self, run_id: str, state: RunState, *, files: dict[Link, bytes], detail: dict[str, Json]) -> None:
        """Closes a run row."""

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, newest first."""

    def put_statement(self, plan_hash: str, keyid: str, envelope: bytes) -> None:
        """Keeps the signed plan statement that was made before the first observation of a plan."""

    def find_statement(self, plan_hash: str, keyid: str) -> bytes | None:
        """The envelope kept for this plan and key, or None."""

    def look(self, gate_key: DigestText, inference_key: DigestText) -> tuple[DigestText, ...]:
        """Records a look at a gate, once per distinct inference; gives all looks so far, sorted."""

    def close(self) -> None:
        """Ends it; further calls are errors."""
