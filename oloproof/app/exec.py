"""One case's walk, for all cases at once: observe, measure, infer, diagnose, decide, recommend, attest."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from oloproof.app.compile import plan_bytes
from oloproof.app.places import Places
from oloproof.app.settle import Settled, settle, write_records
from oloproof.canon.digests import DigestText, digest_of
from oloproof.canon.encoding import Json
from oloproof.chain.evidence import Evidence
from oloproof.chain.inference import Inference
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.engine.work import AdapterCannotStart, AdapterSpec, Engine, Stop
from oloproof.errors import UsageError
from oloproof.plan.cases import CaseSet
from oloproof.plan.codec import to_json
from oloproof.plan.plan import EvaluatorEntry, GateEntry, Plan, SystemEntry
from oloproof.plan.salts import Salts
from oloproof.ports.signer import Signer
from oloproof.ports.store import Store, StoredFile, StoreUnusable
from oloproof.report.run import Run, Tally
from oloproof.sdk.protocols import RowKeyed
from oloproof.stages.attest.bundle import BundleNotWritten, Contents, StoreDiffers, Written, write_bundle
from oloproof.stages.attest.envelope import seal
from oloproof.stages.attest.statement import Outcome as Attested
from oloproof.stages.attest.statement import Producer, decision_statement, plan_payload
from oloproof.stages.intake import Progress
from oloproof.stages.measure import EvaluatorBench, Measured, measure
from oloproof.stages.observe import CodeChanged, Observed, ObserveOptions, SystemBench, observe, write_cases


class UnknownCase(UsageError):
    """A filter names a case that no set has."""

    def __init__(self, case_id: str, near: str | None) -> None:
        self.case_id, self.near = case_id, near
        super().__init__(f"no case is called {case_id!r}" + (f"; did you mean {near!r}?" if near else ""))


@dataclass(frozen=True, slots=True)
class Choices:
    """How this exec differs from a plain one (docs/reference/cli.md). only and limit leave the run PARTIAL."""

    fresh: bool = False
    keep_missing: bool = False
    only: tuple[str, ...] = ()
    limit: int | None = None
    on_progress: Callable[[Progress], None] | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the evidence record says beside the plan: the tool, the platform, the texts and data that were read."""

    producer: Producer
    platform: Mapping[str, Json]
    sources: Mapping[str, DigestText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything outside that a run works with. now: the time in RFC 3339, UTC, whole seconds."""

    store: Store
    engine: Engine
    signer: Signer
    salts: Salts
    system: Callable[[SystemEntry], AdapterSpec]
    evaluator: Callable[[EvaluatorEntry], AdapterSpec]
    row_keys: Callable[[SystemEntry], RowKeyed | None]
    is_unchanged: Callable[[SystemEntry], bool]
    stop: Stop
    now: Callable[[], str]
    made_key: Path | None = None


class _Ended(NamedTuple):
    """A run that ends without a decision."""

    state: RunState
    reason: str
    detail: str = ""


@dataclass(slots=True)
class _Walk:
    """One run on its way."""

    plan: Plan
    case_sets: Sequence[CaseSet]
    bench: Bench
    choices: Choices
    observed: Tally = field(default_factory=Tally)
    measured: Tally = field(default_factory=Tally)


def execute_plan(
    plan: Plan,
    case_sets: Sequence[CaseSet],
    *,
    target: Places,
    bench: Bench,
    provenance: Provenance,
    choices: Choices | None = None,
) -> Run:
    """Runs a plan to its end, whatever that is; only a COMPLETE run has decisions and a bundle.

    case_sets: all rows of the plan's sets. Raises: UnknownCase before anything ran; StoreUnusable.
    """
    walk = _Walk(plan, case_sets, bench, choices or Choices())
    _check_filter(walk)
    run_id = bench.store.begin_run(suite=plan.suite.name, plan_hash=plan.plan_hash)
    try:
        statement = _plan_statement(plan, bench, provenance.producer)
        files = _measure_all(walk)
        if isinstance(files, _Ended):
            return _end(walk, run_id, files)
        tool = provenance.producer.code
        settled = settle(plan, files[Link.CASE], files[Link.MEASUREMENT], bench.store, tool=tool)
        written = _attest(walk, files | settled.files, settled, _Attest(statement, target, provenance))
    except AdapterCannotStart as error:
        return _end(walk, run_id, _Ended(RunState.RUN_ERROR, "adapter_cannot_start", str(error)))
    except StoreUnusable as error:
        return _end(walk, run_id, _Ended(RunState.RUN_ERROR, "store_unusable", str(error)))
    except CodeChanged as error:
        _end(walk, run_id, _Ended(RunState.RUN_ERROR, "code_changed", str(error)))
        raise
    except (BundleNotWritten, StoreDiffers) as error:
        return _end(walk, run_id, _Ended(RunState.RUN_ERROR, "evidence_not_written", str(error)))
    except Exception as error:  # whatever it is, the run is over, and its row must say so
        _end(walk, run_id, _Ended(RunState.RUN_ERROR, "internal_error", f"{type(error).__name__}: {error}"))
        raise
    bench.store.end_run(
        run_id,
        RunState.COMPLETE,
        files={link: file.summary.sha256 for link, file in written.files.items()},
        detail=_detail(walk),
    )
    return Run(
        id=run_id,
        state=RunState.COMPLETE,
        plan=plan,
        observed=walk.observed,
        measured=walk.measured,
        outcome=settled.outcome,
        bundle=written.bundle.path,
        was_there=written.bundle.was_there,
        moved=written.bundle.moved,
        keyid=bench.signer.keyid,
        looks=written.looks,
        made_key=bench.made_key,
    )


def _check_filter(walk: _Walk) -> None:
    if not walk.choices.only:
        return
    known = {row.id for case_set in walk.case_sets for row in case_set.rows}
    for case_id in walk.choices.only:
        if case_id not in known:
            near = difflib.get_close_matches(case_id, sorted(known), n=1, cutoff=0.5)
            raise UnknownCase(case_id, near[0] if near else None)


def _plan_statement(plan: Plan, bench: Bench, producer: Producer) -> bytes:
    """The signed plan, made before the first observation of this plan under this key and kept."""
    found = bench.store.find_statement(plan.plan_hash, bench.signer.keyid)
    if found is not None:
        return found
    payload = plan_payload(plan, plan_bytes=plan_bytes(plan), producer=producer, claimed_signed_at=bench.now())
    envelope = seal(payload, bench.signer)
    bench.store.put_statement(plan.plan_hash, bench.signer.keyid, envelope)
    return envelope


def _measure_all(walk: _Walk) -> dict[Link, StoredFile] | _Ended:
    """The files of cases, observations and measurements, or how the run ended on the way."""
    bench, choices = walk.bench, walk.choices
    cases = write_cases(walk.plan, walk.case_sets, store=bench.store, salts=bench.salts)
    observed = observe(
        walk.plan,
        walk.case_sets,
        store=bench.store,
        salts=bench.salts,
        bench=SystemBench(bench.engine, bench.system, bench.row_keys, bench.stop, bench.is_unchanged),
        options=ObserveOptions(
            fresh=choices.fresh,
            keep_missing=choices.keep_missing,
            only=frozenset(choices.only) or None,
            limit=choices.limit,
            on_progress=choices.on_progress,
        ),
    )
    walk.observed = _tally_systems(observed)
    ended = _ended(walk, observed)
    if ended is not None or observed.file is None:
        return ended or _Ended(RunState.RUN_ERROR, "store_unusable", "the observations were not stored whole")
    measured = measure(
        walk.plan,
        walk.case_sets,
        observed.file,
        store=bench.store,
        salts=bench.salts,
        bench=EvaluatorBench(bench.engine, bench.evaluator, bench.stop, choices.keep_missing, choices.on_progress),
    )
    walk.measured = _tally_evaluators(measured)
    if measured.file is None or not measured.is_complete:
        return _Ended(RunState.CANCELLED, "interrupted")
    return {Link.CASE: cases, Link.OBSERVATION: observed.file, Link.MEASUREMENT: measured.file}


def _ended(walk: _Walk, observed: Observed) -> _Ended | None:
    """Why no decision can follow these observations, or None."""
    if walk.bench.stop.is_requested:
        return _Ended(RunState.CANCELLED, "interrupted")
    if walk.choices.only or walk.choices.limit is not None:
        return _Ended(RunState.PARTIAL, "filtered", "a run of some of the cases explores; it never decides")
    for variant, counts in observed.systems.items():
        if counts.planned and not counts.answered:
            reasons = ", ".join(
                f"{reason} x {n}" + (f" ({counts.details[reason]})" if reason in counts.details else "")
                for reason, n in sorted(counts.missing.items())
            )
            return _Ended(RunState.RUN_ERROR, "system_answered_nothing", f"{variant}: {reasons}")
    if not observed.is_complete:
        return _Ended(RunState.PARTIAL, "interrupted", "not every planned execution was attempted")
    return None


def _tally_systems(observed: Observed) -> Tally:
    counts = observed.systems.values()
    return Tally(
        sum(item.called for item in counts),
        sum(item.reused for item in counts),
        _summed(item.missing for item in counts),
        {reason: words for item in counts for reason, words in item.details.items()},
    )


def _tally_evaluators(measured: Measured) -> Tally:
    counts = measured.evaluators.values()
    return Tally(
        sum(item.called for item in counts),
        sum(item.reused for item in counts),
        _summed(item.missing for item in counts),
    )


def _summed(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for reason, n in part.items():
            total[reason] = total.get(reason, 0) + n
    return dict(sorted(total.items()))


class _Attest(NamedTuple):
    statement: bytes
    target: Places
    provenance: Provenance


class _Bundled(NamedTuple):
    bundle: Written
    files: dict[Link, StoredFile]
    looks: dict[str, int]


def _attest(walk: _Walk, files: dict[Link, StoredFile], settled: Settled, how: _Attest) -> _Bundled:
    plan, bench, outcome = walk.plan, walk.bench, settled.outcome
    looks = _looks(plan, outcome.inferences, bench.store)
    evidence = Evidence(
        tool=how.provenance.producer.to_json(),
        plugins=tuple(to_json(entry) for entry in plan.plugins),
        sources=dict(sorted(how.provenance.sources.items())),
        platform=dict(how.provenance.platform),
        redaction={"policy": "none"},
        looks=dict(looks),
    )
    whole = files | {Link.EVIDENCE: write_records(Link.EVIDENCE, [evidence], bench.store)}
    encoded = plan_bytes(plan)
    statement = decision_statement(
        plan,
        plan_bytes=encoded,
        files=whole,
        outcome=Attested(outcome.inferences, outcome.decisions, outcome.recommendation, evidence),
        producer=how.provenance.producer,
        claimed_signed_at=bench.now(),
        plan_envelope=how.statement,
    )
    written = write_bundle(
        how.target.bundle,
        Contents(encoded, how.statement, whole),
        store=bench.store,
        statement=statement,
        signer=bench.signer,
        archive=how.target.archive,
    )
    return _Bundled(written, whole, {gate: len(seen) for gate, seen in looks.items()})


def _looks(plan: Plan, inferences: Sequence[Inference], store: Store) -> dict[str, list[DigestText]]:
    """Every gate's distinct inferences so far, this one included (specs/chain.md)."""
    looks: dict[str, list[DigestText]] = {}
    for gate in plan.gates:
        keys: list[Json] = [item.key for item in inferences if item.cell.gate == gate.name]
        looks[gate.name] = list(store.look(_gate_key(plan, gate), digest_of("olo-look-v1", keys)))
    return looks


def _gate_key(plan: Plan, gate: GateEntry) -> DigestText:
    """A gate as the ledger knows it: it stays the same when the suite grows."""
    metrics = [to_json(plan.metric(line.metric)) for line in gate.requires]
    systems: list[Json] = [plan.system(variant).identity for variant in gate.systems]
    return digest_of("olo-gate-v1", plan.suite.name, gate.name, metrics, systems)


def _end(walk: _Walk, run_id: str, ended: _Ended) -> Run:
    """Closes a run without a decision. A store that cannot be written keeps what it has acknowledged."""
    detail = {**_detail(walk), "reason": ended.reason, "message": ended.detail}
    try:
        walk.bench.store.end_run(run_id, ended.state, files={}, detail=detail)
    except StoreUnusable:
        if ended.reason != "store_unusable":
            raise
    return Run(
        id=run_id,
        state=ended.state,
        plan=walk.plan,
        observed=walk.observed,
        measured=walk.measured,
        reason=ended.reason,
        detail=ended.detail,
        signal=walk.bench.stop.signal if ended.state is RunState.CANCELLED else None,
    )


def _detail(walk: _Walk) -> dict[str, Json]:
    return {
        "calls": {"evaluator": walk.measured.called, "system": walk.observed.called},
        "decision_hash": walk.plan.decision_hash,
        "missing": dict(walk.measured.missing),
        "reused": {"measurements": walk.measured.reused, "observations": walk.observed.reused},
    }
