"""What the data at hand can decide of each require line, whatever the system does; integers only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from oloproof.chain.case import SAME_INPUT
from oloproof.language.diagnostics import Fix
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import data, gates
from oloproof.language.semantics.suite import GateDef, MetricDef, RequireDef
from oloproof.plan.cases import CaseRow
from oloproof.plan.cells import one_sided
from oloproof.plan.plan import Decidability
from oloproof.stats import exact


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
    """The independent pieces of a cell: their sizes, what they are, and the cap on one of them (0: undeclared)."""

    sizes: tuple[int, ...]
    is_clustered: bool
    cap: int


def judge_gate(
    gate: GateDef, metrics: dict[str, MetricDef], parts: Sequence[Part], findings: Findings
) -> tuple[Decidability, ...]:
    """Every cell's decidability; reports gates that can never decide as they should."""
    alpha = one_sided(
        format(gate.confidence, "f"),
        n_cells=len(parts) * len(gate.requires) if gate.correction == "bonferroni" else 1,
    )
    found = []
    for index, line in enumerate(gate.requires):
        _report_trivial(line, findings)
        for part in parts:
            units = units_of(metrics[line.metric], part, findings)
            if units is None:
                continue
            answer = _decidability(index, line, part, units, alpha)
            _report(gate, line, part, answer, alpha, findings)
            found.append(answer)
    return tuple(found)


def units_of(metric: MetricDef, part: Part, findings: Findings) -> Units | None:
    """The units of a cell as inference will form them; None where how they count is undeclared."""
    eligible = [row for row in part.rows if row.eligible]
    name = metric.cluster or (SAME_INPUT if any(SAME_INPUT in row.clusters for row in part.rows) else None)
    if name is None:
        return Units((1,) * len(eligible), is_clustered=False, cap=1)
    sizes = tuple(sorted(Counter(row.clusters.get(name, row.id) for row in eligible).values()))
    if not sizes or set(sizes) == {1}:
        return Units(sizes, is_clustered=metric.cluster is not None, cap=1)
    if metric.weight_by == "cluster" or (metric.weight_by is None and name == SAME_INPUT):
        return Units((1,) * len(sizes), is_clustered=True, cap=1)
    return _weighed_by_case(metric, part, sizes, findings)


def _weighed_by_case(metric: MetricDef, part: Part, sizes: tuple[int, ...], findings: Findings) -> Units | None:
    if len(sizes) > 1 and 2 * sizes[-1] > sum(sizes):
        findings.add(
            data.DOMINANT_CLUSTER,
            f"one cluster holds {sizes[-1]} of {sum(sizes)} cases{part.words}: the gate would go to MANUAL_REVIEW",
            metric.span,
        )
    if metric.max_size is not None:
        if sizes[-1] > metric.max_size:
            findings.add(
                gates.CAP_EXCEEDED,
                f"a cluster{part.words} has {sizes[-1]} cases and max_size is {metric.max_size}",
                metric.span,
                help="declare the largest cluster that could ever be sampled",
            )
            return None
        return Units(sizes, is_clustered=True, cap=metric.max_size)
    if len(set(sizes)) == 1 or metric.sizes_uninformative:
        return Units(sizes, is_clustered=True, cap=sizes[-1])
    findings.add(
        gates.ESTIMAND,
        f"clusters{part.words} have from {sizes[0]} to {sizes[-1]} cases, and metric `{metric.name}` does not say how "
        "much each counts",
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
    if n == 0 or (n == 1 and units.is_clustered):
        can_pass = can_fail = False
    elif len(set(units.sizes)) == 1 and units.cap == units.sizes[0]:
        counts = exact.critical_counts(n, op=line.op, threshold=threshold, bound_alpha=alpha)
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
        n_needed=exact.smallest_n_that_can_pass(op=line.op, threshold=threshold, bound_alpha=alpha),
    )


def _report_trivial(line: RequireDef, findings: Findings) -> None:
    vacuous = (line.op == ">=" and line.threshold == 0) or (line.op == "<=" and line.threshold == 1)
    if vacuous:
        findings.add(gates.TRIVIALLY_MET, "every system meets this line: it decides nothing", line.threshold_span)


def _report(gate: GateDef, line: RequireDef, part: Part, answer: Decidability, alpha: str, findings: Findings) -> None:
    shown = f"{format((line.threshold * 100).normalize(), 'f')}%"
    if not answer.can_pass:
        ceiling = float(alpha) ** (1 / answer.n) if answer.n else 0.0
        bound = f"L = {ceiling:.4f}" if line.op == ">=" else f"U = {1 - ceiling:.4f}"
        needed = (
            f"at least {answer.n_needed} {answer.unit}s are needed" if answer.n_needed else "no number of cases will do"
        )
        best = f"even the best result of {answer.n} {answer.unit}s gives {bound}" if answer.n else "it has no cases"
        if answer.n == 1 and answer.unit == "cluster":
            best = "one cluster says nothing about other clusters"
        findings.add(
            gates.CANNOT_PASS_ADVISORY if gate.advisory else gates.CANNOT_PASS,
            f"gate `{gate.name}` can never PASS `{line.metric} {line.op} {shown}`{part.words}: {best}",
            line.span,
            help=f"{needed} at this confidence" + ("" if gate.advisory else "; or set `advisory = true`"),
        )
    elif not answer.can_fail:
        findings.add(
            gates.CANNOT_FAIL,
            f"gate `{gate.name}` can never FAIL `{line.metric} {line.op} {shown}`{part.words}: even the worst result "
            f"of {answer.n} {answer.unit}s is INSUFFICIENT_EVIDENCE",
            line.span,
        )
