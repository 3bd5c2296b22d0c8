"""Plans with one gate and the records of a run of them, written as lists of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fakes.small_plans import case_set as case_set_of
from fakes.small_plans import evaluator, plan_of, system

from oloproof.canon.digests import digest_of
from oloproof.chain.case import Case
from oloproof.chain.commitment import Commitment
from oloproof.chain.decision import Decision, DecisionState
from oloproof.chain.inference import Inference
from oloproof.chain.measurement import Measurement
from oloproof.plan.plan import GateEntry, MetricEntry, Plan, RequireEntry, SliceEntry
from oloproof.stages.decide import decide
from oloproof.stages.infer import infer

#: True and False: what the evaluator says; a string: why the trial is missing; a dictionary: outputs as they are.
Outcome: TypeAlias = bool | str | dict[str, Any]

DIGEST = digest_of("test", "digest")
SALT = "0" * 32


def metric(name: str = "right", **changes: object) -> MetricEntry:
    """A proportion of `pass` by the evaluator `match`, independent unless changed."""
    entry = MetricEntry(name, "proportion", "match", "pass", None, None, None, False, None, "missing")
    return replace(entry, **changes)


def gate(threshold: str = "0.9", op: str = ">=", **changes: object) -> GateEntry:
    """A gate of one line on the system `bot` over the set `cases`."""
    requires = (RequireEntry("right", op, threshold),)
    return replace(GateEntry("good", requires, ("bot",), "cases", None, "none", "0.95", False, ()), **changes)


def plan(
    *gates: GateEntry,
    metrics: Sequence[MetricEntry] = (),
    repeats: int = 1,
    slices: Mapping[str, Sequence[str]] | None = None,
) -> Plan:
    """A plan of these gates; its case set is empty, since stages take cases as records."""
    made = plan_of([case_set_of({})], [system("bot", repeats=repeats)], [evaluator("match")])
    return replace(
        made,
        gates=gates or (gate(),),
        metrics=tuple(metrics) or (metric(),),
        slices=tuple(SliceEntry(name, "case." + name, tuple(values), 0) for name, values in (slices or {}).items()),
    )


def case(case_id: str, *, clusters: Mapping[str, str] | None = None, **changes: object) -> Case:
    """A case record."""
    given = Commitment(DIGEST, 1, "application/json")
    made = Case("cases", case_id, 0, dict(clusters or {}), {}, 1, True, given, None, SALT)
    return replace(made, **changes)


def measurement(case_id: str, outcome: Outcome, *, repeat: int = 0, **changes: object) -> Measurement:
    """What `match` says of one answer of `bot`."""
    outputs = outcome if isinstance(outcome, dict) else None if isinstance(outcome, str) else {"pass": outcome}
    reason = outcome if isinstance(outcome, str) else "different" if outcome is False else None
    made = Measurement("cases", case_id, "bot", "match", repeat, DIGEST, (DIGEST,), outputs, reason, SALT)
    return replace(made, **changes)


@dataclass(frozen=True)
class Given:
    """Cases and measurements of a run."""

    cases: tuple[Case, ...]
    measurements: tuple[Measurement, ...]


def given(
    outcomes: Sequence[Outcome | Sequence[Outcome]], *, labels: Sequence[str] | None = None, by: str = "group"
) -> Given:
    """One case an outcome, or a list of outcomes for its trials; labels: the clusters of the cases."""
    cases, measurements = [], []
    for number, trials in enumerate(outcomes):
        case_id = f"c{number:04}"
        cases.append(case(case_id, clusters={by: labels[number]} if labels is not None else None))
        each = trials if isinstance(trials, (list, tuple)) else [trials]
        measurements += [measurement(case_id, outcome, repeat=repeat) for repeat, outcome in enumerate(each)]
    return Given(tuple(cases), tuple(measurements))


def outcomes(*, right: int, wrong: int = 0, missing: int = 0, why: str = "timeout") -> list[Outcome]:
    """So many of each."""
    return [True] * right + [False] * wrong + [why] * missing


def clustered(*clusters: Sequence[Outcome]) -> Given:
    """One cluster a list."""
    labels = [f"g{number:03}" for number, members in enumerate(clusters) for _ in members]
    return given([outcome for members in clusters for outcome in members], labels=labels)


@dataclass(frozen=True)
class Found:
    """The one cell of a plan."""

    inference: Inference
    decision: Decision

    @property
    def state(self) -> DecisionState:
        return self.decision.state

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.decision.reasons

    @property
    def lower(self) -> float:
        assert self.inference.lower is not None
        return self.inference.lower

    @property
    def upper(self) -> float:
        assert self.inference.upper is not None
        return self.inference.upper

    @property
    def counts(self) -> tuple[int, int, int, int]:
        counts = self.inference.counts
        return counts.n_total, counts.n_eligible, counts.n_observed, counts.n_missing


def find_all(of: Plan, run: Given) -> list[Found]:
    """Every cell's inference and decision."""
    inferences = infer(of, run.cases, run.measurements)
    decisions = {item.cell: item for item in decide(of, inferences)}
    return [Found(item, decisions[item.cell]) for item in inferences]


def find(of: Plan, run: Given) -> Found:
    """The inference and the decision of a plan with one cell."""
    (found,) = find_all(of, run)
    return found


def by_cluster(**changes: object) -> MetricEntry:
    """A metric clustered by `group`."""
    return metric(cluster="group", **changes)


PASS = DecisionState.PASS
FAIL = DecisionState.FAIL
INSUFFICIENT = DecisionState.INSUFFICIENT_EVIDENCE
REVIEW = DecisionState.MANUAL_REVIEW
