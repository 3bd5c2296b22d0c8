"""Brackets: which closes which, which line ends count, and where a missing or a surplus one most likely is.

Well-nested text takes one plain pass. Only where brackets do not match is the layout consulted: a line indented no
deeper than the line of an opening bracket cannot lie inside it, as long as too few brackets close in the whole file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from oloproof.language.diagnostics import Diagnostic, Rule
from oloproof.language.syntax.tokens import CLOSERS, OPENERS, STRAY, TOO_DEEP, Lexed, Token

if TYPE_CHECKING:
    from oloproof.language.source import Source

NESTED_TOO_DEEPLY = Rule("OLO012", "nested-too-deeply")

#: Deepest nesting of brackets: far beyond any suite, and far from the limit of Python's own recursion.
MAX_DEPTH = 64

_LAYOUT = frozenset({"NL", "COMMENT"})
_ITEM_WORDS = frozenset({"IMPORT", "LET", "PARAM"})
_HEAD = frozenset({"NAME", "STRING", "OLO", "EXTENDS", "SHA256", "AS", "TRUE", "FALSE"})


class Nested(NamedTuple):
    """The tokens the parser reads: no comments, one line end where it ends something, every bracket closed.

    virtual: index of each closing bracket that is not in the text, with the bracket it closes. docs: the doc comment
    above the token that starts at an offset.
    """

    tokens: tuple[Token, ...]
    virtual: dict[int, Token]
    docs: dict[int, str]
    diagnostics: tuple[Diagnostic, ...]


def nest(source: Source, lexed: Lexed) -> Nested:
    """The parser's tokens, with brackets balanced; ends with a line end even where the file does not."""
    plain = _match(lexed.tokens)
    docs = _docs(lexed.tokens) if "##" in source.text else {}
    if plain is not None:
        return Nested(_ended(plain, source), {}, docs, ())
    repair = _Repair(source, lexed.tokens)
    repair.run()
    return Nested(_ended(repair.out, source), repair.virtual, docs, tuple(repair.diagnostics))


def _ended(tokens: list[Token], source: Source) -> tuple[Token, ...]:
    if not tokens or tokens[-1].type != "NL":
        at = len(source.text)
        tokens.append(Token("NL", "", at, at))
    return tuple(tokens)


def _match(tokens: tuple[Token, ...]) -> list[Token] | None:
    """The parser's tokens where brackets are balanced and not too deep, else None."""
    out: list[Token] = []
    due: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in _LAYOUT:
            counts = kind == "NL" and (not due or due[-1] == "RBRACE")
            if counts and not (out and out[-1].type == "NL"):
                out.append(token)
            continue
        if kind in OPENERS:
            if len(due) == MAX_DEPTH:
                return None
            due.append(OPENERS[kind])
        elif kind in CLOSERS and (not due or due.pop() != kind):
            return None
        out.append(token)
    return None if due else out


def _docs(tokens: tuple[Token, ...]) -> dict[int, str]:
    """Doc comments by the start of the token they stand above: `##` lines, the last run of them before it."""
    docs: dict[int, str] = {}
    lines: list[str] = []
    n_line_ends = 1
    for token in tokens:
        if token.type == "NL":
            n_line_ends += 1
        elif token.type == "COMMENT":
            if n_line_ends and token.text.startswith("##") and not token.text.startswith("###"):
                if n_line_ends > 1:
                    lines.clear()
                lines.append(token.text[2:].removeprefix(" ").rstrip())
                n_line_ends = 0
            elif n_line_ends:
                n_line_ends = 0
        else:
            if lines:
                docs[token.start] = "\n".join(lines)
                lines.clear()
            n_line_ends = 0
    return docs


def _line_firsts(tokens: tuple[Token, ...]) -> list[int]:
    """Indices of the tokens that are the first of their line, comments not counted."""
    firsts, is_first = [], True
    for index, token in enumerate(tokens):
        if token.type == "NL":
            is_first = True
        elif is_first and token.type != "COMMENT":
            firsts.append(index)
            is_first = False
    return firsts


@dataclass(slots=True)
class _Open:
    """An opening bracket that waits for its end, with the layout around it."""

    token: Token
    indent: int
    is_inline: bool
    content_indent: int | None = None

    @property
    def closer(self) -> str:
        return OPENERS[self.token.type]


