"""From the text of a literal to its value: escapes, indentation, numbers, units."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from oloproof.language.diagnostics import Diagnostic, Edit, Fix, Rule, nearest
from oloproof.language.syntax.currencies import CURRENCIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.language.source import Source, Span
    from oloproof.language.syntax.tokens import Token

UNTERMINATED_STRING = Rule("OLO004", "unterminated-string")
MALFORMED_NUMBER = Rule("OLO005", "malformed-number")
BAD_ESCAPE = Rule("OLO007", "bad-escape")
TEXT_BLOCK_LAYOUT = Rule("OLO011", "text-block-layout")

UNITS = ("%", "pp", "ms", "s", "min", "h", "d")

#: Longest number, in characters. Nothing a suite counts comes near, and Python refuses integers of 4,300 digits.
MAX_NUMBER_LENGTH = 100

#: The last code point there is, and the halves of surrogate pairs, which are none of their own.
_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(?:u\{([^}\"\r\n]*)\}|([\s\S]))")
_HEX = re.compile(r"[0-9A-Fa-f]{1,6}")
_LINE_END = re.compile("\r\n|\r|\n")
_BLANKS = re.compile(r"[ \t]*")
_QUANTITY = re.compile(r"(-?[0-9_.]+) ?([%A-Za-z]+)")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_EXPONENT = re.compile(r"[+-]?[0-9_.]+[eE][+-]?[0-9]*")
_ALMOST = re.compile(r"(-?[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?)[ \t]*([^\W\d_]+|%)")
_KNOWN_UNITS = "units are % pp ms s min h d, or one space and a currency: `40 USD`"


class Decoded(NamedTuple):
    """The value of a string and what is wrong with how it was written."""

    value: str
    diagnostics: tuple[Diagnostic, ...]


def decode_string(source: Source, token: Token) -> Decoded:
    """The value of `"…"`; a bad escape stands for itself."""
    return _unescape(source, token.text[1:-1], token.start + 1)


def decode_raw(token: Token) -> str:
    """The value of `r"…"`: what stands between the quotes."""
    return token.text[2:-1]


def decode_block(source: Source, token: Token) -> Decoded:
    '''The value of `"""…"""`: the lines between the quotes, less the indentation of the closing line.

    The text begins on the line after the opening quotes and ends before the line of the closing ones, so the last line
    has no line end of its own. Lines of blanks only are empty lines.
    '''
    body = token.text[3:-3]
    lines = list(_lines(body, token.start + 3))
    last, last_at = lines[-1]
    if last.strip(" \t"):
        span = source.span(last_at, last_at + len(last))
        return Decoded("", (_layout(span, 'the closing `"""` stands alone on its line'),))
    values, diagnostics = [], list[Diagnostic]()
    for line, at in lines[1:-1]:
        if not line.strip(" \t"):
            values.append("")
        elif line.startswith(last):
            value, faults = _unescape(source, line[len(last) :], at + len(last))
            diagnostics += faults
            values.append(value)
        else:
            blanks = _BLANKS.match(line)
            width = blanks.end() if blanks else 0
            message = 'this line is indented less than the closing `"""`, or with other blanks'
            diagnostics.append(_layout(source.span(at, at + max(width, 1)), message))
    return Decoded("\n".join(values), tuple(diagnostics))


def _lines(body: str, at: int) -> Iterator[tuple[str, int]]:
    start = 0
    for match in _LINE_END.finditer(body):
        yield body[start : match.start()], at + start
        start = match.end()
    yield body[start:], at + start


def late_text_block(quotes: Span) -> Diagnostic:
    """A text that begins on the line of its opening quotes."""
    return _layout(quotes, 'the text begins on the line after `"""`')


def _layout(span: Span, message: str) -> Diagnostic:
    return Diagnostic(
        TEXT_BLOCK_LAYOUT,
        message,
        span,
        help='`"""`, then the lines of the text, then a line with only `"""`; its indentation is taken from every line',
    )


def _unescape(source: Source, body: str, at: int) -> Decoded:
    if "\\" not in body:
        return Decoded(body, ())
    diagnostics: list[Diagnostic] = []

    def value_of(match: re.Match[str]) -> str:
        digits, character = match.groups()
        value = _ESCAPES.get(character) if digits is None else _code_point(digits)
        if value is None:
            diagnostics.append(_bad_escape(source, match.group(), at + match.start()))
            return match.group()
        return value

    return Decoded(_ESCAPE.sub(value_of, body), tuple(diagnostics))


def _code_point(digits: str) -> str | None:
    if not _HEX.fullmatch(digits):
        return None
    number = int(digits, 16)
    return None if number > _LAST_CODE_POINT or number in _SURROGATES else chr(number)


def _bad_escape(source: Source, escape: str, at: int) -> Diagnostic:
    span = source.span(at, at + len(escape))
    fixes = () if escape.startswith("\\u") else (Fix("double the backslash", "safe", (Edit(span, "\\" + escape),)),)
    return Diagnostic(
        BAD_ESCAPE,
        f"`{escape}` is no escape" if escape.isprintable() else "no escape",
        span,
        help='escapes are \\" \\\\ \\n \\t \\r and \\u{1F600}; r"…" takes backslashes as they are',
        fixes=fixes,
    )


class Measure(NamedTuple):
    """A number and its unit, as written."""

    number: Decimal
    unit: str


def decode_number(text: str) -> Decimal:
    """The exact value of a number with `_` between digits."""
    return Decimal(text.replace("_", ""))


def decode_quantity(text: str) -> Measure:
    """Number and unit of a token of type QUANTITY."""
    match = _QUANTITY.fullmatch(text)
    assert match is not None, text
    return Measure(decode_number(match[1]), match[2])


def check_number(source: Source, token: Token) -> Diagnostic | None:
    """What is wrong with a number that the grammar lets pass: its length, or a currency that does not exist."""
    span = source.span(token.start, token.end)
    if len(token.text) > MAX_NUMBER_LENGTH:
        return Diagnostic(MALFORMED_NUMBER, f"this number has more than {MAX_NUMBER_LENGTH} characters", span)
    code = token.text[-3:]
    if token.text[-4:-3] != " " or code in CURRENCIES:
        return None
    near = nearest(code, CURRENCIES)
    return Diagnostic(
        MALFORMED_NUMBER,
        f"`{code}` is no ISO 4217 currency code",
        span,
        help=f"did you mean `{token.text[:-3]}{near}`?" if near else _KNOWN_UNITS,
    )


class _Guess(NamedTuple):
    """What is wrong with a text, and the one number that was surely meant, if there is one."""

    reason: str
    meant: str | None = None


def malformed_number(source: Source, start: int, end: int) -> Diagnostic:
    """What is wrong with a text that begins like a number and is none, and what was likely meant."""
    text, span = source.text[start:end], source.span(start, end)
    guess = _guess_unit(text) or _guess_digits(text)
    shown = text if len(text) <= MAX_NUMBER_LENGTH else text[:MAX_NUMBER_LENGTH] + "…"
    fixes = (Fix(f"write `{guess.meant}`", "safe", (Edit(span, guess.meant),)),) if guess.meant else ()
    message = f"`{shown}` is no number: {guess.reason}"
    return Diagnostic(MALFORMED_NUMBER, message, span, help=_KNOWN_UNITS, fixes=fixes)


def _guess_unit(text: str) -> _Guess | None:
    almost = _ALMOST.fullmatch(text)
    if almost is None or almost[2].lower() == "e":
        return None
    number, unit = almost.groups()
    if unit.upper() in CURRENCIES:
        return _Guess("one space stands before a currency code in capitals", f"{number} {unit.upper()}")
    if unit in UNITS:
        return _Guess("the unit follows the number directly", f"{number}{unit}")
    near = nearest(unit, UNITS)
    return _Guess(f"`{unit}` is no unit" + (f"; did you mean `{near}`?" if near else ""))


def _guess_digits(text: str) -> _Guess:
    if text.startswith("+"):
        return _Guess("a number has no leading `+`", text[1:] if _PLAIN.fullmatch(text[1:]) else None)
    if _EXPONENT.fullmatch(text):
        return _Guess("there are no exponents; write the digits, with `_` between groups")
    if text.startswith(".") or text.endswith("."):
        return _Guess("digits stand on both sides of the point")
    return _Guess("digits, at most one point, `_` only between digits")
