"""Canonical JSON: one byte form for one value, and no other form is read."""

import json
import math

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.canon.encoding import MAX_DEPTH, MAX_INTEGER, MAX_LINE_BYTES, NotCanonical, encode, encode_plain, parse

#: Text in which characters from U+E000 on (JCS sorts them after the astral ones' surrogates) are frequent.
TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.characters(min_codepoint=0xE000, max_codepoint=0xFFFF, exclude_categories=["Cs"]),
        st.characters(min_codepoint=0x10000, max_codepoint=0x10FFFF),
        st.sampled_from('ab"\\\n\x00\x1f\x7f\u2028é'),
    ),
    max_size=4,
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not MAX_INTEGER < abs(x) < 1e21)
SCALARS = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS | NUMBERS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)


@settings(max_examples=500)
@given(VALUES)
def test_bytes_are_those_of_rfc8785(value):
    assert encode(value) == rfc8785.dumps(value)


@settings(max_examples=500)
@given(VALUES)
def test_reading_gives_the_value_back(value):
    assert parse(encode(value)) == value
    assert encode(parse(encode(value))) == encode(value)


@settings(max_examples=200)
@given(st.dictionaries(TEXTS, st.integers(0, 9), max_size=6))
def test_every_other_order_of_keys_is_refused(value):
    items = list(value.items())
    for shift in range(1, len(items)):
        text = json.dumps(dict(items[shift:] + items[:shift]), ensure_ascii=False, separators=(",", ":")).encode()
        if text == encode(value):
            assert parse(text) == value
        else:
            with pytest.raises(NotCanonical):
                parse(text)


def test_keys_sort_by_utf16_units_wherever_they_differ():
    value = {"a\uffff": 1, "a\U0001f600": 2, "\ufb33": 3, "\U0001f601": 4, "é": 5}
    assert encode(value) == rfc8785.dumps(value)
    assert list(json.loads(encode(value))) == ["a\U0001f600", "a\uffff", "é", "\U0001f601", "\ufb33"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}', '{"a":1 }', ' {"a":1}', '{"a":1}\n', "[1, 2]", '{"b":1,"a":2}', '{"a":1,"a":1}', '{"a":1,"a":2}',
        '"\\u0061"', '"\\/"', '"\\u00e9"', '"\\u000A"', '"\\u000a"', '"\t"', '"\\ud800"', '"\\udc00\\ud800"',
        '{"\\ud800":1}', "1.0", "1e0", "1E1", "10e-1", "-0", "-0.0", "0.10", "+1", "01", "1e21", "1E+21", "1e+021",
        "0.0000001", "{}{}", "{} ", "\ufeff{}", "", "nul", "NaN", "Infinity", "-Infinity", "1e400", "[1,]", "'a'",
        "{a:1}", "[1]//", "[" * 5, '{"a":undefined}',
    ],
)  # fmt: skip
def test_another_spelling_is_refused(text):
    with pytest.raises(NotCanonical):
        parse(text.encode())


@pytest.mark.parametrize(
    "text", ['"é"', '"\\n"', '"\u2028"', '"\x7f"', "0", "-1", "1e+21", "1e-7", "0.1", "{}", "[]", '""', "null"]
)
def test_the_canonical_spelling_is_read(text):
    assert encode(parse(text.encode())) == text.encode()


@pytest.mark.parametrize("data", [b"\xff", b'"\xed\xa0\x80"', b'"\xc0\x80"', "{}".encode("utf-16")])
def test_bytes_that_are_not_utf8_are_refused(data):
    with pytest.raises(NotCanonical):
        parse(data)


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER])
def test_integers_below_2_to_the_53_are_carried(value):
    assert parse(encode(value)) == value


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**64, float(2**53), -float(2**53), 1e20, 123456789012345680000.0])
def test_numbers_that_would_be_written_as_integers_from_2_to_the_53_on_are_refused(value):
    with pytest.raises(NotCanonical, match=r"n\[0\]: .* beyond 2\^53"):
        encode({"n": [value]})


def test_an_integer_of_thousands_of_digits_is_told_in_short():
    with pytest.raises(NotCanonical) as caught:
        encode({"n": 10**5000})
    assert len(str(caught.value)) < 80


@pytest.mark.parametrize("text", [str(2**53), str(-(2**53)), "100000000000000000000", "9" * 5000])
def test_integers_from_2_to_the_53_on_are_not_read(text):
    with pytest.raises(NotCanonical):
        parse(text.encode())


@pytest.mark.parametrize("value", [1e21, -1e22, 1.7976931348623157e308, 5e-324, 9007199254740991.0, 0.5])
def test_doubles_that_have_a_text_of_their_own_are_carried(value):
    assert parse(encode(value)) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_by_its_field(value):
    with pytest.raises(NotCanonical) as caught:
        encode({"a": {"b": [0, value]}})
    assert caught.value.field == "a.b[1]"


@pytest.mark.parametrize("value", [{"a": ["x", "\ud800"]}, {"a": {"\udfff": 1}}, {"a": {"b": "ok \udc00"}}])
def test_a_lone_surrogate_is_refused_by_its_field(value):
    with pytest.raises(NotCanonical) as caught:
        encode(value)
    assert caught.value.field.startswith("a")


@pytest.mark.parametrize("value", [{1: "a"}, {None: 1}, {"a": {1, 2}}, b"bytes", object(), [1j]])
def test_what_is_not_json_is_refused(value):
    with pytest.raises(NotCanonical):
        encode(value)


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_bounded_on_both_sides():
    text = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert encode(nested(MAX_DEPTH)) == text
    assert encode(parse(text)) == text
    with pytest.raises(NotCanonical, match="deeper"):
        encode(nested(MAX_DEPTH + 1))
    with pytest.raises(NotCanonical, match="deeper"):
        parse(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))


@pytest.mark.parametrize(
    "data", [b"[" * 500 + b"]" * 500, b"[" * 100_000, b'{"a":' * 100_000, b"[" * 500_000 + b"]" * 500_000]
)
def test_hostile_depth_is_refused_before_any_parser_recurses(data):
    with pytest.raises(NotCanonical, match="deeper"):
        parse(data)


def test_brackets_in_strings_have_no_depth():
    value = ["[{" * 100, '"[' * 100, "\\[" * 100, {"{[" * 40: "]"}]
    assert parse(encode(value)) == value


def test_the_length_of_a_line_is_bounded():
    longest = b'"' + b"a" * (MAX_LINE_BYTES - 2) + b'"'
    assert len(parse(longest)) == MAX_LINE_BYTES - 2
    with pytest.raises(NotCanonical, match="limit"):
        parse(longest[:-1] + b'a"')


@given(st.dictionaries(st.text("abc_", max_size=4), st.none() | st.booleans() | st.integers(0, 99) | TEXTS, max_size=5))
def test_the_plain_encoder_agrees_on_what_it_is_for(value):
    assert encode_plain(value) == encode(value)


def test_the_plain_encoder_refuses_a_lone_surrogate():
    with pytest.raises(NotCanonical):
        encode_plain({"a": "\ud800"})
