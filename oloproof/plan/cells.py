"""The cells of a plan: what is inferred and decided one by one."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from typing import NamedTuple

from oloproof.plan.plan import GateEntry, Plan


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


def bound_alpha(plan: Plan, gate: GateEntry) -> str:
    """The error rate of one bound of each cell of this gate, as decimal text.

    (1 - confidence) / 2, divided by the number of cells where the gate's family is corrected by Bonferroni. Rounded
    down at 12 significant digits where the quotient does not end, which only lengthens the interval.
    """
    n_cells = len(cells_of(plan, gate)) if gate.correction == "bonferroni" else 1
    return one_sided(gate.confidence, n_cells=n_cells)


def one_sided(confidence: str, *, n_cells: int = 1) -> str:
    """The error rate of one of the two bounds at a two-sided confidence, shared among n_cells cells."""
    alpha = Context(prec=12, rounding=ROUND_FLOOR).divide((1 - Decimal(confidence)) / 2, Decimal(n_cells))
    return format(alpha.normalize(), "f")
