"""All records and packs of a bundle, opened together and read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, TypeVar

from oloproof.canon.encoding import encode
from oloproof.chain.evidence import Evidence
from oloproof.chain.link import PACKED, Link
from oloproof.plan.cells import cells_of
from oloproof.plan.plan import Plan
from oloproof.stages.attest import layout, records
from oloproof.stages.attest.closure import Streams, Walked, walk
from oloproof.stages.attest.coherence import count_cells
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.packs import open_pack
from oloproof.stages.attest.recompute import Concluded
from oloproof.stages.attest.records import RecordFile, Shape, open_records
from oloproof.stages.attest.statement import DecisionStatement, environment_digest
from oloproof.stages.attest.verdict import FailureClass, Rejected

R = TypeVar("R")

#: Most diagnosis records that are read; they are the one file whose length the plan does not fix.
MAX_DIAGNOSES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the bundle holds, closed in itself."""

    walked: Walked
    concluded: Concluded
    evidence: Evidence


def read_holdings(folder: Folder, statement: DecisionStatement, plan: Plan, *, keep: bool) -> Holdings:
    """Reads every record and every packed content once. keep: whether recomputing will need them.

    Raises: Rejected. Where a file's bytes are not the signed ones that alone is told, since what a changed file says is
    nobody's word.
    """
    _check_counts(statement, plan)
    with ExitStack() as stack:
        opened = _Opened(stack, folder, statement)
        try:
            return _read(opened, statement, plan, keep=keep)
        except Rejected:
            changed = [failure for file in opened.files if (failure := file.settle()) is not None]
            if changed:
                raise Rejected.of(changed) from None
            raise


class _Opened:
    """The eight record files and the packs."""

    def __init__(self, stack: ExitStack, folder: Folder, statement: DecisionStatement) -> None:
        self.files: list[RecordFile[object]] = []

        def opened(shape: Shape[R]) -> RecordFile[R]:
            file = stack.enter_context(open_records(folder, shape, statement.links[shape.link]))
            self.files.append(file)  # type: ignore[arg-type] # only settled, which no record type matters to
            return file

        self.cases = opened(records.CASES)
        self.observations = opened(records.OBSERVATIONS)
        self.measurements = opened(records.MEASUREMENTS)
        self.inferences = opened(records.INFERENCES)
        self.diagnoses = opened(records.DIAGNOSES)
        self.decisions = opened(records.DECISIONS)
        self.recommendations = opened(records.RECOMMENDATIONS)
        self.evidences = opened(records.EVIDENCES)
        self.packs = {link: stack.enter_context(open_pack(folder, link)) for link in PACKED}


def _read(opened: _Opened, statement: DecisionStatement, plan: Plan, *, keep: bool) -> Holdings:
    streams = Streams(opened.cases, opened.observations, opened.measurements, opened.packs)
    walked = walk(plan, streams, withheld=statement.withheld, keep=keep)
    n_cells = count_cells(plan)
    inferences = _all(opened.inferences, n_cells)
    decisions = _all(opened.decisions, n_cells)
    due = [encode(list(key)) for gate in plan.gates for key in cells_of(plan, gate)]
    _check_cells(Link.INFERENCE, [item.cell.sort_key() for item in inferences], due)
    _check_cells(Link.DECISION, [item.cell.sort_key() for item in decisions], due)
    recommendation = _one(opened.recommendations)
    if [item.gate for item in recommendation.because] != [gate.name for gate in plan.gates]:
        reason = "its gates are not those of the plan, in their order"
        raise Rejected(FailureClass.MISMATCH, layout.records(Link.RECOMMENDATION), reason)
    evidence = _one(opened.evidences)
    if environment_digest(evidence) != statement.environment:
        reason = "its platform is not the environment that was signed"
        raise Rejected(FailureClass.INTEGRITY, layout.records(Link.EVIDENCE), reason)
    diagnoses = _all(opened.diagnoses, MAX_DIAGNOSES)
    return Holdings(walked, Concluded(inferences, diagnoses, decisions, recommendation), evidence)


def _check_counts(statement: DecisionStatement, plan: Plan) -> None:
    """What the statement says twice it says alike, and no file is longer than the plan can make it."""
    place, cases = f"{layout.ENVELOPE} payload", statement.links[Link.CASE]
    if (statement.plan.n_cases, statement.plan.cases_root) != (cases.n, cases.root):
        raise Rejected(FailureClass.INTEGRITY, place, "plan and links speak of different cases")
    limits: Mapping[Link, tuple[int, FailureClass]] = {
        Link.INFERENCE: (count_cells(plan), FailureClass.MISMATCH),
        Link.DECISION: (count_cells(plan), FailureClass.MISMATCH),
        Link.RECOMMENDATION: (1, FailureClass.MISMATCH),
        Link.EVIDENCE: (1, FailureClass.INTEGRITY),
    }
    for link, (n, failure) in limits.items():
        if statement.links[link].n != n:
            raise Rejected(failure, place, f"{statement.links[link].n} {link} records; the plan has {n}")
    if statement.links[Link.DIAGNOSIS].n > MAX_DIAGNOSES:
        raise Rejected(FailureClass.MALFORMED, place, f"more than {MAX_DIAGNOSES} diagnosis records")


def _check_cells(link: Link, found: Sequence[bytes], due: Sequence[bytes]) -> None:
    if sorted(found) != sorted(due):
        raise Rejected(FailureClass.MISMATCH, layout.records(link), "its cells are not those of the plan")


def _all(file: RecordFile[R], limit: int) -> tuple[R, ...]:
    found = []
    for line in file:
        found.append(line.record)
        if len(found) > limit:
            raise file.rejected(FailureClass.INTEGRITY, f"more than {limit} records")
    return tuple(found)


def _one(file: RecordFile[R]) -> R:
    found = _all(file, 1)
    if not found:
        raise file.rejected(FailureClass.INTEGRITY, "no record")
    return found[0]
