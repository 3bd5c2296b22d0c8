"""The signed plan statement that may lie beside a decision: what was to be decided, before anything was observed."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from oloproof.canon.digests import sha256, text_of
from oloproof.plan.plan import Plan
from oloproof.stages.attest import layout
from oloproof.stages.attest.envelope import MAX_ENVELOPE_BYTES, VerifySignature, parse_envelope
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.payload import check_critical, open_statement, take_producer, take_version
from oloproof.stages.attest.policy import TrustPolicy
from oloproof.stages.attest.reading import parse_time
from oloproof.stages.attest.signature import MAX_SKEW, signing_keys, standing_keys
from oloproof.stages.attest.statement import (
    PLAN_CRITICAL,
    PLAN_TYPE,
    DecisionStatement,
    plan_facts,
    subjects_of,
)
from oloproof.stages.attest.verdict import FailureClass, Rejected


class PlanAtHand(NamedTuple):
    """The plan of the bundle and its bytes."""

    plan: Plan
    data: bytes


def check_plan_statement(
    folder: Folder,
    statement: DecisionStatement,
    at_hand: PlanAtHand,
    policy: TrustPolicy | None,
    verify: VerifySignature,
    now: datetime,
) -> list[str]:
    """Holds the plan statement to the decision that names it; gives notices.

    Raises: Rejected: INTEGRITY where it is another file, UNTRUSTED, MALFORMED, UNSUPPORTED, and BINDING where it speaks
    of another plan or of a time after the decision.
    """
    place = layout.PLAN_STATEMENT
    data = folder.read(place, MAX_ENVELOPE_BYTES)
    if text_of(sha256(data)) != statement.plan_statement:
        raise Rejected(FailureClass.INTEGRITY, place, "not the plan statement that the decision names")
    envelope = parse_envelope(data, place)
    keys = signing_keys(envelope, policy, verify, place) if policy is not None else ()
    notices: list[str] = list(envelope.notices)
    subjects, predicate = open_statement(envelope, place, kind=PLAN_TYPE, notices=notices)
    take_version(predicate)
    check_critical(predicate, minimum=PLAN_CRITICAL, understood=frozenset(PLAN_CRITICAL))
    take_producer(predicate)
    claimed = predicate.take_time("claimed_signed_at")
    if policy is not None:
        standing_keys(keys, policy, statement.plan, claimed=claimed, now=now, place=place)
    facts = plan_facts(at_hand.plan, at_hand.data)
    stated = {name: predicate.take(name, type(wanted)) for name, wanted in facts.items()}
    predicate.done()
    if stated != facts or subjects != subjects_of(at_hand.plan):
        raise Rejected(FailureClass.BINDING, place, "it speaks of another plan than the decision")
    before, after = parse_time(claimed), parse_time(statement.claimed_signed_at)
    if before is None or after is None or before > after + MAX_SKEW:
        raise Rejected(FailureClass.BINDING, place, f"signed at {claimed}, after the decision")
    return notices
