"""Source text and places in it. Offsets are code points of the text after decoding; a leading BOM is not part of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

#: A suite above this many bytes is refused before it is decoded. Text that was never bytes (an editor's
#: buffer) is held to the same number of code points.
MAX_FILE_BYTES = 4 * 1024 * 1024

#: How many bytes from a bad one on are shown, so that a person recognises the encoding it came from.
SHOWN_BYTES = 4

#: How much of a file is looked at to tell UTF-16 without a byte order mark from text.
SNIFFED_BYTES = 64

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `start <= offset < end` of one source; code points, counted from 0."""

    path: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`, which lies in the same source."""
        return Span(self.path, self.start, other.end)


class Position(NamedTuple):
    """Line and column of an offset, both from 1; the column counts code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class EncodingFault:
    """Why some bytes are not the UTF-8 text they should be.

    kind: `encoding` (another encoding, named in `seen`), `bytes` (a sequence that is not UTF-8, as hex in `seen`) or
    `size` (too many bytes, their number in `seen`). byte_offset counts from the first byte of the file; offset is the
    same place in the text that could be decoded.
    """

    kind: Literal["encoding", "bytes", "size"]
    seen: str
    byte_offset: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    r"""One text with its display path and the starts of its lines.

    Lines end at LF, CRLF or a lone CR, in any mixture; the text keeps them as they are, so `text[span.start:span.end]`
    is always what the author wrote. fault: what kept the bytes from being read; the text is then what could be decoded
    (U+FFFD for each bad sequence), or empty.

    >>> Source("a.olo", "olo 1\r\nsuite x {}").position(7)
    Position(line=2, column=1)
    """

    path: str
    text: str
    had_bom: bool = False
    fault: EncodingFault | None = None
    line_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = (0, *(match.end() for match in _LINE_END.finditer(self.text)))
        object.__setattr__(self, "line_starts", starts)

    @classmethod
    def decode(cls, path: str, data: bytes) -> Source:
        """The source in `data`: UTF-8, one leading BOM dropped. Never raises: what is wrong stands in `fault`."""
        if len(data) > MAX_FILE_BYTES:
            return cls(path, "", fault=EncodingFault("size", str(len(data))))
        encoding = _foreign_encoding(data)
        if encoding is not None:
            return cls(path, "", fault=EncodingFault("encoding", encoding))
        n_mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        body = data[n_mark:]
        try:
            return cls(path, body.decode("utf-8"), had_bom=n_mark > 0)
        except UnicodeDecodeError as error:
            fault = EncodingFault(
                "bytes",
                body[error.start : error.start + SHOWN_BYTES].hex(" ").upper(),
                byte_offset=n_mark + error.start,
                offset=len(body[: error.start].decode("utf-8")),
            )
            return cls(path, body.decode("utf-8", errors="replace"), had_bom=n_mark > 0, fault=fault)

    def position(self, offset: int) -> Position:
        """Line and column of an offset; one past the end of the text is a place too."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of a line, without its line end; lines count from 1."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        """The span of this source from `start` up to `end`."""
        return Span(self.path, start, end)


def _foreign_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 where the bytes say so, by a mark or by the zero bytes that ASCII letters leave there."""
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "UTF-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    head = data[:SNIFFED_BYTES]
    n_zero = head.count(0)
    if len(head) < 4 or n_zero * 3 < len(head):  # noqa: PLR2004 (ASCII as UTF-16 is one half zeros; four bytes tell)
        return None
    return "UTF-32" if n_zero * 3 >= len(head) * 2 else "UTF-16"
