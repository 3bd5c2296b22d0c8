"""What the plan asks to be measured: each evaluator over the observations of its systems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from json.encoder import encode_basestring

from oloproof.canon.encoding import Json, encode
from oloproof.plan.cases import CaseRow
from oloproof.plan.plan import EvaluatorEntry, Plan
from oloproof.stages.intake import Block
from oloproof.stages.measure.reading import Observed


@dataclass(frozen=True, slots=True)
class Course:
    """One evaluator and the (case set, system variant) pairs that it measures."""

    entry: EvaluatorEntry
    pairs: frozenset[tuple[str, str]]

    def reads(self, one: Observed) -> bool:
        """True for the observations that it measures."""
        return (one.case_set, one.system) in self.pairs

    def keys(self, observed: Sequence[Observed]) -> list[bytes]:
        """The measurement key of each (plan.keys.measurement_key, prepared once for a whole block)."""
        head = f"olo-measurement-v1\x00[{encode_basestring(self.entry.identity)},"
        return [
            sha256(f"{head}{encode_basestring(one.digest)},{self._read_text(one.row)}]".encode()).digest()
            for one in observed
        ]

    def blocks(self, observed: Iterable[list[Observed]]) -> Iterator[Block]:
        """The evaluations to do: those of observations that hold an answer."""
        for block in observed:
            mine = [one for one in block if one.reason is None and self.reads(one)]
            if mine:
                yield Block(self.keys(mine), partial(self._payload, mine))

    def _payload(self, observed: Sequence[Observed], number: int) -> dict[str, Json]:
        one = observed[number]
        output: Json = one.content.decode() if one.is_text else json.loads(one.content)
        return {
            "output": output,
            **{name: self._field(one.row, name) for name in ("expect", "input")},
        }

    def _field(self, row: CaseRow, name: str) -> Json:
        """A field of the case, None where the evaluator does not read it."""
        if name not in self.entry.reads:
            return None
        return row.expect if name == "expect" else row.input

    def _read_text(self, row: CaseRow) -> str:
        """Canonical JSON of the case fields that it reads."""
        parts = []
        if "expect" in self.entry.reads:
            parts.append(f'"expect":{_text(row.expect)}')
        if "input" in self.entry.reads:
            parts.append(f'"input":{_text(row.input)}')
        return f"{{{','.join(parts)}}}"


def courses_of(plan: Plan) -> tuple[Course, ...]:
    """One course an evaluator of the plan's `measure` steps, by its name in file order."""
    pairs: dict[str, set[tuple[str, str]]] = {}
    for step in plan.steps:
        if step.kind == "measure" and step.evaluator is not None:
            pairs.setdefault(step.evaluator, set()).add((step.cases, step.system))
    return tuple(
        Course(plan.evaluator(name), frozenset(pairs[name])) for name in sorted(pairs, key=lambda name: name.encode())
    )


def _text(value: Json) -> str:
    return encode_basestring(value) if type(value) is str else encode(value).decode()
