"""The error tree: every exception that leaves oloproof derives from OloproofError."""

from __future__ import annotations


class OloproofError(Exception):
    """A broken contract, told to a person: what was seen, where, and the way out.

    exit_code: what the command line ends with when this error reaches it (docs/reference/cli.md).
    """

    exit_code = 70


class UsageError(OloproofError):
    """The call itself is off, or a file it names cannot be read."""

    exit_code = 2


class UnreadableFile(UsageError):
    """A file that was named cannot be opened or read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path}: cannot be read: {reason}")
