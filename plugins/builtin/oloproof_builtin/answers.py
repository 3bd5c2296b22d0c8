"""The part of an answer that an evaluator looks at."""

from __future__ import annotations

from oloproof.sdk import FieldRef, Json, MaybeJson, look_up, parse_path


def parse_field(path: str | None) -> FieldRef | None:
    """The path of an optional option `field`."""
    return None if path is None else parse_path(path)


def field_of(output: Json, field: FieldRef | None) -> MaybeJson:
    """The field of the answer, the whole answer without one; sdk.ABSENT where the answer has no such field."""
    return output if field is None else look_up(output, field)
