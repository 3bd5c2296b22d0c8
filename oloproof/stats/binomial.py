"""Clopper-Pearson bounds as floats for people; what decides is the certificate in oloproof.stats.exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from oloproof.stats.bounds import Bounds
from oloproof.stats.exact import BadCount, Exact, exact_alpha, lower_bound_reaches, upper_bound_within
from oloproof.stats.method import Method

if TYPE_CHECKING:
    from collections.abc import Callable

#: Log of the smallest bound that is looked for by floats; the exact search goes on from there.
_LOG_LIMIT = 700.0
#: Newton's steps at most; from the start used here it takes about six.
_MAX_STEPS = 60
#: From here on a step that brings nothing nearer ends the search.
_NEAR_ENOUGH = 1e-9
#: A term that no longer moves the sum.
_SMALL_TERM = 1e-14

METHOD = Method(
    id="clopper_pearson",
    version=1,
    guarantee="proved",
    source="Clopper & Pearson, Biometrika 26 (1934)",
    assumptions=("independent_cases",),
)


def clopper_pearson(n_success: int, n: int, *, bound_alpha: Exact) -> Bounds:
    """Exact bounds for a proportion, each erring at most at bound_alpha; never undercover, wide for small n.

    n: independent trials, >= 1. bound_alpha: (1 - confidence) / 2 as decimal text or Fraction, in (0, 1/2].
    lower is the largest float64 not above L, upper the smallest not below U, found with the exact certificate: the
    same floats on every platform, off by less than one unit in the last place. 0.0 and 1.0 are exact.
    Raises: BadCount if not 0 <= n_success <= n.
    Source: Clopper & Pearson, Biometrika 26 (1934).

    >>> clopper_pearson(10, 10, bound_alpha="0.025").upper
    1.0
    """
    alpha = exact_alpha(bound_alpha)
    return Bounds(lower=_lower(n_success, n, alpha), upper=_upper(n_success, n, alpha))


def worst_case(n_success: int, n_missing: int, n_eligible: int, *, bound_alpha: Exact) -> Bounds:
    """Clopper-Pearson bounds with n_missing of n_eligible outcomes unknown, whatever made them missing.

    lower counts every missing case as a failure, upper as a success; each side uses one end point, so neither is
    corrected. Raises: BadCount if n_success or n_success + n_missing lies outside 0..n_eligible.
    Source: Horowitz & Manski, Econometrica 63 (1995); one-sided end points: Imbens & Manski, Econometrica 72 (2004).

    >>> worst_case(80, 20, 100, bound_alpha="0.025").upper
    1.0
    """
    alpha = exact_alpha(bound_alpha)
    if n_missing < 0:
        raise BadCount(n_missing, n_eligible)
    return Bounds(
        lower=_lower(n_success, n_eligible, alpha),
        upper=_upper(n_success + n_missing, n_eligible, alpha),
    )


def _lower(k: int, n: int, alpha: Fraction) -> float:
    if n < 1 or not 0 <= k <= n:
        raise BadCount(k, n)
    if k == 0:
        return 0.0
    return _last_float(
        _near(k, n, alpha), 0.0, lambda x: lower_bound_reaches(k, n, threshold=Fraction(x), bound_alpha=alpha)
    )


def _upper(k: int, n: int, alpha: Fraction) -> float:
    if n < 1 or not 0 <= k <= n:
        raise BadCount(k, n)
    if k == n:
        return 1.0
    return _last_float(
        1.0 - _near(n - k, n, alpha),
        1.0,
        lambda x: upper_bound_within(k, n, threshold=Fraction(x), bound_alpha=alpha),
    )


def _near(k: int, n: int, alpha: Fraction) -> float:
    """L but for its last digits, where the exact search begins: P(X >= k | n, p) = alpha solved by Newton's method.

    In log p the slope of the tail's logarithm is k / s, with s the tail over its first term P(X = k); below the mode
    the terms of s fall from the first on. Steps that leave the bracket are halved instead.
    """
    log_alpha = math.log(alpha.numerator) - math.log(alpha.denominator)
    low, high = -_LOG_LIMIT, math.log(k / n) if k < n else 0.0
    log_p = log_alpha / n if k == n else math.log(k / n) + log_alpha / k
    smallest = math.inf
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    for _ in range(_MAX_STEPS):
        log_p = log_p if low < log_p < high else (max(low, high - 1.0) + high) / 2
        p = math.exp(log_p)
        share = _tail_share(k, n, p)
        off = choose + k * log_p + (n - k) * math.log1p(-p) + math.log(share) - log_alpha
        low, high = (log_p, high) if off < 0 else (low, log_p)
        log_p -= off * share / k
        if smallest <= abs(off) < _NEAR_ENOUGH:
            break  # what is left is the noise of the floats
        smallest = min(smallest, abs(off))
    return min(math.exp(log_p), 1.0 - 2.0**-53)


def _tail_share(k: int, n: int, p: float) -> float:
    """P(X >= k) / P(X = k), summed until a term no longer counts."""
    odds = p / (1.0 - p)
    total = term = 1.0
    for j in range(k, n):
        term *= (n - j) / (j + 1) * odds
        total += term
        if term < total * _SMALL_TERM:
            break
    return total


def _last_float(near: float, end: float, holds: Callable[[float], bool]) -> float:
    """Return the float farthest from `end` (0 or 1) for which `holds`, which is true from `end` up to a point near.

    Doubles its stride from `near` until the point lies between two floats, then halves the gap.
    """
    inner, stride = near, 1
    while not holds(inner):
        inner, stride = _step(inner, end, stride), stride * 2
    outer, stride = _step(inner, 1.0 - end, 1), 2
    while holds(outer):
        inner, outer, stride = outer, _step(outer, 1.0 - end, stride), stride * 2
    while math.nextafter(inner, outer) != outer:
        middle = inner + (outer - inner) / 2
        if holds(middle):
            inner = middle
        else:
            outer = middle
    return inner


def _step(x: float, end: float, stride: int) -> float:
    """Return x moved `stride` units in its last place towards `end`, at least one float and never past it."""
    if end < x:
        return max(end, min(x - stride * math.ulp(x), math.nextafter(x, end)))
    return min(end, max(x + stride * math.ulp(x), math.nextafter(x, end)))
