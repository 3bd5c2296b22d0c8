"""JSON Lines, read strictly: each line an object or a fault that says where and what, and never the first one only."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from oloproof.sdk import Json, Row, RowFault

#: Longest line that is read, in bytes; a longer one is a fault and is skipped, not held.
MAX_LINE_BYTES: Final = 16 << 20
_BOM: Final = b"\xef\xbb\xbf"
_SKIP_BYTES: Final = 1 << 16


class Line(NamedTuple):
    """A line that is not empty. offset, size: where its bytes are in the file, line end included."""

    content: Row | RowFault
    offset: int
    size: int


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """The lines of a file from its beginning, streamed. Empty lines count but are not given; so is a final line end."""
    number = offset = 0
    while data := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        size = len(data)
        if size > MAX_LINE_BYTES and not data.endswith(b"\n"):
            size += _skip_rest(file)
            yield Line(RowFault(number, f"the line is longer than {MAX_LINE_BYTES} bytes"), offset, size)
        elif text := data.removeprefix(_BOM if number == 1 else b"").strip(b" \t\r\n"):
            yield Line(read_line(text, number), offset, size)
        offset += size


def _skip_rest(file: BinaryIO) -> int:
    skipped = 0
    while data := file.readline(_SKIP_BYTES):
        skipped += len(data)
        if data.endswith(b"\n"):
            break
    return skipped


class _Unfit(ValueError):
    """Why a line that may be JSON is not taken."""


def read_line(data: bytes, number: int) -> Row | RowFault:
    """One line's object, or what is wrong with it."""
    try:
        value = _parse(data)
    except _Unfit as error:
        return RowFault(number, str(error))
    if not isinstance(value, dict):
        return RowFault(number, f"an object {{…}} is due, not {_named(value)}")
    return Row(number, value)


def _parse(data: bytes) -> Json:
    try:
        text = data.decode()
        value: Json = _decode(text)
    except UnicodeDecodeError as error:
        hint = "; the file looks like UTF-16, save it as UTF-8" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise _Unfit(f"not UTF-8 at byte {error.start + 1} of the line{hint}") from None
    except json.JSONDecodeError as error:
        raise _Unfit(f"not JSON: {error.msg} at character {error.colno}") from None
    except RecursionError:
        raise _Unfit("nested too deeply") from None
    if "\\u" in text:
        _refuse_surrogates(value)
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise _Unfit(f"the key {json.dumps(twice)} stands twice in one object")
    return found


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Unfit(f"the number {text[:40]} is beyond what JSON readers can hold")
    return value


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        # Python's own limit, against conversions that take quadratic time.
        raise _Unfit(f"the integer {text[:40]}… has {len(text)} digits") from None


def _constant(name: str) -> float:
    raise _Unfit(f"{name} is not a JSON number")


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_integer, parse_constant=_constant
).decode


def _refuse_surrogates(value: Json) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _Unfit("a lone surrogate (\\ud800 to \\udfff without its other half) has no UTF-8 form") from None


def _named(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case _:
            return "a list"
