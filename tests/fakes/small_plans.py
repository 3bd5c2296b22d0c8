"""Plans and case sets for tests of stages, made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from oloproof.canon.digests import digest_of
from oloproof.canon.encoding import Json
from oloproof.engine.work import AdapterSpec, Engine, Stop
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.keys import case_hash, content_digest, ids_digest, input_hash
from oloproof.plan.plan import (
    PLAN_FORMAT,
    CaseSetEntry,
    EvaluatorEntry,
    Inputs,
    Limits,
    Plan,
    PolicyEntry,
    StepEntry,
    SuiteEntry,
    SystemEntry,
)
from oloproof.stages.measure import EvaluatorBench
from oloproof.stages.observe import SystemBench

NOTHING = digest_of("test", "nothing")


def case_set(rows: Mapping[str, tuple[Json, Json]], name: str = "cases") -> CaseSet:
    """A set of rows id → (input, expect)."""
    seen: Counter[bytes] = Counter()
    made = []
    for case_id in sorted(rows, key=lambda text: text.encode()):
        given, expect = rows[case_id]
        digest = input_hash(given)
        whole = case_hash({"id": case_id, "input": given, "expect": expect})
        made.append(CaseRow(case_id, given, expect, digest, whole, seen[digest], {}, {}, 1, eligible=True))
        seen[digest] += 1
    return CaseSet(name, tuple(made))


def system(name: str = "bot", **changes: object) -> SystemEntry:
    """A system's entry whose identity is its options'."""
    entry = SystemEntry(name, name, "fake", 1, {}, (), None, False, 1000, 4, 1, NOTHING)
    entry = replace(entry, **changes)
    if "identity" in changes:
        return entry
    return replace(entry, identity=digest_of("test-system", entry.options))


def evaluator(name: str = "match", **changes: object) -> EvaluatorEntry:
    """An evaluator's entry whose identity is its options'."""
    entry = EvaluatorEntry(name, "fake", 1, {}, (), {"pass": "bool"}, ("expect",), None, NOTHING)
    entry = replace(entry, **changes)
    return replace(entry, identity=digest_of("test-evaluator", entry.options))


def plan_of(
    case_sets: Sequence[CaseSet],
    systems: Sequence[SystemEntry],
    evaluators: Sequence[EvaluatorEntry] = (),
    seed: int = 7,
) -> Plan:
    """A plan that observes every system and measures by every evaluator on every set."""
    steps = [StepEntry("observe", cases.name, one.variant, None) for cases in case_sets for one in systems]
    steps += [
        StepEntry("measure", cases.name, one.variant, rule.name)
        for cases in case_sets
        for one in systems
        for rule in evaluators
    ]
    return Plan(
        PLAN_FORMAT,
        1,
        SuiteEntry("suite", seed, "suite", None),
        Inputs({}, {}, ()),
        (),
        tuple(map(_entry, case_sets)),
        (),
        (),
        tuple(systems),
        tuple(evaluators),
        (),
        (),
        (),
        PolicyEntry("0.95", "proved", ()),
        Limits(None, None),
        tuple(steps),
        NOTHING,
        NOTHING,
    )


def _entry(cases: CaseSet) -> CaseSetEntry:
    rows = cases.rows
    ids, content = ids_digest(row.id for row in rows), content_digest(row.case_hash for row in rows)
    return CaseSetEntry(cases.name, "inline", 1, {}, (), len(rows), len(rows), ids, content, NOTHING)


def spec_of(entry: SystemEntry | EvaluatorEntry, execution: str = "process") -> AdapterSpec:
    """How the fake engine is told of an adapter."""
    kind = "system" if isinstance(entry, SystemEntry) else "evaluator"
    return AdapterSpec(kind, entry.name, "fake:Fake", "fake:Options", {}, "/", "/", execution, entry.timeout_ms, 4)


def system_bench(engine: Engine, *, stop: Stop | None = None, execution: str = "process") -> SystemBench:
    """Where the fake systems run."""
    return SystemBench(engine, lambda entry: spec_of(entry, execution), lambda _: None, stop or Stop())


def evaluator_bench(engine: Engine, *, stop: Stop | None = None, keep_missing: bool = False) -> EvaluatorBench:
    """Where the fake evaluators run."""
    return EvaluatorBench(engine, lambda entry: spec_of(entry, "inline"), stop or Stop(), keep_missing)


def echo(payload: Mapping[str, Json]) -> dict[str, Json]:
    """A system that answers with its input."""
    return {"output": payload["input"], "served_model": None, "usage": None}


def equals(payload: Mapping[str, Json]) -> dict[str, Json]:
    """An evaluator that wants exactly what is expected."""
    right = payload["output"] == payload["expect"]
    return {"outputs": {"pass": right}, "reason": None if right else "different"}


Answer = Callable[[Mapping[str, Json]], Mapping[str, Json]]
