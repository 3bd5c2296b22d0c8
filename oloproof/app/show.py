"""Reading any link of a run or a bundle by itself."""

from __future__ import annotations

import difflib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from oloproof.adapters.store import SqliteStore
from oloproof.app.exec import UnknownCase
from oloproof.app.places import find_suite, places_of
from oloproof.canon.digests import SALT_BYTES
from oloproof.canon.encoding import Json
from oloproof.canon.lines import Chunk, chunks_of
from oloproof.chain.commitment import TEXT
from oloproof.chain.link import Link
from oloproof.errors import UnreadableFile, UsageError
from oloproof.ports.store import RunRow

#: Fields of a record that commit to content in a pack, in the order in which the pack holds them.
_COMMITTED: Final = {Link.CASE: ("expect", "input"), Link.OBSERVATION: ("output",)}
#: Links whose records are of one case.
_OF_CASE: Final = (Link.CASE, Link.OBSERVATION, Link.MEASUREMENT)

_Read: TypeAlias = Callable[[Link], Iterable[Chunk]]


class NoSuchRun(UsageError):
    """Nothing is known by this name."""

    def __init__(self, name: str, *, has_runs: bool) -> None:
        self.name = name
        if name == "last" and not has_runs:
            super().__init__("no run has come to records yet: run `oloproof exec` first")
        else:
            super().__init__(f"{name!r} is neither a run of this store nor the folder of a bundle; see `oloproof runs`")


class NotRecords(UsageError):
    """A bundle's file does not hold what it should; `oloproof verify` says more."""

    def __init__(self, link: Link) -> None:
        self.link = link
        super().__init__(f"the {link} records cannot be read; `oloproof verify` says what is wrong")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to show.

    source: a run's id, `last`, or a bundle's folder. link: None for those that case_id has. only_failures: of the
    measurements those that are bad or missing, with what was asked, expected and answered.
    """

    source: str
    link: str | None
    case_id: str | None
    only_failures: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One record, and the contents that belong to it by name."""

    link: Link
    record: dict[str, Json]
    contents: dict[str, Json]


def list_runs(suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None) -> tuple[RunRow, ...]:
    """The runs in a suite's store, newest first; none where there is no store yet. Raises: UnreadableFile."""
    path = _store_of(suite, cwd, environ, store)
    if not path.exists():
        return ()
    with SqliteStore(path, mode="read") as opened:
        return opened.runs()


def show_records(
    wanted: Wanted, *, suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None
) -> tuple[Shown, ...]:
    """The records that were asked for. Raises: NoSuchRun, UnknownCase, NotRecords, UnreadableFile."""
    with _reader(wanted, suite=suite, cwd=cwd, environ=environ, store=store) as read:
        found = tuple(item for link in _links(wanted) for item in _pick(link, read, wanted))
        if not found and wanted.case_id is not None:
            ids = [str(item.record["id"]) for item in _shown(Link.CASE, read)]
            near = difflib.get_close_matches(wanted.case_id, ids, n=1, cutoff=0.5)
            if wanted.case_id not in ids:
                raise UnknownCase(wanted.case_id, near[0] if near else None)
        wants_contents = wanted.only_failures and _links(wanted) == (Link.MEASUREMENT,)
        return _with_contents(found, read) if wants_contents else found


@contextmanager
def _reader(
    wanted: Wanted, *, suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None
) -> Iterator[_Read]:
    """How the chunks of a link are read, from a bundle or from a store."""
    folder = Path(wanted.source)
    if (folder / "records").is_dir():
        yield lambda link: _bundle_chunks(folder, link)
        return
    path = _store_of(suite, cwd, environ, store)
    if not path.exists():
        raise NoSuchRun(wanted.source, has_runs=False)
    with SqliteStore(path, mode="read") as opened:
        run = _find_run(opened.runs(), wanted.source)

        def read(link: Link) -> Iterator[Chunk]:
            if link not in run.files:
                raise NoRecords(run, link)
            return opened.read_file(run.files[link])

        yield read


def _store_of(suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None) -> Path:
    found = find_suite(suite, cwd)
    if not found.exists():
        raise UnreadableFile(str(found), "there is no such suite")
    return places_of(found).store(store, environ)


class NoFailures(UsageError):
    """Failures were asked of records that cannot fail."""

    def __init__(self, link: str) -> None:
        self.link = link
        super().__init__(f"--failures goes with measurement or observation; {link} records do not fail")


class NoRecords(UsageError):
    """The run ended before it had such records."""

    def __init__(self, run: RunRow, link: Link) -> None:
        self.run, self.link = run, link
        super().__init__(f"run {run.id} is {run.state or 'RUNNING'} and has no {link} records; only COMPLETE runs have")


