"""Checking a bundle offline: the trust of the caller, the bundle of a stranger, and the same arithmetic again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from oloproof.adapters.ed25519 import config_dir, verify_signature
from oloproof.adapters.trust import TRUST_FILE, load_trust
from oloproof.stages.attest.check import Request, check_bundle
from oloproof.stages.attest.pins import Pins
from oloproof.stages.attest.policy import TrustPolicy
from oloproof.stages.attest.recompute import Recomputation
from oloproof.stages.attest.verdict import Level, Report
from oloproof.stages.decide import decide
from oloproof.stages.diagnose import diagnose
from oloproof.stages.infer import infer
from oloproof.stages.recommend import recommend

_PURE = Recomputation(infer=infer, diagnose=diagnose, decide=decide, recommend=recommend)


def verify_bundle(  # noqa: PLR0913 -- the options of the command, each by its name
    path: Path,
    *,
    trust: Path | None = None,
    level: Level | None = None,
    expect_subject: str | None = None,
    expect_plan: str | None = None,
    require_decision: str | None = None,
    environ: Mapping[str, str],
    now: datetime,
) -> Report:
    """What checking a bundle comes to; nothing is written, no network is used, nothing of the bundle is run.

    trust: a trust file; without one the caller's own is used, and with none at all no signature counts (exit code 18).
    level: what exit code 0 shall mean; recompute unless the trust file says otherwise, and never less than it says.
    expect_subject: `[NAME=]DIGEST`. expect_plan: digest of plan.json, plan hash or decision hash. require_decision:
    `PASS` (every gate that is not advisory) or `ALLOW` (the recommendation). now: aware of its zone.

    Raises: UnreadableFile, UsageError (bad trust file or pins).
    """
    pins = Pins.parse(subject=expect_subject, plan=expect_plan, decision=require_decision)
    policy = _policy(trust, environ, now)
    request = Request(level=level, policy=policy, pins=pins, now=now)
    return check_bundle(path, request, verify=verify_signature, pure=_PURE)


def _policy(trust: Path | None, environ: Mapping[str, str], now: datetime) -> TrustPolicy | None:
    if trust is not None:
        return load_trust(trust, now=now)
    own = config_dir(environ) / TRUST_FILE
    return load_trust(own, now=now, is_own=True) if own.exists() else None
