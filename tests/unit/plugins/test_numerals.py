import re
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oloproof_builtin.numerals import numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The answer is 72.", ["72"]),
        ("#### 1,234", ["1234"]),
        ("$1,234.50 in all", ["1234.50"]),
        ("1.234,50 €", ["1234.50"]),
        ("1.234.567", ["1234567"]),
        ("1\u202f234\u202f567,5", ["1234567.5"]),
        ("12,50", ["12", "50"]),
        ("1,2,3", ["1", "2", "3"]),
        ("1,234,56", ["1", "234", "56"]),
        ("1.2.3", ["1", "2", "3"]),
        ("-3 and \u22123 and +3", ["-3", "-3", "3"]),
        ("-$5, $-5, US$-5", ["-5", "-5", "-5"]),
        ("3-5 and 10–20", ["3", "5", "10", "20"]),  # noqa: RUF001 -- the dash is the point
        ("(2)-5", ["2", "5"]),
        ("x=-5", ["-5"]),
        (".5 or -.5 or $.5", ["0.5", "-0.5", "0.5"]),
        ("and so on...5", ["5"]),
        ("1e5, 1.5E-3, 2e+2", ["1E5", "0.0015", "2E2"]),
        ("1e9999", ["1"]),
        ("2e", ["2"]),
        ("85%", ["85"]),
        ("5kg of 3/4", ["5", "3", "4"]),
        ("gpt4 and H2O and v1.5 and a_1", []),
        ("答案是42", ["42"]),
        ("٤٢", ["42"]),
        ("**72**", ["72"]),
        ("\\boxed{-7}", ["-7"]),
        ("no number", []),
        ("", []),
    ],
)
def test_numbers_are_read_as_the_module_says(text, numbers):
    assert list(numbers_in(text)) == [Decimal(number) for number in numbers]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4))
def test_every_spelling_of_a_number_between_words_is_read_as_the_number(number):
    for spelling in (f"{number:f}", f"{number:,f}", f"${number:,f}".replace("$-", "-$")):
        assert list(numbers_in(f"It is {spelling} in all.")) == [number]


@given(st.lists(st.integers(-(10**9), 10**9), max_size=20))
def test_numbers_with_spaces_between_them_are_those_that_a_simple_pattern_finds(numbers):
    text = " ; ".join(map(str, numbers))
    assert list(numbers_in(text)) == [Decimal(found) for found in re.findall(r"-?\d+", text)]


@given(st.text(alphabet="0123456789.,-+$eE \u00a0\u2212xé٣", max_size=60))
def test_any_text_gives_finite_numbers_with_no_more_digits_than_it_has(text):
    found = list(numbers_in(text))
    assert all(number.is_finite() for number in found)
    assert sum(len(number.as_tuple().digits) for number in found) <= sum(map(str.isdecimal, text)) + len(found)


@pytest.mark.parametrize("unit", ["1,", "1.", "1", "1,234", ".5", "-", "1e", "$-", "1\u00a0", "1.234,", "a1"])
def test_the_time_grows_with_the_text_and_not_with_its_square(unit):
    def cost(n: int) -> float:
        text = unit * n
        began = time.process_time()
        for _ in numbers_in(text):
            pass
        return time.process_time() - began

    # Quadratic time would be 64 times as much; the allowance is for a busy machine.
    assert cost(80_000) < 24 * cost(10_000) + 0.2
