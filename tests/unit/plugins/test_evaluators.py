import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oloproof_builtin.contains import Contains
from oloproof_builtin.exact_match import ExactMatch, are_equal
from oloproof_builtin.manifests import ContainsOptions, ExactMatchOptions, NumericOptions
from oloproof_builtin.numeric import Numeric, is_near

from oloproof.sdk import Case, Context, Failure, Verdict

CONTEXT = Context(Path("/"), Path("/"))


def exact(output, expect, **options: object):
    return ExactMatch(ExactMatchOptions(**options), CONTEXT).evaluate(Case(None, expect), output)


def contains(output, expect, **options: object):
    return Contains(ContainsOptions(**options), CONTEXT).evaluate(Case(None, expect), output)


def numeric(output, expect, **options: object):
    return Numeric(NumericOptions(**options), CONTEXT).evaluate(Case(None, expect), output)


RIGHT = Verdict({"pass": True}, None)


def wrong(reason: str) -> Verdict:
    return Verdict({"pass": False}, reason)


@pytest.mark.parametrize(
    ("output", "expect", "options", "verdict"),
    [
        (" a ", "a", {}, RIGHT),
        (" a ", "a", {"strip": False}, wrong("different")),
        ("STRASSE", "straße", {}, wrong("different")),
        ("STRASSE", "straße", {"ignore_case": True}, RIGHT),
        ({"label": "en"}, "en", {"field": "label"}, RIGHT),
        ({"label": None}, "en", {"field": "label"}, wrong("different")),
        ({"other": "en"}, "en", {"field": "label"}, wrong("no_field")),
        ("en", "en", {"field": "label"}, wrong("no_field")),
        ({"n": 1}, 1.0, {"field": "n"}, RIGHT),
        ({"n": 1}, "1", {"field": "n"}, wrong("different")),
        ({"n": 1}, True, {"field": "n"}, wrong("different")),
        ({"n": [1, {"a": False}]}, {"n": [1, {"a": 0}]}, {}, wrong("different")),
        ({"a-1": {"x": ["y"]}}, "y", {"field": '["a-1"].x[0]'}, RIGHT),
        ("x", None, {}, Failure("expect_missing")),
    ],
)
def test_exact_match_compares_as_json_does(output, expect, options, verdict):
    assert exact(output, expect, **options) == verdict


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values)
def test_equality_is_reflexive_and_symmetric(left, right):
    assert are_equal(left, left)
    assert are_equal(left, right) == are_equal(right, left)


@pytest.mark.parametrize(
    ("output", "expect", "options", "verdict"),
    [
        ("all is well", "well", {}, RIGHT),
        ("all is well", ["all", "well"], {}, RIGHT),
        ("all is well", ["all", "ill"], {}, wrong("not_contained")),
        ("all is well", ["all", "ill"], {"match": "any"}, RIGHT),
        ("All", "all", {}, wrong("not_contained")),
        ("All", "all", {"ignore_case": True}, RIGHT),
        ({"text": "x"}, "x", {"field": "text"}, RIGHT),
        ({"text": 7}, "7", {"field": "text"}, wrong("not_contained")),
        ({}, "x", {"field": "text"}, wrong("no_field")),
        ("x", None, {}, Failure("expect_missing")),
    ],
)
def test_contains_looks_for_substrings(output, expect, options, verdict):
    assert contains(output, expect, **options) == verdict


@pytest.mark.parametrize("expect", ["", [], [""], ["a", ""], 7, {"a": "b"}, ["a", 1], True])
def test_an_expectation_that_says_nothing_is_not_contained_in_everything(expect):
    assert contains("text", expect).reason == "expect_type"


@pytest.mark.parametrize(
    ("output", "expect", "options", "outputs", "reason"),
    [
        ("so 3 + 5 = 8", 8, {}, {"pass": True, "value": 8.0}, None),
        ("so 3 + 5 = 8", "#### 8", {}, {"pass": True, "value": 8.0}, None),
        ("so 3 + 5 = 8", 3, {"take": "first"}, {"pass": True, "value": 3.0}, None),
        ("so 3 + 5 = 8", 8, {"take": "only"}, {"pass": False}, "several_numbers"),
        ("8", 8, {"take": "only"}, {"pass": True, "value": 8.0}, None),
        ("no idea", 8, {}, {"pass": False}, "no_number"),
        ({"n": 8.5}, "8.5", {"field": "n"}, {"pass": True, "value": 8.5}, None),
        ({"n": True}, 1, {"field": "n"}, {"pass": False}, "no_number"),
        ({}, 1, {"field": "n"}, {"pass": False}, "no_field"),
        ("0.3", 0.1, {"tolerance": Decimal("0.2")}, {"pass": True, "value": 0.3}, None),
        ("0.30000000000000000001", 0.1, {"tolerance": Decimal("0.2")}, {"pass": False, "value": 0.3}, "different"),
        ("9007199254740993", "9007199254740993", {}, {"pass": True}, None),
        ("9007199254740993", "9007199254740992", {}, {"pass": False}, "different"),
        ("1e-999", 0, {}, {"pass": False, "value": 0.0}, "different"),
        ("9" * 100_000, 1, {}, {"pass": False}, "different"),
    ],
)
def test_numeric_compares_in_exact_decimals(output, expect, options, outputs, reason):
    assert numeric(output, expect, **options) == Verdict(outputs, reason)


@pytest.mark.parametrize("expect", ["none", True, [1], {"n": 1}])
def test_an_expectation_without_a_number_is_missing(expect):
    assert numeric("1", expect).reason == "expect_type"


def test_a_case_without_expectation_is_missing():
    assert numeric("1", None) == Failure("expect_missing")


exact_decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40)


@given(exact_decimals, exact_decimals, exact_decimals.map(Decimal.copy_abs))
def test_nearness_is_that_of_exact_fractions(left, right, tolerance):
    apart = abs(
        left.as_integer_ratio()[0] * right.as_integer_ratio()[1]
        - right.as_integer_ratio()[0] * left.as_integer_ratio()[1]
    )
    over = left.as_integer_ratio()[1] * right.as_integer_ratio()[1]
    top, bottom = tolerance.as_integer_ratio()
    assert is_near(left, right, tolerance) == (apart * bottom <= top * over)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_value_is_the_double_itself_or_left_out(number):
    verdict = numeric({"n": number}, number, field="n")
    assert verdict.outputs["pass"] is True
    assert verdict.outputs.get("value", number) == number
    assert all(math.isfinite(value) for value in verdict.outputs.values())
