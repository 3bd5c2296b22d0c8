"""The store in one SQLite file."""

from oloproof.adapters.store.sqlite_store import SqliteStore

__all__ = ["SqliteStore"]
