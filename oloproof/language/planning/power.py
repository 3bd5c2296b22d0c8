"""What the data at hand can decide of each require line, whatever the system does; integers only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from oloproof.chain.case import SAME_INPUT
from oloproof.language.diagnostics import Fix
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.gate_kinds import percent
from oloproof.language.semantics.rules import data, gates
from oloproof.language.semantics.suite import GateDef, MetricDef, RequireDef
from oloproof.plan.cases import CaseRow
from oloproof.plan.cells import one_sided
from oloproof.plan.plan import Decidability
from oloproof.stats import exact

#: Bounds in messages have four digits.
_SHOWN_STEPS: Final = 10_000


class Part(NamedTuple):
    """The cases of one cell: a slice value, or all of them under (None, None)."""

    slice: str | None
    value: str | None
    rows: Sequence[CaseRow]

    @property
    def words(self) -> str:
        """What to call it."""
        return f" in {self.slice} = {self.value}" if self.slice else ""


class Units(NamedTuple):
    """The independent pieces of a cell: their sizes, what they are, and the cap on one of them.

    is_dominated: one of them holds most cases, so that the gate goes to MANUAL_REVIEW whatever the system does.
    """

    sizes: tuple[int, ...]
    is_clustered: bool
    cap: int
    is_dominated: bool = False

    @property
    def are_equal(self) -> bool:
        """True where counts of whole units decide, because each is as large as the largest that could be."""
        return set(self.sizes) == {self.cap}


def judge_gate(
    gate: GateDef, metrics: dict[str, MetricDef], parts: Sequence[Part], findings: Findings
) -> tuple[Decidability, ...]:
    """Every cell's decidability; reports gates that can never decide as they should."""
    alpha = one_sided(
        format(gate.confidence, "f"),
        n_cells=max(len(parts) * len(gate.requires), 1) if gate.correction == "bonferroni" else 1,
    )
    found = []
    for index, line in enumerate(gate.requires):
        _report_trivial(line, findings)
        _report_errors(line, metrics[line.metric], findings)
        for part in parts:
            units = units_of(metrics[line.metric], part, findings)
            if units is None:
                continue
            answer = _decidability(index, line, part, units, alpha)
            _report(_Cell(gate, line, part, units, alpha), answer, findings)
            found.append(answer)
    return tuple(found)


def units_of(metric: MetricDef, part: Part, findings: Findings) -> Units | None:
    """The units of a cell as inference will form them; None where how they count is undeclared."""
    eligible = [row for row in part.rows if row.eligible]
    name = metric.cluster or (SAME_INPUT if any(SAME_INPUT in row.clusters for row in part.rows) else None)
    if name is None:
        return Units((1,) * len(eligible), is_clustered=False, cap=1)
    sizes = tuple(sorted(Counter(row.clusters.get(name, row.id) for row in eligible).values()))
    if not sizes or (set(sizes) == {1} and metric.max_size in (None, 1)):
        return Units(sizes, is_clustered=metric.cluster is not None, cap=1)
    if metric.weight_by == "cluster" or (metric.weight_by is None and name == SAME_INPUT):
        return Units((1,) * len(sizes), is_clustered=True, cap=1)
    return _weighed_by_case(metric, part, sizes, findings)


