"""What to do next, in words: records hold reasons, and only here do they become sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from oloproof.chain.cell import Cell
from oloproof.chain.inference import Inference
from oloproof.chain.recommendation import NextStep
from oloproof.report.wording import cell_name

STEPS: Final = {
    "threshold_inside_interval": "the data cannot tell: add {unit}s, or ask for less",
    "upper_below_threshold": "the system is below what is asked for: improve it; more {unit}s will not help",
    "lower_above_threshold": "the system is above what is allowed: improve it; more {unit}s will not help",
    "within_numerical_tolerance": "a bound meets the threshold to within rounding: add {unit}s",
    "no_eligible": "no case is eligible: check the eligibility rule",
    "nothing_observed": "nothing was measured: see the reasons for missing cases",
    "too_few_clusters": "one cluster says nothing about others: add clusters",
    "dominant_cluster": "one cluster holds most cases: balance the case set, then decide by hand",
    "estimand_undeclared": "say how unequal clusters count: weight_by = cluster, or max_size, or sizes_uninformative",
    "cap_exceeded": "a cluster is larger than max_size: declare the true largest size",
    "missing_widens": "missing cases widen these intervals: `oloproof show --failures` says why they are missing",
}


def step_texts(steps: Iterable[NextStep], inferences: Mapping[Cell, Inference]) -> list[str]:
    """One sentence a step."""
    return [_step_text(step, inferences) for step in steps]


def _step_text(step: NextStep, inferences: Mapping[Cell, Inference]) -> str:
    if step.cell is None:
        return STEPS[step.reason]
    found = inferences[step.cell]
    unit = "case" if found.n_clusters is None else "cluster"
    words = STEPS[step.reason].format(unit=unit) if step.reason in STEPS else step.reason
    return f"{step.cell.gate} ({found.metric} of {cell_name(step.cell)}): {words}"
