"""Clopper-Pearson bounds as floats for people; what decides is the certificate in oloproof.stats.exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from scipy import special

from oloproof.stats.bounds import Bounds
from oloproof.stats.exact import BadCount, Exact, exact_alpha, lower_bound_reaches, upper_bound_within
from oloproof.stats.method import Method

if TYPE_CHECKING:
    from collections.abc import Callable

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
    near = float(special.betaincinv(k, n - k + 1, float(alpha)))
    return _last_float(near, 0.0, lambda x: lower_bound_reaches(k, n, threshold=Fraction(x), bound_alpha=alpha))


def _upper(k: int, n: int, alpha: Fraction) -> float:
    if n < 1 or not 0 <= k <= n:
        raise BadCount(k, n)
    if k == n:
        return 1.0
    near = float(special.betaincinv(k + 1, n - k, 1.0 - float(alpha)))
    return _last_float(near, 1.0, lambda x: upper_bound_within(k, n, threshold=Fraction(x), bound_alpha=alpha))


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
