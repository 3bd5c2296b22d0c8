"""Exit codes: each means one thing across all commands (CLI reference, "Exit codes")."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Codes that commands choose themselves; errors and runs bring their own."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 70
    CANCELLED = 130
