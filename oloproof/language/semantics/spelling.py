"""Values as texts: numbers without zeros at their end, and what is said of a value in a message."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from oloproof.language.syntax.tree import Block, Boolean, Call, Integer, ListValue, Number, Quantity, Ref, Text, Value

#: Arithmetic on numbers as written, which have at most 100 characters: nothing is rounded.
EXACT: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)


def plain(number: Decimal) -> Decimal:
    """The number without zeros at its end: equal numbers have equal texts, and nothing is rounded.

    >>> format(plain(Decimal("0.950")), "f")
    '0.95'
    """
    return number.normalize(EXACT)


def shown_quantity(quantity: Quantity) -> str:
    """A quantity as authors write it."""
    gap = " " if len(quantity.unit) == 3 and quantity.unit.isupper() else ""  # noqa: PLR2004 -- a currency code
    return f"{format(quantity.number, 'f')}{gap}{quantity.unit}"


def path_text(parts: Sequence[str | int]) -> str:
    """A path as authors write it."""
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier() and part.isascii():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def kind_of(value: Value) -> str:  # noqa: PLR0911 -- one return a kind of value
    """What a value is, in words, with what was written where that is short."""
    match value:
        case Text(value=text):
            return f'the string "{text[:30]}{"…" if len(text) > 30 else ""}"'  # noqa: PLR2004 -- what is recognised
        case Integer(value=number):
            return f"the whole number {number}"
        case Number(value=decimal):
            return f"the number {format(decimal, 'f')}"
        case Boolean(value=boolean):
            return f"`{str(boolean).lower()}`"
        case Quantity():
            return f"the quantity `{shown_quantity(value)}`"
        case ListValue():
            return "a list"
        case Block():
            return "a block"
        case Call(name=name):
            return f"a call of `{name.text}`"
        case Ref():
            return f"the name `{path_text(value.parts)}`"