def _weighed_by_case(metric: MetricDef, part: Part, sizes: tuple[int, ...], findings: Findings) -> Units | None:
    is_dominated = len(sizes) > 1 and 2 * sizes[-1] > sum(sizes)
    if is_dominated:
        findings.add(
            data.DOMINANT_CLUSTER,
            f"one cluster holds {sizes[-1]} of {sum(sizes)} cases{part.words}: the gate would go to MANUAL_REVIEW",
            metric.span,
            help="balance the case set, or add `weight_by = cluster` if every cluster should count the same",
        )
    if metric.max_size is not None:
        if sizes[-1] > metric.max_size:
            findings.add(
                gates.CAP_EXCEEDED,
                f"a cluster{part.words} has {sizes[-1]} cases and max_size is {metric.max_size}",
                metric.span,
                help="declare the largest cluster that could ever be sampled, not the largest that was",
            )
            return None
        return Units(sizes, is_clustered=True, cap=metric.max_size, is_dominated=is_dominated)
    if len(set(sizes)) == 1 or metric.sizes_uninformative:
        return Units(sizes, is_clustered=True, cap=sizes[-1], is_dominated=is_dominated)
    says = "says that every case counts the same, but not how large a cluster could be"
    findings.add(
        gates.ESTIMAND,
        f"clusters{part.words} have from {sizes[0]} to {sizes[-1]} cases, and metric `{metric.name}` "
        + (says if metric.weight_by == "case" else "does not say how much each counts"),
        metric.span,
        help="add one of the three lines below; which one is a question about what you want to know",
        fixes=(
            Fix("`weight_by = cluster`: every cluster counts the same", "hint", ()),
            Fix("`max_size = N`: every case counts the same; N is the largest cluster that could occur", "hint", ()),
            Fix("`assume { sizes_uninformative = true }`: size says nothing about difficulty", "hint", ()),
        ),
    )
    return None


def _decidability(index: int, line: RequireDef, part: Part, units: Units, alpha: str) -> Decidability:
    threshold = format(line.threshold, "f")
    n = len(units.sizes)
    passes: tuple[int, ...] | None = None
    fails: tuple[int, ...] | None = None
    if n == 0 or (n == 1 and units.is_clustered) or units.is_dominated:
        can_pass = can_fail = False
    elif units.are_equal:
        counts = _counts(n, line.op, threshold, alpha)
        can_pass, can_fail = counts.pass_limit is not None, counts.fail_limit is not None
        good = (lambda limit: (limit, n)) if line.op == ">=" else (lambda limit: (0, limit))
        bad = (lambda limit: (0, limit)) if line.op == ">=" else (lambda limit: (limit, n))
        passes = good(counts.pass_limit) if counts.pass_limit is not None else None
        fails = bad(counts.fail_limit) if counts.fail_limit is not None else None
    else:
        reaches, within = exact.cluster_ceiling_reaches, exact.cluster_floor_within
        best, worst = (reaches, within) if line.op == ">=" else (within, reaches)
        can_pass = best(units.sizes, cap=units.cap, threshold=threshold, bound_alpha=alpha)
        can_fail = worst(units.sizes, cap=units.cap, threshold=threshold, bound_alpha=alpha)
    return Decidability(
        require=index,
        slice=part.slice,
        slice_value=part.value,
        unit="cluster" if units.is_clustered else "case",
        n=n,
        passes=passes,
        fails=fails,
        can_pass=can_pass,
        can_fail=can_fail,
        n_needed=_needed(line.op, threshold, alpha) if units.are_equal or not units.sizes else None,
    )


# Many cells of a suite ask the same: one threshold for all slices, one number of cases for all gates.
@lru_cache(maxsize=10_000)
def _counts(n: int, op: exact.Op, threshold: str, alpha: str) -> exact.CriticalCounts:
    return exact.critical_counts(n, op=op, threshold=threshold, bound_alpha=alpha)


@lru_cache(maxsize=10_000)
def _needed(op: exact.Op, threshold: str, alpha: str) -> int | None:
    return exact.smallest_n_that_can_pass(op=op, threshold=threshold, bound_alpha=alpha)


def _report_trivial(line: RequireDef, findings: Findings) -> None:
    if _is_trivial(line):
        findings.add(
            gates.TRIVIALLY_MET,
            f"every system meets `{line.metric} {line.op} {percent(line.threshold)}`: it decides nothing",
            line.threshold_span,
            help="give the threshold that is meant, or take the line out",
        )


def _report_errors(line: RequireDef, metric: MetricDef, findings: Findings) -> None:
    if line.op == "<=" and metric.errors == "failed":
        findings.add(
            gates.ERRORS_UNDER_MAXIMUM,
            f"`{metric.name}` counts errors as failed, and under `<=` every failure would speak for the system",
            line.span,
            help="leave `errors` at `missing` for this metric, so that errors are bounded",
        )


