"""A tree to a suite: every declaration read, every reference found, everything wrong reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar

from oloproof.language.diagnostics import Diagnostic, Label
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.data_kinds import read_cases, read_cluster, read_slice
from oloproof.language.semantics.declared import Declared
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.gate_kinds import read_gate, read_metric, read_policy
from oloproof.language.semantics.rules import gates, names
from oloproof.language.semantics.run_kinds import read_evaluator, read_system
from oloproof.language.semantics.suite import ClusterDef, MetricDef, Suite
from oloproof.language.semantics.unreached import report_broken, report_unused
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
    reader = Reader(findings, declared.lets, declared.lost)
    header = _read_suite(declared, reader, source)
    evaluators = {
        item.name: item for item in _each(read_evaluator(decl, catalogue, reader) for decl in declared.of("evaluator"))
    }
    metrics = _each(read_metric(decl, declared, evaluators, reader) for decl in declared.of("metric"))
    policy = read_policy(next(iter(declared.of("policy")), None), reader)
    found_gates = _each(read_gate(decl, declared, policy, reader) for decl in declared.of("gate"))
    clusters = _each(read_cluster(decl, reader) for decl in declared.of("cluster"))
    suite = Suite(
        name=header.name,
        edition=file.edition.value if file.edition else DEFAULT_EDITION,
        seed=header.seed,
        owner=header.owner,
        cases=_each(read_cases(decl, catalogue, reader) for decl in declared.of("cases")),
        clusters=clusters,
        slices=_each(read_slice(decl, reader) for decl in declared.of("slice")),
        systems=_each(read_system(decl, catalogue, reader) for decl in declared.of("system")),
        evaluators=tuple(evaluators.values()),
        metrics=tuple(_weighed(metric, clusters) for metric in metrics),
        gates=found_gates,
        policy=policy,
        span=source.span(0, 0),
    )
    if not declared.of("gate") and declared.has_all("gate"):
        findings.add(
            gates.NO_GATE, "no gate: nothing would be decided", source.span(0, 0), help="add `gate NAME { … }`"
        )
    _report_unexpected(suite, findings)
    report_unused(declared, findings)
    report_broken(declared, catalogue, findings)
    return Resolved(None if findings.has_errors else suite, findings.all())


def _report_unexpected(suite: Suite, findings: Findings) -> None:
    """Reports gates whose cases say nothing of what an evaluator compares with: every case would be missing."""
    cases = {item.name: item for item in suite.cases}
    evaluators = {item.name: item for item in suite.evaluators}
    metrics = {item.name: item for item in suite.metrics}
    for gate in suite.gates:
        for line in gate.requires:
            metric, found = metrics.get(line.metric), cases.get(gate.cases)
            evaluator = evaluators.get(metric.evaluator) if metric else None
            if evaluator is None or found is None or found.id is None or found.expect is not None:
                continue
            if "expect" in evaluator.adapter.plugin.manifest.reads:
                findings.add(
                    names.MISSING_ATTRIBUTE,
                    f"cases `{found.name}` needs `expect`: evaluator `{evaluator.name}` compares answers with it",
                    found.source.span,
                    help="add `expect = …`, the field that holds what is expected",
                )


class _Header(NamedTuple):
    name: str
    seed: int
    owner: str | None


def _read_suite(declared: Declared, reader: Reader, source: Source) -> _Header:
    suites = declared.of("suite")
    if len(suites) != 1:
        if suites:
            first, second, *_ = [suite.label or suite.kind for suite in suites]
            reader.findings.add(
                names.SUITE_COUNT,
                f"a file declares one suite; `{second.text}` is another",
                second.span,
                labels=(Label(first.span, "the first one"),),
                help="move it to a file of its own",
            )
        elif declared.has_all("suite"):
            reader.findings.add(
                names.SUITE_COUNT, "no suite is declared", source.span(0, 0), help="add `suite NAME { }` at the top"
            )
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
        reader.choice(population, ("superpopulation",), later=("suite",))
    return _Header(
        name,
        0 if seed is None else reader.integer(seed, at_least=0) or 0,
        None if owner is None else reader.text(owner),
    )


def _each(items: Iterable[_T | None]) -> tuple[_T, ...]:
    return tuple(item for item in items if item is not None)


def _weighed(metric: MetricDef, clusters: Iterable[ClusterDef]) -> MetricDef:
    """The metric, with what its cluster says where itself is silent."""
    own = next((item for item in clusters if item.name == metric.cluster), None)
    if own is None or metric.sizes_uninformative or (metric.weight_by, metric.max_size) != (None, None):
        return metric
    return replace(metric, weight_by=own.weight_by, max_size=own.max_size)
