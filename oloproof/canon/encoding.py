"""Canonical JSON: one byte form for one value, and a parser that accepts no other form."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
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


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def _plain_encoder() -> Callable[[Json], str]:
    """The C encoder made once; JSONEncoder.encode makes a new one for each value, which costs as much again."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    chunks = make(None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, False)
    return lambda value: "".join(chunks(value, 0))


_plain = _plain_encoder()
#: Keys sort by UTF-16 units in JCS and by code points in Python; keys whose characters all lie below sort alike.
_FIRST_REORDERED = "\ud800"
#: From here on JCS writes a double with an exponent; the whole numbers between MAX_INTEGER and this would be written in
#: digits, as an integer that no reader may take for exact.
_FIRST_EXPONENT = 1e21


def encode(value: Json) -> bytes:
    """The canonical bytes of a value.

    Raises: NotCanonical for non-finite numbers, integers from 2^53 on and doubles that JCS writes as such, lone
    surrogates, nesting deeper than MAX_DEPTH, keys that are no strings, and types that JSON does not have; its field
    says where.
    Source: RFC 8785.
    """
    if _is_plain(value, 1) or not _needs_care(value, "", 1):
        return encode_plain(value)
    return _careful(value)


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


def _is_reordered(key: str) -> bool:
    return not key.isascii() and max(key) >= _FIRST_REORDERED


def _is_plain(value: Json, depth: int) -> bool:
    """True where the plain encoder's text is surely JCS; False where _needs_care must look. Exact types only."""
    kind = type(value)
    if kind is dict:
        if depth > MAX_DEPTH:
            return False
        for key, item in value.items():  # type: ignore[union-attr] # its type was just looked at
            if type(key) is not str or _is_reordered(key) or not _is_plain_item(item, depth):
                return False
        return True
    if kind is list or kind is tuple:
        return depth <= MAX_DEPTH and all(_is_plain_item(item, depth) for item in value)  # type: ignore[union-attr] # as above
    return _is_plain_item(value, depth)


def _is_plain_item(item: Json, depth: int) -> bool:
    kind = type(item)
    if kind is str:
        return _is_unicode(item)  # type: ignore[arg-type] # its type was just looked at
    if item is None or kind is bool:
        return True
    if kind is int:
        return -MAX_INTEGER <= item <= MAX_INTEGER  # type: ignore[operator] # its type was just looked at
    return (kind is dict or kind is list or kind is tuple) and _is_plain(item, depth + 1)


def _needs_care(value: Json, field: str, depth: int) -> bool:
    """True if the plain encoder's text could differ from JCS; refuses what neither can carry."""
    match value:
        case None | bool():
            return False
        case str():
            _refuse_surrogates(value, field)
            return False
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical(f"the integer {_shortened(value)} is beyond 2^53", field=field)
            return False
        case float():
            _refuse_number(value, field)
            return True
        case dict():
            _refuse_depth(field, depth)
            care = False
            for key, item in value.items():
                if not isinstance(key, str):
                    raise NotCanonical(f"the key {key!r} is not a string", field=field)
                _refuse_surrogates(key, field)
                care |= _is_reordered(key)
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


def _refuse_number(value: float, field: str) -> None:
    if not math.isfinite(value):
        raise NotCanonical(f"the number {value} is not finite", field=field)
    if MAX_INTEGER < abs(value) < _FIRST_EXPONENT:
        raise NotCanonical(f"the number {value} is beyond 2^53", field=field)


def _refuse_surrogates(text: str, field: str) -> None:
    if not _is_unicode(text):
        raise NotCanonical("a lone surrogate has no UTF-8 form", field=field)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
        value: Json
        if data.isascii():
            try:
                value = _decode_plain(data.decode())
            except _NeedsCareError:
                pass
            else:
                # Without floats, big integers and characters whose order is in doubt the plain text is the JCS text.
                if encode_plain(value) != data:
                    raise NotCanonical("not in canonical form (RFC 8785)")
                return value
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(f"not JSON: {error}") from error
    if encode(value) != data:
        raise NotCanonical("not in canonical form (RFC 8785)")
    return value


def _refuse_constant(name: str) -> None:
    raise NotCanonical(f"{name} is not a JSON number")


class _NeedsCareError(Exception):
    """A text with numbers that the plain encoder may spell otherwise than JCS."""


def _leave_to_care(_text: str) -> None:
    raise _NeedsCareError


def _plain_integer(text: str) -> int:
    value = int(text)
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise _NeedsCareError
    return value


_decode_plain = json.JSONDecoder(
    parse_float=_leave_to_care, parse_int=_plain_integer, parse_constant=_refuse_constant
).decode


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
