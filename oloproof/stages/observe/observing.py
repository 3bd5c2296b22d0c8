"""The observe stage: what is stored is served, the rest is called, and the records are written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Literal

from oloproof.canon.digests import hash_parts
from oloproof.canon.encoding import Json
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import is_retriable
from oloproof.errors import OloproofError
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.plan import Plan
from oloproof.plan.salts import Salts
from oloproof.ports.store import Store
from oloproof.stages.intake import Block, Desk, Intake, Progress
from oloproof.stages.observe.answers import settle
from oloproof.stages.observe.cases import cases_key
from oloproof.stages.observe.executions import Course, blocks_of, courses_of, observed_pairs
from oloproof.stages.observe.outcome import Observed, ObserveOptions, SystemBench, SystemCounts
from oloproof.stages.observe.packing import chunks_with_packs
from oloproof.stages.observe.records import Records

_PLAIN = ObserveOptions()


class CodeChanged(OloproofError):
    """The code of a system was edited while it was run; its answers were dropped."""

    exit_code = 7

    def __init__(self, variant: str) -> None:
        self.variant = variant
        super().__init__(f"the code of {variant} changed while it was run: its answers are dropped; run it again")


def observe(
    plan: Plan,
    case_sets: Sequence[CaseSet],
    *,
    store: Store,
    salts: Salts,
    bench: SystemBench,
    options: ObserveOptions = _PLAIN,
) -> Observed:
    """The observations of all `observe` steps of the plan: stored ones by key, the rest from the engine.

    A whole step that was done before, with nothing missing that another try might mend, is found at once.
    Raises: AdapterCannotStart, StoreUnusable; what had finished by then is in the store.
    """
    key, outcomes = _step_key(plan, salts), failures_are_outcomes(plan)
    if not options.fresh and options.only is None and options.limit is None:
        linked = _find(store, key, outcomes, keep_missing=options.keep_missing)
        if linked is not None:
            return linked
    courses = courses_of(plan, case_sets, bench=bench, options=options)
    is_filtered = any(len(course.rows) != course.n_planned for course in courses)
    intakes: dict[str, Intake] = {}
    for variant, mine in _by_variant(courses):
        intakes[variant] = _call(mine, outcomes, store=store, bench=bench, options=options)
        entry = mine[0].entry
        if intakes[variant].called and not bench.is_unchanged(entry):
            # Some of the answers may be the new code's: under the old identity none of them can stay.
            store.forget(Link.OBSERVATION, entry.identity)
            raise CodeChanged(variant)
        if not intakes[variant].is_done:
            return Observed(None, _counts(courses, intakes, _endings_of(intakes)), is_complete=False)
    records = Records(courses, store, salts)
    file = store.write_file(Link.OBSERVATION, chunks_with_packs(records.packed()))
    observed = Observed(file, _counts(courses, intakes, records.endings), is_complete=not is_filtered)
    if not is_filtered:
        store.bind_step(key, _outcome(observed))
    return observed


def failures_are_outcomes(plan: Plan) -> frozenset[str]:
    """The system variants whose failures a gated metric counts as observed.

    Such a failure is an outcome like any other and is served like one: to draw only the failures again until they are
    gone would be to run until the gate is green.
    """
    counted = {metric.name for metric in plan.metrics if metric.errors == "failed"}
    return frozenset(
        variant
        for gate in plan.gates
        if any(line.metric in counted for line in gate.requires)
        for variant in gate.systems
    )


def _by_variant(courses: Sequence[Course]) -> Iterator[tuple[str, list[Course]]]:
    ordered = sorted(courses, key=lambda course: course.entry.variant)
    return ((variant, list(mine)) for variant, mine in groupby(ordered, key=lambda course: course.entry.variant))


def _call(
    courses: Sequence[Course], outcomes: frozenset[str], *, store: Store, bench: SystemBench, options: ObserveOptions
) -> Intake:
    """Runs one system variant over all its case sets, in one go of the engine."""
    entry = courses[0].entry
    spec = bench.adapters(entry)
    serves: Literal["all", "settled", "none"] = "settled"
    if options.fresh or options.keep_missing or entry.variant in outcomes:
        serves = "none" if options.fresh else "all"
    # An inline system only looks up what is recorded: losing its results costs no call.
    desk = Desk(bench.engine, spec, bench.stop, settle, serves, holds=spec.execution == "inline")
    intake = Intake(store, Link.OBSERVATION, entry.identity, desk)
    planned = sum(course.n_executions for course in courses)
    for _ in intake.run(_blocks(courses)):
        if options.on_progress:
            options.on_progress(Progress(entry.variant, intake.called + intake.reused, planned))
    if options.on_progress:
        options.on_progress(Progress(entry.variant, intake.called + intake.reused, planned))
    return intake


def _blocks(courses: Sequence[Course]) -> Iterator[Block]:
    for course in courses:
        for repeat in range(course.entry.repeats):
            for rows in blocks_of(course.rows):
                yield Block(course.keys(rows, repeat), partial(_payload, course, rows, repeat))


def _payload(course: Course, rows: Sequence[CaseRow], repeat: int, number: int) -> dict[str, Json]:
    return course.payload(rows[number], repeat)


def _endings_of(intakes: dict[str, Intake]) -> dict[str, Counter[str | None]]:
    return {variant: intake.endings for variant, intake in intakes.items()}


def _counts(
    courses: Sequence[Course], intakes: dict[str, Intake], endings: dict[str, Counter[str | None]]
) -> dict[str, SystemCounts]:
    counts = {}
    for variant, mine in _by_variant(courses):
        intake, mine_endings = intakes.get(variant), endings.get(variant, Counter())
        counts[variant] = SystemCounts(
            planned=sum(course.n_executions for course in mine),
            called=intake.called if intake else 0,
            reused=intake.reused if intake else 0,
            answered=mine_endings[None],
            missing={reason: n for reason, n in sorted(mine_endings.items(), key=str) if reason is not None},
            details=dict(intake.details) if intake else {},
        )
    return counts


def _step_key(plan: Plan, salts: Salts) -> bytes:
    """Key of the whole observation file: the cases, and per step everything that its keys and lines hold."""
    steps: list[Json] = []
    for case_set, variant in observed_pairs(plan):
        entry = plan.system(variant)
        seed = plan.suite.seed if entry.takes_seed else None
        files: list[Json] = [data.sha256 for data in entry.data]
        steps.append([case_set, variant, entry.identity, entry.repeats, seed, files])
    return hash_parts("olo-observe-step-v1", RECORD_VERSION, cases_key(plan, salts).hex(), steps)


def _outcome(observed: Observed) -> Json:
    assert observed.file is not None  # only whole observations are remembered
    systems: dict[str, Json] = {
        variant: {"answered": counts.answered, "missing": counts.missing, "planned": counts.planned}
        for variant, counts in observed.systems.items()
    }
    return {"file": observed.file.summary.sha256.hex(), "systems": systems}


def _find(store: Store, key: bytes, outcomes: frozenset[str], *, keep_missing: bool) -> Observed | None:
    """The observation of an equal step, unless something in it should be asked again."""
    outcome: Any = store.find_step(key)
    file = store.find_file(bytes.fromhex(outcome["file"])) if outcome else None
    if file is None:
        return None
    systems = {
        variant: SystemCounts(found["planned"], 0, found["planned"], found["answered"], dict(found["missing"]))
        for variant, found in outcome["systems"].items()
    }
    retriable = any(
        is_retriable(reason)
        for variant, counts in systems.items()
        if variant not in outcomes
        for reason in counts.missing
    )
    if retriable and not keep_missing:
        return None
    return Observed(file, systems, is_complete=True, is_linked=True)
