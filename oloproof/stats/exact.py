"""Exact binomial certificates: the decision of a gate on counts, in integers that no platform can round differently.

Thresholds and bound_alpha come as decimal text or as a Fraction. bound_alpha is the error of one bound,
(1 - confidence) / 2. L and U are the one-sided bounds of Clopper & Pearson (Biometrika 26, 1934): L is the T with
P(X >= k | n, T) = bound_alpha, and 0 for k = 0; U the T with P(X <= k | n, T) = bound_alpha, and 1 for k = n.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

from oloproof.errors import OloproofError
from oloproof.stats.products import product_reaches, smallest_power
from oloproof.stats.tails import compare_upper_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Exact = str | Fraction
Op = Literal[">=", "<="]

#: Longer text is no number that a person wrote.
_MAX_TEXT = 400
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class InexactNumber(OloproofError):
    """A number that decides was not given as decimal text or as a Fraction."""

    def __init__(self, value: object) -> None:
        self.value = value
        super().__init__(f"{value!r:.80} is not exact; give decimal text such as '0.9', or a Fraction")


class BadBoundAlpha(OloproofError):
    """The error of one bound lies outside (0, 1/2]."""

    def __init__(self, bound_alpha: Fraction) -> None:
        self.bound_alpha = bound_alpha
        super().__init__(f"bound_alpha is {bound_alpha}; it must lie in (0, 1/2], as 0.025 does for 95 % two-sided")


class BadCount(OloproofError):
    """Counts that no experiment can give."""

    def __init__(self, n_success: int, n: int) -> None:
        self.n_success, self.n = n_success, n
        super().__init__(f"{n_success} successes of {n} trials; counts need 0 <= successes <= trials and trials >= 1")


class BadSize(OloproofError):
    """A unit is empty, or larger than the largest that was declared possible."""

    def __init__(self, size: float | Fraction, cap: float | Fraction) -> None:
        self.size, self.cap = size, cap
        super().__init__(f"a unit of size {size} under a cap of {cap}; sizes need 0 < size <= cap: raise the cap")


def exact_fraction(value: Exact) -> Fraction:
    """Return the number that the decimal text says, exactly; a Fraction as it is.

    Raises: InexactNumber for a float, or for text that is not a plain decimal ("1/3", "nan", "1_0", 1e-1000).

    >>> exact_fraction("0.025")
    Fraction(1, 40)
    """
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, str) or len(value) > _MAX_TEXT or not _DECIMAL.fullmatch(value):
        raise InexactNumber(value)
    return Fraction(value)


def exact_alpha(bound_alpha: Exact) -> Fraction:
    """Return bound_alpha exactly. Raises: BadBoundAlpha outside (0, 1/2]."""
    alpha = exact_fraction(bound_alpha)
    if not 0 < alpha <= Fraction(1, 2):
        raise BadBoundAlpha(alpha)
    return alpha


def lower_bound_reaches(n_success: int, n: int, *, threshold: Exact, bound_alpha: Exact) -> bool:
    """Whether L >= threshold, that is P(X >= n_success | n, threshold) <= bound_alpha: a minimum passes.

    >>> lower_bound_reaches(189, 200, threshold="0.9", bound_alpha="0.025")
    True
    """
    return _tail(n_success, n, exact_fraction(threshold), exact_alpha(bound_alpha)) <= 0


def upper_bound_is_below(n_success: int, n: int, *, threshold: Exact, bound_alpha: Exact) -> bool:
    """Whether U < threshold, that is P(X <= n_success | n, threshold) < bound_alpha: a minimum fails."""
    return _tail(n - n_success, n, 1 - exact_fraction(threshold), exact_alpha(bound_alpha)) < 0


def upper_bound_within(n_success: int, n: int, *, threshold: Exact, bound_alpha: Exact) -> bool:
    """Whether U <= threshold, that is P(X <= n_success | n, threshold) <= bound_alpha: a maximum passes."""
    return _tail(n - n_success, n, 1 - exact_fraction(threshold), exact_alpha(bound_alpha)) <= 0


def lower_bound_is_above(n_success: int, n: int, *, threshold: Exact, bound_alpha: Exact) -> bool:
    """Whether L > threshold, that is P(X >= n_success | n, threshold) < bound_alpha: a maximum fails."""
    return _tail(n_success, n, exact_fraction(threshold), exact_alpha(bound_alpha)) < 0


def _tail(k: int, n: int, threshold: Fraction, alpha: Fraction) -> int:
    """Return the sign of P(X >= k | n, T) - alpha, continued to k = 0 and to T outside (0, 1): the sign of T - L."""
    if n < 1 or not 0 <= k <= n:
        raise BadCount(k, n)
    if k == 0:
        return (threshold > 0) - (threshold < 0)
    if threshold <= 0:
        return -1
    if threshold >= 1:
        return 1
    return compare_upper_tail(k, n, p=threshold, level=alpha)


@dataclass(frozen=True, slots=True)
class CriticalCounts:
    """What n trials can decide about a rate.

    op ">=": k successes PASS iff k >= pass_limit, and FAIL iff k <= fail_limit.
    op "<=": k successes PASS iff k <= pass_limit, and FAIL iff k >= fail_limit.
    A limit is None where no count gets there; counts in between are INSUFFICIENT_EVIDENCE.
    """

    n: int
    op: Op
    pass_limit: int | None
    fail_limit: int | None


def critical_counts(n: int, *, op: Op, threshold: Exact, bound_alpha: Exact) -> CriticalCounts:
    """Return the counts from which n trials, all observed, PASS and FAIL the rule `rate op threshold`.

    >>> critical_counts(200, op=">=", threshold="0.9", bound_alpha="0.025")
    CriticalCounts(n=200, op='>=', pass_limit=189, fail_limit=170)
    """
    limit, alpha = exact_fraction(threshold), exact_alpha(bound_alpha)
    if n < 1:
        raise BadCount(0, n)
    match op:
        case ">=":
            first_pass = _first(n, lambda k: lower_bound_reaches(k, n, threshold=limit, bound_alpha=alpha))
            first_open = _first(n, lambda k: not upper_bound_is_below(k, n, threshold=limit, bound_alpha=alpha))
            return CriticalCounts(n, op, _within(first_pass, n), _within(first_open - 1, n))
        case "<=":
            first_open = _first(n, lambda k: not upper_bound_within(k, n, threshold=limit, bound_alpha=alpha))
            first_fail = _first(n, lambda k: lower_bound_is_above(k, n, threshold=limit, bound_alpha=alpha))
            return CriticalCounts(n, op, _within(first_open - 1, n), _within(first_fail, n))
        case _:
            assert_never(op)


def _first(n: int, holds: Callable[[int], bool]) -> int:
    """Return the smallest k in 0..n for which a predicate that stays true once true holds; n + 1 if none."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _within(k: int, n: int) -> int | None:
    return k if 0 <= k <= n else None


