"""Text to syntax tree. The only part of oloproof that imports Lark."""

from __future__ import annotations

from oloproof.language.syntax.characters import SUSPICIOUS_CHARACTER
from oloproof.language.syntax.encoding import NOT_UTF8
from oloproof.language.syntax.lexer import TOO_LARGE, tokenize
from oloproof.language.syntax.literals import (
    BAD_ESCAPE,
    MALFORMED_NUMBER,
    TEXT_BLOCK_LAYOUT,
    UNITS,
    UNTERMINATED_STRING,
)
from oloproof.language.syntax.nesting import NESTED_TOO_DEEPLY
from oloproof.language.syntax.parser import (
    EDITIONS,
    STRAY_BRACKET,
    UNCLOSED_BRACKET,
    UNKNOWN_EDITION,
    Parsed,
    parse,
)
from oloproof.language.syntax.tokens import Lexed, Token
from oloproof.language.syntax.unexpected import MISSING_VALUE, UNEXPECTED_TOKEN

#: Every rule of lexis and syntax, by code.
RULES = (
    UNEXPECTED_TOKEN,
    NOT_UTF8,
    SUSPICIOUS_CHARACTER,
    UNTERMINATED_STRING,
    MALFORMED_NUMBER,
    UNKNOWN_EDITION,
    BAD_ESCAPE,
    MISSING_VALUE,
    UNCLOSED_BRACKET,
    STRAY_BRACKET,
    TEXT_BLOCK_LAYOUT,
    NESTED_TOO_DEEPLY,
    TOO_LARGE,
)

__all__ = ["EDITIONS", "RULES", "UNITS", "Lexed", "Parsed", "Token", "parse", "tokenize"]
