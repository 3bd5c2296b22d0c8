"""The standings of a check on its way, and the report that they end in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from oloproof.stages.attest.statement import DecisionStatement
from oloproof.stages.attest.verdict import (
    LEVELS,
    PRECEDENCE,
    Failure,
    FailureClass,
    GateState,
    Level,
    LevelResult,
    Report,
    SignerFound,
    Standing,
)

_NOT_REACHED: Final = "the check ended before this"
_LATER: Final = {
    Level.RESCORE: "this version does not run evaluators again over a bundle",
    Level.REEXECUTE: "this version does not call systems again from a bundle",
}


class Tally:
    """Collects standings and failures; report() gives the outcome.

    required: what exit code 0 means. needs_binding: the caller pinned something, so that binding counts.
    """

    def __init__(self, *, required: Level, needs_binding: bool) -> None:
        self.required = required
        self.notices: list[str] = []
        self.signers: tuple[SignerFound, ...] = ()
        self.statement: DecisionStatement | None = None
        self._needs_binding = needs_binding
        self._failures: list[Failure] = []
        self._levels = {level: LevelResult(level, Standing.NOT_CHECKED, _NOT_REACHED) for level in LEVELS}
        for level, reason in _LATER.items():
            self._levels[level] = LevelResult(level, Standing.NOT_POSSIBLE, reason)

    def settle(self, level: Level, standing: Standing, reason: str) -> None:
        """How a level came out."""
        self._levels[level] = LevelResult(level, standing, reason)

    def fail(self, failures: Iterable[Failure]) -> None:
        """What is wrong."""
        self._failures.extend(failures)

    def report(self) -> Report:
        """The outcome. Above a level that failed nothing is called verified, whatever was found on the way."""
        self._mark_failed()
        if not any(failure.failure_class is not FailureClass.NOT_ACCEPTED for failure in self._failures):
            self._failures.extend(self._unreached())
        classes = {failure.failure_class for failure in self._failures}
        first = next((item for item in PRECEDENCE if item in classes), None)
        said = self.statement
        return Report(
            levels=tuple(self._levels[level] for level in LEVELS),
            failures=tuple(sorted(self._failures, key=lambda item: PRECEDENCE.index(item.failure_class))),
            notices=tuple(self.notices),
            signers=self.signers,
            subjects=said.subjects if said else (),
            states=tuple(GateState(gate.id, gate.state, gate.advisory) for gate in said.gates) if said else (),
            action=said.recommendation.action if said else None,
            plan_hash=said.plan.plan_hash if said else None,
            claimed_signed_at=said.claimed_signed_at if said else None,
            required=self.required,
            exit_code=0 if first is None else int(first),
        )

    def _mark_failed(self) -> None:
        failed = {failure.level: failure.reason for failure in reversed(self._failures) if failure.level is not None}
        if not failed:
            return
        lowest = min(failed, key=LEVELS.index)
        for level in LEVELS:
            if level in failed:
                self.settle(level, Standing.FAILED, failed[level])
            elif LEVELS.index(level) > LEVELS.index(lowest) and level not in _LATER:
                self.settle(level, Standing.NOT_CHECKED, f"{lowest} failed")

    def _unreached(self) -> list[Failure]:
        """The levels up to the required one that are not verified; binding only where something was pinned."""
        due = LEVELS[: LEVELS.index(self.required) + 1]
        return [
            Failure(FailureClass.INCOMPLETE, level, level.value, self._levels[level].reason)
            for level in due
            if self._levels[level].standing is not Standing.VERIFIED
            and not (level is Level.BINDING and not self._needs_binding)
        ]
