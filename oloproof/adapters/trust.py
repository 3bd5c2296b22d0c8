"""Trust files: whose signatures a relying party accepts, and for what. Strict, since a typo here is a hole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from oloproof.adapters.ed25519 import fingerprint, read_public_key
from oloproof.canon.digests import BadDigest, DigestText, bytes_of
from oloproof.errors import UnreadableFile, UsageError
from oloproof.stages.attest.policy import OWN_PRINCIPAL, Requirements, Role, TrustedKey, TrustPolicy
from oloproof.stages.attest.verdict import Level

TRUST_FILE: Final = "trust.toml"
#: The version of trust files that is read.
VERSION: Final = 1

_MAX_BYTES = 1 << 20
_T = TypeVar("_T")
_ROLES: Final[Mapping[str, Role]] = {"runner": "runner", "approver": "approver"}
_AGE = re.compile(r"([1-9][0-9]{0,4})(d|h)\Z")
_FORMAT = re.compile(r"(?:0|[1-9][0-9]{0,3})\.(?:0|[1-9][0-9]{0,3})\Z")


class BadTrust(UsageError):
    """A trust file that says something else than what it could mean, or nothing at all."""

    def __init__(self, where: str, reason: str) -> None:
        self.where, self.reason = where, reason
        super().__init__(f"{where}: {reason}")


def load_trust(path: Path, *, now: datetime, is_own: bool = False) -> TrustPolicy:
    """The policy in a trust file.

    Raises: UnreadableFile; BadTrust for an unknown key or value, a key that stands twice, and a policy that nothing
    or anything could fulfil; BadKey for a key that must not be trusted.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(where, error.strerror or type(error).__name__) from error
    if len(data) > _MAX_BYTES:
        raise BadTrust(where, f"more than {_MAX_BYTES} bytes")
    try:
        table = _Table(tomllib.loads(data.decode()), where)
    except (ValueError, RecursionError) as error:
        raise BadTrust(where, f"not TOML: {error}") from error
    version = table.take("version", int)
    if version != VERSION:
        raise BadTrust(where, f"version {version}; this version of oloproof reads {VERSION}")
    signers: list[object] = table.take("signer", list, [])
    keys = tuple(_key(_Table(item, f"{where} signer {n}")) for n, item in enumerate(signers, 1))
    require = _requirements(_Table(table.take("require", dict, {}), f"{where} require"))
    table.done()
    _refuse_vacuous(keys, require, where, now)
    return TrustPolicy(keys, require, is_own=is_own)


def enter_own_key(directory: Path, public_key: str) -> bool:
    """True if the key was new to the own trust file and is now in it, with the role runner. Other entries stay.

    Raises: BadTrust, BadKey, UnreadableFile.
    """
    path = directory / TRUST_FILE
    raw = read_public_key(public_key, "the own key")
    text = _read_own(path)
    if text is not None and raw in _keys_in(text, str(path)):
        return False
    entry = f'\n[[signer]]\nprincipal = "{OWN_PRINCIPAL}"\nkey = "{public_key}"\nroles = ["runner"]\n'
    head = f"version = {VERSION}\n" if text is None else text.rstrip("\n") + "\n"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(8)}")
        try:
            with fresh.open("x", encoding="utf-8", newline="\n") as file:
                file.write(head + entry)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
    except OSError as error:
        raise BadTrust(str(path), f"cannot be written: {error.strerror}") from error
    return True