def _links(wanted: Wanted) -> tuple[Link, ...]:
    if wanted.only_failures and wanted.link not in (None, Link.MEASUREMENT, Link.OBSERVATION):
        raise NoFailures(str(wanted.link))
    if wanted.link is not None:
        return (Link(wanted.link),)
    if wanted.only_failures:
        return (Link.MEASUREMENT,)
    return (Link.INFERENCE, Link.DECISION, Link.RECOMMENDATION) if wanted.case_id is None else _OF_CASE


def _find_run(runs: tuple[RunRow, ...], name: str) -> RunRow:
    for run in runs:
        if run.id == name or (name == "last" and run.files):
            return run
    raise NoSuchRun(name, has_runs=any(run.files for run in runs))


def _bundle_chunks(folder: Path, link: Link) -> Iterator[Chunk]:
    """A bundle's records, with the packed contents and their index in one piece behind the first chunk."""
    try:
        body = (folder / "records" / f"{link}.jsonl").read_bytes()
        packed = link in _COMMITTED
        pack = (folder / "blobs" / f"{link}.pack").read_bytes() if packed else b""
        index = (folder / "blobs" / f"{link}.index").read_bytes() if packed else b""
    except OSError as error:
        raise UnreadableFile(str(error.filename or folder), error.strerror or str(error)) from error
    for number, chunk in enumerate(chunks_of(body.split(b"\n")[:-1])):
        yield replace(chunk, pack=pack, index=index) if number == 0 else chunk


def _pick(link: Link, read: _Read, wanted: Wanted) -> Iterator[Shown]:
    for item in _shown(link, read):
        record = item.record
        if wanted.case_id is not None and record.get("id", wanted.case_id) != wanted.case_id:
            continue
        if not (wanted.only_failures and record["reason"] is None):
            yield item


def _shown(link: Link, read: _Read) -> Iterator[Shown]:
    """All records of a link with the contents that they commit to, as far as these are there."""
    packed = _Packed()
    for chunk in read(link):
        packed.add(chunk)
        for line in chunk.lines():
            try:
                record = json.loads(line)
                contents = {
                    field: _decoded(content, record[field]["media_type"])
                    for field in _COMMITTED.get(link, ())
                    if record[field] is not None and (content := packed.take(record[field]["commitment"])) is not None
                }
            except (ValueError, KeyError, TypeError) as error:
                raise NotRecords(link) from error
            yield Shown(link, record, contents)


class _Packed:
    """Packed contents in the order of the records that commit to them; one that was withheld has no index line."""

    def __init__(self) -> None:
        self._pack, self._at = bytearray(), 0
        self._entries = deque[tuple[str, int]]()

    def add(self, chunk: Chunk) -> None:
        """Takes the contents of one more chunk."""
        del self._pack[: self._at]
        self._at = 0
        self._pack += chunk.pack
        for line in chunk.index.decode().splitlines():
            address, size = line.split(" ")
            self._entries.append((address, int(size)))

    def take(self, commitment: str) -> bytes | None:
        """The content behind a commitment, or None where it was withheld."""
        if not self._entries or commitment != f"sha256:{self._entries[0][0]}":
            return None
        _, size = self._entries.popleft()
        content = bytes(self._pack[self._at + SALT_BYTES : self._at + size])
        self._at += size
        return content


def _decoded(content: bytes, media_type: str) -> Json:
    text = content.decode(errors="replace")
    decoded: Json = text if media_type == TEXT else json.loads(text)
    return decoded


def _with_contents(found: tuple[Shown, ...], read: _Read) -> tuple[Shown, ...]:
    """Beside each measurement what was asked and expected, and what its system answered."""
    wanted = {(item.record["set"], item.record["id"]) for item in found}
    cases, answers = {}, {}
    for item in _shown(Link.CASE, read):
        if (place := (item.record["set"], item.record["id"])) in wanted:
            cases[place] = item.contents
    for item in _shown(Link.OBSERVATION, read):
        if (place := (item.record["set"], item.record["id"])) in wanted:
            answers[*place, item.record["system"], item.record["repeat"]] = item.contents
    return tuple(
        replace(item, contents={**cases.get((r["set"], r["id"]), {}), **answers.get(_answer(r), {})})
        for item in found
        if (r := item.record)
    )


def _answer(record: Mapping[str, Json]) -> tuple[Json, Json, Json, Json]:
    return record["set"], record["id"], record["system"], record["repeat"]
