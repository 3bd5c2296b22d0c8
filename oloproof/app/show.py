"""Reading any link of a run or a bundle by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from oloproof.adapters.store import SqliteStore
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


class NoSuchRun(UsageError):
    """Nothing is known by this name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name!r} is neither a run of this store nor the folder of a bundle; see `oloproof runs`")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to show.

    source: a run's id, a prefix of it, `last`, or a bundle's folder. link: None for those that case_id has.
    """

    source: str
    link: str | None
    case_id: str | None
    only_failures: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One record, and the contents it commits to by field name."""

    link: Link
    record: dict[str, Json]
    contents: dict[str, Json]


def list_runs(suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None) -> tuple[RunRow, ...]:
    """The runs in a suite's store, newest first; none where there is no store yet."""
    path = places_of(find_suite(suite, cwd)).store(store, environ)
    if not path.exists():
        return ()
    with SqliteStore(path, mode="read") as opened:
        return opened.runs()


def show_records(
    wanted: Wanted, *, suite: Path | None, cwd: Path, environ: Mapping[str, str], store: Path | None
) -> tuple[Shown, ...]:
    """The records that were asked for. Raises: NoSuchRun, UnreadableFile."""
    links = _links(wanted)
    folder = Path(wanted.source)
    if (folder / "records").is_dir():
        return tuple(item for link in links for item in _pick(link, _bundle_chunks(folder, link), wanted))
    path = places_of(find_suite(suite, cwd)).store(store, environ)
    if not path.exists():
        raise NoSuchRun(wanted.source)
    with SqliteStore(path, mode="read") as opened:
        run = _find_run(opened.runs(), wanted.source)
        return tuple(
            item
            for link in links
            if link in run.files
            for item in _pick(link, opened.read_file(run.files[link]), wanted)
        )


def _links(wanted: Wanted) -> tuple[Link, ...]:
    if wanted.link is not None:
        return (Link(wanted.link),)
    if wanted.case_id is not None:
        return _OF_CASE
    return (Link.MEASUREMENT,) if wanted.only_failures else (Link.INFERENCE, Link.DECISION, Link.RECOMMENDATION)


def _find_run(runs: Iterable[RunRow], name: str) -> RunRow:
    for run in runs:
        if run.id.startswith(name) or (name == "last" and run.files):
            return run
    raise NoSuchRun(name)


def _bundle_chunks(folder: Path, link: Link) -> Iterator[Chunk]:
    """A bundle's records, with the packed contents in one piece behind the first chunk."""
    try:
        body = (folder / "records" / f"{link}.jsonl").read_bytes()
        pack = (folder / "blobs" / f"{link}.pack").read_bytes() if link in _COMMITTED else b""
    except OSError as error:
        raise UnreadableFile(str(folder), error.strerror or str(error)) from error
    for number, chunk in enumerate(chunks_of(body.split(b"\n")[:-1])):
        yield Chunk(chunk.body, chunk.leaves, chunk.n, pack if number == 0 else b"")


def _pick(link: Link, chunks: Iterable[Chunk], wanted: Wanted) -> Iterator[Shown]:
    rest = b""
    for chunk in chunks:
        rest += chunk.pack
        for line in chunk.lines():
            record = json.loads(line)
            contents, rest = _contents(link, record, rest)
            if wanted.case_id is not None and record.get("id", wanted.case_id) != wanted.case_id:
                continue
            if wanted.only_failures and link is Link.MEASUREMENT and record["reason"] is None:
                continue
            yield Shown(link, record, contents)


def _contents(link: Link, record: dict[str, Json], pack: bytes) -> tuple[dict[str, Json], bytes]:
    """The contents of one record from the front of the pack, and what is left of it."""
    found: dict[str, Json] = {}
    for field in _COMMITTED.get(link, ()):
        commitment = record[field]
        if not isinstance(commitment, dict) or not isinstance(commitment["size"], int):
            continue
        end = SALT_BYTES + commitment["size"]
        content, pack = pack[SALT_BYTES:end].decode(errors="replace"), pack[end:]
        found[field] = content if commitment["media_type"] == TEXT else json.loads(content)
    return found, pack