class _Repair:
    """Balances brackets by layout; at most as many are added or dropped as are missing or too many."""

    def __init__(self, source: Source, tokens: tuple[Token, ...]) -> None:
        self.source = source
        self.tokens = tokens
        self.out: list[Token] = []
        self.virtual: dict[int, Token] = {}
        self.diagnostics: list[Diagnostic] = []
        self.stack: list[_Open] = []
        self.too_deep = 0
        self.indent = 0
        self.line_firsts = _line_firsts(tokens)
        counts = Counter(token.type for token in tokens)
        #: By closing bracket: how many more of them than of their openers are still to come.
        self.surplus = {closer: counts[closer] - counts[opener] for closer, opener in CLOSERS.items()}

    def run(self) -> None:
        firsts = set(self.line_firsts)
        for index, token in enumerate(self.tokens):
            if token.type == "NL":
                self._line_end(token)
            elif token.type != "COMMENT":
                if index in firsts:
                    self.indent = self.source.position(token.start).column - 1
                    self._lay_out(index, token)
                self._take(index, token)
        while self.stack:
            self._close_virtually()

    def _line_end(self, token: Token) -> None:
        ends_something = not self.stack or self.stack[-1].closer == "RBRACE"
        if ends_something and not self.too_deep and not (self.out and self.out[-1].type == "NL"):
            self.out.append(token)

    def _take(self, index: int, token: Token) -> None:
        if token.type in OPENERS:
            self._open(index, token)
        elif token.type in CLOSERS:
            self._close(index, token)
        elif not self.too_deep:
            self.out.append(token)

    def _open(self, index: int, token: Token) -> None:
        if self.too_deep:
            self.too_deep += 1
            self.surplus[OPENERS[token.type]] += 1
        elif len(self.stack) == MAX_DEPTH:
            self._refuse(token)
        else:
            after = self.tokens[index + 1].type if index + 1 < len(self.tokens) else "NL"
            self.stack.append(_Open(token, self.indent, is_inline=after not in _LAYOUT))
            self.out.append(token)

    def _refuse(self, token: Token) -> None:
        self.too_deep = 1
        self.surplus[OPENERS[token.type]] += 1
        self.out.append(Token(TOO_DEEP, token.text, token.start, token.end))
        if not self.diagnostics:
            span = self.source.span(token.start, token.end)
            message = f"brackets are nested more than {MAX_DEPTH} deep"
            self.diagnostics.append(Diagnostic(NESTED_TOO_DEEPLY, message, span, help="flatten the value"))

    def _close(self, index: int, token: Token) -> None:
        if self.too_deep:
            self.too_deep -= 1
            self.surplus[token.type] -= 1
        elif self._is_stray(index, token):
            self.surplus[token.type] -= 1
            self.out.append(Token(STRAY, token.text, token.start, token.end))
        else:
            while self.stack[-1].closer != token.type:
                self._close_virtually()
            self.stack.pop()
            self.out.append(token)

    def _is_stray(self, index: int, token: Token) -> bool:
        if all(open_.closer != token.type for open_ in self.stack):
            return True
        if self.surplus[token.type] <= 0:
            return False
        top = self.stack[-1]
        is_over_lines = not top.is_inline or self.tokens[index - 1] is top.token
        return top.closer != token.type or (is_over_lines and self._indent_after(index) > top.indent)

    def _indent_after(self, index: int) -> int:
        """The indentation of the next line after a token that holds anything but comments; 0 at the end."""
        at = bisect_right(self.line_firsts, index)
        if at == len(self.line_firsts):
            return 0
        return self.source.position(self.tokens[self.line_firsts[at]].start).column - 1

    def _close_virtually(self) -> None:
        """Close the innermost bracket right after what was read last."""
        top = self.stack.pop()
        self.surplus[top.closer] += 1
        self.too_deep = 0
        before = self.out[-2] if self.out[-1].type == "NL" else self.out[-1]
        self.virtual[len(self.out)] = top.token
        self.out.append(Token(top.closer, "", before.end, before.end))

    def _lay_out(self, index: int, token: Token) -> None:
        """Close what the indentation of a new line says is over."""
        n_before = len(self.virtual)
        if token.type in CLOSERS:
            self._close_down_to(token.type)
            return
        while self.stack and self.surplus[self.stack[-1].closer] < 0 and self._is_over(self.stack[-1], index):
            self._close_virtually()
        if len(self.virtual) > n_before and not (self.stack and self.stack[-1].closer != "RBRACE"):
            self.out.append(Token("NL", "", token.start, token.start))
        if self.stack and self.stack[-1].content_indent is None:
            self.stack[-1].content_indent = self.indent

    def _close_down_to(self, closer: str) -> None:
        """A closing bracket that begins a line belongs to the bracket whose line has the same indentation."""
        for depth in range(len(self.stack) - 1, -1, -1):
            partner = self.stack[depth]
            if partner.closer == closer and partner.indent == self.indent:
                while len(self.stack) - 1 > depth and self.surplus[self.stack[-1].closer] < 0:
                    self._close_virtually()
                return
            if partner.indent <= self.indent:
                return

    def _is_over(self, top: _Open, index: int) -> bool:
        if self.indent > top.indent:
            return False
        if top.is_inline or (top.content_indent is not None and top.content_indent > top.indent):
            return True
        return self._begins_declaration(index)

    def _begins_declaration(self, index: int) -> bool:
        """Whether a line looks like the head of an item: words, then a brace, a colon or `extends`."""
        if self.tokens[index].type in _ITEM_WORDS:
            return True
        for n_before, token in enumerate(self.tokens[index : index + 4]):
            if token.type in {"LBRACE", "COLON"} or (token.type == "EXTENDS" and n_before):
                return True
            if token.type not in _HEAD:
                return False
        return False
