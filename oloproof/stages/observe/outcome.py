"""What the observe stage is given to work with, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oloproof.engine.work import AdapterSpec, Engine, Stop
from oloproof.plan.plan import SystemEntry
from oloproof.ports.store import StoredFile
from oloproof.sdk import RowKeyed
from oloproof.stages.intake import Progress


@dataclass(frozen=True, slots=True)
class SystemBench:
    """Where systems run.

    is_unchanged: whether the code behind a system is still what the plan says, asked after its last call. row_keys: the
    adapter's per-case digests where its answers depend on more than the input.
    """

    engine: Engine
    adapters: Callable[[SystemEntry], AdapterSpec]
    row_keys: Callable[[SystemEntry], RowKeyed | None]
    stop: Stop
    is_unchanged: Callable[[SystemEntry], bool] = field(default=lambda _: True)


@dataclass(frozen=True, slots=True)
class ObserveOptions:
    """How this exec differs from the plan's plain one.

    fresh: asks again whatever is stored. keep_missing: serves stored failures that another try might mend.
    only: ids of the cases to run, None for all. limit: at most so many cases of each set. Both leave the run PARTIAL.
    """

    fresh: bool = False
    keep_missing: bool = False
    only: frozenset[str] | None = None
    limit: int | None = None
    on_progress: Callable[[Progress], None] | None = None


@dataclass(frozen=True, slots=True)
class SystemCounts:
    """Executions of one system variant over all its case sets and repeats.

    planned == answered + sum of missing for a complete observation. called: calls made now. reused: served from the
    store. missing: reason → how many. details: a failure's own words by reason, of calls made now.
    """

    planned: int
    called: int
    reused: int
    answered: int
    missing: dict[str, int]
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observed:
    """The observation stage's outcome.

    file: the observation records, None where it was stopped (what finished is in the store). systems: by variant.
    is_complete: every planned execution was attempted. is_linked: nothing was looked up, the stored file was found.
    """

    file: StoredFile | None
    systems: dict[str, SystemCounts]
    is_complete: bool
    is_linked: bool = False
