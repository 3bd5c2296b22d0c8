"""Checking in the tests: the product's own entry, at a fixed time, with nothing of the machine's configuration."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attacks.recipes import K1, NOW

from oloproof.adapters.ed25519 import FileSigner
from oloproof.app.verify import verify_bundle
from oloproof.canon.encoding import encode, parse_whole
from oloproof.stages.attest.envelope import seal
from oloproof.stages.attest.verdict import LEVEL_OF, LEVELS, FailureClass, Report, Standing

#: A configuration directory that never exists.
NOWHERE = {"OLOPROOF_CONFIG_DIR": "/nonexistent/oloproof"}


def trust_text(*keys: FileSigner, more: str = "", principal: str = "release-ci") -> str:
    """A trust file that names these keys, each a principal of its own; more goes to the last one."""
    entries = "".join(
        f'[[signer]]\nprincipal = "{principal}-{n}"\nkey = "{key.public_key}"\nroles = ["runner"]\n'
        for n, key in enumerate(keys)
    )
    return f"version = 1\n{entries}{more}"


def check(path: Path, trust: Path | None, **more: Any) -> Report:  # noqa: ANN401 -- options of the product as they are
    """The report on a bundle."""
    return verify_bundle(path, trust=trust, environ=NOWHERE, now=more.pop("now", NOW), **more)


def failure_of(report: Report) -> FailureClass | None:
    """The class that gave the exit code, or None for 0."""
    return FailureClass(report.exit_code) if report.exit_code else None


def assert_refused(report: Report, failure_class: FailureClass) -> None:
    """Refused for this, and nothing at or above the attacked level is called verified."""
    assert failure_of(report) is failure_class, report.failures
    attacked = LEVEL_OF.get(failure_class)
    if attacked is not None:
        above = report.levels[LEVELS.index(attacked) :]
        assert [item for item in above if item.standing is Standing.VERIFIED] == []


def edit(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Changes one file's bytes, and nothing else."""
    path = folder / name
    path.write_bytes(change(path.read_bytes()))


def edit_envelope(folder: Path, change: Callable[[dict[str, Any]], None], name: str = "evidence.dsse.json") -> None:
    """Changes an envelope's fields and keeps it canonical; its signature is not made anew."""
    envelope: Any = parse_whole((folder / name).read_bytes())
    change(envelope)
    (folder / name).write_bytes(encode(envelope))


def reseal(folder: Path, change: Callable[[dict[str, Any]], None], key: FileSigner = K1) -> None:
    """Changes the statement and signs it anew."""
    envelope: Any = parse_whole((folder / "evidence.dsse.json").read_bytes())
    statement: Any = parse_whole(base64.b64decode(envelope["payload"]))
    change(statement)
    (folder / "evidence.dsse.json").write_bytes(seal(encode(statement), key))
