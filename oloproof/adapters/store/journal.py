"""The journal: finished results as they come, a row for each batch, kept until their blocks are sealed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from oloproof.adapters.store.packed import Packed, pack, split_keys, unpack
from oloproof.chain.link import Link
from oloproof.ports.store import Result

_LINKS = {link.value for link in Link}


@dataclass(slots=True)
class _Places:
    """Of one link and scope: where each key's newest result lies (row, position), and in which rows older ones do.

    n_newest: row → of how many keys it holds the newest result.
    """

    newest: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    older: dict[bytes, list[int]] = field(default_factory=dict)
    n_newest: Counter[int] = field(default_factory=Counter)

    def add(self, row: int, keys: Iterable[bytes]) -> None:
        for position, key in enumerate(keys):
            if key in self.newest:
                before = self.newest[key][0]
                self.older.setdefault(key, []).append(before)
                self.n_newest[before] -= 1
            self.newest[key] = row, position
            self.n_newest[row] += 1

    def remove(self, keys: Iterable[bytes]) -> set[int]:
        """Forgets keys; gives the rows that hold results of theirs."""
        rows: set[int] = set()
        for key in keys:
            row, _ = self.newest.pop(key, (0, 0))
            if row:
                rows.update((row, *self.older.pop(key, ())))
                self.n_newest[row] -= 1
        return rows


class Journal:
    """The journal's rows, found by key through a small table in memory; the file has no index of them."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], _Places] = {}
        self._last = 0
        self._at_hand: tuple[int, Packed | None] = (0, None)

    def add(self, connection: sqlite3.Connection, link: Link, scope: str, results: Sequence[Result]) -> None:
        """Appends; the caller holds the transaction."""
        connection.execute(
            "INSERT INTO journal (link, scope, sha256, keys, lengths, body, volatile) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (link.value, scope, *pack(results)),
        )

    def find(
        self, connection: sqlite3.Connection, link: Link, scope: str, keys: Sequence[bytes]
    ) -> list[Result | None]:
        """The newest result under each key."""
        self._refresh(connection)
        places = self._places.get((link.value, scope))
        if places is None or not places.newest:
            return [None] * len(keys)
        newest = places.newest
        return [self._read(connection, key, *newest[key]) if key in newest else None for key in keys]

    def drop(self, connection: sqlite3.Connection, link: Link, scope: str, keys: Iterable[bytes]) -> None:
        """Deletes all results of these keys; the caller holds the transaction.

        A row goes as a whole; what it holds of other keys is appended anew. Older results must go too, or they would
        count as newer than the segment. What is forgotten here and stays in the file after a failed commit is found
        again by a later process.
        """
        self._refresh(connection)
        places = self._places.get((link.value, scope))
        if places is None or not places.newest:
            return
        left: list[Result] = []
        for row in sorted(places.remove(keys)):
            if places.n_newest.pop(row, 0):
                moved = self._newest_in(connection, row, places)
                # Forgotten here, or the row that is going would count as an older place of theirs.
                for result in moved:
                    del places.newest[result.key]
                left += moved
            connection.execute("DELETE FROM journal WHERE seq = ?", (row,))
        if left:
            self.add(connection, link, scope, left)

    def _newest_in(self, connection: sqlite3.Connection, row: int, places: _Places) -> list[Result]:
        found = self._load(connection, row)
        results = enumerate(found.results() if found else ())
        return [result for position, result in results if places.newest.get(result.key) == (row, position)]

    def _refresh(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT seq, link, scope, keys FROM journal WHERE seq > ? ORDER BY seq", (self._last,)
        )
        for row, link, scope, keys in rows:
            self._last = row
            if isinstance(keys, bytes):
                self._places.setdefault((link, scope), _Places()).add(row, split_keys(keys))

    def _read(self, connection: sqlite3.Connection, key: bytes, row: int, position: int) -> Result | None:
        found = self._load(connection, row)
        return None if found is None or position >= len(found) else found.find(key, position)

    def _load(self, connection: sqlite3.Connection, row: int) -> Packed | None:
        if self._at_hand[0] != row:
            columns = connection.execute(
                "SELECT sha256, keys, lengths, body, volatile FROM journal WHERE seq = ?", (row,)
            ).fetchone()
            self._at_hand = row, None if columns is None else unpack(columns)
        return self._at_hand[1]


def read_all(connection: sqlite3.Connection) -> Iterator[tuple[Link, str, list[Result]]]:
    """All sound rows, oldest first; one batch in memory at a time."""
    for row in connection.execute("SELECT seq FROM journal ORDER BY seq").fetchall():
        link, scope, *columns = connection.execute(
            "SELECT link, scope, sha256, keys, lengths, body, volatile FROM journal WHERE seq = ?", row
        ).fetchone()
        found = unpack(tuple(columns)) if link in _LINKS else None
        if found is not None:
            yield Link(link), scope, found.results()
