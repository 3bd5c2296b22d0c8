"""The rows of a case set, as the store and the engine see them; none of this enters a plan or a bundle as it is."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case with its content.

    input_hash: of exactly what a system receives. case_hash: of the whole row. occurrence: 0, 1, ... among equal inputs
    in id order. clusters: after uniting identical inputs (specs/chain.md). expect: None where the row does not say.
    """

    id: str
    input: Json
    expect: Json
    input_hash: bytes
    case_hash: bytes
    occurrence: int
    clusters: dict[str, str]
    slices: dict[str, str]
    weight: int
    eligible: bool


@dataclass(frozen=True, slots=True)
class CaseSet:
    """All rows of a set, sorted by the UTF-8 bytes of their ids."""

    name: str
    rows: tuple[CaseRow, ...]
