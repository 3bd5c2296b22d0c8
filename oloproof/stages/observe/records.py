"""Observation records from the stored results, in file order and block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from json.encoder import encode_basestring
from typing import NamedTuple

from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.plan.cases import CaseRow
from oloproof.plan.salts import Salts, Series
from oloproof.ports.store import Result, Store, StoreUnusable
from oloproof.stages.observe.answers import Answer, read
from oloproof.stages.observe.executions import Course, blocks_of
from oloproof.stages.observe.packing import Committed, Packed, commit

_ROLE = "system"


class _Column(NamedTuple):
    """One system variant's results for the rows of a block, at one repeat, and the salts of its records."""

    course: Course
    repeat: int
    results: list[Result]
    record_salt: Series
    output_salt: Series


class Records:
    """The observation records of some courses. endings: variant → reason, or None for an answer → how many."""

    def __init__(self, courses: Sequence[Course], store: Store, salts: Salts) -> None:
        self._courses, self._store, self._salts = courses, store, salts
        self.endings: dict[str, Counter[str | None]] = {course.entry.variant: Counter() for course in courses}

    def packed(self) -> Iterator[Packed]:
        """All of them, sorted by (case set, id, system, repeat). Raises: StoreUnusable if a result is lost."""
        for _, group in groupby(self._courses, key=lambda course: course.case_set):
            courses = tuple(group)
            for rows in blocks_of(courses[0].rows):
                columns = [
                    self._column(course, rows, repeat) for course in courses for repeat in range(course.entry.repeats)
                ]
                for number, row in enumerate(rows):
                    for column in columns:
                        yield self._record(column, row, read(column.results[number].body))

    def _column(self, course: Course, rows: Sequence[CaseRow], repeat: int) -> _Column:
        found = self._store.lookup(Link.OBSERVATION, course.entry.identity, course.keys(rows, repeat))
        whole = [result for result in found if result is not None]
        if len(whole) != len(found):
            raise StoreUnusable("of this suite", "results vanished while the exec was running; run again")
        salts = partial(self._salts.series, "observation", course.case_set, role=_ROLE, system=course.entry.variant)
        return _Column(course, repeat, whole, salts(field="record"), salts(field="output"))

    def _record(self, column: _Column, row: CaseRow, answer: Answer) -> Packed:
        course, repeat, _, record_salt, output_salt = column
        self.endings[course.entry.variant][answer.reason] += 1
        salt = record_salt(row.input_hash, row.occurrence, repeat).hex()
        if answer.reason is not None:
            return Packed(observation_line(course, row, repeat, answer, output=None, salt=salt), b"", "")
        content_salt = output_salt(row.input_hash, row.occurrence, repeat)
        output = commit(content_salt, answer.content, answer.media_type)
        line = observation_line(course, row, repeat, answer, output=output, salt=salt)
        return Packed(line, output.entry, output.index_text)


def observation_line(
    course: Course, row: CaseRow, repeat: int, answer: Answer, *, output: Committed | None, salt: str
) -> bytes:
    """The canonical line of chain.observation.Observation, written directly."""
    reason = "null" if answer.reason is None else f'"{answer.reason}"'
    return (
        f'{{"id":{encode_basestring(row.id)},"identity":"{course.entry.identity}","judge":null,"link":"observation",'
        f'"ordinal":0,"output":{output.commitment if output else "null"},"reason":{reason},"repeat":{repeat},'
        f'"role":"{_ROLE}","salt":"{salt}","served_model":{answer.served_model},'
        f'"set":{encode_basestring(course.case_set)},"status":"{"ok" if output else "missing"}",'
        f'"system":{encode_basestring(course.entry.variant)},"usage":{answer.usage},"v":{RECORD_VERSION}}}'
    ).encode()
