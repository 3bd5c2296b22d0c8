"""Reading signed objects: known fields by exact type, unknown ones ignored with a notice (they can gain nothing)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypeVar

from oloproof.canon.digests import DigestText
from oloproof.canon.encoding import Json
from oloproof.stages.attest.verdict import FailureClass, Rejected

_T = TypeVar("_T")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}\Z")
_OTHER_HASH = re.compile(r"(?!sha256:)[a-z][a-z0-9_-]*:[0-9a-f]+\Z")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")


class Reading:
    """The fields of one signed object. Every take_ method raises Rejected (MALFORMED) where the field does not fit."""

    __slots__ = ("_left", "_notices", "place")

    def __init__(self, place: str, value: Json, notices: list[str]) -> None:
        self.place, self._notices = place, notices
        if not isinstance(value, dict):
            raise self.malformed("an object is due")
        self._left = dict(value)

    def take(self, name: str, kind: type[_T]) -> _T:
        """The field's value, of exactly this type."""
        value = self._pop(name)
        if type(value) is not kind:
            raise self.malformed(f"{name} must be {kind.__name__}, not {type(value).__name__}")
        return value

    def take_count(self, name: str) -> int:
        """An integer that is not negative."""
        value = self.take(name, int)
        if value < 0:
            raise self.malformed(f"{name} is negative")
        return value

    def take_number(self, name: str) -> float | None:
        """A number or null."""
        value = self._pop(name)
        if value is None or type(value) is float or type(value) is int:
            return None if value is None else float(value)
        raise self.malformed(f"{name} must be a number or null")

    def take_digest(self, name: str) -> DigestText:
        """A digest. Raises also: Rejected (UNSUPPORTED) for one of another hash."""
        text = self.take(name, str)
        if _OTHER_HASH.match(text):
            raise Rejected(FailureClass.UNSUPPORTED, self.place, f"{name} is of the hash {text.split(':')[0]!r}")
        if not _SHA256.match(text):
            raise self.malformed(f"{name} must be sha256: and 64 lower-case hexadecimal digits")
        return DigestText(text)

    def take_optional_digest(self, name: str) -> DigestText | None:
        """A digest or null."""
        if name in self._left and self._left[name] is None:
            return self._pop(name)  # type: ignore[return-value] # it is None
        return self.take_digest(name)

    def take_time(self, name: str) -> str:
        """A time in RFC 3339, UTC, whole seconds, with `Z`."""
        text = self.take(name, str)
        if parse_time(text) is None:
            raise self.malformed(f"{name} must be a time like 2026-01-31T12:00:00Z")
        return text

    def take_names(self, name: str) -> tuple[str, ...]:
        """A list of distinct strings in order of their bytes."""
        items = self.take(name, list)
        texts = [item for item in items if isinstance(item, str)]
        if len(texts) != len(items) or texts != sorted(set(texts)):
            raise self.malformed(f"{name} must hold distinct strings in order")
        return tuple(texts)

    def take_object(self, name: str) -> Reading:
        """An object, to be read in turn."""
        return Reading(f"{self.place} {name}", self.take(name, dict), self._notices)

    def take_objects(self, name: str) -> list[Reading]:
        """A list of objects."""
        items: list[Json] = self.take(name, list)
        return [Reading(f"{self.place} {name}[{n}]", item, self._notices) for n, item in enumerate(items)]

    def has(self, name: str) -> bool:
        """True where a field of that name was not taken yet."""
        return name in self._left

    def done(self) -> None:
        """Notes the fields that nobody took."""
        self._notices.extend(f"{self.place}: ignored the unknown field {name[:80]!r}" for name in sorted(self._left))
        self._left = {}

    def malformed(self, reason: str) -> Rejected:
        """The failure to raise for a field of this object."""
        return Rejected(FailureClass.MALFORMED, self.place, reason)

    def _pop(self, name: str) -> object:
        try:
            return self._left.pop(name)
        except KeyError:
            raise self.malformed(f"{name} is absent") from None


def parse_time(text: str) -> datetime | None:
    """The moment that a text of RFC 3339 with `Z` names, or None for any other text."""
    if not _TIME.match(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
