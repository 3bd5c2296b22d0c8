"""Measurements set beside the cases that they are of: one column for each case set, system and evaluator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from oloproof.canon.encoding import encode
from oloproof.chain.case import Case
from oloproof.chain.measurement import Measurement, Output
from oloproof.errors import OloproofError

#: What one trial gave: outputs by name, or the reason why there are none.
Trial = dict[str, Output] | str


class RepeatedCase(OloproofError):
    """Two case records of one id: one of them would vanish from the counts."""

    def __init__(self, case: Case) -> None:
        self.case = case
        super().__init__(f"case {case.id!r} stands twice in set {case.case_set!r}; a case has one record")


class StrayMeasurement(OloproofError):
    """A measurement of a case or of a repeat that the plan does not have, or a second one of the same trial."""

    def __init__(self, measurement: Measurement) -> None:
        self.measurement = measurement
        super().__init__(
            f"measurement of case {measurement.id!r} in set {measurement.case_set!r} by {measurement.evaluator!r}, "
            f"repeat {measurement.repeat}, belongs to no case and trial of the plan, or stands twice"
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One case and its trials by one system and evaluator, in repeat order."""

    case: Case
    trials: tuple[Trial, ...]
    encoded: tuple[bytes, ...]


class Table:
    """All columns of a run; column() gives the rows in file order, planned trials that nobody measured included.

    Raises: RepeatedCase, StrayMeasurement.
    """

    def __init__(self, cases: Iterable[Case], measurements: Iterable[Measurement]) -> None:
        self._cases: dict[str, dict[str, Case]] = defaultdict(dict)
        for case in cases:
            if case.id in self._cases[case.case_set]:
                raise RepeatedCase(case)
            self._cases[case.case_set][case.id] = case
        self._trials: dict[tuple[str, str, str], dict[tuple[str, int], Measurement]] = defaultdict(dict)
        for found in measurements:
            column = self._trials[found.case_set, found.system, found.evaluator]
            place = (found.id, found.repeat)
            if found.id not in self._cases[found.case_set] or place in column:
                raise StrayMeasurement(found)
            column[place] = found

    def column(self, case_set: str, system: str, evaluator: str, *, n_repeats: int) -> list[Row]:
        """The rows of one column, by the bytes of their ids. A trial without any measurement is missing.

        Raises: StrayMeasurement for a repeat that the plan does not ask for.
        """
        trials = self._trials[case_set, system, evaluator]
        for (_, repeat), stray in trials.items():
            if repeat >= n_repeats:
                raise StrayMeasurement(stray)
        rows = []
        for case in sorted(self._cases[case_set].values(), key=lambda case: case.id.encode()):
            found = tuple(_trial(trials.get((case.id, repeat))) for repeat in range(n_repeats))
            lines = tuple(encode([case_set, case.id, repeat, trial]) for repeat, trial in enumerate(found))
            rows.append(Row(case, found, lines))
        return rows


def _trial(found: Measurement | None) -> Trial:
    if found is None:
        return "unavailable"
    return found.outputs if found.outputs is not None else str(found.reason)
