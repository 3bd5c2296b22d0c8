"""The tokens of a text: what the lexer hands to the parser and to the formatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from oloproof.language.diagnostics import Diagnostic


class Token(NamedTuple):
    """One token; `text` is always `source.text[start:end]`.

    type: a terminal of the grammar, or one of the kinds below, which no rule of the grammar accepts.
    """

    type: str
    text: str
    start: int
    end: int


class Lexed(NamedTuple):
    """All tokens of a text, comments and line ends among them, blanks left out.

    untrusted: starts of tokens that stand where the author meant something else (an unterminated string, a malformed
    number): the parser accepts them, their values are never used. is_refused: a limit was passed, there are no tokens.
    """

    tokens: tuple[Token, ...]
    diagnostics: tuple[Diagnostic, ...]
    untrusted: frozenset[int]
    is_refused: bool = False


#: A character or a run of them that no terminal begins with.
UNKNOWN = "UNKNOWN"
#: A closing bracket that closes nothing.
STRAY = "STRAY"
#: An opening bracket past the nesting limit, with all that stands inside it.
TOO_DEEP = "TOO_DEEP"
#: What error recovery puts in the place of an item or a statement.
BROKEN = "BROKEN"
#: The end of the tokens, as Lark calls it.
END = "$END"

OPENERS = {"LBRACE": "RBRACE", "LSQB": "RSQB", "LPAR": "RPAR"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}
