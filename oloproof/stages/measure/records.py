"""Measurement records from the stored verdicts, in file order and block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from json.encoder import encode_basestring

from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.plan.plan import EvaluatorEntry
from oloproof.plan.salts import Salts, Series
from oloproof.ports.store import Result, Store, StoreUnusable
from oloproof.stages.measure.evaluations import Course
from oloproof.stages.measure.reading import Observed
from oloproof.stages.measure.verdicts import Stored, read


class Records:
    """The measurement records. endings: evaluator → reason, or None where it was measured → how many."""

    def __init__(self, courses: Sequence[Course], store: Store, salts: Salts) -> None:
        self._courses, self._store, self._salts = courses, store, salts
        self._salt = cache(self._salt_series)
        self.endings: dict[str, Counter[str | None]] = {course.entry.name: Counter() for course in courses}

    def lines(self, observed: Iterable[list[Observed]]) -> Iterator[bytes]:
        """All lines, sorted by (case set, id, system, evaluator, repeat). Raises: StoreUnusable if a result is lost."""
        for block in observed:
            columns = [(course.entry, self._verdicts(course, block)) for course in self._courses]
            for (_, case_set, system), group in groupby(enumerate(block), key=_group):
                mine = list(group)
                for entry, verdicts in columns:
                    salt = self._salt(case_set, system, entry.name)
                    for number, one in mine:
                        verdict = verdicts.get(number)
                        if verdict is not None:
                            made = salt(one.row.input_hash, one.row.occurrence, one.repeat)
                            yield measurement_line(entry, one, verdict, made.hex())

    def _salt_series(self, case_set: str, system: str, evaluator: str) -> Series:
        return self._salts.series("measurement", case_set, field="record", system=system, by=evaluator)

    def _verdicts(self, course: Course, block: Sequence[Observed]) -> dict[int, Stored]:
        """The verdict on each observation of the block that this evaluator reads, by its number."""
        mine = [number for number, one in enumerate(block) if course.reads(one)]
        due = [number for number in mine if block[number].reason is None]
        keys = course.keys([block[number] for number in due])
        found = self._store.lookup(Link.MEASUREMENT, course.entry.identity, keys) if keys else []
        verdicts = {number: Stored("null", f'"{block[number].reason}"') for number in mine}
        verdicts.update({number: read(_sure(result).body) for number, result in zip(due, found, strict=True)})
        endings = self.endings[course.entry.name]
        for number in mine:
            outputs, reason = verdicts[number]
            endings[reason[1:-1] if outputs == "null" else None] += 1
        return verdicts


def _group(numbered: tuple[int, Observed]) -> tuple[int, str, str]:
    one = numbered[1]
    return id(one.row), one.case_set, one.system


def measurement_line(entry: EvaluatorEntry, one: Observed, verdict: Stored, salt: str) -> bytes:
    """The canonical line of chain.measurement.Measurement, written directly."""
    return (
        f'{{"digest":"{entry.identity}","evaluator":{encode_basestring(entry.name)},'
        f'"id":{encode_basestring(one.row.id)},"link":"measurement","observations":["sha256:{one.leaf.hex()}"],'
        f'"outputs":{verdict.outputs},"reason":{verdict.reason},"repeat":{one.repeat},"salt":"{salt}",'
        f'"set":{encode_basestring(one.case_set)},"status":"{"missing" if verdict.outputs == "null" else "observed"}",'
        f'"system":{encode_basestring(one.system)},"v":{RECORD_VERSION}}}'
    ).encode()


def _sure(result: Result | None) -> Result:
    if result is None:
        raise StoreUnusable("of this suite", "results vanished while the exec was running; run again")
    return result
