"""Record files in chunks: written in bounded transactions, visible only when whole, checked when read."""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress

from oloproof.adapters.store import owner
from oloproof.adapters.store.database import Database, are_blobs
from oloproof.canon.digests import leaf_hash, sha256
from oloproof.canon.lines import LEAF_BYTES, Chunk, Summary, Summing
from oloproof.chain.link import Link
from oloproof.ports.store import DamagedFile, StoredFile, StoreUnusable

#: Bytes of chunks that are gathered before they are written: most files are written in one transaction.
FLUSH_BYTES = 8 << 20

#: Owner of a file that is whole, and of one that was set aside: both belong to no process.
_WHOLE, _SET_ASIDE = "whole", "set aside"

_LINKS = {link.value: link for link in Link}


class RecordFiles:
    """The files and chunks tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, link: Link, chunks: Iterable[Chunk]) -> StoredFile:
        """Stores a file; an equal one is found. Between transactions other processes may write."""
        summing, held, held_bytes, draft, no = Summing(), list[Chunk](), 0, None, 0
        for chunk in chunks:
            summing.add(chunk)
            held.append(chunk)
            held_bytes += len(chunk.body) + len(chunk.pack)
            if held_bytes >= FLUSH_BYTES:
                with self._database.writing() as connection:
                    draft = draft or _begin(connection, link)
                    _insert(connection, draft, no, held)
                no, held, held_bytes = no + len(held), [], 0
        file = StoredFile(link, summing.summary())
        with self._database.writing() as connection:
            if _find(connection, file.summary.sha256) is not None:
                _remove(connection, draft)
            else:
                draft = draft or _begin(connection, link)
                _insert(connection, draft, no, held)
                _give_address(connection, draft, file)
        return file

    def find(self, address: bytes) -> StoredFile | None:
        """The whole file at this address."""
        with self._database.reading() as connection:
            found = _find(connection, address)
        return found[1] if found else None

    def read(self, address: bytes) -> Iterator[Chunk]:
        """The chunks of a file. Raises: DamagedFile, after setting it aside."""
        with self._database.reading() as connection:
            found = _find(connection, address)
        if found is None:
            raise StoreUnusable(self._database.place, f"it holds no record file {address.hex()[:16]}…; run again")
        number, file = found
        no = n = 0
        while n < file.summary.n:
            with self._database.reading() as connection:
                row = connection.execute(
                    "SELECT n, sha256, leaves, contents, body, pack FROM chunks WHERE file = ? AND no = ?", (number, no)
                ).fetchone()
            chunk = _checked(*row) if row is not None and are_blobs(row[1:]) else None
            if chunk is None:
                raise self._set_aside(number, address)
            yield chunk
            no, n = no + 1, n + chunk.n

    def _set_aside(self, number: int, address: bytes) -> DamagedFile:
        with suppress(StoreUnusable), self._database.writing() as connection:  # a store for reading stays as it is
            connection.execute("UPDATE files SET sha256 = NULL, owner = ? WHERE id = ?", (_SET_ASIDE, number))
        return DamagedFile(self._database.place, address)


def remove_drafts(connection: sqlite3.Connection) -> None:
    """Deletes the files that dead processes began and those that were set aside; the caller holds the transaction."""
    for number, text in connection.execute("SELECT id, owner FROM files WHERE sha256 IS NULL").fetchall():
        if text == _SET_ASIDE or not owner.parse(text).is_alive():
            _remove(connection, number)


def _begin(connection: sqlite3.Connection, link: Link) -> int:
    made_by = owner.this_process().text()
    number = connection.execute("INSERT INTO files (link, owner) VALUES (?, ?)", (link.value, made_by)).lastrowid
    assert number is not None  # an INSERT gives a row
    return number


def _insert(connection: sqlite3.Connection, number: int, no: int, chunks: list[Chunk]) -> None:
    connection.executemany(
        "INSERT INTO chunks (file, no, n, sha256, leaves, contents, body, pack) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, no + i, c.n, _chunk_seal(c), c.leaves, c.index, c.body, c.pack) for i, c in enumerate(chunks)],
    )


def _give_address(connection: sqlite3.Connection, number: int, file: StoredFile) -> None:
    """Makes a file visible, in the place of one whose row is damaged."""
    sums = file.summary
    connection.execute("UPDATE files SET sha256 = NULL, owner = ? WHERE sha256 = ?", (_SET_ASIDE, sums.sha256))
    connection.execute(
        "UPDATE files SET sha256 = ?, n = ?, size = ?, root = ?, seal = ?, owner = ? WHERE id = ?",
        (sums.sha256, sums.n, sums.size, sums.root, _file_seal(file), _WHOLE, number),
    )


def _remove(connection: sqlite3.Connection, number: int | None) -> None:
    connection.execute("DELETE FROM chunks WHERE file = ?", (number,))
    connection.execute("DELETE FROM files WHERE id = ?", (number,))


def _find(connection: sqlite3.Connection, address: bytes) -> tuple[int, StoredFile] | None:
    row = connection.execute("SELECT id, link, n, size, root, seal FROM files WHERE sha256 = ?", (address,)).fetchone()
    if row is None or row[1] not in _LINKS or not (isinstance(row[2], int) and isinstance(row[3], int)):
        return None
    number, link, n, size, root, seal = row
    file = StoredFile(_LINKS[link], Summary(n, size, address, root))
    return (number, file) if are_blobs([root]) and _file_seal(file) == seal else None


def _file_seal(file: StoredFile) -> bytes:
    sums = file.summary
    return sha256(b"".join((b"%d %d " % (sums.n, sums.size), sums.sha256, sums.root, file.link.value.encode())))


def _checked(n: int, seal: bytes, leaves: bytes, contents: bytes, body: bytes, pack: bytes) -> Chunk | None:
    chunk = Chunk(body, leaves, n, pack, contents)
    sound = (
        n == len(leaves) // LEAF_BYTES
        and _chunk_seal(chunk) == seal
        and b"".join(map(leaf_hash, chunk.lines())) == leaves
    )
    return chunk if sound else None


def _chunk_seal(chunk: Chunk) -> bytes:
    """Hash over all but the body, which the leaf hashes cover."""
    sizes = struct.pack("<3Q", len(chunk.leaves), len(chunk.index), len(chunk.body))
    whole = hashlib.sha256(sizes)
    for part in (chunk.leaves, chunk.index, chunk.pack):
        whole.update(part)
    return whole.digest()
