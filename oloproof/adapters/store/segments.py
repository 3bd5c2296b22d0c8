"""Segments: finished blocks of results in one row each, verified whenever a body is read."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.adapters.store.database import are_blobs
from oloproof.adapters.store.packed import Packed, pack, unpack
from oloproof.chain.link import Link
from oloproof.ports.store import Result

if TYPE_CHECKING:
    from oloproof.adapters.store.prefixes import Prefixes

#: Bytes of bodies after which a block goes into one more segment.
SEGMENT_BYTES = 8 << 20
#: Results after which a block goes into one more segment.
SEGMENT_RESULTS = 4096
#: Bytes of verified segments that are kept in memory.
CACHE_BYTES = 32 << 20

_KEY_BYTES = 32


@dataclass(slots=True)
class _Scope:
    """What is known of one link and scope. seen: the state of the file when it was read; last: the newest segment."""

    prefixes: Prefixes | None = None
    seen: tuple[int, int] | None = None
    last: int = 0


class Segments:
    """All segments. set_aside: told of a segment whose bytes are not those that were written."""

    def __init__(self, set_aside: Callable[[int], None]) -> None:
        self._scopes: dict[tuple[str, str], _Scope] = {}
        self._cache: OrderedDict[int, Packed] = OrderedDict()
        self._cached_bytes, self._own_writes = 0, 0
        self._damaged: set[int] = set()
        self._set_aside = set_aside

    def add(self, connection: sqlite3.Connection, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Writes results as segments; the caller holds the transaction."""
        self._own_writes += 1
        for part in _parts(results):
            connection.execute(
                "INSERT INTO segments (link, scope, sha256, keys, lengths, body, volatile)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (link.value, scope, *pack(part)),
            )

    def find(
        self, connection: sqlite3.Connection, link: Link, scope: str, keys: Sequence[bytes]
    ) -> list[Result | None]:
        """The newest sound result under each key."""
        found: list[Result | None] = [None] * len(keys)
        prefixes = self._prefixes(connection, link, scope)
        if prefixes is None:
            return found
        for number, segment, position in prefixes.find(keys):
            if found[number] is None:
                loaded = self._cache.get(segment) or self._load(connection, segment)
                if loaded is not None:
                    found[number] = loaded.find(keys[number], position)
        return found

    def _prefixes(self, connection: sqlite3.Connection, link: Link, scope: str) -> Prefixes | None:
        """The scope's keys, with what other processes and this one wrote since."""
        known = self._scopes.setdefault((link.value, scope), _Scope())
        state = (connection.execute("PRAGMA data_version").fetchone()[0], self._own_writes)
        if known.seen != state:
            rows = connection.execute(
                "SELECT id, keys FROM segments WHERE link = ? AND scope = ? AND id > ?"
                " AND id NOT IN (SELECT segment FROM quarantine) ORDER BY id",
                (link.value, scope, known.last),
            ).fetchall()
            sound = [(segment, keys) for segment, keys in rows if are_blobs([keys]) and len(keys) % _KEY_BYTES == 0]
            if sound:
                known.prefixes = known.prefixes or _new_prefixes()
                known.prefixes.add(sound)
                known.last = sound[-1][0]
            known.seen = state
        return known.prefixes

    def _load(self, connection: sqlite3.Connection, segment: int) -> Packed | None:
        if segment in self._damaged:
            return None
        columns = connection.execute(
            "SELECT sha256, keys, lengths, body, volatile FROM segments WHERE id = ?", (segment,)
        ).fetchone()
        if columns is None:
            return None
        loaded = unpack(columns)
        if loaded is None:
            self._damaged.add(segment)
            self._set_aside(segment)
            return None
        return self._keep(segment, loaded)

    def _keep(self, segment: int, loaded: Packed) -> Packed:
        self._cache[segment] = loaded
        self._cached_bytes += loaded.size
        while self._cached_bytes > CACHE_BYTES and len(self._cache) > 1:
            self._cached_bytes -= self._cache.popitem(last=False)[1].size
        return loaded


def _new_prefixes() -> Prefixes:
    from oloproof.adapters.store.prefixes import Prefixes  # noqa: PLC0415 -- numpy: 0.1 s that an unchanged exec saves

    return Prefixes()


def _parts(results: Sequence[Result]) -> Iterator[Sequence[Result]]:
    start = size = 0
    for number, result in enumerate(results):
        size += len(result.body) + len(result.volatile)
        if size >= SEGMENT_BYTES or number - start + 1 == SEGMENT_RESULTS:
            yield results[start : number + 1]
            start, size = number + 1, 0
    if start < len(results):
        yield results[start:]
