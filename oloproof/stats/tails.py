"""Which side of a level an exact binomial tail lies on: integers and decimals, never floats."""

from __future__ import annotations

import math
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

#: Above this many bit operations (terms of the shorter tail, times the bits of a term) the enclosure is tried first: it
#: is then the faster way to the same answer (half a millisecond, measured).
_ENCLOSE_ABOVE = 2_000_000
#: What the two powers cost, in terms.
_TERMS_OF_POWERS = 30
#: Bits after the point in the running tail sum; its first term is 1.
_BITS = 160
#: The tail sum stops at a term below 2**-112; what is left is then bounded, not dropped.
_STOP = 1 << (_BITS - 112)
#: Below this a factorial is computed exactly; from here on by Stirling's series.
_STIRLING_FROM = 64
#: Bernoulli numbers B_2, B_4, ... B_20 as numerator and denominator.
_BERNOULLI = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798), (-174611, 330),
)  # fmt: skip
#: The first omitted term, B_22 / (22 * 21 * m**21), is below 14 / 64**21 < 1.7e-37 and bounds the remainder.
_STIRLING_ERROR = Decimal("1.7e-37")
_LN_TWO_PI = Decimal("1.837877066409345483560659472811235279722794947275566825634303080965531391854519")
_DIGITS = 70
#: A bound, relative, on the error of one correctly rounded operation with _DIGITS digits.
_ULP = Decimal("1e-69")
#: Everything decimal happens in this context, whatever the caller's is.
CONTEXT = Context(prec=_DIGITS, Emax=10**9, Emin=-(10**9), traps=[InvalidOperation, DivisionByZero, Overflow])


def compare_upper_tail(k: int, n: int, *, p: Fraction, level: Fraction) -> int:
    """-1, 0 or 1: P(X >= k) for X ~ Binomial(n, p) is below, equal to or above the level; exact.

    0 <= k <= n, 0 < p < 1 and 0 < level < 1 are the caller's to hold.
    """
    n_terms = min(k, n - k + 1) + _TERMS_OF_POWERS
    if n_terms * n * p.denominator.bit_length() > _ENCLOSE_ABOVE:
        side = _compare_by_enclosure(k, n, p, level)
        if side is not None:
            return side
    return _compare_by_integers(k, n, p, level)


def _sign(x: int | Fraction | Decimal) -> int:
    return (x > 0) - (x < 0)


def _compare_by_integers(k: int, n: int, p: Fraction, level: Fraction) -> int:
    """Compare the tail with fewer terms, all over the common denominator p.denominator**n."""
    if n - k < k:
        return _compare_few_misses(n - k, n, p, level)
    return -_compare_few_misses(k - 1, n, 1 - p, 1 - level)


def _compare_few_misses(most: int, n: int, p: Fraction, level: Fraction) -> int:
    """Sign of P(Y <= most) - level, Y ~ Binomial(n, 1 - p) the number of misses; most may be -1.

    The sum over j of C(n, j) q**j p**(most - j) is built by Horner's rule in p.
    """
    hit, whole = p.numerator, p.denominator
    miss = whole - hit
    total, term = 0, 1
    for j in range(most + 1):
        total = total * hit + term
        term = term * ((n - j) * miss) // (j + 1)
    return _sign(total * hit ** (n - most) * level.denominator - level.numerator * whole**n)


def _compare_by_enclosure(k: int, n: int, p: Fraction, level: Fraction) -> int | None:
    """The side of the level, or None when the enclosure is too wide to tell."""
    if k * p.denominator >= n * p.numerator:
        return _side_of_far_tail(k, n, p, level)
    complement = _side_of_far_tail(n - k + 1, n, 1 - p, 1 - level)
    return None if complement is None else -complement


def _side_of_far_tail(k: int, n: int, p: Fraction, level: Fraction) -> int | None:
    """As compare_upper_tail, for k at or beyond the mean; None when undecided.

    P(X >= k) = P(X = k) * R with R = 1 + r_k + r_k r_(k+1) + ...; the logarithms are compared.
    """
    if k > n:
        return -1
    tail = _tail_ratio(k, n, p)
    with localcontext(CONTEXT):
        mass = _log_mass(k, n, p)
        log_low, log_high = ln_ratio(tail.low, 1 << _BITS), ln_ratio(tail.high, 1 << _BITS)
        target = ln_ratio(level.numerator, level.denominator)
        slack = mass.error + 10 * _ULP * (abs(mass.value) + log_high + abs(target) + 2)
        if mass.value + log_low - target > slack:
            return 1
        if mass.value + log_high - target < -slack:
            return -1
    return None


class _Scaled(NamedTuple):
    """low <= x * 2**_BITS <= high."""

    low: int
    high: int


def _tail_ratio(k: int, n: int, p: Fraction) -> _Scaled:
    """Enclose P(X >= k) / P(X = k) for k at or beyond the mean.

    Terms are rounded down for low and up for high. The ratio of neighbours, (n - i) p / ((i + 1) q), is below 1 from
    the mean on and falls, so that what follows a term t reached by the ratio r is at most t r / (1 - r).
    """
    hit, miss = p.numerator, p.denominator - p.numerator
    low = high = total_low = total_high = 1 << _BITS
    for i in range(k, n):
        up, down = (n - i) * hit, (i + 1) * miss
        low = low * up // down
        high = -(-high * up // down)
        total_low += low
        total_high += high
        if high < _STOP:
            return _Scaled(total_low, total_high - (-high * up // (down - up)))
    return _Scaled(total_low, total_high)


class _Enclosed(NamedTuple):
    """|x - value| <= error."""

    value: Decimal
    error: Decimal


def _log_mass(k: int, n: int, p: Fraction) -> _Enclosed:
    """Enclose ln P(X = k); in CONTEXT.

    Fewer than 100 correctly rounded operations, no result above `size`, err by at most 100 * _ULP * size together;
    each of the three factorials adds the remainder of its series.
    """
    q = 1 - p
    log_p, log_q = ln_ratio(p.numerator, p.denominator), ln_ratio(q.numerator, q.denominator)
    value = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k) + k * log_p + (n - k) * log_q
    size = 4 * (n + 2) * (n.bit_length() + 2 + abs(log_p) + abs(log_q))
    return _Enclosed(value, 100 * _ULP * size + 3 * _STIRLING_ERROR)


def ln_ratio(numerator: int, denominator: int) -> Decimal:
    """Return ln(numerator / denominator), in CONTEXT off by at most 1e-69 * (2 + its size)."""
    return (Decimal(numerator) / Decimal(denominator)).ln()


def _log_factorial(m: int) -> Decimal:
    """Return ln m! by Stirling's series; its remainder is below the first omitted term (NIST DLMF 5.11.1, 5.11(ii))."""
    if m < _STIRLING_FROM:
        return Decimal(math.factorial(m)).ln()
    x = Decimal(m)
    value = (x + Decimal("0.5")) * x.ln() - x + _LN_TWO_PI / 2
    power = x
    for j, (numerator, denominator) in enumerate(_BERNOULLI, start=1):
        value += Decimal(numerator) / (denominator * 2 * j * (2 * j - 1) * power)
        power *= x * x
    return value