def smallest_n_that_can_pass(*, op: Op, threshold: Exact, bound_alpha: Exact) -> int | None:
    """Return the smallest number of trials whose best result PASSes, or None when no number of trials can.

    The best result of n trials has L = bound_alpha**(1/n) for a minimum, U = 1 - bound_alpha**(1/n) for a maximum. The
    same number holds for clusters of equal size.

    >>> smallest_n_that_can_pass(op=">=", threshold="0.9", bound_alpha="0.025")
    36
    """
    limit, alpha = exact_fraction(threshold), exact_alpha(bound_alpha)
    needed = limit if op == ">=" else 1 - limit
    if needed >= 1:
        return None
    return 1 if needed <= 0 else smallest_power(1 / needed, 1 / alpha)


def cluster_ceiling_reaches(
    sizes: Sequence[int | Fraction], *, cap: int | Fraction, threshold: Exact, bound_alpha: Exact
) -> bool:
    """Whether the phantom bound L reaches the threshold when every unit is wholly right: a minimum can pass at all.

    That is, the product over the units of 1 + size (1 - T) / (T cap) is at least 1 / bound_alpha: the probability that
    sum_g E_g size_g (1 - T) <= E_0 T cap for iid Exp(1) is the inverse of that product.
    Raises: BadSize unless 0 < size <= cap.

    >>> cluster_ceiling_reaches([10] * 36, cap=10, threshold="0.9", bound_alpha="0.025")
    True
    """
    limit, alpha = exact_fraction(threshold), exact_alpha(bound_alpha)
    counted = sorted(Counter(sizes).items(), reverse=True)
    for size, _ in counted:
        if not 0 < size <= cap:
            raise BadSize(size, cap)
    if not 0 < limit < 1:
        return limit <= 0
    odds = (1 - limit) / limit
    powers = {1 + size * odds / cap: count for size, count in counted}
    return product_reaches(powers, 1 / alpha)


def cluster_floor_within(
    sizes: Sequence[int | Fraction], *, cap: int | Fraction, threshold: Exact, bound_alpha: Exact
) -> bool:
    """Whether the phantom bound U comes down to the threshold when every unit is wholly wrong: a maximum can pass.

    The mirror of cluster_ceiling_reaches. Raises: BadSize unless 0 < size <= cap.
    """
    mirrored = 1 - exact_fraction(threshold)
    return cluster_ceiling_reaches(sizes, cap=cap, threshold=mirrored, bound_alpha=bound_alpha)
