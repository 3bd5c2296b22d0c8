"""The evaluator `contains`: the expected text or texts occur in the answer."""

from __future__ import annotations

from oloproof.sdk import ABSENT, Case, Context, Failure, Json, Verdict
from oloproof_builtin.answers import field_of, parse_field
from oloproof_builtin.manifests import ContainsOptions


class Contains:
    """Looks for substrings, as they are written: no word bounds, no normalisation; `ignore_case` folds case.

    An empty text, which everything contains, and an empty list expect nothing: they are `expect_type`. An answer (or
    field) that is no text contains nothing.
    """

    def __init__(self, options: ContainsOptions, _context: Context) -> None:
        self._field = parse_field(options.field)
        self._enough = any if options.match == "any" else all
        self._ignores_case = options.ignore_case

    def evaluate(self, case: Case, output: Json) -> Verdict | Failure:
        """pass; wrong with `not_contained`, or with `no_field` where the answer lacks the field."""
        if case.expect is None:
            return Failure("expect_missing")
        wanted = _texts(case.expect)
        if not wanted:
            return Failure("expect_type", "a text or a list of texts is due, none of them empty")
        found = field_of(output, self._field)
        if found is ABSENT:
            return Verdict({"pass": False}, "no_field")
        if not isinstance(found, str):
            return Verdict({"pass": False}, "not_contained")
        answer = self._treat(found)
        passes = self._enough(self._treat(text) in answer for text in wanted)
        return Verdict({"pass": passes}, None if passes else "not_contained")

    def _treat(self, text: str) -> str:
        return text.casefold() if self._ignores_case else text


def _texts(expect: Json) -> list[str]:
    """The texts to look for; none where the expectation cannot be read."""
    items = [expect] if isinstance(expect, str) else expect if isinstance(expect, list | tuple) else []
    texts = [item for item in items if isinstance(item, str) and item]
    return texts if len(texts) == len(items) else []
