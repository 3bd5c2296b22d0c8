"""Paths into JSON values: `label`, `outputs["a-1"].label`, `choices[0].text`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError


class Absent(Enum):
    """The one value that look_up gives where a path leads nowhere; null is a value and not absent."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
MaybeJson: TypeAlias = Json | Literal[Absent.ABSENT]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INDEX: Final = re.compile(r"\[(0|[1-9][0-9]{0,8})\]")
_QUOTED: Final = re.compile(r'\["((?:[^"\\\n]|\\.)*)"\]')
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.?))")
_PLAIN_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_LAST_CODE_POINT: Final = 0x10FFFF


class BadPath(OloproofError):
    """A text that is no path. at: the character where it stops being one, from 0."""

    exit_code = 1

    def __init__(self, text: str, at: int, reason: str) -> None:
        self.text, self.at, self.reason = text, at, reason
        super().__init__(f'{text[:80]!r} is no path: {reason} at character {at + 1}; write as in outputs["a-1"].label')


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A path. text: as it was written. steps: keys of objects as strings, places in lists as integers."""

    text: str
    steps: tuple[str | int, ...]


def parse_path(text: str) -> FieldRef:
    """The path that a text writes: `(NAME | "[" STRING "]") { "." NAME | "[" INT "]" | "[" STRING "]" }`.

    Raises: BadPath.

    >>> parse_path('outputs["a-1"].labels[0]').steps
    ('outputs', 'a-1', 'labels', 0)
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text) or not steps:
        step, at = _step(text, at, is_first=not steps)
        steps.append(step)
    return FieldRef(text, tuple(steps))


def _step(text: str, at: int, *, is_first: bool) -> tuple[str | int, int]:
    if quoted := _QUOTED.match(text, at):
        return _unescape(text, quoted), quoted.end()
    if not is_first and (index := _INDEX.match(text, at)):
        return int(index[1]), index.end()
    begin = at if is_first else at + 1
    if (is_first or text.startswith(".", at)) and (name := _NAME.match(text, begin)):
        return name[0], name.end()
    due = 'a name or ["text"]' if is_first else '.name, [number] or ["text"]'
    raise BadPath(text, at, f"{due} is due")


def _unescape(text: str, quoted: re.Match[str]) -> str:
    def replace(escape: re.Match[str]) -> str:
        code, plain = escape.groups()
        at = quoted.start(1) + escape.start()
        if code is not None:
            number = int(code, 16)
            if number > _LAST_CODE_POINT or 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004 -- the surrogates
                raise BadPath(text, at, "no such character")
            return chr(number)
        if plain not in _PLAIN_ESCAPES:
            raise BadPath(text, at, "no such escape")
        return _PLAIN_ESCAPES[plain]

    return _ESCAPE.sub(replace, quoted[1])


def look_up(value: Json, path: FieldRef) -> MaybeJson:
    """What stands at the path, or ABSENT.

    >>> look_up({"a": [1, None]}, parse_path("a[1]")) is None
    True
    """
    for step in path.steps:
        if isinstance(step, str):
            if not isinstance(value, Mapping) or step not in value:
                return ABSENT
            value = value[step]
        else:
            if not isinstance(value, Sequence) or isinstance(value, str) or step >= len(value):
                return ABSENT
            value = value[step]
    return value
