"""The suite: what an author declared, resolved and typed, each part with the span that a later finding points to."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from oloproof.canon.encoding import Json
from oloproof.language.source import Span
from oloproof.ports.catalogue import Plugin
from oloproof.sdk.paths import FieldRef


@dataclass(frozen=True, slots=True)
class CasePath:
    """`case.X`: root `id`, `input` or `expect` is the mapped value, `row` the row's own fields; text as written."""

    root: Literal["id", "input", "expect", "row"]
    ref: FieldRef | None
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class RowMapping:
    """Where a case's id, input or expectation stands in a row: one path, or several that make an object."""

    paths: tuple[tuple[str, FieldRef], ...]
    is_object: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Configured:
    """A declaration of a plugin's type: its options as JSON (secrets by name), and where each was written."""

    name: str
    plugin: Plugin
    options: dict[str, Json]
    option_spans: dict[str, Span]
    data_files: tuple[str, ...]
    secrets: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Membership:
    """One line of an eligibility rule: the field's value is one of these."""

    text: str
    ref: FieldRef
    values: tuple[Json, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class CaseSetDef:
    """`cases NAME: TYPE { … }`. mapped: id, input, expect; None where the source gives whole cases."""

    source: Configured
    id: RowMapping | None
    input: RowMapping | None
    expect: RowMapping | None
    eligible: tuple[Membership, ...]

    @property
    def name(self) -> str:
        """Its declared name."""
        return self.source.name


@dataclass(frozen=True, slots=True)
class ClusterDef:
    """`cluster NAME { by = … }`. weight_by, max_size: for the metrics on it that do not say."""

    name: str
    by: tuple[CasePath, ...]
    alone: bool
    span: Span
    weight_by: Literal["case", "cluster"] | None = None
    max_size: int | None = None


@dataclass(frozen=True, slots=True)
class SliceDef:
    """`slice NAME { by = … }`; values None: all that occur."""

    name: str
    by: CasePath
    values: tuple[str, ...] | None
    min_cases: int
    span: Span


@dataclass(frozen=True, slots=True)
class SystemDef:
    """`system NAME: TYPE { … }`. target: the option that holds `module:function`, if the type has one."""

    adapter: Configured
    timeout_ms: int | None
    repeats: int
    concurrency: int
    depends_on: tuple[str, ...]
    target: str | None

    @property
    def name(self) -> str:
        """Its declared name."""
        return self.adapter.name


@dataclass(frozen=True, slots=True)
class EvaluatorDef:
    """`evaluator NAME: TYPE { … }`."""

    adapter: Configured
    timeout_ms: int | None

    @property
    def name(self) -> str:
        """Its declared name."""
        return self.adapter.name


@dataclass(frozen=True, slots=True)
class MetricDef:
    """`metric NAME: KIND { … }`."""

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
    span: Span


@dataclass(frozen=True, slots=True)
class RequireDef:
    """One `require` line. threshold: a fraction, exact."""

    metric: str
    op: Literal[">=", "<="]
    threshold: Decimal
    span: Span
    threshold_span: Span


@dataclass(frozen=True, slots=True)
class GateDef:
    """`gate NAME { … }`."""

    name: str
    requires: tuple[RequireDef, ...]
    system: str
    cases: str
    across: str | None
    correction: Literal["none", "bonferroni"]
    confidence: Decimal
    advisory: bool
    span: Span


@dataclass(frozen=True, slots=True)
class PolicyDef:
    """`policy { … }`."""

    confidence: Decimal
    warn_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A whole suite; every reference in it names something that is in it."""

    name: str
    edition: int
    seed: int
    owner: str | None
    cases: tuple[CaseSetDef, ...]
    clusters: tuple[ClusterDef, ...]
    slices: tuple[SliceDef, ...]
    systems: tuple[SystemDef, ...]
    evaluators: tuple[EvaluatorDef, ...]
    metrics: tuple[MetricDef, ...]
    gates: tuple[GateDef, ...]
    policy: PolicyDef
    span: Span
