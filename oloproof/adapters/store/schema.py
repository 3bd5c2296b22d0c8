"""The store file's shape, and the refusal of every file that is not one of ours, before SQLite touches it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from oloproof.ports.store import StoreUnusable

#: "OLOP" in the header of every store, so that no other program's database is taken for one.
APPLICATION_ID: Final = 0x4F4C4F50
#: Grows with every change of the tables below.
SCHEMA_VERSION: Final = 1
#: Block rows are 100 kB and more; large pages keep their overflow chains short (16 kB measured best).
PAGE_BYTES: Final = 16384

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_VERSION_AT, _APPLICATION_AT, _FIELD_BYTES = 60, 68, 4

_TABLES: Final = """
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, link TEXT NOT NULL, scope TEXT NOT NULL,
  sha256 BLOB NOT NULL, keys BLOB NOT NULL, lengths BLOB NOT NULL, body BLOB NOT NULL, volatile BLOB NOT NULL);
CREATE TABLE segments (
  id INTEGER PRIMARY KEY AUTOINCREMENT, link TEXT NOT NULL, scope TEXT NOT NULL,
  sha256 BLOB NOT NULL, keys BLOB NOT NULL, lengths BLOB NOT NULL, body BLOB NOT NULL, volatile BLOB NOT NULL);
CREATE INDEX segments_of ON segments (link, scope);
CREATE TABLE quarantine (segment INTEGER PRIMARY KEY);
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT, sha256 BLOB UNIQUE, link TEXT NOT NULL, n INTEGER, size INTEGER, root BLOB,
  seal BLOB, owner TEXT NOT NULL);
CREATE TABLE chunks (
  file INTEGER NOT NULL, no INTEGER NOT NULL, n INTEGER NOT NULL, sha256 BLOB NOT NULL, leaves BLOB NOT NULL,
  contents BLOB NOT NULL, body BLOB NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (file, no));
CREATE TABLE steps (key BLOB PRIMARY KEY, sha256 BLOB NOT NULL, outcome BLOB NOT NULL);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, suite TEXT NOT NULL, plan_hash TEXT NOT NULL, state TEXT,
  started_at TEXT NOT NULL, ended_at TEXT, owner TEXT NOT NULL, files TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE statements (
  plan_hash TEXT NOT NULL, keyid TEXT NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY (plan_hash, keyid));
CREATE TABLE looks (gate TEXT NOT NULL, inference TEXT NOT NULL, PRIMARY KEY (gate, inference));
"""


def create_store(path: Path) -> None:
    """Makes an empty store at a path where nothing is; whoever comes second finds the first one's.

    It is made under another name and linked into place whole, so that no kill can leave half a store behind.
    Raises: StoreUnusable.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        try:
            _fill(draft)
            _put_in_place(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnusable(str(path), f"it cannot be created: {_reason(error)}") from error


def _fill(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _put_in_place(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)


def check_header(path: Path) -> None:
    """Nothing, if the file is a store of this version. It is only read. Raises: StoreUnusable."""
    place = str(path)
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise StoreUnusable(place, _reason(error)) from error
    if not header:
        raise StoreUnusable(place, "the file is empty; remove it to start a new store")
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise StoreUnusable(place, "it is not an SQLite database; it was left as it is")
    if _number(header, _APPLICATION_AT) != APPLICATION_ID:
        raise StoreUnusable(place, "it is another program's database; it was left as it is")
    version = _number(header, _VERSION_AT)
    if version != SCHEMA_VERSION:
        way_out = "use that version" if version > SCHEMA_VERSION else "move it away to start a new store"
        reason = (
            f"its schema is version {version}, this oloproof reads {SCHEMA_VERSION}; it was left as it is; {way_out}"
        )
        raise StoreUnusable(place, reason)


def _number(header: bytes, start: int) -> int:
    return int.from_bytes(header[start : start + _FIELD_BYTES], "big")


def _reason(error: OSError | sqlite3.Error) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
