"""What the plan asks to be executed: each system variant over each of its case sets, repeat by repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from json.encoder import encode_basestring

from oloproof.canon.encoding import Json, encode_plain
from oloproof.engine.work import AdapterCannotStart
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.keys import case_seed
from oloproof.plan.plan import Plan, SystemEntry
from oloproof.sdk import RowKeyed
from oloproof.stages.observe.outcome import ObserveOptions, SystemBench

#: A block ends after a case whose hash is 0 modulo this: where it ends depends on the content alone, so that one case
#: more or less moves one block and not all that follow.
BLOCK_MODULUS = 1024
#: A block ends here at the latest.
MAX_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Course:
    """One system variant over one case set. rows: the cases to run; n_planned: those that the plan asks for.

    Cases that are not eligible are in neither: a rule on inputs excludes them, and nothing is called for them.
    """

    entry: SystemEntry
    case_set: str
    rows: tuple[CaseRow, ...]
    n_planned: int
    suite_seed: int
    row_keys: RowKeyed | None

    @property
    def n_executions(self) -> int:
        """Executions to run."""
        return len(self.rows) * self.entry.repeats

    def keys(self, rows: Sequence[CaseRow], repeat: int) -> list[bytes]:
        """The observation key of each row (plan.keys.observation_key, prepared once for a whole block)."""
        head = f'olo-observation-v1\x00[["system",{encode_basestring(self.entry.identity)},"'
        if not self.entry.takes_seed and self.row_keys is None:
            tail = f",{repeat},null,null]]"
            texts = [f'{head}{row.input_hash.hex()}",{row.occurrence}{tail}' for row in rows]
        else:
            texts = [
                f'{head}{row.input_hash.hex()}",{row.occurrence},{repeat},{self._seed_text(row, repeat)},'
                f"{self._extra(row)}]]"
                for row in rows
            ]
        return [sha256(text.encode()).digest() for text in texts]

    def payload(self, row: CaseRow, repeat: int) -> dict[str, Json]:
        """What the system is asked; the input is the system's own, so that none can change the case."""
        return {"id": row.id, "input": _copy(row.input), "repeat": repeat, "seed": self._seed(row, repeat)}

    def _seed(self, row: CaseRow, repeat: int) -> int | None:
        return case_seed(self.suite_seed, row.input_hash, row.occurrence, repeat) if self.entry.takes_seed else None

    def _seed_text(self, row: CaseRow, repeat: int) -> str:
        seed = self._seed(row, repeat)
        return "null" if seed is None else f'"{seed}"'

    def _extra(self, row: CaseRow) -> str:
        if self.row_keys is None:
            return "null"
        try:
            extra = self.row_keys.row_key(row.id)
        except Exception as error:  # a plugin's code: a broken recording must not look like a fault of ours
            reason = f"its row key of case {row.id!r} failed: {error}"
            raise AdapterCannotStart(self.entry.variant, reason) from error
        return encode_plain(extra).decode()


def observed_pairs(plan: Plan) -> list[tuple[str, str]]:
    """Case set and system variant of every `observe` step, in file order."""
    pairs = {(step.cases, step.system) for step in plan.steps if step.kind == "observe"}
    return sorted(pairs, key=lambda pair: (pair[0].encode(), pair[1].encode()))


def courses_of(
    plan: Plan, case_sets: Sequence[CaseSet], *, bench: SystemBench, options: ObserveOptions
) -> tuple[Course, ...]:
    """All courses of the plan's `observe` steps, by case set and variant in file order."""
    sets = {case_set.name: case_set for case_set in case_sets}
    planned = {name: tuple(row for row in case_set.rows if row.eligible) for name, case_set in sets.items()}
    pairs = observed_pairs(plan)
    entries = {variant: plan.system(variant) for _, variant in pairs}
    row_keys = {variant: bench.row_keys(entry) for variant, entry in entries.items()}
    return tuple(
        Course(
            entries[variant],
            name,
            _chosen(planned[name], options),
            len(planned[name]),
            plan.suite.seed,
            row_keys[variant],
        )
        for name, variant in pairs
    )


def blocks_of(rows: Sequence[CaseRow]) -> Iterator[Sequence[CaseRow]]:
    """The rows in blocks."""
    ends, start = [0], 0
    for number, row in enumerate(rows, 1):
        if not int.from_bytes(row.case_hash[-2:], "big") % BLOCK_MODULUS or number - start == MAX_BLOCK:
            ends.append(start := number)
    if start < len(rows):
        ends.append(len(rows))
    return (rows[first:last] for first, last in pairwise(ends))


def _copy(value: Json) -> Json:
    match value:
        case dict():
            return {key: _copy(item) for key, item in value.items()}
        case list() | tuple():
            return [_copy(item) for item in value]
        case _:
            return value


def _chosen(rows: tuple[CaseRow, ...], options: ObserveOptions) -> tuple[CaseRow, ...]:
    if options.only is not None:
        rows = tuple(row for row in rows if row.id in options.only)
    return rows if options.limit is None else rows[: options.limit]
