import enum
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canon.encoding import encode, parse
from oloproof.engine.plain_json import MAX_ANSWER_BYTES, NotPlainJson, TooLarge, to_plain

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_a_plain_value_is_what_canonical_json_reads_back(value):
    plain = to_plain(value)
    read = parse(encode(plain))
    assert json.dumps(plain, sort_keys=True) == json.dumps(read, sort_keys=True)


@given(json_values)
def test_making_plain_twice_changes_nothing_more(value):
    plain = to_plain(value)
    assert repr(to_plain(plain)) == repr(plain)


def test_tuples_become_lists_and_whole_floats_integers():
    assert repr(to_plain({"a": (1.0, -0.0, 1.5)})) == "{'a': [1, 0, 1.5]}"


class Colour(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        -math.inf,
        2**53,
        -(2**53),
        2.0**53,
        1e20,
        "\udfff",
        {1: 2},
        {None: 1},
        {"a"},
        b"x",
        Colour.RED,
        object(),
        1j,
    ],
)
def test_what_json_cannot_carry_is_refused_wherever_it_stands(value):
    for held in (value, [value], {"a": {"b": [value]}}):
        with pytest.raises(NotPlainJson):
            to_plain(held)


def test_floats_that_json_writes_with_an_exponent_are_carried():
    assert to_plain(1e21) == 1e21


def test_nesting_is_bounded_before_anything_recurses_far():
    value: list = []
    value.append(value)
    with pytest.raises(NotPlainJson, match="deeper"):
        to_plain(value)


@pytest.mark.parametrize(
    "value",
    ["x" * MAX_ANSWER_BYTES, "é" * (MAX_ANSWER_BYTES // 2), ["x"] * MAX_ANSWER_BYTES, {"k" * MAX_ANSWER_BYTES: 1}],
)
def test_the_size_of_the_text_is_bounded(value):
    with pytest.raises(TooLarge):
        to_plain(value)


def test_a_text_just_below_the_limit_is_taken():
    assert to_plain("x" * (MAX_ANSWER_BYTES - 2))
