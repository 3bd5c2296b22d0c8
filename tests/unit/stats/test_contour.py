"""The contour integral against closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.stats.contour import log_probability


def by_partial_fractions(weights):
    """P(sum of c_j E <= 0) for distinct weights, in fractions: no digit is lost to cancellation."""
    exact = [Fraction(weight) for weight in weights]
    total = Fraction(0)
    for c in exact:
        if c < 0:
            total += math.prod((c / (c - d) for d in exact if d != c), start=Fraction(1))
    return total


@given(
    st.lists(st.integers(-1000, 1000).filter(bool), min_size=1, max_size=25, unique=True),
    st.integers(1001, 3000),
    st.integers(1001, 9000),
)
def test_distinct_weights_agree_with_partial_fractions(weights, most_negative, most_positive):
    whole = [*weights, -most_negative, most_positive]
    found = log_probability(np.array(whole, dtype=float), np.ones(len(whole)))
    assert found == pytest.approx(math.log(by_partial_fractions(whole)), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 100_000])
def test_all_right_is_a_product(n):
    found = log_probability(np.array([0.25, -0.75]), np.array([float(n), 1.0]))
    assert found == pytest.approx(n * math.log(0.75), rel=1e-12)


def test_a_certain_event_has_log_probability_zero():
    found = log_probability(np.array([1e-9, -1.0]), np.array([1.0, 50_000.0]))
    assert found == pytest.approx(0.0, abs=1e-15)
