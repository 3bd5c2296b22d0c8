"""The evaluator `exact_match`: equal, or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oloproof.sdk import ABSENT, Case, Context, Failure, Json, Verdict
from oloproof_builtin.answers import field_of, parse_field
from oloproof_builtin.manifests import ExactMatchOptions


class ExactMatch:
    """Compares as JSON does: types count (`"1"` is not 1, true is not 1), the spelling of a number does not (1 is 1.0).

    `strip` and `ignore_case` (Unicode case folding) treat two texts, not texts inside lists and objects. Texts are not
    normalised: an é of two code points differs from one of one.
    """

    def __init__(self, options: ExactMatchOptions, _context: Context) -> None:
        self._field = parse_field(options.field)
        self._strips, self._ignores_case = options.strip, options.ignore_case

    def evaluate(self, case: Case, output: Json) -> Verdict | Failure:
        """pass; wrong with `different`, or with `no_field` where the answer lacks the field."""
        if case.expect is None:
            return Failure("expect_missing")
        found = field_of(output, self._field)
        if found is ABSENT:
            return Verdict({"pass": False}, "no_field")
        if isinstance(found, str) and isinstance(case.expect, str):
            equal = self._treat(found) == self._treat(case.expect)
        else:
            equal = are_equal(found, case.expect)
        return Verdict({"pass": equal}, None if equal else "different")

    def _treat(self, text: str) -> str:
        if self._strips:
            text = text.strip()
        return text.casefold() if self._ignores_case else text


def are_equal(left: Json, right: Json) -> bool:
    """Equality of JSON values: Python's, except that booleans are no numbers."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if isinstance(left, Mapping):
        return (
            isinstance(right, Mapping)
            and left.keys() == right.keys()
            and all(are_equal(item, right[key]) for key, item in left.items())
        )
    if isinstance(left, Sequence):
        return (
            isinstance(right, Sequence)
            and len(left) == len(right)
            and all(are_equal(one, other) for one, other in zip(left, right, strict=True))
        )
    return left == right
