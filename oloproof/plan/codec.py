"""Frozen dataclasses to JSON and back, strictly: the exact keys and types that their annotations name."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast

from oloproof.canon.digests import DigestText, is_digest
from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError

_T = TypeVar("_T")


class BadPlan(OloproofError):
    """Bytes or JSON that are no plan of this format."""

    exit_code = 2

    def __init__(self, reason: str, *, field: str = "") -> None:
        self.reason, self.field = reason, field
        super().__init__(f"not a plan of this format: {field + ': ' if field else ''}{reason}")


def to_json(value: object) -> Json:
    """A record, or a tuple or dictionary of them, as JSON; keys are the field names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(item) for item in value]
    return cast("Json", value)


def from_json(kind: type[_T], value: Json) -> _T:
    """The record that to_json wrote. Raises: BadPlan naming the first field that does not fit."""
    return cast("_T", _read(kind, value, ""))


def _read(kind: Any, value: Any, field: str) -> object:  # noqa: ANN401 -- an annotation and JSON are what Any is for
    if dataclasses.is_dataclass(kind):
        return _read_record(cast("type", kind), value, field)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        _expect(isinstance(value, list), "a list is due", field)
        return tuple(_read(arguments[0], item, f"{field}[{index}]") for index, item in enumerate(value))
    if origin is dict:
        _expect(isinstance(value, dict), "an object is due", field)
        return {key: _read(arguments[1], item, f"{field}.{key}") for key, item in value.items()}
    if origin is Literal:
        _expect(value in arguments and type(value) is type(arguments[0]), f"one of {arguments} is due", field)
        return value
    if origin in (Union, types.UnionType):
        return _read_union(arguments, value, field)
    plain = getattr(kind, "__supertype__", kind)
    if plain in (str, int, bool):
        _expect(type(value) is plain, f"{plain.__name__} is due, not {type(value).__name__}", field)
    _expect(kind is not DigestText or is_digest(value), "a digest is due", field)
    return value


def _read_union(arguments: tuple[Any, ...], value: Any, field: str) -> object:  # noqa: ANN401 -- as _read
    """Optional fields, and Json itself (a union that admits everything JSON has)."""
    if types.NoneType in arguments and len(arguments) == 2:  # noqa: PLR2004 -- X | None
        rest = next(item for item in arguments if item is not types.NoneType)
        return None if value is None else _read(rest, value, field)
    return value


def _read_record(kind: type, value: Any, field: str) -> object:  # noqa: ANN401 -- as _read
    _expect(isinstance(value, dict), "an object is due", field)
    hints = _hints(kind)
    for name in hints:
        _expect(name in value, f"{name} is absent", field)
    for name in value:
        _expect(name in hints, f"unknown field {str(name)[:80]!r}", field)
    return kind(**{name: _read(hint, value[name], f"{field}.{name}".lstrip(".")) for name, hint in hints.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _expect(holds: bool, reason: str, field: str) -> None:  # noqa: FBT001 -- the claim itself
    if not holds:
        raise BadPlan(reason, field=field)
