"""A tree to a suite: every declaration read, every reference found, everything wrong reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from oloproof.language.diagnostics import Diagnostic
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.data_kinds import read_cases, read_cluster, read_slice
from oloproof.language.semantics.declared import Declared
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.gate_kinds import read_gate, read_metric, read_policy
from oloproof.language.semantics.rules import gates, names
from oloproof.language.semantics.run_kinds import read_evaluator, read_system
from oloproof.language.semantics.suite import GateDef, MetricDef, Suite
from oloproof.language.semantics.values import Reader
from oloproof.language.source import Source
from oloproof.language.syntax.tree import Decl, File
from oloproof.ports.catalogue import Catalogue

#: The edition of a file that names none.
DEFAULT_EDITION: Final = 1

_T = TypeVar("_T")


class Resolved(NamedTuple):
    """The suite, or None where an error keeps it from being one; and all that was found."""

    suite: Suite | None
    diagnostics: tuple[Diagnostic, ...]


def resolve(file: File, source: Source, catalogue: Catalogue, earlier: Iterable[Diagnostic] = ()) -> Resolved:
    """What a file's tree means. earlier: the parser's diagnostics, kept in the result."""
    findings = Findings(earlier)
    declared = Declared(file, findings)
    reader = Reader(findings, declared.lets)
    header = _read_suite(declared, reader, source)
    evaluators = {
        item.name: item for item in _each(read_evaluator(decl, catalogue, reader) for decl in declared.of("evaluator"))
    }
    metrics = _each(read_metric(decl, declared, evaluators, reader) for decl in declared.of("metric"))
    policy = read_policy(next(iter(declared.of("policy")), None), reader)
    found_gates = _each(read_gate(decl, declared, policy, reader) for decl in declared.of("gate"))
    suite = Suite(
        name=header.name,
        edition=file.edition.value if file.edition else DEFAULT_EDITION,
        seed=header.seed,
        owner=header.owner,
        cases=_each(read_cases(decl, catalogue, reader) for decl in declared.of("cases")),
        clusters=_each(read_cluster(decl, reader) for decl in declared.of("cluster")),
        slices=_each(read_slice(decl, reader) for decl in declared.of("slice")),
        systems=_each(read_system(decl, catalogue, reader) for decl in declared.of("system")),
        evaluators=tuple(evaluators.values()),
        metrics=metrics,
        gates=found_gates,
        policy=policy,
        span=source.span(0, 0),
    )
    if not declared.of("gate") and declared.is_whole:
        findings.add(
            gates.NO_GATE, "no gate: nothing would be decided", source.span(0, 0), help="add `gate NAME { … }`"
        )
    if not findings.has_errors:
        _report_unused(declared, found_gates, metrics, findings)
    return Resolved(None if findings.has_errors else suite, findings.all())


class _Header(NamedTuple):
    name: str
    seed: int
    owner: str | None


def _read_suite(declared: Declared, reader: Reader, source: Source) -> _Header:
    suites = declared.of("suite")
    if len(suites) != 1:
        if declared.is_whole or suites:
            place = suites[1].span if suites else source.span(0, 0)
            seen = "several suites stand in one file" if suites else "no `suite NAME { … }`"
            reader.findings.add(names.SUITE_COUNT, seen, place, help="a file declares exactly one suite")
        if not suites:
            return _Header("", 0, None)
    return _read_header(suites[0], reader)


def _read_header(decl: Decl, reader: Reader) -> _Header:
    name = decl.label.text if decl.label else ""
    attributes = Attributes(reader.findings, f"suite `{name}`", decl.block)
    seed, owner = attributes.take("seed"), attributes.take("owner")
    population = attributes.take("population")
    attributes.close()
    if population is not None:
        reader.choice(population, ("superpopulation",))
    return _Header(
        name,
        0 if seed is None else reader.integer(seed, at_least=0) or 0,
        None if owner is None else reader.text(owner),
    )


def _each(items: Iterable[_T | None]) -> tuple[_T, ...]:
    return tuple(item for item in items if item is not None)


def _report_unused(
    declared: Declared, found_gates: Iterable[GateDef], metrics: Iterable[MetricDef], findings: Findings
) -> None:
    all_gates = tuple(found_gates)
    used_metrics = {line.metric for gate in all_gates for line in gate.requires}
    reached = [metric for metric in metrics if metric.name in used_metrics]
    declared.report_unused("metric", used_metrics)
    declared.report_unused("system", (gate.system for gate in all_gates))
    declared.report_unused("cases", (gate.cases for gate in all_gates))
    declared.report_unused("evaluator", (metric.evaluator for metric in reached))
    clusters = {metric.cluster for metric in reached}
    for decl in declared.of("cluster"):
        name = decl.label.text if decl.label else ""
        if name not in clusters:
            findings.add(
                gates.CLUSTER_IGNORED,
                f"no gated metric uses cluster `{name}`: cases are taken as independent",
                decl.label.span if decl.label else decl.span,
                help=f"add `cluster = {name}` to the metrics",
            )
