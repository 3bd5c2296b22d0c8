"""Reading a pack of contents beside the records that commit to them, entry by entry and in their order."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Final

from oloproof.canon.digests import SALT_BYTES
from oloproof.chain.commitment import Commitment
from oloproof.chain.link import Link
from oloproof.stages.attest import layout
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.verdict import FailureClass, Rejected

#: `HEX SIZE`, where SIZE < 2^53 counts salt and content.
_INDEX_LINE = re.compile(rb"([0-9a-f]{64}) ([1-9][0-9]{0,15})\n\Z")
_MAX_INDEX_LINE: Final = 64 + 1 + 16 + 1
_PIECE = 1 << 20


class PackFile:
    """A pack and its index; open_pack makes it. n_withheld: commitments so far whose content is not in the pack."""

    __slots__ = ("_at", "_index", "_link", "_next", "_size", "_stream", "n_withheld")

    def __init__(self, link: Link, stream: BufferedReader, index: BufferedReader) -> None:
        self._link, self._stream, self._index = link, stream, index
        self._at, self._size = 0, os.fstat(stream.fileno()).st_size
        self.n_withheld = 0
        self._next = self._read_index()

    def match(self, commitment: Commitment) -> None:
        """Takes the entry of the next commitment, or counts it as withheld where the index goes on with another.

        Raises: Rejected (INTEGRITY) where the entry is not what the record and the index say.
        """
        if self._next is None or self._next[0] != commitment.digest:
            self.n_withheld += 1
            return
        digest, size = self._next
        if size != commitment.size + SALT_BYTES:
            reason = f"entry of {size} bytes; its record commits to {commitment.size} and a salt of {SALT_BYTES}"
            raise self._rejected(reason)
        if "sha256:" + self._hash_entry(size) != digest:
            raise self._rejected(f"the entry at byte {self._at} is not what {digest} commits to")
        self._at += size
        self._next = self._read_index()

    def finish(self, n_withheld: int) -> None:
        """Holds the pack to its end: no entry that no record names, and as many withheld as was signed.

        Raises: Rejected (INTEGRITY).
        """
        if self._next is not None:
            raise self._rejected("an entry that no record names in this place")
        if self._stream.read(1):
            raise self._rejected(f"bytes after the last entry, at {self._at}")
        if self.n_withheld != n_withheld:
            raise self._rejected(f"{self.n_withheld} contents are not in it; {n_withheld} withheld ones were signed")

    def _hash_entry(self, size: int) -> str:
        left = self._size - self._at
        if size > left:
            raise self._rejected(f"an entry of {size} bytes where {left} are left")
        found = hashlib.sha256()
        while size and (piece := self._stream.read(min(size, _PIECE))):
            found.update(piece)
            size -= len(piece)
        return found.hexdigest()

    def _read_index(self) -> tuple[str, int] | None:
        line = self._index.readline(_MAX_INDEX_LINE + 1)
        if not line:
            return None
        found = _INDEX_LINE.match(line)
        if not found:
            raise Rejected(FailureClass.MALFORMED, layout.index(self._link), "a line is not HEX SIZE")
        return "sha256:" + found[1].decode(), int(found[2])

    def _rejected(self, reason: str) -> Rejected:
        return Rejected(FailureClass.INTEGRITY, layout.pack(self._link), reason)


@contextmanager
def open_pack(folder: Folder, link: Link) -> Iterator[PackFile]:
    """The pack of a link, opened with its index. Raises: Rejected."""
    with folder.open(layout.pack(link)) as stream, folder.open(layout.index(link)) as index:
        yield PackFile(link, stream, index)
