"""The run rows: which execs there were, by which process, and how each ended."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

from oloproof.adapters.store import owner
from oloproof.canon.encoding import Json, encode, encode_plain
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.ports.store import RunRow

Clock: TypeAlias = Callable[[], datetime]


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


def begin(connection: sqlite3.Connection, *, suite: str, plan_hash: str, at: datetime) -> str:
    """A new run's id. Runs whose process is gone are closed first; the caller holds the transaction."""
    _close_abandoned(connection, at)
    number = connection.execute(
        "INSERT INTO runs (suite, plan_hash, started_at, owner, files, detail) VALUES (?, ?, ?, ?, '{}', '{}')",
        (suite, plan_hash, text_of(at), owner.this_process().text()),
    ).lastrowid
    return str(number)


def end(connection: sqlite3.Connection, run: RunRow) -> int:
    """Writes how a run ended (state, ended_at, files, detail); gives how many rows that was."""
    files = encode_plain({link.value: address.hex() for link, address in run.files.items()})
    return connection.execute(
        "UPDATE runs SET state = ?, ended_at = ?, files = ?, detail = ? WHERE id = ?",
        (run.state, run.ended_at, files.decode(), encode(run.detail).decode(), run.id),
    ).rowcount


def read_all(connection: sqlite3.Connection) -> tuple[RunRow, ...]:
    """All runs, newest first."""
    rows = connection.execute(
        "SELECT id, suite, plan_hash, state, started_at, ended_at, files, detail FROM runs ORDER BY id DESC"
    ).fetchall()
    return tuple(map(_row, rows))


def _close_abandoned(connection: sqlite3.Connection, at: datetime) -> None:
    detail: Json = {"message": "the process that ran it ended without closing it"}
    for number, text in connection.execute("SELECT id, owner FROM runs WHERE state IS NULL").fetchall():
        if not owner.parse(text).is_alive():
            connection.execute(
                "UPDATE runs SET state = ?, ended_at = ?, detail = ? WHERE id = ?",
                (RunState.CANCELLED.value, text_of(at), encode_plain(detail).decode(), number),
            )


def _row(row: tuple[int, str, str, str | None, str, str | None, str, str]) -> RunRow:
    number, suite, plan_hash, state, started_at, ended_at, files, detail = row
    links = {link.value: link for link in Link}
    addresses = {links[name]: bytes.fromhex(text) for name, text in _object(files).items() if name in links}
    end_state = next((known for known in RunState if known == state), None)
    return RunRow(str(number), suite, plan_hash, end_state, started_at, ended_at, addresses, _object(detail))


def _object(text: str) -> dict[str, Any]:
    """A JSON object; empty where the file was damaged, since nothing of a run row decides anything."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}


def text_of(at: datetime) -> str:
    """A time as run rows write it: RFC 3339 in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
