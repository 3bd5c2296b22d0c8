"""The connection: one lock, short transactions, and no sqlite3 error that leaves untranslated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from oloproof.adapters.store import owner
from oloproof.adapters.store.schema import check_header, create_store
from oloproof.ports.store import StoreUnusable

#: Page cache in kilobytes.
_CACHE_KB = 32_768
#: A reader waits only while another process recovers or removes the log.
_READER_TIMEOUT_S = 5.0

_DAMAGED = "it is damaged; move it away, and the next exec starts a new one"
_REASONS = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "it cannot be written: the file or its folder is read-only",
    "SQLITE_CANTOPEN": "it cannot be opened, or its folder cannot be written",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_ERROR": _DAMAGED,
    "SQLITE_IOERR": "the disk gave an error",
}


class Database:
    """One connection, usable from several threads one after the other."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.place = str(path)
        self._connection, self._lock = connection, RLock()
        connection.text_factory = _text  # rotten text must end in a miss, not in a decoding error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone. Raises: StoreUnusable."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise self._unusable(error) from error
            except UnicodeDecodeError as error:  # SQLite quotes a rotten schema in its message
                raise StoreUnusable(self.place, _DAMAGED) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start, kept whole or not at all. Raises: StoreUnusable."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # After some errors (a full disk) SQLite has rolled back by itself.
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Ends the connection; further use raises StoreUnusable."""
        with self.reading() as connection:
            connection.close()

    def _unusable(self, error: sqlite3.Error) -> StoreUnusable:
        if isinstance(error, sqlite3.ProgrammingError):
            return StoreUnusable(self.place, str(error))
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreUnusable(self.place, f"another process writes to it for too long{self._holders()}")
        reason = next((text for start, text in _REASONS.items() if name.startswith(start)), None)
        return StoreUnusable(self.place, f"{reason} ({error})" if reason else str(error))

    def _holders(self) -> str:
        """Who may hold the lock: the open runs of other live processes; readers are never locked out."""
        me = owner.this_process()
        try:
            rows = self._connection.execute("SELECT id, suite, owner FROM runs WHERE state IS NULL").fetchall()
        except sqlite3.Error:
            return ""
        runs = [(run, suite, owner.parse(text)) for run, suite, text in rows]
        told = [f"process {who.pid} (run {run} of {suite})" for run, suite, who in runs if who != me and who.is_alive()]
        return f"; open: {', '.join(told)}" if told else ""


def are_blobs(values: Iterable[object]) -> bool:
    """False where a flipped bit has changed the type of a column that holds bytes."""
    return all(isinstance(value, bytes) for value in values)


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def open_database(path: Path, *, busy_timeout_s: float) -> Database:
    """The store at this path for writing; made if nothing is there. Raises: StoreUnusable."""
    if not path.exists():
        create_store(path)
    check_header(path)
    with _closed_on_error(Database(path, _connect(path, "mode=rw", busy_timeout_s))) as database:
        with database.reading() as connection:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "mmap_size = 0", f"cache_size = -{_CACHE_KB}"):
                connection.execute(f"PRAGMA {pragma}")
        with database.writing() as connection:  # what cannot be written is found out before any call is made
            connection.execute("DELETE FROM quarantine WHERE segment NOT IN (SELECT id FROM segments)")
            connection.execute("UPDATE sqlite_sequence SET seq = seq WHERE name = 'runs'")
    return database


def open_database_read_only(path: Path) -> Database:
    """The store at this path for reading alone, in folders that cannot be written too. Raises: StoreUnusable."""
    check_header(path)
    try:
        return _open_reader(path, "mode=ro")
    except StoreUnusable:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        # Without a log there is nothing but the file itself, and nobody can change it under a read-only mount.
        return _open_reader(path, "mode=ro&immutable=1")


def _open_reader(path: Path, options: str) -> Database:
    with (
        _closed_on_error(Database(path, _connect(path, options, _READER_TIMEOUT_S))) as database,
        database.reading() as connection,
    ):
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.execute("SELECT count(*) FROM runs").fetchone()
    return database


@contextmanager
def _closed_on_error(database: Database) -> Iterator[Database]:
    try:
        yield database
    except BaseException:
        database.close()
        raise


def _connect(path: Path, options: str, timeout_s: float) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{options}"
    try:
        return sqlite3.connect(address, uri=True, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreUnusable(str(path), str(error)) from error
