"""The RFC 6962 tree over record lines: root by a frontier of O(log n), so that a file of any length streams."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_NODE = b"\x01"


class Frontier:
    """The right edge of a growing tree: add leaves from left to right, ask for the root at any time.

    Source: RFC 6962 section 2.1 (leaf 0x00, node 0x01; the leaf hash is the caller's).
    """

    __slots__ = ("_n", "_peaks")

    def __init__(self) -> None:
        self._n = 0
        self._peaks: list[bytes] = []

    def __len__(self) -> int:
        return self._n

    def add(self, leaf: bytes) -> None:
        """Appends a leaf hash of 32 bytes."""
        height = self._n
        self._n += 1
        # Each trailing one bit of the old count is a full subtree of the same height: fold them, smallest first.
        while height & 1:
            leaf = _parent(self._peaks.pop(), leaf)
            height >>= 1
        self._peaks.append(leaf)

    def root(self) -> bytes:
        """The tree head of what was added; the hash of nothing for an empty tree."""
        if not self._peaks:
            return hashlib.sha256(b"").digest()
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = _parent(peak, root)
        return root


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """The RFC 6962 tree head over leaf hashes, 32 bytes."""
    frontier = Frontier()
    for leaf in leaves:
        frontier.add(leaf)
    return frontier.root()


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()
