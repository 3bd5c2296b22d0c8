"""Whether a product of exact factors reaches a target: decimals with an error bound first, fractions if these touch."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

from oloproof.stats.tails import CONTEXT, ln_ratio

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

#: Ten times the relative error of one correctly rounded operation in CONTEXT.
_SLACK = Decimal("1e-68")


def product_reaches(powers: Mapping[Fraction, int], target: Fraction) -> bool:
    """Whether the product of factor**exponent is at least the target; exact. Factors are >= 1, the target > 0.

    A power by squaring multiplies the rounding of its base by its exponent and adds one rounding for each of fewer
    than `exponent` products, so that all of it is off by less than 2e-69 * n_roundings, relatively.
    """
    with localcontext(CONTEXT):
        goal = Decimal(target.numerator) / Decimal(target.denominator)
        product, n_roundings = Decimal(1), 2
        for factor, exponent in powers.items():
            product *= _power(Decimal(factor.numerator) / Decimal(factor.denominator), exponent)
            n_roundings += 2 * exponent + 1
            if product - goal > _SLACK * n_roundings * product:
                return True
        if goal - product > _SLACK * n_roundings * goal:
            return False
    return _product_reaches_in_fractions(powers, target)


def _power(base: Decimal, exponent: int) -> Decimal:
    """Return base**exponent by squaring: every step correctly rounded, which Decimal's own power does not promise."""
    result = Decimal(1)
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        if exponent:
            base *= base
    return result


def _product_reaches_in_fractions(powers: Mapping[Fraction, int], target: Fraction) -> bool:
    numerator, denominator = target.denominator, target.numerator
    for factor, exponent in powers.items():
        numerator *= factor.numerator**exponent
        denominator *= factor.denominator**exponent
    return numerator >= denominator


def smallest_power(factor: Fraction, target: Fraction) -> int:
    """Return the smallest n >= 1 with factor**n >= target; factor > 1, target > 1."""
    with localcontext(CONTEXT):
        quotient = ln_ratio(target.numerator, target.denominator) / ln_ratio(factor.numerator, factor.denominator)
    n = max(1, int(quotient))
    while not product_reaches({factor: n}, target):
        n += 1
    while n > 1 and product_reaches({factor: n - 1}, target):
        n -= 1
    return n
