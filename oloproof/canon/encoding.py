"""Canonical JSON: one byte form for one value, and a parser that accepts no other form."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from oloproof.errors import OloproofError

Json: TypeAlias = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]

#: RFC 8785 carries numbers as IEEE doubles: integers beyond this have no exact text.
MAX_INTEGER = 2**53 - 1
#: Deepest nesting that any text of ours may have; a parser bound, not a style rule.
MAX_DEPTH = 32
#: Longest canonical text that is parsed at once.
MAX_LINE_BYTES = 1 << 20


class NotCanonical(OloproofError):
    """A value that JCS cannot carry, or bytes that are not the canonical form of any value."""

    def __init__(self, reason: str, *, field: str = "") -> None:
        self.reason, self.field = reason, field
        super().__init__(f"{field}: {reason}" if field else reason)


_plain = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode
#: Keys sort by UTF-16 units in JCS and by code points in Python; they differ only from here on.
_FIRST_REORDERED = "\ud800"


def encode(value: Json) -> bytes:
    """The canonical bytes of a value.

    Raises: NotCanonical for non-finite numbers, integers from 2^53 on, lone surrogates, nesting deeper
    than MAX_DEPTH, keys that are no strings, and types that JSON does not have; its field says where.
    Source: RFC 8785.
    """
    if _needs_care(value, "", 1):
        return _careful(value)
    return encode_plain(value)


def encode_plain(value: Json) -> bytes:
    """As encode, for values known to hold neither floats nor big integers: the records of ours, without a walk."""
    try:
        return _plain(value).encode()
    except UnicodeEncodeError as error:
        raise NotCanonical("a lone surrogate has no UTF-8 form") from error


def _careful(value: Json) -> bytes:
    import rfc8785  # noqa: PLC0415 -- 6 ms of start-up that only values with floats or exotic keys need

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise NotCanonical(str(error)) from error


def _needs_care(value: Json, field: str, depth: int) -> bool:
    """True if the plain encoder's text could differ from JCS; refuses what neither can carry."""
    match value:
        case None | bool():
            return False
        case str():
            return False
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical(f"the integer {_shortened(value)} is beyond 2^53", field=field)
            return False
        case float():
            if not math.isfinite(value):
                raise NotCanonical(f"the number {value} is not finite", field=field)
            return True
        case dict():
            _refuse_depth(field, depth)
            care = False
            for key, item in value.items():
                if not isinstance(key, str):
                    raise NotCanonical(f"the key {key!r} is not a string", field=field)
                care |= key > _FIRST_REORDERED
                care |= _needs_care(item, f"{field}.{key}" if field else key, depth + 1)
            return care
        case list() | tuple():
            _refuse_depth(field, depth)
            care = False
            for index, item in enumerate(value):
                care |= _needs_care(item, f"{field}[{index}]", depth + 1)
            return care
        case _:
            raise NotCanonical(f"a {type(value).__name__} is not a JSON value", field=field)


def _refuse_depth(field: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotCanonical(f"nested deeper than {MAX_DEPTH}", field=field[:80])


def _shortened(value: int) -> str:
    return hex(value)[:24] + "…" if value.bit_length() > 96 else str(value)  # noqa: PLR2004 -- about 29 digits


def parse(data: bytes) -> Json:
    """The value of canonical bytes; refuses every other spelling of it.

    Raises: NotCanonical for invalid UTF-8 or JSON, duplicate keys, NaN, integers from 2^53 on, depth over
    MAX_DEPTH, more than MAX_LINE_BYTES, white space, or any text that differs from its own canonical form.
    """
    if len(data) > MAX_LINE_BYTES:
        raise NotCanonical(f"{len(data)} bytes in one text; the limit is {MAX_LINE_BYTES}")
    return parse_whole(data)


def parse_whole(data: bytes) -> Json:
    """As parse, for one text whose size the caller has bounded already (a plan)."""
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        _refuse_deep_text(data)
    try:
        value: Json = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(f"not JSON: {error}") from error
    if encode(value) != data:
        raise NotCanonical("not in canonical form (RFC 8785)")
    return value


def _refuse_constant(name: str) -> None:
    raise NotCanonical(f"{name} is not a JSON number")


def _refuse_deep_text(data: bytes) -> None:
    """Bounds nesting before any parser recurses. Brackets inside strings are skipped."""
    depth, in_text, escaped = 0, False, False
    for byte in data:
        if in_text:
            in_text = escaped or byte != 0x22  # noqa: PLR2004 -- the quotation mark
            escaped = byte == 0x5C and not escaped  # noqa: PLR2004 -- the backslash
        elif byte == 0x22:  # noqa: PLR2004 -- the quotation mark
            in_text = True
        elif byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotCanonical(f"nested deeper than {MAX_DEPTH}")
        elif byte in b"]}":
            depth -= 1
