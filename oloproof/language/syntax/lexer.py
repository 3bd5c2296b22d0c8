"""Text to tokens. Limits are held here, before anything recurses; what no terminal matches becomes one token too."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from oloproof.language.diagnostics import Diagnostic, Rule
from oloproof.language.source import MAX_FILE_BYTES
from oloproof.language.syntax.characters import (
    HIDDEN,
    ascii_for,
    foreign_text,
    hidden_characters,
)
from oloproof.language.syntax.literals import UNTERMINATED_STRING, late_text_block, malformed_number
from oloproof.language.syntax.table import TERMINALS
from oloproof.language.syntax.tokens import UNKNOWN, Lexed, Token

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.language.source import Source

TOO_LARGE = Rule("OLO013", "too-large")

#: Most tokens of one file, comments and line ends among them.
MAX_TOKENS = 200_000

#: Most diagnostics kept of one file; whoever has that many begins with the first ones.
MAX_DIAGNOSTICS = 100

_NUMBERS = frozenset({"INT", "DECIMAL"})

#: What is tried where no terminal matches, in this order; the last one always matches. Each takes in as much as belongs
#: to one mistake, so that one mistake is one token.
_FAULTS = (
    ("x_block", r'"""'),
    ("x_string", r'r?"[^\r\n]*'),
    ("x_number", r"[+-]?[0-9][\w.]*%?"),
    ("x_word", r"\w+"),
    ("x_smart", '[“”„«][^“”„«»"\r\n]*[“”"»]?'),
    ("x_ascii", r"'[^'\r\n]*'|//[^\r\n]*|/\*[^\r\n]*|[<>=!]+|&&|\|\||[!$&'*+\-/;?\\^`|~%<>]"),
    ("x_other", r"[\s\S]"),
)


#: Triple quotes that are the first of their line.
_LONE_QUOTES = re.compile(r'[\r\n][ \t]*"""')

#: What may stand at the end of a line behind a string that was not closed.
_LINE_TAIL = " \t[](){},"

#: What a line of a suite looks like, to tell it from the prose of a text that was never closed.
_STATEMENT = re.compile(r"[ \t]*(?:\}|[A-Za-z_]\w*[ \t][^#]*[={]|[A-Za-z_]\w*=)")


@cache
def _master(*, is_block_open: bool) -> re.Pattern[str]:
    """One pattern with a named group per terminal, as the grammar ranks them, and the faults after them.

    is_block_open: a text between triple quotes was never closed, so no later one is looked for. Each search runs to the
    end of the file, and a file of nothing but opening quotes would take quadratic time.
    """
    ranked = sorted(TERMINALS, key=lambda terminal: -terminal[3])
    signs = {
        name: text if is_pattern else re.escape(text)
        for name, text, is_pattern, _ in ranked
        if is_pattern or not text.isalnum()
    }
    if is_block_open:
        del signs["MULTILINE"]
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in (*signs.items(), *_FAULTS)))


_WORDS = {text: name for name, text, is_pattern, _ in TERMINALS if not is_pattern and text.isalnum()}


def tokenize(source: Source) -> Lexed:
    """All tokens of a text with what is wrong in it; never raises, linear in the length of the text."""
    if len(source.text) > MAX_FILE_BYTES:
        return _refused(source, 0, f"this text has {len(source.text):,} characters; the limit is {MAX_FILE_BYTES:,}")
    return _Lexing(source).run()


def _refused(source: Source, at: int, message: str) -> Lexed:
    diagnostic = Diagnostic(TOO_LARGE, message, source.span(at, at), help="split the suite and import the parts")
    return Lexed((), (diagnostic,), frozenset(), is_refused=True)


