"""Reading one record's fields strictly: the exact keys, the exact types, and nothing coerced."""

from __future__ import annotations

import re
from typing import TypeVar

from oloproof.canon.digests import SALT_BYTES
from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError

_T = TypeVar("_T")

_SALT = re.compile(rf"[0-9a-f]{{{2 * SALT_BYTES}}}\Z")


class BadRecord(OloproofError):
    """A record whose fields are not those of its link."""

    def __init__(self, link: str, reason: str) -> None:
        self.link, self.reason = link, reason
        super().__init__(f"{link} record: {reason}")


class Fields:
    """The fields of one record, each taken once by name; done() refuses what nobody took."""

    __slots__ = ("_fields", "_link", "_taken")

    def __init__(self, link: str, value: Json) -> None:
        if not isinstance(value, dict):
            raise BadRecord(link, "not an object")
        self._link, self._fields = link, value
        self._taken: list[str] = []

    def take(self, name: str, kind: type[_T]) -> _T:
        """The field's value, of exactly this type. Raises: BadRecord."""
        value = self._take(name)
        if type(value) is not kind:
            raise BadRecord(self._link, f"{name} must be {kind.__name__}, not {type(value).__name__}")
        return value

    def take_optional(self, name: str, kind: type[_T]) -> _T | None:
        """As take, where null is allowed."""
        value = self._take(name)
        if value is not None and type(value) is not kind:
            raise BadRecord(self._link, f"{name} must be {kind.__name__} or null, not {type(value).__name__}")
        return value

    def take_number(self, name: str) -> float | None:
        """A number or null; an integer text is a number too, since JCS writes 1.0 as 1."""
        value = self._take(name)
        if value is None:
            return None
        if type(value) is int or type(value) is float:
            return float(value)
        raise BadRecord(self._link, f"{name} must be a number or null, not {type(value).__name__}")

    def take_count(self, name: str) -> int:
        """An integer that is not negative."""
        value = self.take(name, int)
        if value < 0:
            raise BadRecord(self._link, f"{name} is negative")
        return value

    def take_texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        items = self.take(name, list)
        if not all(type(item) is str for item in items):
            raise BadRecord(self._link, f"{name} must hold strings only")
        return tuple(items)

    def expect(self, name: str, wanted: Json) -> None:
        """The field must hold exactly this value."""
        value = self._take(name)
        if value != wanted or type(value) is not type(wanted):
            raise BadRecord(self._link, f"{name} must be {wanted!r}")

    def done(self) -> None:
        """Refuses fields that the record must not have."""
        if len(self._taken) != len(self._fields):
            unknown = min(set(self._fields).difference(self._taken))
            raise BadRecord(self._link, f"unknown field {unknown[:80]!r}")

    def _take(self, name: str) -> object:
        self._taken.append(name)
        try:
            return self._fields[name]
        except KeyError:
            raise BadRecord(self._link, f"{name} is absent") from None


def check_salt(link: str, salt: str) -> None:
    """Holds a record's salt to its form. Raises: BadRecord unless it is 32 lower-case hexadecimal digits."""
    if not _SALT.match(salt):
        raise BadRecord(link, "salt must be 32 lower-case hexadecimal digits")
