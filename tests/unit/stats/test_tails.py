"""The decimal enclosure says what the integers say."""

import subprocess
import sys
from decimal import ROUND_UP, Inexact, localcontext
from fractions import Fraction
from math import factorial, isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.stats import tails
from oloproof.stats.exact import lower_bound_reaches

levels = st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(1, 2), max_denominator=10**6)
rates = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1000)


@given(st.integers(1, 1500), rates, st.floats(-6, 6), levels)
def test_enclosure_and_integers_agree_around_the_mean(n, p, deviations, level):
    spread = isqrt(int(n * p * (1 - p))) + 1
    k = min(n, max(0, int(n * p + Fraction(deviations) * spread)))
    assert_agree(k, n, p, level)


def assert_agree(k, n, p, level):
    exactly = tails._compare_by_integers(k, n, p, level)
    # Equality is what no enclosure can tell: there it says nothing, and nothing else may do for an answer.
    assert tails._compare_by_enclosure(k, n, p, level) == (exactly or None)


@given(st.integers(1, 400), st.data(), rates, levels)
def test_enclosure_and_integers_agree_anywhere(n, data, p, level):
    assert_agree(data.draw(st.integers(0, n)), n, p, level)


def test_the_enclosure_leaves_equality_to_the_integers():
    half = Fraction(1, 2)
    assert tails._compare_by_enclosure(3, 5, half, half) is None
    assert tails._compare_by_integers(3, 5, half, half) == 0
    assert tails.compare_upper_tail(2001, 4001, p=half, level=half) == 0


@pytest.mark.parametrize("m", [64, 65, 100, 1000])
def test_stirling_keeps_its_promise(m):
    with localcontext(tails.CONTEXT):
        exact = tails.ln_ratio(factorial(m), 1)
        assert abs(tails._log_factorial(m) - exact) < tails._STIRLING_ERROR


def test_the_enclosure_is_narrow_and_holds_the_truth():
    k, n, p = 950, 1000, Fraction(9, 10)
    exact = sum(
        (
            Fraction(factorial(k) * factorial(n - k), factorial(i) * factorial(n - i)) * 9 ** (i - k)
            for i in range(k, n + 1)
        ),
        Fraction(0),
    )
    found = tails._tail_ratio(k, n, p)
    assert found.low <= exact * 2**tails._BITS <= found.high
    assert found.high - found.low < found.low >> 90


def test_the_ambient_decimal_context_cannot_move_a_decision():
    with localcontext() as context:
        context.prec, context.rounding = 3, ROUND_UP
        context.traps[Inexact] = True
        assert lower_bound_reaches(90_187, 100_000, threshold="0.9", bound_alpha="0.025")
        assert not lower_bound_reaches(90_185, 100_000, threshold="0.9", bound_alpha="0.025")


def test_certificates_are_light_to_import():
    code = "import sys, oloproof.stats.exact; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
