"""Text to tree, never raising: what cannot be read becomes diagnostics, and reading goes on with the next statement.

Recovery is the textbook one: the parser goes back to where the innermost unfinished statement or item began, takes the
token BROKEN in its place, and the rest of it is skipped up to its line end, its comma or the brace around it. Before
that, three cheap repairs are tried: a line end, a comma or an `=` that is missing.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lark.exceptions import UnexpectedToken

from oloproof.language.diagnostics import Diagnostic, Label, Rule, sort_key
from oloproof.language.syntax.automaton import begin, expected, takes
from oloproof.language.syntax.builder import UNREAD, Builder
from oloproof.language.syntax.encoding import encoding_fault
from oloproof.language.syntax.lexer import MAX_DIAGNOSTICS, tokenize
from oloproof.language.syntax.nesting import nest
from oloproof.language.syntax.tokens import BROKEN, CLOSERS, END, OPENERS, STRAY, Token
from oloproof.language.syntax.tree import File
from oloproof.language.syntax.unexpected import Place, unexpected

if TYPE_CHECKING:
    from oloproof.language.source import Source
    from oloproof.language.syntax.builder import Piece
    from oloproof.language.syntax.nesting import Nested
    from oloproof.language.syntax.tree import Integer

UNKNOWN_EDITION = Rule("OLO006", "unknown-edition")
UNCLOSED_BRACKET = Rule("OLO009", "unclosed-bracket")
STRAY_BRACKET = Rule("OLO010", "unexpected-closing-bracket")

#: The editions of the language this compiler reads.
EDITIONS = (1,)

_WORDS = frozenset({"NAME", "OLO", "IMPORT", "LET", "PARAM", "EXTENDS", "SHA256", "AS", "TRUE", "FALSE"})

#: What the parser holds while it is inside a block or an item that is no declaration.
_INSIDE = frozenset({*OPENERS, "IMPORT", "LET", "PARAM"})

#: Tokens whose absence is made good where the token that stands there fits right behind them.
_INSERTED = ("COMMA", "EQ")


class Parsed(NamedTuple):
    """What could be read of a text and what is wrong with it, in the order of the text."""

    file: File
    diagnostics: tuple[Diagnostic, ...]


def parse(source: Source) -> Parsed:
    """The tree of a text and its diagnostics, at most 100; never raises, time linear in the length of the text.

    A text of an unknown edition, past a limit or in another encoding has no items and one diagnostic.
    """
    fault = encoding_fault(source)
    if fault is not None and not source.text:
        return Parsed(File(None, ()), (fault,))
    lexed = tokenize(source)
    if lexed.is_refused:
        return Parsed(File(None, ()), lexed.diagnostics)
    nested = nest(source, lexed)
    builder = Builder(source, nested.docs, lexed.untrusted)
    reading = _Reading(source, nested, builder, (*lexed.diagnostics, *nested.diagnostics))
    reading.run()
    edition = builder.edition
    if edition is not None and edition.value not in EDITIONS:
        return Parsed(File(edition, ()), (_unknown_edition(edition),))
    found = sorted([*lexed.diagnostics, *nested.diagnostics, *builder.diagnostics, *reading.diagnostics], key=sort_key)
    items = tuple(item for item in builder.items if item is not UNREAD)
    file = File(edition, items, tuple(sorted(builder.unread)))
    return Parsed(file, (fault,) if fault is not None else tuple(found[:MAX_DIAGNOSTICS]))


def _unknown_edition(edition: Integer) -> Diagnostic:
    known = ", ".join(map(str, EDITIONS))
    return Diagnostic(
        UNKNOWN_EDITION,
        f"edition {edition.value} is not known to this version of oloproof; known: {known}",
        edition.span,
        help="install the version of oloproof the suite was written for; nothing else in the file was looked at",
    )


class _Reading:
    """One run of the automaton over the tokens of one text."""

    def __init__(self, source: Source, nested: Nested, builder: Builder, before: tuple[Diagnostic, ...]) -> None:
        self.source = source
        self.tokens = nested.tokens
        self.virtual = nested.virtual
        self.builder = builder
        self.state = begin(builder)
        self.feed: Any = self.state.feed_token
        self.diagnostics: list[Diagnostic] = []
        #: Lines something was said about: what follows on them is most likely the same mistake.
        self.noisy = {self._line(found.span.start) for found in before if found.span is not None}
        #: The last line that had a comma where none may stand: the rest of its list lies on the lines after it.
        self.comma_line = -1
        self.depths: list[int] = []

    def run(self) -> None:
        index, n_tokens, feed = 0, len(self.tokens), self.feed
        while index < n_tokens:
            try:
                while index < n_tokens:
                    feed(self.tokens[index])
                    if index in self.virtual:
                        self._report_unclosed(index)
                    index += 1
            except UnexpectedToken:
                index = self._recover(index)
        end = len(self.source.text)
        feed(Token(END, "", end, end), is_end=True)

    def _recover(self, index: int) -> int:
        """The index to go on at, after a token that does not fit. It is greater, or the state has moved on."""
        token, states = self.tokens[index], self.state.state_stack
        if token.type == STRAY:
            self._report_stray(token)
            is_alone = self._after(index) == "NL" and takes(states, BROKEN) and not takes(states, "NL")
            return index + 2 if is_alone else index + 1
        if index in self.virtual:
            self._report_unclosed(index)
        self._report_unexpected(index)
        if token.type != "NL" and takes(states, "NL"):
            self.feed(Token("NL", "", token.start, token.start))
            return index
        if token.type == "NL" and self._after(index) == "LBRACE" and takes(states, "LBRACE"):
            return index + 1
        for kind in _INSERTED:
            if takes(states, kind, token.type):
                self.feed(Token(kind, "", token.start, token.start))
                return index
        return self._give_up(index)

    def _after(self, index: int) -> str:
        return self.tokens[index + 1].type if index + 1 < len(self.tokens) else END

    def _give_up(self, index: int) -> int:
        """Put BROKEN in the place of the innermost unfinished statement; the index of the token that ends it."""
        states, values = self.state.state_stack, self.state.value_stack
        start = self.tokens[index].start
        n_closed = 0
        while n_closed or not takes(states, BROKEN):
            states.pop()
            value = values.pop()
            start = _start_of(value, start)
            if value.__class__ is Token:
                n_closed += (value.type in CLOSERS) - (value.type in OPENERS and n_closed > 0)
        depth = sum(1 for value in values if value.__class__ is Token and value.type in OPENERS)
        self.feed(Token(BROKEN, "", start, start))
        if not self.depths:
            self.depths = _depths(self.tokens)
        end = self._end_of_statement(index, depth)
        if self.tokens[index].type == "NL":
            lacks_value = index > 0 and self.tokens[index - 1].type in {"EQ", "CMP"}
            end = self._end_of_layout(end, depth, start, lacks_value=lacks_value)
        if depth == 0:
            self._note_unread(start)
        return end

    def _end_of_statement(self, index: int, depth: int) -> int:
        """The first token from `index` on that ends a statement at this depth."""
        tokens, depths = self.tokens, self.depths
        while True:
            kind = tokens[index].type
            if depths[index] == depth and (kind == "NL" or (kind == "COMMA" and depth > 0)):
                return index
            if depths[index] < depth and kind == "RBRACE":
                return index
            index += 1

    def _end_of_layout(self, index: int, depth: int, start: int, *, lacks_value: bool) -> int:
        """Past the lines that are indented deeper than the statement, and the brackets that then close nothing."""
        while self.tokens[index].type == "NL" and index + 1 < len(self.tokens):
            after = self.tokens[index + 1]
            is_deeper = self.source.position(after.start).column - 1 > self._indent(start)
            is_next_value = lacks_value and after.type in _WORDS and self._after(index + 1) == "EQ"
            if after.type != STRAY and (after.type in CLOSERS or not is_deeper or is_next_value):
                break
            index = self._end_of_statement(index + 1, depth)
            while self.tokens[index].type == "COMMA":
                index = self._end_of_statement(index + 1, depth)
        return index

    def _note_unread(self, start: int) -> None:
        """Remember the words on the first line of an item that is given up."""
        index = bisect_left(self.tokens, start, key=attrgetter("start"))
        while self.tokens[index].type not in {"NL", "LBRACE"}:
            token = self.tokens[index]
            if token.type in _WORDS:
                self.builder.unread.add(token.text)
            index += 1

    def _indent(self, offset: int) -> int:
        line = self.source.line(self._line(offset))
        return len(line) - len(line.lstrip(" \t"))

    def _line(self, offset: int) -> int:
        return self.source.position(offset).line

    def _report(self, diagnostic: Diagnostic, *lines: int) -> None:
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(diagnostic)
        self.noisy.update(lines)

    def _report_unexpected(self, index: int) -> None:
        token = self.tokens[index]
        line = self._line(token.start)
        if line in self.noisy or len(self.diagnostics) >= MAX_DIAGNOSTICS or self._falls_out_of_block(token):
            return
        if token.type == "COMMA" and line == self.comma_line + 1:
            self.comma_line = line
            return
        self.comma_line = line if token.type == "COMMA" else -1
        place = Place(
            before=self.tokens[index - 1] if index else None,
            token=token,
            after=self.tokens[index + 1] if index + 1 < len(self.tokens) else None,
            expected=expected(self.state.state_stack),
        )
        self._report(unexpected(self.source, place), line)

    def _falls_out_of_block(self, token: Token) -> bool:
        """Whether this is one more line of a block that lost its braces, after its first line was reported."""
        state, items = self.state, self.builder.items
        if not items or items[-1] is not UNREAD:
            return False
        if any(value.__class__ is Token and value.type in _INSIDE for value in state.value_stack):
            return False
        return token.type in {"EQ", "CMP", "COMMA", STRAY} or takes(state.state_stack, BROKEN)

    def _report_stray(self, token: Token) -> None:
        line = self._line(token.start)
        if line not in self.noisy and not self._falls_out_of_block(token):
            message = f"this `{token.text}` closes nothing"
            span = self.source.span(token.start, token.end)
            self._report(Diagnostic(STRAY_BRACKET, message, span, help="delete it, or add what it closes"), line)

    def _report_unclosed(self, index: int) -> None:
        opener, closer = self.virtual[index], self.tokens[index]
        lines = self._line(opener.start), self._line(closer.start)
        if self.noisy.isdisjoint(lines):
            sign = {"{": "}", "[": "]", "(": ")"}[opener.text]
            label = Label(self.source.span(closer.start - 1, closer.start), f"a `{sign}` is missing after this")
            message = f"this `{opener.text}` is never closed"
            span = self.source.span(opener.start, opener.end)
            self._report(Diagnostic(UNCLOSED_BRACKET, message, span, labels=(label,)), *lines)


def _start_of(value: Piece, otherwise: int) -> int:
    """Where what stood on the parser's stack began; `otherwise` for what has no place."""
    if value.__class__ is Token:
        return int(value.start)
    if value.__class__ is list:
        return value[0] if isinstance(value[0], int) else _start_of(value[0], otherwise)
    return value.span.start if hasattr(value, "span") else otherwise


def _depths(tokens: tuple[Token, ...]) -> list[int]:
    """How many brackets are open around each token; a bracket itself lies outside."""
    depths, depth = [], 0
    for token in tokens:
        depth -= token.type in CLOSERS
        depths.append(depth)
        depth += token.type in OPENERS
    return depths
