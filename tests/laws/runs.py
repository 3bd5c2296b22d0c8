"""Small runs drawn by hypothesis: outcomes under every weighing that a plan can declare."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from laws.builders import Given, Outcome, by_cluster, given, metric

from oloproof.plan.plan import MetricEntry

#: A verdict, or why there is none.
OUTCOMES = st.sampled_from([True, True, False, "timeout", "evaluator_error"])
THRESHOLDS = st.sampled_from(["0", "0.025", "0.1", "0.3", "0.5", "0.75", "0.9", "0.95", "1"])
OPS = st.sampled_from([">=", "<="])

#: How a metric can weigh its clusters; None: it has none.
WEIGHINGS = (
    None,
    {},
    {"weight_by": "cluster"},
    {"weight_by": "case", "max_size": 6},
    {"weight_by": "case", "sizes_uninformative": True},
)


@dataclass(frozen=True)
class Drawn:
    """A run: the outcomes of each case's trials, the clusters of the cases, and the metric that reads them."""

    trials: tuple[tuple[Outcome, ...], ...]
    labels: tuple[str, ...] | None
    metric: MetricEntry
    repeats: int

    def records(self) -> Given:
        return given(self.trials, labels=self.labels)

    def without(self, case: int, trial: int) -> Drawn:
        """The same run with one trial lost."""
        trials = list(map(list, self.trials))
        trials[case][trial] = "timeout"
        return Drawn(tuple(map(tuple, trials)), self.labels, self.metric, self.repeats)

    def mirrored(self) -> Drawn:
        """The same run with right and wrong exchanged."""
        trials = tuple(tuple(not item if isinstance(item, bool) else item for item in case) for case in self.trials)
        return Drawn(trials, self.labels, self.metric, self.repeats)


@st.composite
def runs(draw: st.DrawFn, *, repeats: st.SearchStrategy[int] | None = None) -> Drawn:
    """Up to 14 cases with 1 to 3 trials, independent or in up to five clusters, under any weighing."""
    n_repeats = draw(repeats or st.integers(1, 3))
    trials = draw(st.lists(st.tuples(*[OUTCOMES] * n_repeats), min_size=1, max_size=14))
    weighing = draw(st.sampled_from(WEIGHINGS))
    if weighing is None:
        return Drawn(tuple(trials), None, metric(), n_repeats)
    labels = draw(st.lists(st.sampled_from("abcde"), min_size=len(trials), max_size=len(trials)))
    return Drawn(tuple(trials), tuple(labels), by_cluster(**weighing), n_repeats)