class _Lexing:
    """One pass over one text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.untrusted: set[int] = set()
        self.is_block_open = False
        self.last_foreign_line = 0
        self.faults: dict[str, Callable[[int, int], int]] = {
            "x_number": self._number,
            "x_word": self._word,
            "x_block": self._block,
            "x_string": self._string,
            "x_smart": self._smart,
            "x_ascii": self._ascii,
            "x_other": self._other,
        }

    def run(self) -> Lexed:
        text, position = self.source.text, 0
        for diagnostic in hidden_characters(self.source):
            self._report(diagnostic)
        while position < len(text):
            position = self._scan(position)
            if len(self.tokens) > MAX_TOKENS:
                at = self.tokens[MAX_TOKENS].start
                return _refused(self.source, at, f"this text has more than {MAX_TOKENS:,} tokens")
        return Lexed(tuple(self.tokens), tuple(self.diagnostics), frozenset(self.untrusted))

    def _scan(self, position: int) -> int:
        """Take tokens from `position` on, up to a fault that moves the place to go on, the end or the limit."""
        append, faults, words = self.tokens.append, self.faults, _WORDS
        room = MAX_TOKENS + 1 - len(self.tokens)
        master: Any = _master(is_block_open=self.is_block_open)
        scanner = master.scanner(self.source.text, position)
        end = position
        for match in iter(scanner.match, None):
            kind, end = match.lastgroup, int(match.end())
            if kind == "SPACE":
                continue
            if kind == "NAME":
                text = match[0]
                append(Token(words.get(text, kind), text, match.start(), end))
            elif kind in faults:
                resume = faults[kind](match.start(), end)
                if resume != end:
                    return resume
            else:
                append(Token(kind, match[0], match.start(), end))
            room -= 1
            if room <= 0:
                break
        return end

    def _report(self, diagnostic: Diagnostic) -> None:
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(diagnostic)

    def _token(self, kind: str, start: int, end: int) -> int:
        self.tokens.append(Token(kind, self.source.text[start:end], start, end))
        return end

    def _untrusted(self, kind: str, start: int, end: int) -> int:
        self.untrusted.add(start)
        return self._token(kind, start, end)

    def _number(self, start: int, end: int) -> int:
        self._report(malformed_number(self.source, start, end))
        return self._untrusted("QUANTITY", start, end)

    def _word(self, start: int, end: int) -> int:
        self._foreign(start, end)
        return self._token("NAME", start, end)

    def _string(self, start: int, end: int) -> int:
        """Take a string without its end up to the brackets that end its line: those are seldom a part of it."""
        text = self.source.text
        if text.endswith('"""', start, end):
            closing = text.find('"""', end)
            end = closing + 3 if closing >= 0 else end
        else:
            end = start + max(len(text[start:end].rstrip(_LINE_TAIL)), 1)
        message = "this string has no closing quote on its line"
        help_ = 'add `"` where the text ends; text over several lines stands between two `"""`'
        self._report(Diagnostic(UNTERMINATED_STRING, message, self.source.span(start, end), help=help_))
        return self._untrusted("STRING", start, end)

    def _block(self, start: int, end: int) -> int:
        line = self.source.position(start).line
        line_end = self.source.line_starts[line - 1] + len(self.source.line(line))
        span = self.source.span(start, end)
        if self.source.text[end:line_end].strip():
            self._report(late_text_block(span))
            end = self._end_of_late_block(end, line_end)
        else:
            message = 'this text has no closing `"""`'
            help_ = 'the closing `"""` stands alone on its line, below the last line of the text'
            self._report(Diagnostic(UNTERMINATED_STRING, message, span, help=help_))
            end = line_end if self.is_block_open else self._end_of_open_block(line)
            self.is_block_open = True
        return self._untrusted("MULTILINE", start, end)

    def _end_of_late_block(self, at: int, line_end: int) -> int:
        """Where a text that begins beside its opening quotes ends: on that line, or at quotes that begin one."""
        closing = self.source.text.find('"""', at, line_end)
        if closing >= 0:
            return closing + 3
        if self.is_block_open:
            return line_end
        lone = _LONE_QUOTES.search(self.source.text, line_end)
        if lone is not None:
            return lone.end()
        self.is_block_open = True
        return self._end_of_open_block(self.source.position(at).line)

    def _end_of_open_block(self, line: int) -> int:
        """Where a text that is never closed is taken to end: before a line that looks like a statement of its block."""
        source = self.source
        indent = _indent(source.line(line))
        last = line
        for number in range(line + 1, len(source.line_starts) + 1):
            text = source.line(number)
            if not text.strip():
                continue
            if _indent(text) <= indent and _STATEMENT.match(text):
                break
            last = number
        return source.line_starts[last - 1] + len(source.line(last))

    def _smart(self, start: int, end: int) -> int:
        self._foreign(start, start + 1)
        return self._untrusted("STRING", start, end)

    def _ascii(self, start: int, end: int) -> int:
        before = self.tokens[-1] if self.tokens else None
        if self.source.text[start:end] == "%" and before and before.type in _NUMBERS:
            self._report(malformed_number(self.source, before.start, end))
        return self._token(UNKNOWN, start, end)

    def _other(self, start: int, end: int) -> int:
        character = self.source.text[start]
        if HIDDEN.match(character):
            return end
        if character.isascii():
            return self._token(UNKNOWN, start, end)
        self._foreign(start, end)
        meant = ascii_for(character)
        if meant is not None and not meant.strip():
            return end
        return self._token("CMP" if meant in {">=", "<="} else UNKNOWN, start, end)

    def _foreign(self, start: int, end: int) -> None:
        """Report a foreign character or word; one in a line is enough."""
        line = self.source.position(start).line
        if line != self.last_foreign_line:
            self.last_foreign_line = line
            self._report(foreign_text(self.source, start, end))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
