"""Suite, cases and facts to the canonical plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

from oloproof.canon.digests import DigestText, digest_of
from oloproof.canon.encoding import Json
from oloproof.language.planning.power import Part, judge_gate
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import data
from oloproof.language.semantics.spelling import plain
from oloproof.language.semantics.suite import CaseSetDef, Configured, EvaluatorDef, GateDef, SliceDef, Suite, SystemDef
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.codec import to_json
from oloproof.plan.keys import content_digest, decision_hash, design_digest, ids_digest, plan_hash
from oloproof.plan.plan import (
    PLAN_FORMAT,
    CaseSetEntry,
    ClusterEntry,
    CodeEntry,
    DataEntry,
    Decidability,
    EvaluatorEntry,
    GateEntry,
    Inputs,
    Limits,
    MetricEntry,
    Plan,
    PluginEntry,
    PolicyEntry,
    RequireEntry,
    SliceEntry,
    StepEntry,
    SuiteEntry,
    SystemEntry,
)
from oloproof.sdk.options import describe

_UNHASHED = DigestText("")
#: Slice values that one finding names.
SHOWN_VALUES = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """What the caller looked up outside the text.

    code: (kind, type) → digest of the plugin's modules. data: path as written → digest of the file. targets: system
    name → what its target is made of.
    """

    code: Mapping[tuple[str, str], DigestText]
    data: Mapping[str, DigestText]
    targets: Mapping[str, CodeEntry]


class Reach(NamedTuple):
    """The parts of a suite that its gates reach; nothing else is run or enters the plan."""

    cases: tuple[str, ...]
    systems: tuple[str, ...]
    evaluators: tuple[str, ...]
    metrics: tuple[str, ...]

    def clusters_of(self, suite: Suite, case_set: str) -> tuple[str, ...]:
        """The clusters that gated metrics use on a case set."""
        used = {line.metric for gate in suite.gates if gate.cases == case_set for line in gate.requires}
        return tuple(sorted({m.cluster for m in suite.metrics if m.name in used and m.cluster is not None}))


def reach_of(suite: Suite) -> Reach:
    """What the gates reach."""
    metrics = {line.metric for gate in suite.gates for line in gate.requires}
    return Reach(
        cases=tuple(sorted({gate.cases for gate in suite.gates})),
        systems=tuple(sorted({gate.system for gate in suite.gates})),
        evaluators=tuple(sorted({item.evaluator for item in suite.metrics if item.name in metrics})),
        metrics=tuple(sorted(metrics)),
    )


def lower(suite: Suite, case_sets: Mapping[str, CaseSet], facts: Facts, findings: Findings) -> Plan:
    """The plan, and in findings what the gates cannot decide. A pure function.

    case_sets: all that reach_of names.
    """
    reach = reach_of(suite)
    metrics = {item.name: item for item in suite.metrics}
    slices = _slices(suite, case_sets, findings)
    gates = []
    for gate in sorted(suite.gates, key=lambda item: item.name.encode()):
        parts = _parts(gate, slices, case_sets[gate.cases].rows)
        gates.append(_gate(gate, judge_gate(gate, metrics, parts, findings)))
    systems = [item for item in suite.systems if item.name in reach.systems]
    evaluators = [item for item in suite.evaluators if item.name in reach.evaluators]
    used = [item for item in suite.metrics if item.name in reach.metrics]
    clusters = {item.cluster for item in used}
    adapters = [*(item.adapter for item in systems), *(item.adapter for item in evaluators)]
    plan = Plan(
        format=PLAN_FORMAT,
        edition=suite.edition,
        suite=SuiteEntry(suite.name, suite.seed, "superpopulation", suite.owner),
        inputs=Inputs({}, {}, tuple(sorted({name for item in adapters for name in item.secrets}))),
        plugins=_plugins(suite, reach, facts),
        cases=_named(
            _case_set(item, case_sets[item.name], facts) for item in suite.cases if item.name in reach.cases
        ),
        clusters=_named(
            ClusterEntry(item.name, tuple(path.text for path in item.by), item.alone)
            for item in suite.clusters
            if item.name in clusters
        ),
        slices=slices,
        systems=_named(_system(item, facts) for item in systems),
        evaluators=_named(_evaluator(item, facts) for item in evaluators),
        judges=(),
        metrics=_named(
            MetricEntry(
                item.name, item.kind, item.evaluator, item.output, item.cluster, item.weight_by, item.max_size,
                item.sizes_uninformative, item.method, item.errors,
            )
            for item in used
        ),
        gates=tuple(gates),
        policy=PolicyEntry(format(plain(suite.policy.confidence), "f"), "conjectured", suite.policy.warn_on),
        limits=Limits(None, None),
        steps=_steps(gates, {item.name: item.evaluator for item in used}),
        decision_hash=_UNHASHED,
        plan_hash=_UNHASHED,
    )  # fmt: skip
    decided = replace(plan, decision_hash=decision_hash(plan))
    return replace(decided, plan_hash=plan_hash(decided))


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_N = TypeVar("_N", bound=_Named)


def _named(items: Iterable[_N]) -> tuple[_N, ...]:
    return tuple(sorted(items, key=lambda item: item.name.encode()))


def _slices(suite: Suite, case_sets: Mapping[str, CaseSet], findings: Findings) -> tuple[SliceEntry, ...]:
    """Slices that cover at least one case set, with the values that may occur."""
    entries = []
    for item in sorted(suite.slices, key=lambda item: item.name.encode()):
        counted: dict[str, int] = {}
        for case_set in case_sets.values():
            for row in case_set.rows:
                value = row.slices.get(item.name)
                if value is not None and row.eligible:
                    counted[value] = counted.get(value, 0) + 1
        is_all_read = len(case_sets) == len(suite.cases)
        must_occur = is_all_read or item.name in {gate.across for gate in suite.gates}
        _check_slice(item, counted, findings, must_occur=must_occur)
        if counted:
            values = tuple(sorted(item.values or counted, key=str.encode))
            entries.append(SliceEntry(item.name, item.by.text, values, item.min_cases))
    return tuple(entries)


def _check_slice(item: SliceDef, counted: Mapping[str, int], findings: Findings, *, must_occur: bool) -> None:
    """Reports values that no case has, and slices too small. must_occur: False if the field may be in a set unread."""
    if not counted and must_occur:
        findings.add(
            data.SLICE_KEY_ABSENT,
            f"no eligible case has a text, number or boolean at `case.{item.by.text}` for slice `{item.name}`",
            item.span,
            help="correct the field's name: `case.X` is the field X of a row",
        )
        return
    for value in item.values or ():
        if value not in counted:
            findings.add(
                data.SLICE_VALUE_UNUSED,
                f"no eligible case has {item.name} = {value!r}",
                item.span,
                help=f"values that occur: {', '.join(map(repr, sorted(counted)[:SHOWN_VALUES]))}",
            )
    small = {value: n for value, n in counted.items() if n < item.min_cases}
    if small:
        shown = ", ".join(f"{value!r} has {n}" for value, n in sorted(small.items())[:SHOWN_VALUES])
        findings.add(
            data.SLICE_TOO_SMALL,
            f"slice `{item.name}` asks for {item.min_cases} eligible cases of every value: {shown}",
            item.span,
            help="add cases, or lower `min_cases`",
        )


def _parts(gate: GateDef, slices: Sequence[SliceEntry], rows: Sequence[CaseRow]) -> list[Part]:
    entry = next((item for item in slices if item.name == gate.across), None)
    if entry is None:
        return [Part(None, None, rows)]
    by_value: dict[str | None, list[CaseRow]] = {}
    for row in rows:
        by_value.setdefault(row.slices.get(entry.name), []).append(row)
    return [Part(entry.name, value, by_value.get(value, [])) for value in entry.values]


def _gate(gate: GateDef, decidability: tuple[Decidability, ...]) -> GateEntry:
    return GateEntry(
        name=gate.name,
        requires=tuple(
            RequireEntry(line.metric, line.op, format(plain(line.threshold), "f")) for line in gate.requires
        ),
        systems=(gate.system,),
        cases=gate.cases,
        across=gate.across,
        correction=gate.correction,
        confidence=format(plain(gate.confidence), "f"),
        advisory=gate.advisory,
        decidability=decidability,
    )


def _case_set(definition: CaseSetDef, case_set: CaseSet, facts: Facts) -> CaseSetEntry:
    source, rows = definition.source, case_set.rows
    inline = {spec.name for spec in describe(source.plugin.manifest.options).values() if spec.kind == "inline_cases"}
    return CaseSetEntry(
        name=source.name,
        type=source.plugin.manifest.name,
        major=source.plugin.manifest.major,
        options={name: value for name, value in source.options.items() if name not in inline},
        data=_data(source, facts),
        n_total=len(rows),
        n_eligible=sum(row.eligible for row in rows),
        ids=ids_digest(row.id for row in rows),
        content=content_digest(row.case_hash for row in rows),
        design=design_digest(design_row(row) for row in rows),
        mapping=_mapping(definition),
    )


def _mapping(definition: CaseSetDef) -> dict[str, Json]:
    """How a row is read, as far as the suite says so."""
    mapping: dict[str, Json] = {}
    for name, found in (("id", definition.id), ("input", definition.input), ("expect", definition.expect)):
        if found is not None:
            texts: list[Json] = [text for text, _ in found.paths]
            mapping[name] = texts if found.is_object else texts[0]
    if definition.eligible:
        mapping["eligible"] = {line.text: list(line.values) for line in definition.eligible}
    return mapping


def design_row(row: CaseRow) -> list[Json]:
    """What inference reads of one case, as design_digest covers it."""
    return [row.id, row.occurrence, row.clusters, row.slices, row.weight, row.eligible]


def _data(item: Configured, facts: Facts) -> tuple[DataEntry, ...]:
    return tuple(DataEntry(path, facts.data[path]) for path in sorted(set(item.data_files), key=str.encode))


def _system(item: SystemDef, facts: Facts) -> SystemEntry:
    manifest = item.adapter.plugin.manifest
    code = facts.targets.get(item.name)
    return SystemEntry(
        name=item.name,
        variant=item.name,
        type=manifest.name,
        major=manifest.major,
        options=item.adapter.options,
        data=_data(item.adapter, facts),
        code=code,
        takes_seed="seed" in manifest.capabilities,
        timeout_ms=item.timeout_ms,
        concurrency=item.concurrency,
        repeats=item.repeats,
        identity=_identity(item.adapter, facts, code),
    )


def _evaluator(item: EvaluatorDef, facts: Facts) -> EvaluatorEntry:
    manifest = item.adapter.plugin.manifest
    return EvaluatorEntry(
        name=item.name,
        type=manifest.name,
        major=manifest.major,
        options=item.adapter.options,
        data=_data(item.adapter, facts),
        outputs=dict(manifest.outputs),
        reads=tuple(sorted(manifest.reads)),
        timeout_ms=item.timeout_ms,
        identity=_identity(item.adapter, facts, None),
    )


def _identity(item: Configured, facts: Facts, code: CodeEntry | None) -> DigestText:
    """Digest of all that determines what an adapter gives: type, code and full configuration (specs/chain.md).

    Data files count by content. Those of an adapter that keys each row itself are left out: the row's own digest is in
    the key, so that a longer recording re-buys nothing. Out are the declared name, timeout, concurrency and repeats,
    and secrets whole: neither a credential's value nor what it is called changes an answer.
    """
    plugin = item.plugin
    manifest = plugin.manifest
    kinds = {spec.name: spec.kind for spec in describe(manifest.options).values()}
    options: dict[str, Json] = {}
    for name, value in item.options.items():
        kind = kinds.get(name)
        if kind not in ("secret", "data_file"):
            options[name] = value
        elif kind == "data_file" and "row_key" not in manifest.capabilities and isinstance(value, str):
            options[name] = facts.data[value]
    return digest_of(
        "olo-adapter-v1",
        manifest.kind,
        manifest.name,
        manifest.major,
        facts.code[manifest.kind, manifest.name],
        None if plugin.is_builtin else [plugin.dist, plugin.version],
        options,
        to_json(code),
    )


def _plugins(suite: Suite, reach: Reach, facts: Facts) -> tuple[PluginEntry, ...]:
    used = [
        *(item.source for item in suite.cases if item.name in reach.cases),
        *(item.adapter for item in suite.systems if item.name in reach.systems),
        *(item.adapter for item in suite.evaluators if item.name in reach.evaluators),
    ]
    entries = {
        PluginEntry(
            kind=item.plugin.manifest.kind,
            type=item.plugin.manifest.name,
            major=item.plugin.manifest.major,
            dist=item.plugin.dist,
            version=item.plugin.version,
            code=facts.code[item.plugin.manifest.kind, item.plugin.manifest.name],
        )
        for item in used
    }
    return tuple(sorted(entries, key=lambda entry: (entry.kind, entry.type)))


def _steps(gates: Sequence[GateEntry], evaluator_of: Mapping[str, str]) -> tuple[StepEntry, ...]:
    observed = {(gate.cases, system) for gate in gates for system in gate.systems}
    measured = {
        (gate.cases, system, evaluator_of[line.metric])
        for gate in gates
        for system in gate.systems
        for line in gate.requires
    }
    return (
        *(StepEntry("observe", cases, system, None) for cases, system in sorted(observed)),
        *(StepEntry("measure", cases, system, evaluator) for cases, system, evaluator in sorted(measured)),
    )
