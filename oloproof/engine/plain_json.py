"""What plugin code hands back, brought to plain JSON of one form, or refused with the reason."""

from __future__ import annotations

import math
from typing import Final

from oloproof.canon.encoding import MAX_DEPTH, MAX_INTEGER, Json
from oloproof.errors import OloproofError

#: Largest answer, in bytes of its JSON text.
MAX_ANSWER_BYTES: Final = 4 << 20
#: From here on JCS (RFC 8785, by ECMAScript's Number::toString) writes floats with an exponent; below, as integers.
_FIRST_EXPONENT: Final = 1e21


class NotPlainJson(OloproofError):
    """A value that canonical JSON cannot carry and read back."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"not a JSON value: {reason}")


class TooLarge(OloproofError):
    """A value whose JSON text is longer than the limit."""

    def __init__(self) -> None:
        super().__init__(f"larger than {MAX_ANSWER_BYTES} bytes")


def to_plain(value: object) -> Json:
    """The value rebuilt of exact JSON types, numbers in the form in which canonical JSON reads back.

    So an answer is the same whether it comes straight from the plugin, out of a worker or out of the store: tuples are
    lists, 2.0 is 2. Subclasses (of dict, of float: numpy's scalars) are refused, since what they add would be lost.
    Raises: NotPlainJson, TooLarge.
    """
    return _Rebuilding().rebuild(value, 1)


class _Rebuilding:
    """One walk; counts a lower bound of the JSON text's bytes, so that shared structure cannot explode."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_ANSWER_BYTES

    def rebuild(self, value: object, depth: int) -> Json:
        kind = type(value)
        if kind is str:
            return self._text(value)  # type: ignore[arg-type]  # type() is checked, which mypy does not follow
        if value is None or kind is bool:
            self._spend(4)
            return value  # type: ignore[return-value]  # as above
        if kind is int or kind is float:
            self._spend(1)
            return _number(value)  # type: ignore[arg-type]  # as above
        if depth > MAX_DEPTH:
            raise NotPlainJson(f"nested deeper than {MAX_DEPTH}")
        if kind is dict:
            return self._object(value, depth)  # type: ignore[arg-type]  # as above
        if kind is list or kind is tuple:
            self._spend(2)
            return [self._item(item, depth) for item in value]  # type: ignore[attr-defined]  # as above
        raise NotPlainJson(f"a {kind.__module__}.{kind.__qualname__} is none of JSON's types"[:200])

    def _object(self, value: dict[object, object], depth: int) -> Json:
        self._spend(2)
        rebuilt: dict[str, Json] = {}
        for key, item in value.items():
            if type(key) is not str:
                raise NotPlainJson(f"a key is a {type(key).__qualname__}, not a string"[:200])
            rebuilt[self._text(key)] = self._item(item, depth)
        return rebuilt

    def _item(self, item: object, depth: int) -> Json:
        self._spend(1)
        return self.rebuild(item, depth + 1)

    def _text(self, text: str) -> str:
        self._spend(len(text) + 2)
        if not text.isascii():
            try:
                self._spend(len(text.encode()) - len(text))
            except UnicodeEncodeError:
                raise NotPlainJson("a lone surrogate has no UTF-8 form") from None
        return text

    def _spend(self, n_bytes: int) -> None:
        self._left -= n_bytes
        if self._left < 0:
            raise TooLarge


def _number(value: float) -> int | float:
    if type(value) is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotPlainJson("an integer is beyond 2^53")
        return value
    if not math.isfinite(value):
        raise NotPlainJson(f"the number {value} is not finite")
    if value.is_integer() and abs(value) < _FIRST_EXPONENT:
        if abs(value) > MAX_INTEGER:
            raise NotPlainJson(f"the number {value} is an integer beyond 2^53")
        return int(value)
    return value
