"""Characters that deceive the eye: bidi controls, invisible ones, look-alikes of ASCII."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from oloproof.language.diagnostics import Diagnostic, Edit, Fix, Label, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.language.source import Source

SUSPICIOUS_CHARACTER = Rule("OLO003", "suspicious-character")

#: Refused everywhere, strings and comments included: control characters other than tab and line ends, bidi controls
#: (the "Trojan Source" set of CVE-2021-42574 and the marks), byte order marks, halves of surrogate pairs.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)

#: How many further hidden characters of a line are pointed at, beside the first.
MAX_LABELS = 5

#: What an editor or a word processor puts in the place of ASCII. Compatibility forms (full-width letters, other
#: blanks) are found by NFKC instead.
_REPLACEMENTS = {
    "≥": ">=",
    "≤": "<=",
    "⩾": ">=",
    "⩽": "<=",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "‘": '"',  # noqa: RUF001 (a look-alike is the point)
    "’": '"',  # noqa: RUF001 (a look-alike is the point)
    "–": "-",  # noqa: RUF001 (a look-alike is the point)
    "—": "-",
    "−": "-",  # noqa: RUF001 (a look-alike is the point)
    "‐": "-",  # noqa: RUF001 (a look-alike is the point)
    "\u2011": "-",
    "\u200b": "",
    "\u200c": "",
    "\u200d": "",
    "\u2060": "",
    "\u00ad": "",
    "\u2028": "\n",
    "\u2029": "\n",
}

#: Cyrillic and Greek letters drawn like Latin ones in common fonts (from Unicode's confusables.txt, letters only).
_LETTERS = dict(
    zip(
        "авеіјкмнорѕтухАВЕІЈКМНОРЅТУХԁԛԝһαικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "abeijkmhopstyxABEIJKMHOPSTYXdqwhaikvopuxABEZHIKMNOPTYX",
        strict=True,
    )
)


def name_of(character: str) -> str:
    """Code point and Unicode name: `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"


def ascii_for(character: str) -> str | None:
    """The ASCII text that looks like this character or that it is a form of; None where there is none."""
    known = _REPLACEMENTS.get(character, _LETTERS.get(character))
    if known is not None:
        return known
    folded = unicodedata.normalize("NFKC", character)
    return folded if folded.isascii() else None


def hidden_characters(source: Source) -> Iterator[Diagnostic]:
    """One diagnostic per line that holds hidden characters, wherever they stand."""
    line, found = 0, list[int]()
    for match in HIDDEN.finditer(source.text):
        at = source.position(match.start()).line
        if at != line and found:
            yield _hidden(source, found)
            found = []
        line = at
        found.append(match.start())
    if found:
        yield _hidden(source, found)


def _hidden(source: Source, offsets: list[int]) -> Diagnostic:
    first, *others = offsets
    character = source.text[first]
    return Diagnostic(
        SUSPICIOUS_CHARACTER,
        f"{name_of(character)} is not allowed: what is shown would not be what is read",
        source.span(first, first + 1),
        labels=tuple(Label(source.span(at, at + 1), f"and {name_of(source.text[at])}") for at in others[:MAX_LABELS]),
        help=f"delete it, or write it as \\u{{{ord(character):X}}} in a string that needs it",
        fixes=(Fix("delete the character", "unsafe", (Edit(source.span(first, first + 1), ""),)),),
    )


def foreign_text(source: Source, start: int, end: int) -> Diagnostic:
    """A character or a word that has no place outside strings and comments, with what was likely meant."""
    is_word = source.text[start:end].isidentifier() or end - start > 1
    return _foreign_word(source, start, end) if is_word else _foreign_character(source, start)


def _foreign_character(source: Source, at: int) -> Diagnostic:
    character, span = source.text[at], source.span(at, at + 1)
    meant = ascii_for(character)
    if meant is None:
        return Diagnostic(
            SUSPICIOUS_CHARACTER,
            f"{name_of(character)} stands outside a string",
            span,
            help="only strings and comments may hold characters beyond ASCII",
        )
    shown = {"": "nothing", " ": "a plain space", "\n": "a line end"}.get(meant, f"`{meant}`")
    return Diagnostic(
        SUSPICIOUS_CHARACTER,
        f"{name_of(character)} looks like {shown} and is not",
        span,
        help=f"write {shown} in its place",
        fixes=(Fix(f"replace by {shown}", "safe", (Edit(span, meant),)),),
    )


def _foreign_word(source: Source, start: int, end: int) -> Diagnostic:
    """A name that is not ASCII; where every character has an ASCII look-alike the fix spells it with those."""
    word, span = source.text[start:end], source.span(start, end)
    parts = [character if character.isascii() else ascii_for(character) for character in word]
    strange = next(character for character in word if not character.isascii())
    meant = "".join(part or "" for part in parts)
    fixes: tuple[Fix, ...] = ()
    if None not in parts and meant.isidentifier():
        fixes = (Fix(f"spell it `{meant}` in ASCII", "unsafe", (Edit(span, meant),)),)
    return Diagnostic(
        SUSPICIOUS_CHARACTER,
        f"the name `{word}` holds {name_of(strange)}",
        span,
        help="names are made of the letters A to Z, digits and `_`; text of any script goes in a string",
        fixes=fixes,
    )
