"""Numbers, thresholds and names as people read them; every bound is rounded outward, so that none looks better."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from oloproof.chain.cell import Cell
from oloproof.chain.counts import Counts
from oloproof.report.diagnostics import escape

#: Decimals of a percentage in text; JSON output has every digit.
_PLACES = Decimal("0.01")


def percent(fraction: str) -> str:
    """A decimal fraction as a percentage, exactly: `0.9` is `90%`."""
    return f"{format((Decimal(fraction) * 100).normalize(), 'f')}%"


def share(fraction: float | None) -> str:
    """A computed fraction as a percentage with two decimals, or `unknown`."""
    return "unknown" if fraction is None else f"{Decimal(fraction * 100).quantize(_PLACES)}%"


def interval(lower: float | None, upper: float | None) -> str:
    """`[L, U]` in percent, the lower end rounded down and the upper end up; `none` where neither is known."""
    if lower is None and upper is None:
        return "none"
    low = "unknown" if lower is None else f"{(Decimal(lower) * 100).quantize(_PLACES, ROUND_FLOOR)}%"
    high = "unknown" if upper is None else f"{(Decimal(upper) * 100).quantize(_PLACES, ROUND_CEILING)}%"
    return f"[{low}, {high}]"


def counts(found: Counts, n_clusters: int | None) -> str:
    """The four counts and the clusters in one phrase."""
    text = f"{found.n_total} total, {found.n_eligible} eligible, {found.n_observed} observed, {found.n_missing} missing"
    return text if n_clusters is None else f"{text}; {plural(n_clusters, 'cluster')}"


def cell_name(cell: Cell) -> str:
    """A cell without its gate: the system, and the slice value if it has one."""
    where = f", {cell.slice} = {cell.slice_value}" if cell.slice else ""
    return escape(f"{cell.system}{where}")


def plural(n: int, noun: str) -> str:
    """`1 case`, `2 cases`, `1,000 cases`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
