"""The numbers that are written in a text.

Read in one pass, in time linear in the text. What counts as a number, by example:
`72`, `-3`, a minus of U+2212, `+3`, `0.5`, `.5`, `1e5`, `1.5E-3`, `$1,234.50`, `-$5`, `$-5`, `85%` (85), `5kg`, `x=5`.
- Thousands are grouped by a comma, or by a no-break or thin space, and then everywhere: `1,234,567`. A run that is not
  grouped so throughout is several numbers: `1,2,3`, `1,234,56`.
- A dot is the decimal sign. Where both signs occur and the comma comes last, they are read the other way round, and so
  are dots that group twice or more: `1.234,50` is 1234.50, `1.234.567` is 1234567. `12,50` is 12 and 50.
- A dot at the end of a number ends the sentence: `It is 5.` A version is several numbers: `1.2.3`.
- A sign belongs to a number only where nothing stands before it that it could connect: `3-5`, `10-20`, `a-5` and
  `(2)-5` hold a 5. En and em dashes are no signs.
- Digits after an ASCII letter or underscore belong to a word: `gpt4`, `H2O`, `v1.5`. An exponent has up to three
  digits, or it is part of a word too: `1e9999` holds a 1.
- A percent sign changes nothing; fractions, times and dates are several numbers; words for numbers are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

_CURRENCIES: Final = "$€£¥₹₩₽₺₴₫฿₿¢"
_SPACES: Final = "\u00a0\u2009\u202f"
#: A run of digits and what may stand between them. One class with one repetition cannot backtrack.
_RUN: Final = re.compile(rf"\d[\d.,{_SPACES}]*")
_EXPONENT: Final = re.compile(r"[eE]([+\-\u2212]?)(\d{1,3})(?![\d\w])")
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?")
_GROUPED: Final = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?")
_CONTINENTAL: Final = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_DIGITS: Final = re.compile(r"\d+")
_REST_OF_WORD: Final = re.compile(r"\d+(?:\.\d+)*")
_MINUS: Final = "-\u2212"
_WORD: Final = re.compile(r"[A-Za-z_]")


def numbers_in(text: str) -> Iterator[Decimal]:
    """Every number, in the order in which the text has them."""
    at = 0
    while run := _RUN.search(text, at):
        core = run[0].rstrip(f".,{_SPACES}")
        end = run.start() + len(core)
        at = max(run.start() + 1, end)
        if run.start() and _WORD.match(text, run.start() - 1):
            # The rest of a word; what follows after a comma stands on its own.
            at = run.start() + len(_REST_OF_WORD.match(core)[0])  # type: ignore[index]  # a run begins with a digit
            continue
        pieces = _read(core)
        begin = run.start()
        if len(pieces) == 1 and core.isdecimal() and _is_decimal_point(text, begin - 1):
            begin -= 1
            pieces = ["." + core]
        if exponent := _EXPONENT.match(text, end):
            sign = "-" if exponent[1] in tuple(_MINUS) else ""
            pieces[-1] += f"E{sign}{exponent[2]}"
            at = exponent.end()
        if _is_negative(text, begin):
            pieces[0] = "-" + pieces[0]
        yield from map(Decimal, pieces)


def _read(core: str) -> list[str]:
    """The numbers of a run of digits and separators, in the form that Decimal reads."""
    if _PLAIN.fullmatch(core):
        return [core]
    if _GROUPED.fullmatch(core):
        if any(space in core for space in _SPACES):
            core = core.replace(",", ".")
        return [re.sub(rf"[,{_SPACES}]", "", core)]
    if _CONTINENTAL.fullmatch(core):
        return [core.replace(".", "").replace(",", ".")]
    pieces = [piece.strip(".") for piece in re.split(rf"[,{_SPACES}]", core)]
    return [number for piece in pieces if piece for number in _split_dots(piece)]


def _split_dots(piece: str) -> list[str]:
    return [piece] if _PLAIN.fullmatch(piece) else _DIGITS.findall(piece)


def _is_decimal_point(text: str, at: int) -> bool:
    """Whether a dot before digits makes them decimals: `.5`, `-.5`, `$.5`, but not `...5` or `a.5`."""
    if at < 0 or text[at] != ".":
        return False
    return at == 0 or text[at - 1].isspace() or text[at - 1] in _CURRENCIES + _MINUS + "+([{=<>~≈:,*\"'"


def _is_negative(text: str, begin: int) -> bool:
    """Whether a minus sign belongs to the number that begins there, on either side of a currency sign."""
    at = begin - 1
    if at >= 0 and text[at] in _CURRENCIES:
        at -= 1
    if at < 0 or text[at] not in _MINUS:
        return False
    before = text[at - 1] if at else " "
    if before in _CURRENCIES:
        # `US$-5` and `$-5`: the sign follows the currency.
        return True
    return not (before.isalnum() or before in f"_)]}}%.{_MINUS}")