def _read_own(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UnreadableFile(str(path), str(error)) from error


def _keys_in(text: str, where: str) -> frozenset[bytes]:
    try:
        table = tomllib.loads(text)
    except ValueError as error:
        raise BadTrust(where, f"not TOML: {error}") from error
    signers = _Table(table, where).take("signer", list, [])
    entries = [_Table(item, where) for item in signers]
    return frozenset(read_public_key(entry.take("key", str), where) for entry in entries)


class _Table:
    """A TOML table read by name; done() refuses what nobody took."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise BadTrust(where, "a table is due")
        self._left, self.where = dict(value), where

    def take(self, name: str, kind: type[_T], default: _T | None = None) -> _T:
        """The value, of exactly this type; without a default it must be there."""
        if name not in self._left and default is not None:
            return default
        value = self._left.pop(name, None)
        if type(value) is not kind:
            found = "absent" if value is None else f"of type {type(value).__name__}"
            raise BadTrust(self.where, f"{name} must be {kind.__name__}; it is {found}")
        return value

    def take_texts(self, name: str, default: list[object] | None = None) -> tuple[str, ...]:
        """A list of distinct strings."""
        items: list[object] = self.take(name, list, default)
        texts = tuple(item for item in items if isinstance(item, str))
        if len(set(texts)) != len(items):
            raise BadTrust(self.where, f"{name} must hold distinct strings")
        return texts

    def take_time(self, name: str) -> datetime | None:
        """A moment, as a TOML date-time or a string, with its offset from UTC."""
        value = self._left.pop(name, None)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            moment = None
        if not isinstance(moment, datetime) or moment.tzinfo is None:
            raise BadTrust(self.where, f"{name} must be a time with an offset, like 2026-01-31T12:00:00Z")
        return moment.astimezone(UTC)

    def done(self) -> None:
        """Refuses unknown keys."""
        if self._left:
            raise BadTrust(self.where, f"unknown key {min(self._left)!r}")


def _key(table: _Table) -> TrustedKey:
    raw = read_public_key(table.take("key", str), table.where)
    roles = table.take_texts("roles")
    unknown = [role for role in roles if role not in _ROLES]
    if unknown or not roles:
        raise BadTrust(table.where, f"roles must name some of {', '.join(_ROLES)}")
    plans = table.take_texts("plans", [])
    try:
        for plan in plans:
            bytes_of(plan)
    except BadDigest as error:
        raise BadTrust(table.where, f"plans: {error}") from error
    principal = table.take("principal", str)
    if not principal.strip():
        raise BadTrust(table.where, "principal must not be empty")
    found = TrustedKey(
        principal=principal,
        key=raw,
        keyid=fingerprint(raw),
        roles=tuple(_ROLES[role] for role in roles),
        plans=tuple(map(DigestText, plans)),
        valid_from=table.take_time("valid_from"),
        retired_at=table.take_time("retired_at"),
        revoked_at=table.take_time("revoked_at"),
        revoked_reason=table.take("revoked_reason", str, "") or None,
    )
    table.done()
    return found


def _requirements(table: _Table) -> Requirements:
    level, age = table.take("level", str, ""), table.take("max_age", str, "")
    if level and level not in set(Level):
        raise BadTrust(table.where, f"level must be one of {', '.join(Level)}")
    span = _AGE.match(age)
    if age and not span:
        raise BadTrust(table.where, "max_age must be a number of days or hours, like 30d or 12h")
    found = Requirements(
        n_runners=table.take("runner", int, 1),
        n_approvers=table.take("approver", int, 0),
        level=Level(level) if level else None,
        min_format=table.take("min_format", str, "1.0"),
        max_age=timedelta(days=int(span[1])) if span and span[2] == "d" else _hours(span),
        needs_timestamp=table.take("timestamp", bool, False),
        needs_log=table.take("log", bool, False),
    )
    table.done()
    if not _FORMAT.match(found.min_format):
        raise BadTrust(table.where, "min_format must be MAJOR.MINOR, like 1.0")
    if found.n_runners < 1 or found.n_approvers < 0:
        raise BadTrust(table.where, "runner must be at least 1, and approver at least 0")
    return found


def _hours(span: re.Match[str] | None) -> timedelta | None:
    return timedelta(hours=int(span[1])) if span else None


def _refuse_vacuous(keys: tuple[TrustedKey, ...], require: Requirements, where: str, now: datetime) -> None:
    if not keys:
        raise BadTrust(where, "no signer: nothing could be verified against it")
    if len({key.key for key in keys}) != len(keys):
        raise BadTrust(where, "the same key stands twice; give a principal several keys, and each key one principal")
    if all(_is_over(key, now) for key in keys):
        raise BadTrust(where, "every key is retired or revoked")
    for role, n in (("runner", require.n_runners), ("approver", require.n_approvers)):
        principals = _principals(keys, role)
        if len(principals) < n:
            raise BadTrust(where, f"{n} with the role {role} are required, and {len(principals)} are named")


def _principals(keys: Iterable[TrustedKey], role: str) -> frozenset[str]:
    return frozenset(key.principal for key in keys if role in key.roles)


def _is_over(key: TrustedKey, now: datetime) -> bool:
    return key.revoked_at is not None or (key.retired_at is not None and key.retired_at <= now)
