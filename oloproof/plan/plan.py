"""The canonical execution plan: everything that will be run and everything that will decide, and nothing else.

No time, host, absolute path, or span of the suite's text is in it, so equal suites have equal plans everywhere.
Field names are the JSON names. Ordered as declared names sort (bytes), gates' requires as written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from oloproof.canon.digests import DigestText
from oloproof.canon.encoding import Json

#: Format of plan.json; a reader of another format refuses.
PLAN_FORMAT = 1


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """The suite's own attributes. population: what the estimand speaks of."""

    name: str
    seed: int
    population: Literal["superpopulation", "suite"]
    owner: str | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What came from outside the text: params by value, environment by digest, secrets by name only.

    params and env are reserved: empty in format 1.
    """

    params: dict[str, Json]
    env: dict[str, DigestText]
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A plugin type in use. code: digest over the modules that implement it."""

    kind: Literal["system", "evaluator", "source"]
    type: str
    major: int
    dist: str
    version: str
    code: DigestText


@dataclass(frozen=True, slots=True)
class DataEntry:
    """A data file by its path relative to the suite's folder, with `/`."""

    path: str
    sha256: DigestText


@dataclass(frozen=True, slots=True)
class CaseSetEntry:
    """A case set. ids, content, design: digests over the sorted rows; see keys.py for what each covers.

    mapping: how a row is read: `id`, `input`, `expect` → path or list of paths, `eligible` → path → values.
    """

    name: str
    type: str
    major: int
    options: dict[str, Json]
    data: tuple[DataEntry, ...]
    n_total: int
    n_eligible: int
    ids: DigestText
    content: DigestText
    design: DigestText
    mapping: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusterEntry:
    """A clustering: cases with equal values of these fields stand or fall together."""

    name: str
    by: tuple[str, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class SliceEntry:
    """A partition of the cases by the value of a field. values: those that may occur, sorted."""

    name: str
    by: str
    values: tuple[str, ...]
    min_cases: int


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """What a python target is made of, taken without importing it.

    modules: project module → digest of its source. distributions: name → version and digest of its RECORD.
    files: depends_on path → digest. unresolved: imported names that nothing on the machine gives, and
    `<computed>` if the code makes names while it runs.
    """

    python: str
    modules: dict[str, DigestText]
    distributions: dict[str, str]
    files: dict[str, DigestText]
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One system variant. identity: digest of all that determines its answers (specs/chain.md §4).

    options: the type's own, secrets as {"secret": NAME}. timeout_ms, concurrency, repeats never enter the identity.
    """

    name: str
    variant: str
    type: str
    major: int
    options: dict[str, Json]
    data: tuple[DataEntry, ...]
    code: CodeEntry | None
    takes_seed: bool
    timeout_ms: int | None
    concurrency: int
    repeats: int
    identity: DigestText


@dataclass(frozen=True, slots=True)
class EvaluatorEntry:
    """An evaluator. outputs: name → type (`bool`, `real`, `text`). reads: the case's fields that it looks at."""

    name: str
    type: str
    major: int
    options: dict[str, Json]
    data: tuple[DataEntry, ...]
    outputs: dict[str, str]
    reads: tuple[str, ...]
    timeout_ms: int | None
    identity: DigestText


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """A metric's definition. errors: whether a system's failure is missing or an observed failure."""

    name: str
    kind: Literal["proportion"]
    evaluator: str
    output: str
    cluster: str | None
    weight_by: Literal["case", "cluster"] | None
    max_size: int | None
    sizes_uninformative: bool
    method: str | None
    errors: Literal["missing", "failed"]


@dataclass(frozen=True, slots=True)
class RequireEntry:
    """One `require` line. threshold: decimal text, a fraction for rates."""

    metric: str
    op: Literal[">=", "<="]
    threshold: str


@dataclass(frozen=True, slots=True)
class Decidability:
    """What the data at hand can decide of one require line, whatever the system does.

    unit: what is counted in n. passes: counts of good units that PASS, [from, to] or None if none does; fails: the
    same for FAIL. For unequal clusters the counts are not fixed beforehand: passes and fails are None and can_pass
    and can_fail speak alone. n_needed: smallest number of units with which PASS exists at all, where it is known.
    """

    require: int
    slice: str | None
    slice_value: str | None
    unit: Literal["case", "cluster"]
    n: int
    passes: tuple[int, ...] | None
    fails: tuple[int, ...] | None
    can_pass: bool
    can_fail: bool
    n_needed: int | None


@dataclass(frozen=True, slots=True)
class GateEntry:
    """A gate: a conjunction of require lines on one system's variants over one case set."""

    name: str
    requires: tuple[RequireEntry, ...]
    systems: tuple[str, ...]
    cases: str
    across: str | None
    correction: Literal["none", "bonferroni"]
    confidence: str
    advisory: bool
    decidability: tuple[Decidability, ...]


@dataclass(frozen=True, slots=True)
class PolicyEntry:
    """How states become an action. warn_on: states that WARN and do not BLOCK."""

    confidence: str
    guarantee: Literal["conjectured", "proved"]
    warn_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepEntry:
    """One step of work: a system variant over a case set, or an evaluator over a system's observations."""

    kind: Literal["observe", "measure"]
    cases: str
    system: str
    evaluator: str | None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the run as a whole; None is no bound. Reserved: always None in format 1."""

    max_calls: int | None
    deadline_ms: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole of it; plan_hash covers everything else, decision_hash all that decides (specs/chain.md)."""

    format: int
    edition: int
    suite: SuiteEntry
    inputs: Inputs
    plugins: tuple[PluginEntry, ...]
    cases: tuple[CaseSetEntry, ...]
    clusters: tuple[ClusterEntry, ...]
    slices: tuple[SliceEntry, ...]
    systems: tuple[SystemEntry, ...]
    evaluators: tuple[EvaluatorEntry, ...]
    judges: tuple[Json, ...]
    metrics: tuple[MetricEntry, ...]
    gates: tuple[GateEntry, ...]
    policy: PolicyEntry
    limits: Limits
    steps: tuple[StepEntry, ...]
    decision_hash: DigestText
    plan_hash: DigestText

    def case_set(self, name: str) -> CaseSetEntry:
        """The entry of that name."""
        return next(entry for entry in self.cases if entry.name == name)

    def system(self, variant: str) -> SystemEntry:
        """The entry of that variant."""
        return next(entry for entry in self.systems if entry.variant == variant)

    def evaluator(self, name: str) -> EvaluatorEntry:
        """The entry of that name."""
        return next(entry for entry in self.evaluators if entry.name == name)

    def metric(self, name: str) -> MetricEntry:
        """The entry of that name."""
        return next(entry for entry in self.metrics if entry.name == name)
