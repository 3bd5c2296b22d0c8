"""The cells of a plan: what is inferred and decided one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from oloproof.errors import OloproofError
from oloproof.plan.plan import GateEntry, Plan

_ALPHA = Context(prec=12, rounding=ROUND_FLOOR)


class WrongCells(OloproofError):
    """Inferences or decisions that are not one for each cell of the plan."""

    def __init__(self, absent: Sequence[CellKey], strange: Sequence[CellKey]) -> None:
        self.absent, self.strange = tuple(absent), tuple(strange)
        shown = "; ".join(str(list(key))[:200] for key in (*absent, *strange)[:3])
        super().__init__(
            f"{len(absent)} cells of the plan have no record and {len(strange)} records have no cell or one that is "
            f"taken: {shown}; infer and decide all cells of one plan together"
        )


class CellKey(NamedTuple):
    """[gate, require index, system variant, slice, slice value]; the last two are None together."""

    gate: str
    require: int
    system: str
    slice: str | None
    slice_value: str | None


def cells_of(plan: Plan, gate: GateEntry) -> tuple[CellKey, ...]:
    """The cells of one gate, in the order require, system variant, slice value."""
    parts: list[tuple[str | None, str | None]] = [(None, None)]
    if gate.across is not None:
        entry = next(entry for entry in plan.slices if entry.name == gate.across)
        parts = [(entry.name, value) for value in entry.values]
    return tuple(
        CellKey(gate.name, index, variant, *part)
        for index in range(len(gate.requires))
        for variant in gate.systems
        for part in parts
    )


def check_cells(plan: Plan, found: Iterable[CellKey]) -> None:
    """Holds cells to the plan: each of its cells once, and no other. A gate must not pass on a part of its cells.

    Raises: WrongCells.
    """
    wanted = Counter(key for gate in plan.gates for key in cells_of(plan, gate))
    counted = Counter(found)
    absent, strange = wanted - counted, counted - wanted
    if absent or strange:
        raise WrongCells(tuple(absent), tuple(strange))


def bound_alpha(plan: Plan, gate: GateEntry) -> str:
    """The error rate of one bound of each cell of this gate, as decimal text.

    (1 - confidence) / 2, divided by the number of cells where the gate's family is corrected by Bonferroni. Rounded
    down at 12 significant digits where the quotient does not end, which only lengthens the interval.
    """
    n_cells = len(cells_of(plan, gate)) if gate.correction == "bonferroni" else 1
    return one_sided(gate.confidence, n_cells=n_cells)


def one_sided(confidence: str, *, n_cells: int = 1) -> str:
    """The error rate of one of the two bounds at a two-sided confidence, shared among n_cells cells."""
    alpha = (1 - Fraction(confidence)) / (2 * n_cells)
    # A context of its own: neither its digits nor its rounding may hang on what other code has set.
    rounded = _ALPHA.divide(Decimal(alpha.numerator), Decimal(alpha.denominator))
    return format(_ALPHA.normalize(rounded), "f")
