"""Checking a bundle: each step rests on those before it, and the first that fails ends the check.

Order: container, envelope, signature, payload, time and roles, plan, records and packs in one walk, pins, arithmetic.
Nothing that is signed is parsed before its signature was checked, and every byte is parsed as it is hashed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from oloproof.canon.digests import sha256, text_of
from oloproof.canon.encoding import NotCanonical
from oloproof.errors import OloproofError
from oloproof.plan.codec import BadPlan
from oloproof.plan.keys import MAX_PLAN_BYTES, read_plan
from oloproof.plan.plan import Plan
from oloproof.stages.attest import layout
from oloproof.stages.attest.coherence import check_plan
from oloproof.stages.attest.companion import PlanAtHand, check_plan_statement
from oloproof.stages.attest.contents import Holdings, read_holdings
from oloproof.stages.attest.envelope import MAX_ENVELOPE_BYTES, VerifySignature, parse_envelope
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.payload import read_decision
from oloproof.stages.attest.pins import Pins, check_pins, check_subjects, unaccepted
from oloproof.stages.attest.policy import TrustedKey, TrustPolicy
from oloproof.stages.attest.recompute import Recomputation, compare, compare_statement
from oloproof.stages.attest.signature import found_signers, signing_keys, standing_keys
from oloproof.stages.attest.statement import DecisionStatement
from oloproof.stages.attest.tally import Tally
from oloproof.stages.attest.verdict import LEVELS, FailureClass, Level, Rejected, Report, Standing


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller wants to know. level: what exit code 0 shall mean, None for what the policy or else we say."""

    level: Level | None
    policy: TrustPolicy | None
    pins: Pins
    now: datetime

    def required(self) -> Level:
        """The asked level, and never less than the policy's."""
        floor = self.policy.require.level if self.policy is not None else None
        wanted = self.level or floor or Level.RECOMPUTE
        return max(wanted, floor or wanted, key=LEVELS.index)


@dataclass(slots=True)
class _Check:
    """One check on its way: what was asked, with what tools, and what has come of it."""

    folder: Folder
    request: Request
    verify: VerifySignature
    pure: Recomputation
    tally: Tally


def check_bundle(path: Path, request: Request, *, verify: VerifySignature, pure: Recomputation) -> Report:
    """What checking a bundle directory comes to.

    Raises: UnreadableFile where the path, or a file in it, cannot be opened at all.
    """
    tally = Tally(required=request.required(), needs_binding=request.pins.are_any)
    try:
        with Folder(path) as folder:
            _run(_Check(folder, request, verify, pure, tally))
    except Rejected as rejected:
        tally.fail(rejected.failures)
    return tally.report()


def _run(check: _Check) -> None:
    names = check.folder.names()
    statement = _signed_statement(check, names)
    _close_world(check, names, statement)
    at_hand = _plan(check.folder, statement)
    if statement.plan_statement is not None:
        policy, now = check.request.policy, check.request.now
        notices = check_plan_statement(check.folder, statement, at_hand, policy, check.verify, now)
        check.tally.notices.extend(notices)
    is_recomputed = LEVELS.index(check.tally.required) >= LEVELS.index(Level.RECOMPUTE)
    holdings = read_holdings(check.folder, statement, at_hand.plan, keep=is_recomputed)
    check.tally.settle(Level.STRUCTURE, Standing.VERIFIED, "container, envelope, plan and records are well-formed")
    check.tally.settle(Level.INTEGRITY, Standing.VERIFIED, "every byte is the signed one, every reference holds")
    _bind(check, statement, at_hand.plan)
    if is_recomputed:
        _recompute(check, statement, at_hand.plan, holdings)
    else:
        check.tally.settle(Level.RECOMPUTE, Standing.NOT_CHECKED, "a lower level was asked for")
    failure = unaccepted(statement, check.request.pins)
    if failure is not None:
        check.tally.fail((failure,))


def _signed_statement(check: _Check, names: frozenset[str]) -> DecisionStatement:
    """The statement, read only after its signature was checked where there is anything to check it against."""
    place, policy = layout.ENVELOPE, check.request.policy
    if place not in names:
        raise Rejected(FailureClass.MALFORMED, place, "absent: this is no bundle")
    envelope = parse_envelope(check.folder.read(place, MAX_ENVELOPE_BYTES), place)
    keys = signing_keys(envelope, policy, check.verify, place) if policy is not None else ()
    read = read_decision(envelope, place)
    check.tally.notices.extend((*envelope.notices, *read.notices))
    minimum = policy.require.min_format if policy is not None else "1.0"
    if read.version < tuple(int(part) for part in minimum.split(".")):
        raise Rejected(FailureClass.UNSUPPORTED, place, f"older than the trust file's min_format {minimum}")
    if policy is None:
        reason = "no trust file: whose key should count is yours to say (--trust)"
        check.tally.settle(Level.SIGNATURE, Standing.NOT_CHECKED, reason)
    else:
        _stand(check, policy, keys, read.statement)
    check.tally.statement = read.statement
    return read.statement


