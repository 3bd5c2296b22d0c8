"""A file of canonical lines in chunks: what the store keeps once and a bundle writes out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from oloproof.canon.digests import leaf_hash
from oloproof.canon.merkle import Frontier

#: Lines in a chunk: large enough that a chunk's own cost vanishes, small enough to hold a few in memory.
CHUNK_LINES = 1024
#: Bytes of one leaf hash in the packed `leaves` of a chunk.
LEAF_BYTES = 32


@dataclass(frozen=True, slots=True)
class Chunk:
    """Up to CHUNK_LINES lines: body = lines each with its LF, leaves = their leaf hashes packed, n = how many.

    pack: the contents that these lines commit to, each behind its salt, in the order of the lines and within a line
    of the fields' names; index: a line `HEX SIZE` for each of them, with sha256 and bytes of salt and content together.
    """

    body: bytes
    leaves: bytes
    n: int
    pack: bytes = b""
    index: bytes = b""

    def lines(self) -> list[bytes]:
        """The lines without their LF."""
        return self.body.split(b"\n")[:-1]

    def leaf(self, index: int) -> bytes:
        """The leaf hash of one line of this chunk."""
        return self.leaves[index * LEAF_BYTES : (index + 1) * LEAF_BYTES]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a signed statement says of a file: number of records, bytes, sha256 of the bytes, tree head."""

    n: int
    size: int
    sha256: bytes
    root: bytes


class Summing:
    """Passes chunks on and sums them up on the way."""

    __slots__ = ("_hash", "_size", "_tree")

    def __init__(self) -> None:
        self._hash, self._size, self._tree = hashlib.sha256(), 0, Frontier()

    def add(self, chunk: Chunk) -> None:
        """Takes one more chunk, in file order."""
        self._hash.update(chunk.body)
        self._size += len(chunk.body)
        for start in range(0, len(chunk.leaves), LEAF_BYTES):
            self._tree.add(chunk.leaves[start : start + LEAF_BYTES])

    def summary(self) -> Summary:
        """The sums so far."""
        return Summary(len(self._tree), self._size, self._hash.digest(), self._tree.root())


def chunks_of(lines: Iterable[bytes]) -> Iterator[Chunk]:
    """Packs lines (without LF, in file order) into chunks."""
    source = iter(lines)
    while batch := list(islice(source, CHUNK_LINES)):
        yield Chunk(b"\n".join(batch) + b"\n", b"".join(map(leaf_hash, batch)), len(batch))
