"""What one exec came to, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from oloproof.chain.decision import Decision, DecisionState
from oloproof.chain.diagnosis import Diagnosis
from oloproof.chain.inference import Inference
from oloproof.chain.recommendation import Action, Recommendation
from oloproof.chain.run_state import RunState
from oloproof.plan.plan import Plan

#: Exit code of each state that blocks, worst first (docs/reference/cli.md).
_BLOCKING: Final = (
    (DecisionState.FAIL, 1),
    (DecisionState.MANUAL_REVIEW, 4),
    (DecisionState.INSUFFICIENT_EVIDENCE, 3),
)
#: Exit code of a run without a decision that nobody cancelled.
NO_DECISION: Final = 5
#: Exit codes of a cancelled run are this and the signal's number.
SIGNAL_BASE: Final = 128


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records of a COMPLETE run from inference on."""

    inferences: tuple[Inference, ...]
    diagnoses: tuple[Diagnosis, ...]
    decisions: tuple[Decision, ...]
    recommendation: Recommendation

    @property
    def exit_code(self) -> int:
        """0 for ALLOW and WARN, else the code of the worst state that blocks."""
        blocking = {item.state for item in self.recommendation.because if item.action is Action.BLOCK}
        return next((code for state, code in _BLOCKING if state in blocking), 0)


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls made, results reused, and cases missing by reason; over all systems, or over all evaluators.

    details: by reason the words of the first failure of this run, redacted; never in a record.
    """

    called: int = 0
    reused: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One exec. outcome and bundle are None unless it is COMPLETE; reason and detail say why it is not.

    looks: gate → how many distinct inferences of it this store has seen. made_key: the folder of the signing key, if it
    was made for this run. was_there: the bundle existed already with exactly these records. signal: what cancelled it.
    """

    id: str
    state: RunState
    plan: Plan
    observed: Tally
    measured: Tally
    outcome: Outcome | None = None
    bundle: Path | None = None
    was_there: bool = False
    moved: Path | None = None
    keyid: str | None = None
    looks: dict[str, int] = field(default_factory=dict)
    made_key: Path | None = None
    reason: str | None = None
    detail: str = ""
    signal: int | None = None

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        if self.outcome is not None:
            return self.outcome.exit_code
        return NO_DECISION if self.signal is None else SIGNAL_BASE + self.signal
