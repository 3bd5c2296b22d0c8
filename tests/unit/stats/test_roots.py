"""The root finder ends on the safe side."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.stats.roots import increasing_root


@pytest.mark.parametrize("near", [-30.0, -1.0, 0.0, 0.7, 25.0])
@pytest.mark.parametrize("f", [lambda x: x - 0.7, lambda x: math.expm1(x - 0.7), lambda x: math.atan(50 * (x - 0.7))])
def test_the_root_is_found_from_anywhere(f, near):
    root = increasing_root(f, near=near, stride=0.125, farthest=180)
    assert root == pytest.approx(0.7, abs=1e-14)


@given(st.floats(-50, 50))
def test_the_value_at_the_root_is_never_positive(where):
    root = increasing_root(lambda x: (x - where) ** 3, near=0, stride=0.125, farthest=180)
    assert root is not None
    assert (root - where) ** 3 <= 0


def test_a_root_beyond_the_farthest_point_is_none():
    assert increasing_root(lambda x: x + 1000, near=0, stride=1, farthest=180) is None
