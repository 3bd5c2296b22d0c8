"""References between records, walked once and in step: cases, observations and measurements lie in one order."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from oloproof.canon.digests import DigestText, text_of
from oloproof.canon.encoding import Json, encode
from oloproof.chain.case import SAME_INPUT, Case
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement, Output
from oloproof.chain.observation import Observation
from oloproof.chain.reasons import About, reason_of
from oloproof.plan.plan import CaseSetEntry, EvaluatorEntry, Plan, SystemEntry
from oloproof.stages.attest.packs import PackFile
from oloproof.stages.attest.records import Line, RecordFile
from oloproof.stages.attest.verdict import FailureClass

_T = TypeVar("_T")

#: Python types of an output, by its declared type.
_OUTPUT_TYPES: Final[dict[str, tuple[type[Output], ...]]] = {"bool": (bool,), "real": (int, float), "text": (str,)}


@dataclass(frozen=True, slots=True)
class Streams:
    """The files that are walked together, and the packs beside two of them."""

    cases: RecordFile[Case]
    observations: RecordFile[Observation]
    measurements: RecordFile[Measurement]
    packs: dict[Link, PackFile]


@dataclass(frozen=True, slots=True)
class Walked:
    """What recomputing needs; both empty where it was not asked for, so that a long file costs no memory."""

    cases: tuple[Case, ...]
    measurements: tuple[Measurement, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """What a plan asks of every case of one set, in file order."""

    entry: CaseSetEntry
    systems: tuple[SystemEntry, ...]
    evaluations: tuple[tuple[SystemEntry, EvaluatorEntry], ...]


def walk(plan: Plan, streams: Streams, *, withheld: Mapping[Link, int], keep: bool) -> Walked:
    """Holds records, plan and packs to each other, in both directions.

    Every case of the plan is there with its design; every planned execution and evaluation has exactly one record and
    no other has; every content that a record commits to is in its pack or counted as withheld.

    Raises: Rejected: INTEGRITY, MALFORMED; MISMATCH where the design of a case set is not the plan's.
    """
    cases, measurements = [], []
    walker = _Walker(plan, streams)
    for work in _works(plan):
        tally = _Tally(work.entry, streams.cases)
        for line in walker.cases_of(work.entry.name):
            tally.add(line.record)
            found = walker.check_case(work, line.record)
            if keep:
                cases.append(line.record)
                measurements.extend(found)
        tally.finish()
    walker.finish()
    for link, pack in streams.packs.items():
        pack.finish(withheld[link])
    return Walked(tuple(cases), tuple(measurements))


def _works(plan: Plan) -> tuple[_Work, ...]:
    systems = {entry.variant: entry for entry in plan.systems}
    evaluators = {entry.name: entry for entry in plan.evaluators}
    observe: dict[str, set[str]] = defaultdict(set)
    measure: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for step in plan.steps:
        if step.evaluator is None:
            observe[step.cases].add(step.system)
        else:
            measure[step.cases].add((step.system, step.evaluator))
    return tuple(
        _Work(
            entry,
            tuple(systems[name] for name in sorted(observe[entry.name])),
            tuple((systems[system], evaluators[name]) for system, name in sorted(measure[entry.name])),
        )
        for entry in sorted(plan.cases, key=lambda item: item.name)
    )


class _Walker:
    """The three files, each a record ahead where the set must be seen before it is taken."""

    def __init__(self, plan: Plan, streams: Streams) -> None:
        self._streams = streams
        self._cases = _Ahead(streams.cases)
        self._clusters = frozenset((SAME_INPUT, *(entry.name for entry in plan.clusters)))
        self._slices = {entry.name: frozenset(entry.values) for entry in plan.slices}
        self._read = {
            entry.name: [m.output for m in plan.metrics if m.evaluator == entry.name] for entry in plan.evaluators
        }

    def cases_of(self, case_set: str) -> Iterator[Line[Case]]:
        """The records of one set."""
        while (line := self._cases.line) is not None and line.record.case_set == case_set:
            yield line
            self._cases.step()

    def check_case(self, work: _Work, case: Case) -> list[Measurement]:
        """Takes all that belongs to a case; gives its measurements."""
        self._check_labels(case)
        pack = self._streams.packs[Link.CASE]
        for commitment in (case.expect, case.input):
            if commitment is not None:
                pack.match(commitment)
        if not case.eligible:
            return []  # a case that the suite's own rule excludes is not run
        seen = self._observations(work, case)
        return [
            self._measurement(case, system, evaluator, repeat, seen[system.variant, repeat])
            for system, evaluator in work.evaluations
            for repeat in range(system.repeats)
        ]

    def finish(self) -> None:
        """Holds all three files to their ends."""
        if self._cases.line is not None:
            raise self._streams.cases.rejected(FailureClass.INTEGRITY, "a case of a set that the plan does not have")
        for file in (self._streams.observations, self._streams.measurements):
            if file.take() is not None:
                raise file.rejected(FailureClass.INTEGRITY, "a record that the plan does not ask for")

    def _observations(self, work: _Work, case: Case) -> dict[tuple[str, int], Line[Observation]]:
        file, pack = self._streams.observations, self._streams.packs[Link.OBSERVATION]
        seen = {}
        for system in work.systems:
            for repeat in range(system.repeats):
                line = file.take()
                wanted = ("system", case.case_set, case.id, system.variant, None, 0, repeat)
                if line is None or _place(line.record) != wanted:
                    reason = f"the observation of case {case.id!r} by {system.variant!r}, repeat {repeat}, is due here"
                    raise file.rejected(FailureClass.INTEGRITY, reason)
                if line.record.identity != system.identity:
                    raise file.rejected(FailureClass.INTEGRITY, "identity is not that of the plan's system")
                _check_reason(file, line.record.reason, (About.OBSERVATION,))
                if line.record.output is not None:
                    pack.match(line.record.output)
                seen[system.variant, repeat] = line
        return seen

    def _measurement(
        self, case: Case, system: SystemEntry, evaluator: EvaluatorEntry, repeat: int, observed: Line[Observation]
    ) -> Measurement:
        file = self._streams.measurements
        line = file.take()
        wanted = (case.case_set, case.id, system.variant, evaluator.name, repeat)
        found = None if line is None else line.record
        if found is None or (found.case_set, found.id, found.system, found.evaluator, found.repeat) != wanted:
            what = f"case {case.id!r}, {system.variant!r} by {evaluator.name!r}, repeat {repeat}"
            raise file.rejected(FailureClass.INTEGRITY, f"the measurement of {what}, is due here")
        if found.digest != evaluator.identity:
            raise file.rejected(FailureClass.INTEGRITY, "digest is not that of the plan's evaluator")
        if found.observations != (text_of(observed.leaf),):
            raise file.rejected(FailureClass.INTEGRITY, "observations are not the one observation of its place")
        self._check_outputs(evaluator, found)
        self._check_missing(observed.record, found)
        return found

    def _check_outputs(self, evaluator: EvaluatorEntry, found: Measurement) -> None:
        if found.outputs is None:
            return
        file = self._streams.measurements
        for name, value in found.outputs.items():
            if type(value) not in _OUTPUT_TYPES.get(evaluator.outputs.get(name, ""), ()):
                raise file.rejected(FailureClass.INTEGRITY, f"output {name[:80]!r} is not as the plan declares it")
        if not found.outputs.keys() >= set(self._read[evaluator.name]):
            raise file.rejected(FailureClass.INTEGRITY, "an output that a metric reads is absent")

    def _check_missing(self, observed: Observation, found: Measurement) -> None:
        """A missing answer cannot be measured, and only a missing answer is a reason of the system's."""
        file = self._streams.measurements
        if observed.is_missing:
            if not found.is_missing or found.reason != observed.reason:
                raise file.rejected(FailureClass.INTEGRITY, f"its observation is missing ({observed.reason})")
        else:
            _check_reason(file, found.reason, (About.MEASUREMENT,))

    def _check_labels(self, case: Case) -> None:
        file = self._streams.cases
        if not self._clusters >= case.clusters.keys():
            raise file.rejected(FailureClass.INTEGRITY, "a cluster that the plan does not have")
        for name, value in case.slices.items():
            if value not in self._slices.get(name, ()):
                raise file.rejected(FailureClass.INTEGRITY, "a slice or slice value that the plan does not have")


