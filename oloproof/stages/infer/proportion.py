"""The interval of a proportion: exact for independent cases, by the phantom unit for clusters and repeated trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from oloproof.chain.case import SAME_INPUT
from oloproof.chain.inference import Certificate, Method
from oloproof.plan.plan import MetricEntry
from oloproof.stages.infer.units import Unit, distinct_sizes, has_dominant
from oloproof.stats import binomial, phantom
from oloproof.stats.bounds import Bounds
from oloproof.stats.method import Method as StatsMethod


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method says, or why it does not. estimates: over observed, with missing at worst, at best."""

    method: Method | None
    assumptions: tuple[str, ...]
    bounds: Bounds
    estimates: tuple[Fraction | None, Fraction | None, Fraction | None]
    certificate: Certificate | None = None
    declined: bool = False
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much a unit counts: by its cases under a cap on what could be sampled, or each unit the same."""

    by: Literal["case", "cluster"]
    cap: int
    assumption: str


_UNKNOWN = Bounds(None, None)


@dataclass(frozen=True, slots=True)
class Design:
    """What a cell's units are. cluster: the clustering they stand for, or None where each case is its own unit."""

    metric: MetricEntry
    cluster: str | None
    n_repeats: int


def bound(units: Sequence[Unit], design: Design, *, threshold: str, bound_alpha: str) -> Answer:
    """The interval of a proportion over at least one unit.

    Counts decide exactly where every unit is one case tried once and none larger could have been sampled; clusters and
    repeated trials take the phantom unit.
    """
    if design.cluster is None and design.n_repeats == 1:
        return _by_counts(units, (), threshold=threshold, bound_alpha=bound_alpha)
    if len(units) == 1:
        return Answer(None, (), _UNKNOWN, _by_case(units, design.n_repeats), reasons=("too_few_clusters",))
    weighing = _weigh(units, design)
    if isinstance(weighing, str):
        return Answer(None, (), _UNKNOWN, _by_case(units, design.n_repeats), declined=True, reasons=(weighing,))
    if design.n_repeats == 1 and weighing.cap == 1 and all(unit.size == 1 for unit in units):
        return _by_counts(units, (weighing.assumption,), threshold=threshold, bound_alpha=bound_alpha)
    return _by_phantom(units, weighing, n_repeats=design.n_repeats, bound_alpha=bound_alpha)


def _by_counts(units: Sequence[Unit], assumptions: tuple[str, ...], *, threshold: str, bound_alpha: str) -> Answer:
    """Clopper-Pearson with every missing case at its worst for the lower bound and at its best for the upper."""
    n = len(units)
    k, best = sum(unit.worst for unit in units), sum(unit.best for unit in units)
    m = best - k
    return Answer(
        method=_named(binomial.METHOD),
        assumptions=(*binomial.METHOD.assumptions, *assumptions),
        bounds=binomial.worst_case(k, m, n, bound_alpha=bound_alpha),
        estimates=_by_case(units, 1),
        certificate=Certificate(k, n, m, threshold, bound_alpha),
    )


def _by_phantom(units: Sequence[Unit], weighing: Weighing, *, n_repeats: int, bound_alpha: str) -> Answer:
    by_case = weighing.by == "case"
    sizes = [float(unit.size) if by_case else 1.0 for unit in units]
    # A case scores the share of its trials; one division of whole numbers each, so that every sum is rounded once.
    shares = [n_repeats if by_case else n_repeats * unit.size for unit in units]
    worst = [unit.worst / share for unit, share in zip(units, shares, strict=True)]
    best = [unit.best / share for unit, share in zip(units, shares, strict=True)]
    cap = float(weighing.cap)
    return Answer(
        method=_named(phantom.METHOD),
        assumptions=(*phantom.METHOD.assumptions, weighing.assumption),
        bounds=Bounds(
            phantom.lower_bound(worst, sizes, cap=cap, bound_alpha=bound_alpha),
            phantom.upper_bound(best, sizes, cap=cap, bound_alpha=bound_alpha),
        ),
        estimates=_by_case(units, n_repeats) if by_case else _by_unit(units, n_repeats),
    )


def _weigh(units: Sequence[Unit], design: Design) -> Weighing | str:
    """The weighing that the plan declares, or the reason why there is none (docs/how-to/clusters.md).

    Units of repeated trials and clusters of identical inputs weigh equally where nothing is declared.
    """
    metric, is_implicit = design.metric, design.cluster in (None, SAME_INPUT)
    if metric.weight_by == "cluster" or (metric.weight_by is None and is_implicit):
        return Weighing("cluster", 1, "clusters_weigh_equally" if design.cluster else "cases_weigh_equally")
    if has_dominant(units):
        return "dominant_cluster"
    largest = max(unit.size for unit in units)
    if metric.max_size is not None:
        return "cap_exceeded" if largest > metric.max_size else Weighing("case", metric.max_size, "max_size_declared")
    if distinct_sizes(units) == 1:
        # Both estimands have this bound; undeclared, it is claimed for the one that no larger cluster could refute.
        return Weighing(
            "case", largest, "clusters_weigh_equally" if metric.weight_by is None else "clusters_of_one_size"
        )
    return Weighing("case", largest, "sizes_uninformative") if metric.sizes_uninformative else "estimand_undeclared"


def _by_case(units: Sequence[Unit], n_repeats: int) -> tuple[Fraction | None, Fraction, Fraction]:
    n, n_observed = sum(unit.size for unit in units), sum(unit.n_observed for unit in units)
    observed = sum(unit.observed for unit in units)
    return (
        Fraction(observed, n_observed * n_repeats) if n_observed else None,
        Fraction(sum(unit.worst for unit in units), n * n_repeats),
        Fraction(sum(unit.best for unit in units), n * n_repeats),
    )


def _by_unit(units: Sequence[Unit], n_repeats: int) -> tuple[Fraction | None, Fraction, Fraction]:
    seen = [Fraction(unit.observed, unit.n_observed * n_repeats) for unit in units if unit.n_observed]
    return (
        sum(seen, Fraction(0)) / len(seen) if seen else None,
        sum((Fraction(unit.worst, unit.size * n_repeats) for unit in units), Fraction(0)) / len(units),
        sum((Fraction(unit.best, unit.size * n_repeats) for unit in units), Fraction(0)) / len(units),
    )


def _named(method: StatsMethod) -> Method:
    return Method(method.id, method.version, method.guarantee)