def _is_trivial(line: RequireDef) -> bool:
    return (line.op == ">=" and line.threshold == 0) or (line.op == "<=" and line.threshold == 1)


class _Cell(NamedTuple):
    """One require line on one part of the cases, and the units there."""

    gate: GateDef
    line: RequireDef
    part: Part
    units: Units
    alpha: str

    @property
    def words(self) -> str:
        """What it requires, as in the suite."""
        return f"`{self.line.metric} {self.line.op} {percent(self.line.threshold)}`{self.part.words}"


def _report(cell: _Cell, answer: Decidability, findings: Findings) -> None:
    gate, line = cell.gate, cell.line
    if not answer.can_pass:
        way = _way_to_pass(cell, answer)
        findings.add(
            gates.CANNOT_PASS_ADVISORY if gate.advisory else gates.CANNOT_PASS,
            f"gate `{gate.name}` can never PASS {cell.words}: {_why_not(cell, answer)}",
            line.span,
            help=way if gate.advisory else f"{way}; or set `advisory = true`",
        )
    elif not answer.can_fail and not _is_trivial(line):
        findings.add(
            gates.CANNOT_FAIL,
            f"gate `{gate.name}` can never FAIL {cell.words}: even the worst result of "
            f"{_counted(answer.n, answer.unit)} is INSUFFICIENT_EVIDENCE",
            line.span,
            help="more cases tell a bad system from an unlucky one",
        )


def _why_not(cell: _Cell, answer: Decidability) -> str:
    """What stands against a PASS."""
    if not answer.n:
        return "no case there is eligible"
    if answer.n == 1 and answer.unit == "cluster":
        return "one cluster says nothing about other clusters"
    if cell.units.is_dominated:
        return "one cluster holds most cases, so it goes to MANUAL_REVIEW"
    if cell.line.op == ">=":
        return f"even with all of {_counted(answer.n, answer.unit)} right the lower bound is {_ceiling(cell):.4f}"
    return f"even with all of {_counted(answer.n, answer.unit)} wrong the upper bound is {1 - _ceiling(cell):.4f}"


def _ceiling(cell: _Cell) -> float:
    """The lower bound when everything is right, rounded down to what is shown; of the mirror image for a maximum."""
    low, high = 0, _SHOWN_STEPS
    while high - low > 1:
        middle = (low + high) // 2
        reached = exact.cluster_ceiling_reaches(
            cell.units.sizes, cap=cell.units.cap, threshold=Fraction(middle, _SHOWN_STEPS), bound_alpha=cell.alpha
        )
        low, high = (middle, high) if reached else (low, middle)
    return low / _SHOWN_STEPS


def _way_to_pass(cell: _Cell, answer: Decidability) -> str:
    if cell.units.is_dominated:
        return "balance the case set, or weigh clusters equally"
    needed = _needed(cell.line.op, format(cell.line.threshold, "f"), cell.alpha)
    if needed is None:
        return f"no number of {answer.unit}s shows {percent(cell.line.threshold)}: every bound stays short of it"
    if cell.units.are_equal or answer.n < 2:  # noqa: PLR2004 -- of one cluster or none no size can be told
        return f"at least {_counted(needed, answer.unit)} are needed at this confidence"
    return f"of clusters of such sizes about {_scaled(cell)} are needed at this confidence"


def _scaled(cell: _Cell) -> int:
    """How many clusters in these proportions it takes until the best result can PASS."""
    limit = float(cell.line.threshold if cell.line.op == ">=" else 1 - cell.line.threshold)
    each = [math.log1p(size * (1 - limit) / (limit * cell.units.cap)) for size in cell.units.sizes]
    return math.ceil(len(each) * -math.log(float(cell.alpha)) / sum(each))


def _counted(n: int, unit: str) -> str:
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"
