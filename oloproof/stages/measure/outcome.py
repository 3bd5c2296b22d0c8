"""What the measure stage is given to work with, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oloproof.engine.work import AdapterSpec, Engine, Stop
from oloproof.plan.plan import EvaluatorEntry
from oloproof.ports.store import StoredFile
from oloproof.stages.intake import Progress


@dataclass(frozen=True, slots=True)
class EvaluatorBench:
    """Where evaluators run. keep_missing: serves stored failures that another try might mend."""

    engine: Engine
    adapters: Callable[[EvaluatorEntry], AdapterSpec]
    stop: Stop
    keep_missing: bool = False
    on_progress: Callable[[Progress], None] | None = None


@dataclass(frozen=True, slots=True)
class EvaluatorCounts:
    """Evaluations by one evaluator over all systems, case sets and repeats.

    planned == measured + sum of missing. called: calls made now. reused: served from the store, or shared with an
    equal evaluation of this exec. missing: reason → how many, the observations' own reasons included.
    """

    planned: int
    called: int
    reused: int
    measured: int
    missing: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """The measure stage's outcome; file is None where it was stopped. is_linked: the stored file was found at once."""

    file: StoredFile | None
    evaluators: dict[str, EvaluatorCounts]
    is_complete: bool
    is_linked: bool = False
