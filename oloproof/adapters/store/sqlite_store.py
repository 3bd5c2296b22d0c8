"""SqliteStore: the store port over one SQLite file (tables in schema.py)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self, cast

from oloproof.adapters.store import runs
from oloproof.adapters.store.database import are_blobs, open_database, open_database_read_only
from oloproof.adapters.store.journal import Journal, read_all
from oloproof.adapters.store.record_files import RecordFiles, remove_drafts
from oloproof.adapters.store.segments import Segments
from oloproof.canon.digests import DigestText, sha256
from oloproof.canon.encoding import Json, encode
from oloproof.canon.lines import Chunk
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.ports.store import Result, RunRow, StoredFile, StoreUnusable

#: Seconds to wait for another process that writes; its transactions are short unless it was stopped.
BUSY_TIMEOUT_S = 30.0


class SqliteStore:
    """The store in one file; for what each method promises see ports.store.Store. Closes itself as a context."""

    def __init__(
        self,
        path: Path,
        *,
        mode: Literal["write", "read"] = "write",
        clock: runs.Clock = runs.utc_now,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        """Opens the store. Raises: StoreUnusable.

        write: makes it and its folder if they are not there. read: works in folders that cannot be written, and
        every method that would write raises StoreUnusable.
        """
        if mode == "write":
            self._database = open_database(path, busy_timeout_s=busy_timeout_s)
        else:
            self._database = open_database_read_only(path)
        self._clock = clock
        self._journal, self._segments = Journal(), Segments(self._set_aside)
        self._files = RecordFiles(self._database)

    def lookup(self, link: Link, scope: str, keys: Sequence[bytes]) -> list[Result | None]:
        """The newest sound result under each key, None where there is none."""
        with self._database.reading() as connection:
            found = self._journal.find(connection, link, scope, keys)
            open_ = [number for number, result in enumerate(found) if result is None]
            sealed = self._segments.find(connection, link, scope, [keys[number] for number in open_]) if open_ else []
        for number, result in zip(open_, sealed, strict=True):
            found[number] = result
        return found

    def append(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Acknowledges results in the journal."""
        if not results:
            return
        with self._database.writing() as connection:
            self._journal.add(connection, link, scope, results)

    def seal(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Acknowledges results as a block, in the place of their journal rows."""
        with self._database.writing() as connection:
            self._segments.add(connection, link, scope, results)
            self._journal.drop(connection, link, scope, [result.key for result in results])

    def forget(self, link: Link, scope: str) -> None:
        """Drops every result of a scope, from journal and segments."""
        with self._database.writing() as connection:
            for table in ("journal", "segments"):
                connection.execute(f"DELETE FROM {table} WHERE link = ? AND scope = ?", (link.value, scope))  # noqa: S608 -- names of our own
        self._journal, self._segments = Journal(), Segments(self._set_aside)

    def write_file(self, link: Link, chunks: Iterable[Chunk]) -> StoredFile:
        """The stored file with these chunks."""
        return self._files.write(link, chunks)

    def read_file(self, sha256: bytes) -> Iterator[Chunk]:
        """The chunks of a stored file, each checked."""
        return self._files.read(sha256)

    def find_file(self, sha256: bytes) -> StoredFile | None:
        """The stored file, or None."""
        return self._files.find(sha256)

    def bind_step(self, key: bytes, outcome: Json) -> None:
        """Remembers a step's outcome; a later one replaces it."""
        data = encode(outcome)
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO steps VALUES (?, ?, ?)", (key, sha256(key + data), data))

    def find_step(self, key: bytes) -> Json:
        """The outcome remembered; a damaged one is none."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT sha256, outcome FROM steps WHERE key = ?", (key,)).fetchone()
        is_sound = row is not None and are_blobs(row) and sha256(key + row[1]) == row[0]
        return cast("Json", json.loads(row[1])) if is_sound else None

    def begin_run(self, *, suite: str, plan_hash: str) -> str:
        """A new run's id; what dead processes left open is put in order first."""
        with self._database.writing() as connection:
            remove_drafts(connection)
            journaled: dict[tuple[Link, str], list[Result]] = {}
            for link, scope, results in read_all(connection):
                journaled.setdefault((link, scope), []).extend(results)
            for (link, scope), results in journaled.items():
                self._segments.add(connection, link, scope, results)
            connection.execute("DELETE FROM journal")
            return runs.begin(connection, suite=suite, plan_hash=plan_hash, at=self._clock())

    def end_run(self, run_id: str, state: RunState, *, files: dict[Link, bytes], detail: dict[str, Json]) -> None:
        """Closes a run row."""
        at = runs.text_of(self._clock())
        with self._database.writing() as connection:
            n = runs.end(connection, RunRow(run_id, "", "", state, "", at, files, detail))
        if n != 1:
            raise StoreUnusable(self._database.place, f"it holds no run {run_id!r}")

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, newest first."""
        with self._database.reading() as connection:
            return runs.read_all(connection)

    def put_statement(self, plan_hash: str, keyid: str, envelope: bytes) -> None:
        """Keeps a plan's statement; the first one stays."""
        with self._database.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO statements VALUES (?, ?, ?)", (plan_hash, keyid, envelope))

    def find_statement(self, plan_hash: str, keyid: str) -> bytes | None:
        """The statement kept, or None."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT envelope FROM statements WHERE plan_hash = ? AND keyid = ?", (plan_hash, keyid)
            ).fetchone()
        return None if row is None else bytes(row[0])

    def look(self, gate_key: DigestText, inference_key: DigestText) -> tuple[DigestText, ...]:
        """All looks at a gate, this one included, sorted."""
        seen = "SELECT inference FROM looks WHERE gate = ? ORDER BY inference"
        with self._database.reading() as connection:
            found = tuple(DigestText(row[0]) for row in connection.execute(seen, (gate_key,)))
        if inference_key in found:
            return found
        with self._database.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO looks VALUES (?, ?)", (gate_key, inference_key))
            return tuple(DigestText(row[0]) for row in connection.execute(seen, (gate_key,)))

    def close(self) -> None:
        """Ends it; further calls raise StoreUnusable."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set_aside(self, segment: int) -> None:
        """Remembers a damaged segment, so that nobody reads it again; a store for reading only stays as it is."""
        with suppress(StoreUnusable), self._database.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO quarantine VALUES (?)", (segment,))
