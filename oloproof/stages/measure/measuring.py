"""The measure stage: what is stored is served, the rest is evaluated, and the records are written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from oloproof.canon.digests import hash_parts
from oloproof.canon.encoding import Json
from oloproof.canon.lines import chunks_of
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.reasons import REASONS, About
from oloproof.plan.cases import CaseSet
from oloproof.plan.codec import to_json
from oloproof.plan.plan import Plan
from oloproof.plan.salts import Salts
from oloproof.ports.store import Store, StoredFile
from oloproof.stages.intake import Desk, Intake, Progress
from oloproof.stages.measure.evaluations import Course, courses_of
from oloproof.stages.measure.outcome import EvaluatorBench, EvaluatorCounts, Measured
from oloproof.stages.measure.reading import Observed, read_observed
from oloproof.stages.measure.records import Records
from oloproof.stages.measure.verdicts import settle

#: Bytes of an observation file up to which it is kept in memory while it is measured: about 30,000 observations.
KEPT_BYTES = 16 << 20


def measure(
    plan: Plan,
    case_sets: Sequence[CaseSet],
    observations: StoredFile,
    *,
    store: Store,
    salts: Salts,
    bench: EvaluatorBench,
) -> Measured:
    """The measurements of all `measure` steps of the plan over the stored observations.

    A missing observation is a missing measurement for the same reason, without a call. A whole step that was done
    before, with nothing missing that another try might mend, is found at once.
    Raises: AdapterCannotStart, StoreUnusable; what had finished by then is in the store.
    """
    courses = courses_of(plan)
    key = _step_key(plan, courses, observations, salts)
    linked = _find(store, key, keep_missing=bench.keep_missing)
    if linked is not None:
        return linked
    read = _reader(store, observations, case_sets)
    intakes: dict[str, Intake] = {}
    for course in courses:
        intakes[course.entry.name] = _evaluate(course, read(), store=store, bench=bench)
        if not intakes[course.entry.name].is_done:
            return Measured(None, _counts(courses, intakes, _endings_of(intakes)), is_complete=False)
    records = Records(courses, store, salts)
    file = store.write_file(Link.MEASUREMENT, chunks_of(records.lines(read())))
    measured = Measured(file, _counts(courses, intakes, records.endings), is_complete=True)
    store.bind_step(key, _outcome(measured))
    return measured


def _reader(
    store: Store, observations: StoredFile, case_sets: Sequence[CaseSet]
) -> Callable[[], Iterable[list[Observed]]]:
    """The observations as often as they are asked for: a small file is read once, a large one streams each time."""

    def stream() -> Iterator[list[Observed]]:
        return read_observed(store.read_file(observations.summary.sha256), case_sets)

    if observations.summary.size > KEPT_BYTES:
        return stream
    kept = list(stream())
    return lambda: kept


def _evaluate(course: Course, observed: Iterable[list[Observed]], *, store: Store, bench: EvaluatorBench) -> Intake:
    """Runs one evaluator over all observations that it reads, in one go of the engine."""
    entry = course.entry
    spec = bench.adapters(entry)
    desk = Desk(
        engine=bench.engine,
        spec=spec,
        stop=bench.stop,
        settle=partial(settle, sorted(entry.outputs.items())),
        serves="all" if bench.keep_missing else "settled",
        holds=spec.execution == "inline",
    )
    intake = Intake(store, Link.MEASUREMENT, entry.identity, desk)
    for _ in intake.run(course.blocks(observed)):
        if bench.on_progress:
            bench.on_progress(Progress(entry.name, intake.called + intake.reused, None))
    return intake


def _endings_of(intakes: dict[str, Intake]) -> dict[str, Counter[str | None]]:
    return {name: intake.endings for name, intake in intakes.items()}


def _counts(
    courses: Sequence[Course], intakes: dict[str, Intake], endings: dict[str, Counter[str | None]]
) -> dict[str, EvaluatorCounts]:
    counts = {}
    for name in (course.entry.name for course in courses):
        intake, mine = intakes.get(name), endings.get(name, Counter())
        counts[name] = EvaluatorCounts(
            planned=sum(mine.values()),
            called=intake.called if intake else 0,
            reused=intake.reused if intake else 0,
            measured=mine[None],
            missing={reason: n for reason, n in sorted(mine.items(), key=str) if reason is not None},
        )
    return counts


def _step_key(plan: Plan, courses: Sequence[Course], observations: StoredFile, salts: Salts) -> bytes:
    """Key of the whole measurement file: the observations, the cases, the evaluators and what each measures."""
    steps: list[Json] = [[to_json(course.entry), sorted(map(list, course.pairs))] for course in courses]
    cases: list[Json] = [[entry.name, entry.content, entry.options] for entry in plan.cases]
    return hash_parts(
        "olo-measure-step-v1", RECORD_VERSION, observations.summary.sha256.hex(), cases, steps, salts.fingerprint()
    )


def _outcome(measured: Measured) -> Json:
    assert measured.file is not None  # only whole measurements are remembered
    evaluators: dict[str, Json] = {
        name: {"measured": counts.measured, "missing": counts.missing, "planned": counts.planned}
        for name, counts in measured.evaluators.items()
    }
    return {"evaluators": evaluators, "file": measured.file.summary.sha256.hex()}


def _find(store: Store, key: bytes, *, keep_missing: bool) -> Measured | None:
    """The measurements of an equal step, unless something an evaluator failed at should be tried again."""
    outcome: Any = store.find_step(key)
    file = store.find_file(bytes.fromhex(outcome["file"])) if outcome else None
    if file is None:
        return None
    evaluators = {name: _served(found) for name, found in outcome["evaluators"].items()}
    reasons = (REASONS[reason] for counts in evaluators.values() for reason in counts.missing)
    if any(reason.retriable and reason.about is About.MEASUREMENT for reason in reasons) and not keep_missing:
        return None
    return Measured(file, evaluators, is_complete=True, is_linked=True)


def _served(found: dict[str, Any]) -> EvaluatorCounts:
    """The counts of a step that is served whole; what has no answer was never evaluated, so it is not reused either."""
    missing = dict(found["missing"])
    unevaluated = sum(n for reason, n in missing.items() if REASONS[reason].about is About.OBSERVATION)
    return EvaluatorCounts(found["planned"], 0, found["planned"] - unevaluated, found["measured"], missing)