def _stand(check: _Check, policy: TrustPolicy, keys: tuple[TrustedKey, ...], statement: DecisionStatement) -> None:
    claimed, now = statement.claimed_signed_at, check.request.now
    good = standing_keys(keys, policy, statement.plan, claimed=claimed, now=now, place=layout.ENVELOPE)
    check.tally.signers = found_signers(good, policy)
    lacking = [
        name
        for name, is_due in (("timestamp", policy.require.needs_timestamp), ("log", policy.require.needs_log))
        if is_due
    ]
    if lacking:
        reason = f"the trust file requires {' and '.join(lacking)}, which this version cannot check"
        check.tally.settle(Level.SIGNATURE, Standing.NOT_POSSIBLE, reason)
        return
    own = any(signer.is_own for signer in check.tally.signers)
    named = ", ".join(f"{signer.principal} ({signer.keyid})" for signer in check.tally.signers)
    check.tally.settle(Level.SIGNATURE, Standing.VERIFIED, "signed by your own key" if own else f"signed by {named}")


def _close_world(check: _Check, names: frozenset[str], statement: DecisionStatement) -> None:
    """Every file is one that the statement speaks of, or a companion that is judged alone."""
    due = set(layout.REQUIRED)
    if statement.plan_statement is not None:
        due.add(layout.PLAN_STATEMENT)
    extra = [name for name in names - due if not layout.is_companion(name) or name == layout.PLAN_STATEMENT]
    wrong = [*(Rejected(FailureClass.INTEGRITY, name, "absent") for name in sorted(due - names))]
    wrong += [Rejected(FailureClass.INTEGRITY, name, "not named by the signed statement") for name in sorted(extra)]
    if wrong:
        raise Rejected.of([failure for item in wrong for failure in item.failures])
    ignored = sorted(names - due)
    check.tally.notices.extend(f"{name}: ignored; it is judged alone, and this version does not" for name in ignored)


def _plan(folder: Folder, statement: DecisionStatement) -> PlanAtHand:
    place, claim = layout.PLAN, statement.plan
    data = folder.read(place, MAX_PLAN_BYTES)
    if len(data) != claim.size or text_of(sha256(data)) != claim.digest:
        raise Rejected(FailureClass.INTEGRITY, place, "not the plan that was signed")
    try:
        plan = read_plan(data)
    except BadPlan as error:
        failure = FailureClass.UNSUPPORTED if error.field == "format" else FailureClass.MALFORMED
        raise Rejected(failure, place, str(error)) from error
    except NotCanonical as error:
        raise Rejected(FailureClass.MALFORMED, place, str(error)) from error
    if (plan.plan_hash, plan.decision_hash) != (claim.plan_hash, claim.decision_hash):
        raise Rejected(FailureClass.INTEGRITY, place, "its hashes are not those that were signed")
    check_plan(plan)
    return PlanAtHand(plan, data)


def _bind(check: _Check, statement: DecisionStatement, plan: Plan) -> None:
    check.tally.notices.extend(check_subjects(statement, plan))
    policy = check.request.policy
    max_age = policy.require.max_age if policy is not None else None
    check_pins(statement, check.request.pins, max_age=max_age, now=check.request.now)
    if check.request.pins.are_any:
        check.tally.settle(Level.BINDING, Standing.VERIFIED, "it is about what you expect")
    else:
        reason = "nothing to hold it to: neither --expect-subject nor --expect-plan was given"
        check.tally.settle(Level.BINDING, Standing.NOT_CHECKED, reason)


def _recompute(check: _Check, statement: DecisionStatement, plan: Plan, holdings: Holdings) -> None:
    try:
        comparison = compare(plan, holdings.walked, holdings.concluded, check.pure)
    except OloproofError as error:
        check.tally.settle(
            Level.RECOMPUTE, Standing.NOT_POSSIBLE, f"the plan asks for what cannot be computed: {error}"
        )
        return
    failures = (*comparison.failures, *compare_statement(statement, holdings.concluded))
    if failures:
        raise Rejected.of(failures)
    reason = "inference, diagnosis, decision and recommendation come out again from the measurements"
    check.tally.settle(Level.RECOMPUTE, Standing.VERIFIED, reason)
    if comparison.n_within_tolerance:
        n = comparison.n_within_tolerance
        check.tally.notices.append(f"recompute: {n} numbers are equal within 1e-9 and not to the last bit")
    else:
        check.tally.notices.append("recompute: every number is equal to the last bit")
