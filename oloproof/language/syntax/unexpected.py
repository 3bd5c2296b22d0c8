"""The words for a token that cannot stand where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.language.diagnostics import Diagnostic, Edit, Fix, Rule
from oloproof.language.syntax.currencies import CURRENCIES
from oloproof.language.syntax.literals import UNITS, malformed_number
from oloproof.language.syntax.tokens import UNKNOWN, Token

if TYPE_CHECKING:
    from oloproof.language.source import Source, Span

UNEXPECTED_TOKEN = Rule("OLO001", "unexpected-token")
MISSING_VALUE = Rule("OLO008", "missing-value")

#: Longest piece of the author's text that a message repeats.
MAX_SHOWN = 40

_SIGNS = {
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "DOT": "`.`",
    "AT": "`@`",
    "EQ": "`=`",
    "CMP": "`>=`, `<=`",
    "NL": "the end of the line",
    "STRING": "a string",
    "INT": "a whole number",
    "NAME": "a name",
}
_NUMBERS = frozenset({"INT", "DECIMAL", "QUANTITY"})

#: Where all of these could come next, what is expected is a value.
_VALUE = frozenset({"STRING", "RAW", "MULTILINE", "INT", "DECIMAL", "QUANTITY", "TRUE", "LSQB", "LBRACE", "NAME"})

#: What could come next but is seldom what was meant, so it is named only if nothing else is.
_SELDOM = frozenset({"DOT", "AT", "LSQB", "LPAR", "EXTENDS", "COLON"})

_COMPARISONS = "the comparisons are `>=` and `<=`; a value is given with one `=`"
_ARITHMETIC = "a suite declares values and does not compute; names have letters, digits and `_`, other text is quoted"
_HELP = {
    "//": "a comment begins with `#`",
    "/*": "a comment begins with `#`, on each of its lines",
    "'": "strings stand between double quotes",
    ";": "a statement ends with its line, or with `,` inside braces",
    "?": "there are no conditionals; write two systems or a matrix",
    "$": "`${…}` stands inside strings only",
    **dict.fromkeys(("==", "=>", "=<", "!=", "<", ">", "<>", "===", "<<", ">>"), _COMPARISONS),
    **dict.fromkeys(("-", "+", "*", "/", "%", "&&", "||", "&", "|", "!"), _ARITHMETIC),
}


class Place(NamedTuple):
    """A token that cannot stand there, with its neighbours and the kinds of tokens that could."""

    before: Token | None
    token: Token
    after: Token | None
    expected: frozenset[str]


def unexpected(source: Source, place: Place) -> Diagnostic:
    """What to tell the author about a token that the grammar does not take."""
    before, token = place.before, place.token
    span = source.span(token.start, token.start if token.type == "NL" else token.end)
    if before and before.type in {"EQ", "CMP"} and token.type in {"NL", "RBRACE", "COMMA", "RSQB", "RPAR"}:
        return _missing_value(source, before)
    after = place.after
    if token.type == "DOT" and after and after.type in _NUMBERS and after.start == token.end:
        return malformed_number(source, token.start, after.end)
    if before and before.type in _NUMBERS and _is_unit(token):
        return malformed_number(source, before.start, token.end)
    message = f"expected {_named(place.expected)}, found {_found(token)}"
    return Diagnostic(UNEXPECTED_TOKEN, message, span, help=_help(place), fixes=_fixes(token, span))


def _missing_value(source: Source, before: Token) -> Diagnostic:
    return Diagnostic(
        MISSING_VALUE,
        f"no value after `{before.text}`",
        source.span(before.start, before.end),
        help=f"the value begins on the line of its `{before.text}`",
    )


def _is_unit(token: Token) -> bool:
    return token.type == "NAME" and (token.text in UNITS or token.text.upper() in CURRENCIES)


def _found(token: Token) -> str:
    if token.type in {"NL", "RBRACE"} and not token.text:
        return "the end of the file" if token.type == "NL" else "the end of the block"
    if token.type in {"NL", "STRING", "RAW", "MULTILINE"}:
        return _SIGNS.get(token.type, "a string")
    text = token.text if len(token.text) <= MAX_SHOWN else token.text[:MAX_SHOWN] + "…"
    return f"`{text}`"


def _named(expected: frozenset[str]) -> str:
    """The kinds that could come next, in words an author knows."""
    names: list[str] = []
    rest = expected
    if rest >= _VALUE:
        names, rest = ["a value"], rest - _VALUE - {"CMP"}
    if "NAME" in rest and "EQ" not in rest and {"LET", "PARAM"} <= rest and "STRING" in rest and "RBRACE" in rest:
        names, rest = ["a statement"], rest - {"NAME", "STRING", "NL"}
    telling = {kind for kind in rest if kind not in _SELDOM} or rest
    names += [_SIGNS[kind] for kind in _SIGNS if kind in telling]
    if not names:
        names = sorted(f"`{kind.lower()}`" for kind in rest)
    return " or ".join(", ".join(names).rsplit(", ", 1))


def _help(place: Place) -> str | None:
    token = place.token
    if token.type == "NL" and "LBRACE" in place.expected:
        if place.after and place.after.type == "LBRACE":
            return "`{` stands on the line of its declaration"
        return "a declaration has a block, which begins on its line: `{ … }`"
    if token.type == UNKNOWN:
        return next((text for sign, text in _HELP.items() if token.text == sign), _help_by_beginning(token.text))
    return None


def _help_by_beginning(text: str) -> str | None:
    return next((_HELP[sign] for sign in ("//", "/*", "'") if text.startswith(sign)), None)


def _fixes(token: Token, span: Span) -> tuple[Fix, ...]:
    text = token.text
    if token.type != UNKNOWN:
        return ()
    if len(text) > 1 and text[0] == text[-1] == "'" and not any(sign in text for sign in '"\\'):
        return (Fix("use double quotes", "safe", (Edit(span, f'"{text[1:-1]}"'),)),)
    if text.startswith("//"):
        return (Fix("begin the comment with `#`", "safe", (Edit(span, "#" + text[2:]),)),)
    if text in {"=>", "=<"}:
        return (Fix(f"write `{text[::-1]}`", "safe", (Edit(span, text[::-1]),)),)
    return ()
