"""The closed registry of reason codes: why something is missing, wrong, undecided or ended early."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from oloproof.errors import OloproofError


class About(StrEnum):
    """The link (or the run) that a reason speaks of."""

    OBSERVATION = "observation"
    MEASUREMENT = "measurement"
    INFERENCE = "inference"
    DECISION = "decision"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Reason:
    """One code. retriable: the next exec asks again, since another try may end otherwise."""

    code: str
    about: About
    meaning: str
    retriable: bool = False


class UnknownReason(OloproofError):
    """A reason code that the registry does not hold."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"{code[:80]!r} is no reason code of this version; specs/chain.md lists them")


_ALL: Final = (
    Reason("timeout", About.OBSERVATION, "the system did not answer within its timeout", retriable=True),
    Reason("system_error", About.OBSERVATION, "the system raised an error", retriable=True),
    Reason("system_exit", About.OBSERVATION, "the system tried to end the process", retriable=True),
    Reason("worker_died", About.OBSERVATION, "the process that ran the system ended", retriable=True),
    Reason("unavailable", About.OBSERVATION, "the system could not be reached for now", retriable=True),
    Reason("refused", About.OBSERVATION, "the system refused by its policy"),
    Reason("null_output", About.OBSERVATION, "the system answered with nothing"),
    Reason("output_type", About.OBSERVATION, "the answer is neither a string nor a dictionary"),
    Reason("output_not_json", About.OBSERVATION, "the answer holds what canonical JSON cannot carry"),
    Reason("output_too_large", About.OBSERVATION, "the answer is larger than the limit"),
    Reason("not_recorded", About.OBSERVATION, "the recording has no row for the case"),
    Reason("recorded_error", About.OBSERVATION, "the recording says that the call failed"),
    Reason("expect_missing", About.MEASUREMENT, "the case does not say what is expected"),
    Reason("expect_type", About.MEASUREMENT, "the case's expectation is of a type that the evaluator cannot read"),
    Reason("evaluator_error", About.MEASUREMENT, "the evaluator raised an error", retriable=True),
    Reason("evaluator_timeout", About.MEASUREMENT, "the evaluator did not end within its timeout", retriable=True),
    Reason("evaluator_died", About.MEASUREMENT, "the process that ran the evaluator ended", retriable=True),
    Reason("evaluator_output", About.MEASUREMENT, "the evaluator returned what its manifest does not declare"),
    Reason("non_finite", About.MEASUREMENT, "the score is not a finite number"),
    # Reserved with error_counts_as_failed: no part of this version gives either.
    Reason("out_of_range", About.MEASUREMENT, "the score lies outside its declared range"),
    Reason("different", About.MEASUREMENT, "the answer differs from what is expected"),
    Reason("not_contained", About.MEASUREMENT, "the answer does not contain what is expected"),
    Reason("no_field", About.MEASUREMENT, "the answer has no such field"),
    Reason("no_number", About.MEASUREMENT, "the answer holds no number"),
    Reason("several_numbers", About.MEASUREMENT, "the answer holds several numbers where one is due"),
    Reason("error_counts_as_failed", About.MEASUREMENT, "the system failed, and the metric counts that as failed"),
    Reason("plugin_reason", About.MEASUREMENT, "a reason in the words of an outside evaluator"),
    Reason("no_eligible", About.INFERENCE, "no case is eligible"),
    Reason("nothing_observed", About.INFERENCE, "no eligible case was measured"),
    Reason("too_few_clusters", About.INFERENCE, "one cluster says nothing about other clusters"),
    Reason("dominant_cluster", About.INFERENCE, "more than half of the cases lie in one cluster"),
    Reason("estimand_undeclared", About.INFERENCE, "unequal clusters, and no rule for how much each counts"),
    Reason("cap_exceeded", About.INFERENCE, "a cluster is larger than the declared max_size"),
    Reason("lower_reaches_threshold", About.DECISION, "the lower bound reaches the threshold"),
    Reason("upper_within_threshold", About.DECISION, "the upper bound stays within the threshold"),
    Reason("upper_below_threshold", About.DECISION, "the upper bound lies below the threshold"),
    Reason("lower_above_threshold", About.DECISION, "the lower bound lies above the threshold"),
    Reason("threshold_inside_interval", About.DECISION, "the threshold lies inside the interval"),
    Reason("within_numerical_tolerance", About.DECISION, "a bound is too near the threshold to call on every machine"),
    Reason("missing_widens", About.DECISION, "missing cases widen the interval of an undecided cell"),
    Reason("system_answered_nothing", About.RUN, "a system answered no case at all"),
    Reason("adapter_cannot_start", About.RUN, "an adapter could not be started"),
    Reason("store_unusable", About.RUN, "the store could not be written"),
    Reason("evidence_not_written", About.RUN, "the evidence bundle could not be written"),
    Reason("internal_error", About.RUN, "a fault of the tool itself ended the run"),
    Reason("code_changed", About.RUN, "the code of a system was edited while it was run"),
    Reason("interrupted", About.RUN, "a person or the CI stopped the run"),
    Reason("filtered", About.RUN, "the run was restricted to some of the cases"),
)

REASONS: Final[dict[str, Reason]] = {reason.code: reason for reason in _ALL}


def reason_of(code: str) -> Reason:
    """The registered reason. Raises: UnknownReason."""
    try:
        return REASONS[code]
    except KeyError:
        raise UnknownReason(code) from None


def is_retriable(code: str | None) -> bool:
    """True where the next exec should ask again."""
    return code is not None and reason_of(code).retriable
