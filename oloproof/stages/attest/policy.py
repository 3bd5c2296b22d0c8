"""What a relying party trusts: keys, roles, and what must hold. Loaded from a file by an adapter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from oloproof.canon.digests import DigestText
from oloproof.stages.attest.verdict import Level

#: What a key can be trusted for.
Role = Literal["runner", "approver"]
#: Name under which the caller's own key stands in the own trust file.
OWN_PRINCIPAL = "self"


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """One Ed25519 key of one principal. key: 32 bytes. plans: hashes that it may sign for; empty for any."""

    principal: str
    key: bytes
    keyid: str
    roles: tuple[Role, ...]
    plans: tuple[DigestText, ...] = ()
    valid_from: datetime | None = None
    retired_at: datetime | None = None
    revoked_at: datetime | None = None
    revoked_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Requirements:
    """What must hold for exit code 0. n_runners, n_approvers: principals with distinct keys."""

    n_runners: int = 1
    n_approvers: int = 0
    level: Level | None = None
    min_format: str = "1.0"
    max_age: timedelta | None = None
    needs_timestamp: bool = False
    needs_log: bool = False


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """The whole of a trust file. is_own: the caller's own file, not one that was named."""

    keys: tuple[TrustedKey, ...]
    require: Requirements
    is_own: bool
