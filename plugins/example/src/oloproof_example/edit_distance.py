"""The evaluator `edit_distance`: Levenshtein's distance between the answer and what is expected."""

from __future__ import annotations

from oloproof.sdk import ABSENT, Case, Context, Failure, Json, Verdict, look_up, parse_path

from oloproof_example.manifests import EditDistanceOptions


class EditDistance:
    """Counts in code points, without any normalisation; takes time in proportion to both lengths multiplied."""

    def __init__(self, options: EditDistanceOptions, _context: Context) -> None:
        self._field = None if options.field is None else parse_path(options.field)
        self._at_most = options.at_most

    def evaluate(self, case: Case, output: Json) -> Verdict | Failure:
        """Pass and distance; wrong with `no_field` and no distance where the answer has no such text."""
        if case.expect is None:
            return Failure("expect_missing")
        if not isinstance(case.expect, str):
            return Failure("expect_type", "a text is due")
        found = output if self._field is None else look_up(output, self._field)
        if found is ABSENT or not isinstance(found, str):
            return Verdict({"pass": False}, "no_field")
        distance = distance_between(found, case.expect)
        passes = distance <= self._at_most
        return Verdict({"pass": passes, "distance": distance}, None if passes else "different")


def distance_between(left: str, right: str) -> int:
    """The fewest insertions, deletions and replacements of single characters that make one text the other.

    Source: Wagner & Fischer, Journal of the ACM 21 (1974), by rows.

    >>> distance_between("kitten", "sitting")
    3
    """
    row = list(range(len(right) + 1))
    for above, one in enumerate(left):
        before, row[0] = row[0], above + 1
        for at, other in enumerate(right, 1):
            kept = before + (one != other)
            before, row[at] = row[at], min(kept, row[at] + 1, row[at - 1] + 1)
    return row[-1]
