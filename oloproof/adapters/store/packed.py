"""Results packed together, as a journal row and a segment hold them: keys, lengths, bodies, and a hash over all."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from oloproof.adapters.store.database import are_blobs
from oloproof.ports.store import Result

_KEY_BYTES = 32


class Columns(NamedTuple):
    """The columns of a row, in the tables' order."""

    sha256: bytes
    keys: bytes
    lengths: bytes
    body: bytes
    volatile: bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """Verified results. bodies, volatiles: where each ends, with a leading 0."""

    keys: bytes
    body: bytes
    volatile: bytes
    bodies: tuple[int, ...]
    volatiles: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.bodies) - 1

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.keys) + len(self.body) + len(self.volatile)

    def find(self, key: bytes, position: int) -> Result | None:
        """The result at that position, if its key is the whole of this key."""
        if self.keys[position * _KEY_BYTES : (position + 1) * _KEY_BYTES] != key:
            return None
        body = self.body[self.bodies[position] : self.bodies[position + 1]]
        return Result(key, body, self.volatile[self.volatiles[position] : self.volatiles[position + 1]])

    def results(self) -> list[Result]:
        """All of them."""
        found = (self.find(key, position) for position, key in enumerate(split_keys(self.keys)))
        return [result for result in found if result is not None]


def split_keys(keys: bytes) -> list[bytes]:
    """Single keys of packed ones."""
    return [keys[start : start + _KEY_BYTES] for start in range(0, len(keys), _KEY_BYTES)]


def pack(results: Sequence[Result]) -> Columns:
    """The columns for these results."""
    keys = b"".join([result.key for result in results])
    body = b"".join([result.body for result in results])
    volatile = b"".join([result.volatile for result in results])
    sizes = [len(result.body) for result in results] + [len(result.volatile) for result in results]
    lengths = struct.pack(f"<{len(sizes)}I", *sizes)
    return Columns(_seal(keys, lengths, body, volatile), keys, lengths, body, volatile)


def unpack(columns: tuple[bytes, bytes, bytes, bytes, bytes]) -> Packed | None:
    """The results in these columns, None if they are not as they were written."""
    if not are_blobs(columns) or _seal(*columns[1:]) != columns[0]:
        return None
    _, keys, lengths, body, volatile = columns
    n = len(keys) // _KEY_BYTES
    sizes = struct.unpack(f"<{2 * n}I", lengths)
    return Packed(
        keys, body, volatile, tuple(accumulate(sizes[:n], initial=0)), tuple(accumulate(sizes[n:], initial=0))
    )


def _seal(keys: bytes, lengths: bytes, body: bytes, volatile: bytes) -> bytes:
    """Hash over all parts; the lengths fix where one ends and the next begins."""
    whole = hashlib.sha256(struct.pack("<4Q", len(keys), len(lengths), len(body), len(volatile)))
    for part in (keys, lengths, body, volatile):
        whole.update(part)
    return whole.digest()
