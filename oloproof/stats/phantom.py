"""The phantom-unit bound on a mean or a ratio of bounded sums over independent, identically distributed units.

For units g (a case, or a cluster of cases) with size n_g, score sum S_g in [0, n_g] and a cap M on the largest unit
that could be sampled,

    p(T) = P( sum_g E_g (S_g - T n_g) - E_0 T M <= 0 ),  E iid Exp(1);   L = sup{ T : p(T) <= bound_alpha },

the Bayesian-bootstrap quantile after adding one unit of the largest size that scored the worst possible value. Binary
cases: L is Clopper-Pearson. Two-point supports: proved; in general a conjecture without a counter-example.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from oloproof.errors import OloproofError
from oloproof.stats.contour import log_probability
from oloproof.stats.exact import BadSize, Exact, exact_alpha
from oloproof.stats.method import Method
from oloproof.stats.roots import increasing_root

if TYPE_CHECKING:
    from collections.abc import Sequence

METHOD = Method(
    id="phantom",
    version=1,
    guarantee="conjectured",
    source="Gaffke 2005; Learned-Miller & Thomas 2019 (arXiv 1905.06208)",
    assumptions=("iid_units", "bounded_scores", "sizes_fixed_before_outcomes", "cap_fixed_before_sampling"),
)

#: Stated numerical error, in ln(L / (1 - L)): relative to L near 0 and to 1 - L near 1. Measured worst: 4e-14.
NUMERICAL_ERROR = 1e-12
#: With more distinct (sum, size) pairs than this, sums are floored; the cost grows with the number of pairs.
MANY_DISTINCT = 1_000
#: Shares of a unit to which many distinct sums are floored; valid by monotonicity, lowers L by less than 1/1000.
_FLOOR_SHARES = 1_000
#: Bounds are sought within exp(-180) = 7e-79 of 0 and of 1; what lies beyond is 0.
_FARTHEST = 180.0
#: First stride of the search for a bracket, in ln(L / (1 - L)).
_STRIDE = 0.125

Pairs = dict[tuple[float, float], int]


class BadUnits(OloproofError):
    """Sums and sizes do not describe units."""

    def __init__(self, n_sums: int, n_sizes: int) -> None:
        self.n_sums, self.n_sizes = n_sums, n_sizes
        super().__init__(f"{n_sums} sums and {n_sizes} sizes; give one sum and one size for each of one or more units")


class BadSum(OloproofError):
    """A unit's score sum lies outside the range that its size allows, which voids the bound."""

    def __init__(self, total: float, size: float) -> None:
        self.total, self.size = total, size
        super().__init__(f"a unit of size {size} has the sum {total}; sums need 0 <= sum <= size: rescale the scores")


def lower_bound(sums: Sequence[float], sizes: Sequence[float], *, cap: float, bound_alpha: Exact) -> float:
    """Lower bound on E[S] / E[n], rounded down by NUMERICAL_ERROR; 0.0 where every sum is 0.

    sums, sizes: one entry per unit, in any order. A wholly missing unit enters with sum 0. cap: the largest size that
    could be sampled, fixed independently of the sample. bound_alpha: error of this one bound, in (0, 1/2].
    With one unit the formula still answers; whether that is evidence is the caller's to say.
    Raises: BadUnits, BadSum, BadSize.
    Source: Gaffke 2005; Learned-Miller & Thomas 2019 (arXiv 1905.06208).

    >>> round(lower_bound([1.0] * 20, [1.0] * 20, cap=1.0, bound_alpha="0.025"), 6)
    0.831567
    """
    log_odds = _log_odds(_merged(sums, sizes, cap), cap, math.log(exact_alpha(bound_alpha)))
    return 0.0 if log_odds is None else max(0.0, math.nextafter(_logistic(log_odds - NUMERICAL_ERROR), 0.0))


def upper_bound(sums: Sequence[float], sizes: Sequence[float], *, cap: float, bound_alpha: Exact) -> float:
    """Upper bound on E[S] / E[n], rounded up; 1.0 where every sum is its size. As lower_bound, mirrored (S -> n - S).

    A wholly missing unit enters with its size as its sum.
    """
    pairs = _merged(sums, sizes, cap)
    mirrored = {(size - total, size): count for (total, size), count in pairs.items()}
    log_odds = _log_odds(mirrored, cap, math.log(exact_alpha(bound_alpha)))
    return 1.0 if log_odds is None else min(1.0, math.nextafter(_logistic(NUMERICAL_ERROR - log_odds), 1.0))


def _merged(sums: Sequence[float], sizes: Sequence[float], cap: float) -> Pairs:
    """Count equal units, after checking each."""
    if not sums or len(sums) != len(sizes):
        raise BadUnits(len(sums), len(sizes))
    pairs = Counter((float(total), float(size)) for total, size in zip(sums, sizes, strict=True))
    for total, size in pairs:
        if not 0 < size <= cap < math.inf:
            raise BadSize(size, cap)
        if not 0 <= total <= size:
            raise BadSum(total, size)
    return pairs


def _floored(pairs: Pairs) -> Pairs:
    """Lower each sum to a thousandth of its size where there are many distinct pairs."""
    if len(pairs) <= MANY_DISTINCT:
        return pairs
    floored: Counter[tuple[float, float]] = Counter()
    for (total, size), count in pairs.items():
        shares = math.floor(total / size * _FLOOR_SHARES)
        while shares * size / _FLOOR_SHARES > total:
            shares -= 1
        floored[(shares * size / _FLOOR_SHARES, size)] += count
    return floored


def _log_odds(pairs: Pairs, cap: float, log_alpha: float) -> float | None:
    """Return ln(L / (1 - L)), or None where L is 0.

    In log odds both T and 1 - T keep all their digits. Units are sorted, so that their order cannot move a bound.
    """
    ordered = sorted(_floored(pairs).items())
    if all(total == 0 for (total, _), _ in ordered):
        return None
    right = np.array([total / cap for (total, _), _ in ordered] + [0.0])
    wrong = np.array([(size - total) / cap for (total, size), _ in ordered] + [1.0])
    counts = np.array([float(count) for _, count in ordered] + [1.0])

    def excess(log_odds: float) -> float:
        weights = right * _logistic(-log_odds) - wrong * _logistic(log_odds)
        return (log_probability(weights, counts) if weights.max() > 0 else 0.0) - log_alpha

    n_right = math.fsum(total / cap * count for (total, _), count in ordered)
    n_wrong = math.fsum((size - total) / cap * count for (total, size), count in ordered)
    return increasing_root(excess, near=_near(n_right, n_wrong, log_alpha), stride=_STRIDE, farthest=_FARTHEST)


def _near(n_right: float, n_wrong: float, log_alpha: float) -> float:
    """About where the bound lies, in log odds: the normal bound of as many cases, its quantile by a rough rule."""
    right, wrong = n_right + 0.5, n_wrong + 1.0
    quantile = math.sqrt(max(0.0, -2.0 * log_alpha - math.log(4.0 * math.pi * max(1.0, -log_alpha))))
    return math.log(right / wrong) - quantile * math.sqrt(1.0 / right + 1.0 / wrong)


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))
