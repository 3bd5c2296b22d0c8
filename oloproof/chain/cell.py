"""A cell: one `require` line of one gate, on one system variant, in one slice value or in none."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canon.encoding import Json, encode
from oloproof.chain.fields import BadRecord


@dataclass(frozen=True, slots=True)
class Cell:
    """The id of what is inferred and decided: [gate, require index, system variant, slice, slice value]."""

    gate: str
    require: int
    system: str
    slice: str | None
    slice_value: str | None

    def __post_init__(self) -> None:
        if (self.slice is None) != (self.slice_value is None):
            raise BadRecord("cell", "a slice and its value come together")

    def to_json(self) -> list[Json]:
        """Its canonical array."""
        return list(self.to_key())

    def to_key(self) -> tuple[str, int, str, str | None, str | None]:
        """Its five parts, as plan.cells.CellKey takes them."""
        return self.gate, self.require, self.system, self.slice, self.slice_value

    def sort_key(self) -> bytes:
        """Order of cells: by the bytes of the canonical array."""
        return encode(self.to_json())

    @classmethod
    def from_json(cls, value: Json) -> Cell:
        """Reads it back. Raises: BadRecord."""
        match value:
            case [str() as gate, int() as require, str() as system, (None | str()) as name, (None | str()) as part]:
                if require < 0 or isinstance(require, bool):
                    raise BadRecord("cell", "the require index is a count")
                return cls(gate, require, system, name, part)
            case _:
                raise BadRecord("cell", "not [gate, require, system, slice, slice value]")
