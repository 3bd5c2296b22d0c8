"""Who signed: keys come from the relying party's policy alone, an envelope's keyid is only a hint."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from oloproof.stages.attest.envelope import Envelope, VerifySignature
from oloproof.stages.attest.policy import OWN_PRINCIPAL, TrustedKey, TrustPolicy
from oloproof.stages.attest.reading import parse_time
from oloproof.stages.attest.statement import PlanClaim
from oloproof.stages.attest.verdict import FailureClass, Rejected, SignerFound

#: How far a claimed time may lie in the future of the checking clock.
MAX_SKEW: Final = timedelta(minutes=5)


def signing_keys(
    envelope: Envelope, policy: TrustPolicy, verify: VerifySignature, place: str
) -> tuple[TrustedKey, ...]:
    """The keys of the policy under which a signature of the envelope holds, each once.

    Raises: Rejected (UNTRUSTED) where there is none.
    """
    message = envelope.message()
    found = [
        key
        for key in policy.keys
        if any(
            entry.keyid in (None, key.keyid) and verify(key.key, entry.signature, message)
            for entry in envelope.signatures
        )
    ]
    if not found:
        raise _untrusted(place, "no signature by a key of the trust file")
    return tuple(found)


def standing_keys(
    keys: Iterable[TrustedKey], policy: TrustPolicy, plan: PlanClaim, *, claimed: str, now: datetime, place: str
) -> tuple[TrustedKey, ...]:
    """Those of the keys that count for this plan at this time, enough of them for the policy.

    claimed: the signer's own word for when; it can only speak against a key, never for one that is retired or revoked.
    Raises: Rejected (UNTRUSTED).
    """
    at = parse_time(claimed)
    if at is None or at > now + MAX_SKEW:
        raise _untrusted(place, f"claimed_signed_at {claimed} lies in the future of {now:%Y-%m-%dT%H:%M:%SZ}")
    good, bad = [], []
    for key in keys:
        objection = _objection(key, plan, at, now)
        if objection is None:
            good.append(key)
        else:
            bad.append(f"{key.principal} ({key.keyid}) {objection}")
    for role, n in (("runner", policy.require.n_runners), ("approver", policy.require.n_approvers)):
        principals = sorted({key.principal for key in good if role in key.roles})
        if len(principals) < n:
            because = f": {'; '.join(bad)}" if bad else ""
            raise _untrusted(place, f"{n} with the role {role} are required, {len(principals)} signed{because}")
    return tuple(good)


def found_signers(keys: Iterable[TrustedKey], policy: TrustPolicy) -> tuple[SignerFound, ...]:
    """The keys as a report names them."""
    return tuple(
        SignerFound(key.principal, key.keyid, key.roles, is_own=policy.is_own and key.principal == OWN_PRINCIPAL)
        for key in keys
    )


def _objection(key: TrustedKey, plan: PlanClaim, claimed: datetime, now: datetime) -> str | None:
    if key.revoked_at is not None:
        return f"was revoked at {key.revoked_at:%Y-%m-%dT%H:%M:%SZ}"
    if key.retired_at is not None and key.retired_at <= now:
        return f"was retired at {key.retired_at:%Y-%m-%dT%H:%M:%SZ}, and only the signer says that this is older"
    if key.valid_from is not None and claimed < key.valid_from:
        return f"is valid from {key.valid_from:%Y-%m-%dT%H:%M:%SZ} only"
    if key.plans and not {plan.digest, plan.plan_hash, plan.decision_hash} & set(key.plans):
        return "has no role for this plan"
    return None


def _untrusted(place: str, reason: str) -> Rejected:
    return Rejected(FailureClass.UNTRUSTED, place, reason)
