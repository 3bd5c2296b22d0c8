"""What passes between the core and a plugin, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oloproof.canon.encoding import Json


class Transient(Exception):
    """Another try may end otherwise: the case is missing (`unavailable`) and the next exec asks again."""


class Permanent(Exception):
    """No try will end otherwise until something is changed: the case is missing (`system_error`)."""


class Refused(Exception):
    """The system refused by its policy: the case is missing (`refused`) and is not asked again."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a system is asked. seed: 64 bits, only for adapters with the capability `seed`, else None.

    id: for look-ups and messages. An adapter whose answer depends on it must declare the capability `row_key`, or
    equal inputs would share an answer.
    """

    input: Json
    id: str
    repeat: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a system answered: a string or a dictionary of JSON values. usage: counts such as input_tokens."""

    output: Json
    usage: Mapping[str, int] | None = None
    served_model: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer or no verdict. reason: a registered reason code (specs/chain.md).

    detail: for a person and the log; it never enters a record or a bundle.
    """

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What an evaluator may look at beside the answer: fields it does not declare in `reads` are None.

    No id: an equal answer to a case with equal fields has the same verdict, whatever the case is called.
    """

    input: Json
    expect: Json


@dataclass(frozen=True, slots=True)
class Verdict:
    """An evaluator's outputs by name, as its manifest declares them; reason: a code that says why they are bad."""

    outputs: Mapping[str, bool | int | float | str]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a source: its place (a line number, 1-based; 0 if it has none) and its fields."""

    number: int
    fields: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class RowFault:
    """A place in a source that holds no row: what is wrong with it and the way out."""

    number: int
    problem: str
