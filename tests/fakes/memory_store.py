"""A store in memory: what the contract asks of every store, in the plainest way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from oloproof.canon.digests import DigestText
from oloproof.canon.encoding import Json
from oloproof.canon.lines import Chunk, Summing
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.ports.store import Result, RunRow, StoredFile, StoreUnusable


class MemoryStore:
    def __init__(self) -> None:
        self.results: dict[tuple[Link, str, bytes], Result] = {}
        self.files: dict[bytes, tuple[StoredFile, list[Chunk]]] = {}
        self.steps: dict[bytes, Json] = {}
        self.rows: list[RunRow] = []
        self.statements: dict[tuple[str, str], bytes] = {}
        self.looks: dict[str, set[DigestText]] = {}
        self.is_closed = False

    def lookup(self, link: Link, scope: str, keys: Sequence[bytes]) -> list[Result | None]:
        self._check()
        return [self.results.get((link, scope, key)) for key in keys]

    def append(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        self._check()
        self.results.update({(link, scope, result.key): result for result in results})

    def seal(self, link: Link, scope: str, results: Sequence[Result]) -> None:
        self.append(link, scope, results)

    def forget(self, link: Link, scope: str) -> None:
        self._check()
        self.results = {place: found for place, found in self.results.items() if place[:2] != (link, scope)}

    def write_file(self, link: Link, chunks: Iterable[Chunk]) -> StoredFile:
        self._check()
        summing, kept = Summing(), []
        for chunk in chunks:
            summing.add(chunk)
            kept.append(chunk)
        file = StoredFile(link, summing.summary())
        self.files.setdefault(file.summary.sha256, (file, kept))
        return self.files[file.summary.sha256][0]

    def read_file(self, sha256: bytes) -> Iterator[Chunk]:
        self._check()
        if sha256 not in self.files:
            raise StoreUnusable("memory", "no such file")
        yield from self.files[sha256][1]

    def find_file(self, sha256: bytes) -> StoredFile | None:
        self._check()
        found = self.files.get(sha256)
        return found[0] if found else None

    def bind_step(self, key: bytes, outcome: Json) -> None:
        self._check()
        self.steps[key] = outcome

    def find_step(self, key: bytes) -> Json:
        self._check()
        return self.steps.get(key)

    def begin_run(self, *, suite: str, plan_hash: str) -> str:
        self._check()
        row = RunRow(str(len(self.rows) + 1), suite, plan_hash, None, "2026-01-01T00:00:00.000000Z", None, {}, {})
        self.rows.append(row)
        return row.id

    def end_run(self, run_id: str, state: RunState, *, files: dict[Link, bytes], detail: dict[str, Json]) -> None:
        self._check()
        for number, row in enumerate(self.rows):
            if row.id == run_id:
                ended = RunRow(run_id, row.suite, row.plan_hash, state, row.started_at, row.started_at, files, detail)
                self.rows[number] = ended
                return
        raise StoreUnusable("memory", f"no run {run_id!r}")

    def runs(self) -> tuple[RunRow, ...]:
        self._check()
        return tuple(reversed(self.rows))

    def put_statement(self, plan_hash: str, keyid: str, envelope: bytes) -> None:
        self._check()
        self.statements.setdefault((plan_hash, keyid), envelope)

    def find_statement(self, plan_hash: str, keyid: str) -> bytes | None:
        self._check()
        return self.statements.get((plan_hash, keyid))

    def look(self, gate_key: DigestText, inference_key: DigestText) -> tuple[DigestText, ...]:
        self._check()
        seen = self.looks.setdefault(gate_key, set())
        seen.add(inference_key)
        return tuple(sorted(seen))

    def close(self) -> None:
        self.is_closed = True

    def _check(self) -> None:
        if self.is_closed:
            raise StoreUnusable("memory", "it is closed")
