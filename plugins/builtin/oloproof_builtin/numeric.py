"""The evaluator `numeric`: the number in the answer is the expected one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Decimal
from decimal import Context as Arithmetic
from typing import Final

from oloproof.sdk import ABSENT, Case, Context, Failure, Json, MaybeJson, Verdict
from oloproof_builtin.answers import field_of, parse_field
from oloproof_builtin.manifests import NumericOptions
from oloproof_builtin.numerals import numbers_in

#: From here on not every integer has a double of its own, and canonical JSON carries doubles.
_BEYOND_DOUBLES: Final = Decimal(2**53)
#: A number whose exponent is larger has no finite double, or one that is 0.
_MAX_EXPONENT: Final = 400


class Numeric:
    """Compares in exact decimals: |answer - expect| <= tolerance, without rounding; numerals.py says what is a number.

    The answer and `expect` are JSON numbers, or texts of which `take` picks a number. `value` is the double nearest to
    the answer's number; it is left out where there is no number, or it is 2^53 or more.
    """

    def __init__(self, options: NumericOptions, _context: Context) -> None:
        self._field, self._take, self._tolerance = parse_field(options.field), options.take, options.tolerance

    def evaluate(self, case: Case, output: Json) -> Verdict | Failure:
        """Pass and value; wrong with `different`, `no_number`, `several_numbers` or `no_field`."""
        if case.expect is None:
            return Failure("expect_missing")
        expected = self._pick(_numbers(case.expect))
        if expected is None:
            return Failure("expect_type", "a number is due, or a text in which `take` finds one")
        found = field_of(output, self._field)
        if found is ABSENT:
            return Verdict({"pass": False}, "no_field")
        numbers = _numbers(found)
        number = self._pick(numbers)
        if number is None:
            return Verdict({"pass": False}, "several_numbers" if numbers else "no_number")
        passes = is_near(number, expected, self._tolerance)
        value = _double(number)
        outputs = {"pass": passes} if value is None else {"pass": passes, "value": value}
        return Verdict(outputs, None if passes else "different")

    def _pick(self, numbers: Sequence[Decimal]) -> Decimal | None:
        if not numbers or (self._take == "only" and len(numbers) > 1):
            return None
        return numbers[0] if self._take == "first" else numbers[-1]


def _numbers(value: MaybeJson) -> list[Decimal]:
    if isinstance(value, bool) or value is ABSENT:
        return []
    if isinstance(value, int):
        return [Decimal(value)]
    if isinstance(value, float):
        # The shortest text that reads back as this double is what the author or the system wrote.
        return [Decimal(repr(value))]
    return list(numbers_in(value)) if isinstance(value, str) else []


def is_near(left: Decimal, right: Decimal, tolerance: Decimal) -> bool:
    """Whether the two differ by no more than the tolerance, exactly."""
    digits = sum(len(number.as_tuple().digits) + abs(number.adjusted()) for number in (left, right, tolerance))
    # With room for every digit of the difference, nothing is rounded.
    exact = Arithmetic(prec=digits + 10, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return exact.abs(exact.subtract(left, right)) <= tolerance


def _double(number: Decimal) -> float | None:
    if number.copy_abs() >= _BEYOND_DOUBLES:
        return None
    return 0.0 if number.adjusted() < -_MAX_EXPONENT else float(number)
