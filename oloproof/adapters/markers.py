"""Requirement lines of installed distributions (PEP 508), as far as they say what a distribution needs here."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Final

_LINE: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?([^;]*)(?:;(.*))?", re.DOTALL)
_TOKEN: Final = re.compile(r"""\s*(?:(\(|\)|===|~=|==|!=|<=|>=|<|>)|'([^']*)'|"([^"]*)"|([A-Za-z_.]+))""")
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line: whom it names, with which extras, and under which condition."""

    name: str
    extras: frozenset[str]
    marker: str

    def applies(self, extras: frozenset[str]) -> bool:
        """Whether it holds on this machine, for somebody who asked for these extras.

        A condition that cannot be read holds: rather one distribution too many in an identity than one too few.
        """
        if not self.marker.strip():
            return True
        try:
            return any(_Condition(self.marker, extra).holds() for extra in (extras or {""}))
        except _Unreadable:
            return True


def parse_requirement(line: str) -> Requirement | None:
    """The requirement of a line, or None for a line that names nobody."""
    found = _LINE.match(line)
    if found is None:
        return None
    name, extras, _, marker = found.groups()
    wanted = frozenset(part.strip().lower() for part in (extras or "").split(",") if part.strip())
    return Requirement(name, wanted, marker or "")


class _Unreadable(ValueError):
    """A marker that this reader does not understand."""


class _Condition:
    """Reads a marker by recursive descent: or, and, comparison or parentheses."""

    def __init__(self, text: str, extra: str) -> None:
        self._tokens = _tokens(text)
        self._values = {**_environment(), "extra": extra}
        self._at = 0

    def holds(self) -> bool:
        result = self._either()
        if self._at != len(self._tokens):
            raise _Unreadable
        return result

    def _either(self) -> bool:
        result = self._both()
        while self._accept("or"):
            result = self._both() or result
        return result

    def _both(self) -> bool:
        result = self._one()
        while self._accept("and"):
            result = self._one() and result
        return result

    def _one(self) -> bool:
        if self._accept("("):
            result = self._either()
            if not self._accept(")"):
                raise _Unreadable
            return result
        left = self._value()
        op = self._next()[1]
        if op == "not":
            op += " " + self._next()[1]
        return _compare(left, op, self._value())

    def _value(self) -> str:
        kind, text = self._next()
        if kind == "text":
            return text
        if text not in self._values:
            raise _Unreadable
        return self._values[text]

    def _accept(self, text: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == ("word", text):
            self._at += 1
            return True
        return False

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise _Unreadable
        self._at += 1
        return self._tokens[self._at - 1]


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _Unreadable
        sign, single, double, word = found.groups()
        quoted = single if single is not None else double
        tokens.append(("text", quoted) if quoted is not None else ("word", sign or word))
        at = found.end()
    return tokens


def _compare(left: str, op: str, right: str) -> bool:
    if op in ("in", "not in"):
        return (left in right) == (op == "in")
    numeric = _NUMBERS.fullmatch(left) and _NUMBERS.fullmatch(right.removesuffix(".*"))
    if op in ("==", "===", "!="):
        if numeric and right.endswith(".*"):
            return (left + ".").startswith(right[:-1]) == (op != "!=")
        same = _version(left) == _version(right) if numeric else left == right
        return same == (op != "!=")
    if not numeric:
        raise _Unreadable
    return _ordered(_version(left), op, _version(right))


def _ordered(left: tuple[int, ...], op: str, right: tuple[int, ...]) -> bool:
    match op:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "~=":
            return left >= right and left[: len(right) - 1] == right[:-1]
        case _:
            raise _Unreadable


def _version(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@cache
def _environment() -> dict[str, str]:
    return {
        "implementation_name": sys.implementation.name,
        "implementation_version": platform.python_version(),
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": platform.python_version(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }
