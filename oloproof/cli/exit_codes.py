"""Exit codes: each means one thing across all commands (docs/reference/cli.md)."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Codes that commands choose themselves; errors and runs bring their own."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 70
    CANCELLED = 130
