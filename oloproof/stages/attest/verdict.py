"""What checking a bundle comes to: failures by class, a standing for every level, and one exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from oloproof.chain.decision import DecisionState
from oloproof.chain.recommendation import Action
from oloproof.errors import OloproofError


class FailureClass(IntEnum):
    """Why a bundle is not accepted; the value is the exit code."""

    MALFORMED = 13
    INTEGRITY = 14
    UNTRUSTED = 15
    BINDING = 16
    MISMATCH = 17
    INCOMPLETE = 18
    UNSUPPORTED = 19
    NOT_ACCEPTED = 20


#: The first of these that failed gives the exit code.
PRECEDENCE: Final = (
    FailureClass.MALFORMED,
    FailureClass.UNSUPPORTED,
    FailureClass.UNTRUSTED,
    FailureClass.INTEGRITY,
    FailureClass.BINDING,
    FailureClass.MISMATCH,
    FailureClass.INCOMPLETE,
    FailureClass.NOT_ACCEPTED,
)


class Level(StrEnum):
    """What a check can establish, each on top of those before it."""

    STRUCTURE = "structure"
    INTEGRITY = "integrity"
    SIGNATURE = "signature"
    BINDING = "binding"
    RECOMPUTE = "recompute"
    RESCORE = "rescore"
    REEXECUTE = "reexecute"


LEVELS: Final = tuple(Level)

#: The level at which a failure of each class is shown.
LEVEL_OF: Final = {
    FailureClass.MALFORMED: Level.STRUCTURE,
    FailureClass.UNSUPPORTED: Level.STRUCTURE,
    FailureClass.UNTRUSTED: Level.SIGNATURE,
    FailureClass.INTEGRITY: Level.INTEGRITY,
    FailureClass.BINDING: Level.BINDING,
    FailureClass.MISMATCH: Level.RECOMPUTE,
}


class Standing(StrEnum):
    """How a level came out."""

    VERIFIED = "verified"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    NOT_POSSIBLE = "not possible"


@dataclass(frozen=True, slots=True)
class LevelResult:
    """One level's standing and, in words, why."""

    level: Level
    standing: Standing
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is wrong. place: a file of the bundle, a record in it, or an argument of the caller."""

    failure_class: FailureClass
    level: Level | None
    place: str
    reason: str


class Rejected(OloproofError):
    """The check cannot go on; carries what failed, and never leaves the check."""

    def __init__(self, failure_class: FailureClass, place: str, reason: str) -> None:
        self.failures: tuple[Failure, ...] = (Failure(failure_class, LEVEL_OF.get(failure_class), place, reason),)
        super().__init__(f"{failure_class.name}: {place}: {reason}")

    @classmethod
    def of(cls, failures: Sequence[Failure]) -> Rejected:
        """One error for at least one failure."""
        first = failures[0]
        found = cls(first.failure_class, first.place, first.reason)
        found.failures = tuple(failures)
        return found


@dataclass(frozen=True, slots=True)
class SignerFound:
    """Whose signature holds. is_own: the key is the caller's own, entered when it was made."""

    principal: str
    keyid: str
    roles: tuple[str, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """What the bundle speaks of. digests: algorithm → hexadecimal digits; sha256 is always there."""

    name: str
    digests: dict[str, str]


@dataclass(frozen=True, slots=True)
class GateState:
    """One gate's state as the bundle states it."""

    gate: str
    state: DecisionState
    advisory: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The whole outcome. Every text may come from the bundle: escape it before it meets a terminal or a page.

    levels: all seven, in order. signers: empty unless a signature holds. subjects, states, action, plan_hash,
    claimed_signed_at: what the payload states, empty or None if it was not read; statements of the signer until
    recompute is verified. required: the level that exit code 0 would have meant.
    """

    levels: tuple[LevelResult, ...]
    failures: tuple[Failure, ...]
    notices: tuple[str, ...]
    signers: tuple[SignerFound, ...]
    subjects: tuple[Subject, ...]
    states: tuple[GateState, ...]
    action: Action | None
    plan_hash: str | None
    claimed_signed_at: str | None
    required: Level
    exit_code: int

    @property
    def is_verified(self) -> bool:
        """True where nothing failed and the required level was reached."""
        return self.exit_code == 0

    def standing(self, level: Level) -> Standing:
        """How one level came out."""
        return next(item.standing for item in self.levels if item.level is level)
