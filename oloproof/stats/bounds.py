"""The two ends of an interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """A lower and an upper bound on one number; None where nothing is known on that side.

    Each bound errs at its own one-sided rate. Both are rounded outward: lower down, upper up.
    """

    lower: float | None
    upper: float | None
