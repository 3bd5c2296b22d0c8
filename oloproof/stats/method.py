"""What is said about an interval method wherever one of its bounds is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Guarantee = Literal["proved", "conjectured", "simulated", "approximate"]


@dataclass(frozen=True, slots=True)
class Method:
    """One interval method: methods are versioned, never edited.

    guarantee: how it is known that a bound errs at most at its declared rate.
    source: where the formula comes from.
    assumptions: lower_snake names of what must be true of the data.
    """

    id: str
    version: int
    guarantee: Guarantee
    source: str
    assumptions: tuple[str, ...]
