"""What the caller knows from elsewhere, and the bundle must be about."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from oloproof.canon.encoding import encode
from oloproof.chain.decision import DecisionState
from oloproof.chain.recommendation import Action
from oloproof.errors import UsageError
from oloproof.plan.codec import to_json
from oloproof.plan.plan import Plan
from oloproof.stages.attest import layout
from oloproof.stages.attest.reading import parse_time
from oloproof.stages.attest.statement import DecisionStatement, subjects_of
from oloproof.stages.attest.verdict import Failure, FailureClass, Rejected

#: Decisions that can be required: every gate that is not advisory PASSes, or the recommendation is ALLOW.
REQUIRABLE: Final = ("PASS", "ALLOW")

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")
#: Further digests of a subject that are checked where a statement has them.
_KNOWN_HASHES: Final = ("sha384", "sha512")


class BadPin(UsageError):
    """An expectation that nothing could meet."""

    def __init__(self, option: str, text: str, due: str) -> None:
        self.option, self.text = option, text
        super().__init__(f"{option} {text[:80]!r}: {due} is due")


@dataclass(frozen=True, slots=True)
class Pins:
    """Digests as hexadecimal digits. subject_name: must be the name of the pinned subject, where given."""

    subject: str | None = None
    subject_name: str | None = None
    plan: str | None = None
    decision: str | None = None

    @classmethod
    def parse(cls, *, subject: str | None, plan: str | None, decision: str | None) -> Pins:
        """Pins from the texts of the options; subject may be `NAME=DIGEST`. Raises: BadPin."""
        if decision is not None and decision not in REQUIRABLE:
            raise BadPin("--require-decision", decision, " or ".join(REQUIRABLE))
        name, _, digest = subject.rpartition("=") if subject else ("", "", "")
        return cls(
            subject=_hex("--expect-subject", digest) if subject is not None else None,
            subject_name=name or None,
            plan=_hex("--expect-plan", plan) if plan is not None else None,
            decision=decision,
        )

    @property
    def are_any(self) -> bool:
        """True where a bundle can be bound to something."""
        return self.subject is not None or self.plan is not None


def check_subjects(statement: DecisionStatement, plan: Plan) -> list[str]:
    """Holds the subjects to the plan's systems; gives notices.

    Raises: Rejected: BINDING where they are others, INTEGRITY where a further digest of one is wrong.
    """
    place = f"{layout.ENVELOPE} payload subject"
    if {(s.name, s.digests["sha256"]) for s in statement.subjects} != {
        (s.name, s.digests["sha256"]) for s in subjects_of(plan)
    }:
        raise Rejected(FailureClass.BINDING, place, "not the systems of the plan in this bundle")
    notices = []
    for subject in statement.subjects:
        content = encode(to_json(plan.system(subject.name)))
        for algorithm, digest in subject.digests.items():
            if algorithm in _KNOWN_HASHES and hashlib.new(algorithm, content).hexdigest() != digest:
                raise Rejected(FailureClass.INTEGRITY, place, f"the {algorithm} of {subject.name!r} is not the plan's")
            if algorithm not in (*_KNOWN_HASHES, "sha256"):
                notices.append(f"{place}: ignored the digest {algorithm[:80]!r}")
    return notices


def check_pins(statement: DecisionStatement, pins: Pins, *, max_age: timedelta | None, now: datetime) -> None:
    """Holds the statement to what the caller expects. Raises: Rejected (BINDING)."""
    if pins.subject is not None:
        names = [item.name for item in statement.subjects if item.digests["sha256"] == pins.subject]
        if not names or (pins.subject_name is not None and pins.subject_name not in names):
            found = ", ".join(f"{item.name}=sha256:{item.digests['sha256']}" for item in statement.subjects)
            raise Rejected(FailureClass.BINDING, "--expect-subject", f"the bundle is about {found}")
    if pins.plan is not None:
        plan = statement.plan
        if f"sha256:{pins.plan}" not in (plan.digest, plan.plan_hash, plan.decision_hash):
            reason = f"the bundle has plan {plan.plan_hash}, decision hash {plan.decision_hash}"
            raise Rejected(FailureClass.BINDING, "--expect-plan", reason)
    signed = parse_time(statement.claimed_signed_at)
    if max_age is not None and (signed is None or now - signed > max_age):
        reason = f"signed at {statement.claimed_signed_at}, longer ago than the trust file's max_age"
        raise Rejected(FailureClass.BINDING, layout.ENVELOPE, reason)


def unaccepted(statement: DecisionStatement, pins: Pins) -> Failure | None:
    """The failure where the decision is not the required one."""
    if pins.decision is None:
        return None
    states = [gate.state for gate in statement.gates if not gate.advisory]
    action = statement.recommendation.action
    if pins.decision == "PASS":
        is_met = bool(states) and all(state is DecisionState.PASS for state in states)
    else:
        is_met = action is Action.ALLOW
    if is_met:
        return None
    told = ", ".join(f"{gate.id}: {gate.state}" for gate in statement.gates)
    return Failure(FailureClass.NOT_ACCEPTED, None, "--require-decision", f"{told}; recommendation {action}")


def _hex(option: str, text: str) -> str:
    found = _DIGEST.match(text)
    if not found:
        raise BadPin(option, text, "sha256: and 64 lower-case hexadecimal digits")
    return found[1]
