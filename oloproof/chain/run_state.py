"""What happened to a run. None of these says anything about quality."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    """COMPLETE: every planned execution was attempted. Only then are there decisions."""

    COMPLETE = "COMPLETE"
    PARTIAL = "PARTIAL"
    CANCELLED = "CANCELLED"
    RUN_ERROR = "RUN_ERROR"