class _Ahead(Generic[_T]):
    """A file with its next record in sight."""

    __slots__ = ("_file", "line")

    def __init__(self, file: RecordFile[_T]) -> None:
        self._file = file
        self.line = file.take()

    def step(self) -> None:
        """Moves on by one record."""
        self.line = self._file.take()


class _Tally:
    """One case set held to what the plan says of it."""

    def __init__(self, entry: CaseSetEntry, file: RecordFile[Case]) -> None:
        self._entry, self._file = entry, file
        self._n_total = self._n_eligible = 0
        self._ids, self._design = ListDigest("olo-ids-v1"), ListDigest("olo-design-v1")

    def add(self, case: Case) -> None:
        self._n_total += 1
        self._n_eligible += case.eligible
        self._ids.add(case.id)
        row: list[Json] = [case.id, case.occurrence, case.clusters, case.slices, case.weight, case.eligible]
        self._design.add(row)

    def finish(self) -> None:
        name = self._entry.name
        if (self._n_total, self._ids.digest()) != (self._entry.n_total, self._entry.ids):
            reason = f"the cases of set {name!r} are not the plan's {self._entry.n_total}"
            raise self._file.rejected(FailureClass.INTEGRITY, reason)
        if (self._n_eligible, self._design.digest()) != (self._entry.n_eligible, self._entry.design):
            reason = f"clusters, slices, weights or eligibility in set {name!r} are not the plan's"
            raise self._file.rejected(FailureClass.MISMATCH, reason)


class ListDigest:
    """digest_of(domain, [item, ...]) taken item by item."""

    __slots__ = ("_hash", "_is_empty")

    def __init__(self, domain: str) -> None:
        self._hash = hashlib.sha256(domain.encode() + b"\x00[[")
        self._is_empty = True

    def add(self, item: Json) -> None:
        """Takes one more item."""
        self._hash.update(encode(item) if self._is_empty else b"," + encode(item))
        self._is_empty = False

    def digest(self) -> DigestText:
        """The digest of the items so far."""
        found = self._hash.copy()
        found.update(b"]]")
        return text_of(found.digest())


def _place(item: Observation) -> tuple[str, str, str, str, str | None, int, int]:
    return item.role, item.case_set, item.id, item.system, item.judge, item.ordinal, item.repeat


def _check_reason(file: RecordFile[_T], reason: str | None, about: tuple[About, ...]) -> None:
    if reason is not None and reason_of(reason).about not in about:
        raise file.rejected(FailureClass.MISMATCH, f"{reason!r} is no reason that this record can have")
