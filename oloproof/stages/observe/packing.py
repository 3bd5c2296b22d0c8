"""Record lines with the contents that they commit to, packed into chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from oloproof.canon.digests import leaf_hash
from oloproof.canon.lines import CHUNK_LINES, Chunk


class Packed(NamedTuple):
    """A line (without LF), its contents each behind its salt, and their index lines."""

    line: bytes
    pack: bytes
    index_text: str


class Committed(NamedTuple):
    """A content behind its salt: the entry, its index line, and the canonical JSON of its commitment."""

    entry: bytes
    index_text: str
    commitment: str


def commit(salt: bytes, content: bytes, media_type: str) -> Committed:
    """The commitment to a content: sha256 over salt and content."""
    entry = salt + content
    digest = sha256(entry).hexdigest()
    commitment = f'{{"commitment":"sha256:{digest}","media_type":"{media_type}","size":{len(content)}}}'
    return Committed(entry, f"{digest} {len(entry)}\n", commitment)


def chunks_with_packs(packed: Iterable[Packed]) -> Iterator[Chunk]:
    """Chunks of a file, in file order."""
    source = iter(packed)
    while batch := list(islice(source, CHUNK_LINES)):
        lines = [item.line for item in batch]
        yield Chunk(
            body=b"\n".join(lines) + b"\n",
            leaves=b"".join(map(leaf_hash, lines)),
            n=len(batch),
            pack=b"".join([item.pack for item in batch]),
            index="".join([item.index_text for item in batch]).encode(),
        )
