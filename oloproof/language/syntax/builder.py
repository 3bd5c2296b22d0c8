"""Reductions of the grammar to nodes of the tree: one method per rule or alias, called by the parser as it reads."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from oloproof.language.source import Span
from oloproof.language.syntax import tree
from oloproof.language.syntax.literals import (
    check_number,
    decode_block,
    decode_number,
    decode_quantity,
    decode_raw,
    decode_string,
)
from oloproof.language.syntax.tokens import Token

if TYPE_CHECKING:
    from oloproof.language.diagnostics import Diagnostic
    from oloproof.language.source import Source
    from oloproof.language.syntax.literals import Decoded


class Unread:
    """In the place of a value, a statement or an item that could not be read; whatever holds it is unread as well."""

    __slots__ = ()


UNREAD = Unread()

#: What stands on the parser's stack is a token, a node, UNREAD or a list of them; the grammar says which, not the type.
Piece: TypeAlias = Any
Children: TypeAlias = list[Any]


class Builder:
    """Builds the tree of one source: `on_NAME` takes the children of rule or alias NAME, punctuation included."""

    def __init__(self, source: Source, docs: dict[int, str], untrusted: frozenset[int]) -> None:
        self.source = source
        self.path = source.path
        self.docs = docs
        self.untrusted = untrusted
        self.diagnostics: list[Diagnostic] = []
        self.edition: tree.Integer | None = None
        self.items: list[Any] = []
        #: Names of items that cannot be used, and words of those that could not be read at all.
        self.unread: set[str] = set()

    # Files and items

    def on_file(self, children: Children) -> None:
        """Nothing: the header and the items were taken in when they were read."""

    def on_header(self, children: Children) -> None:
        """Take in the edition."""
        edition = self.on_integer(children[1:2])
        self.edition = None if edition is UNREAD else edition

    def on_items(self, children: Children) -> None:
        """Take in an item as soon as its line ends, so that nothing after it can lose it."""
        self.items.append(children[-2])

    def on_item(self, children: Children) -> Piece:
        """The item itself."""
        return children[0]

    def _lost(self, *names: tree.Word | None) -> Unread:
        self.unread.update(name.text for name in names if name is not None)
        return UNREAD

    def on_import(self, children: Children) -> Piece:
        """`import` path [`sha256` digest] `as` name."""
        strings = [self._string(token) for token in children[1:-2:2]]
        if UNREAD in strings:
            return self._lost(children[-1])
        path, sha256 = (*strings, None)[:2]
        return tree.Import(path, sha256, children[-1], self._span(children))

    def on_let(self, children: Children) -> Piece:
        """`let` name `=` value."""
        first, name, _, value = children
        if value is UNREAD:
            return self._lost(name)
        return tree.Let(name, value, self.docs.get(first.start), self._span(children))

    def on_param(self, children: Children) -> Piece:
        """`param` name `:` type [`=` value] [block]."""
        first, name, _, type_, *rest = children
        if UNREAD in children:
            return self._lost(name)
        has_default = bool(rest) and rest[0].__class__ is Token
        default = rest[1] if has_default else None
        block = next(iter(rest[2:] if has_default else rest), None)
        return tree.Param(name, type_, default, block, self.docs.get(first.start), self._span(children))

    def on_decl(self, children: Children) -> Piece:
        """Kind [label] [`:` type] [`extends` parent] block."""
        kind, block = children[0], children[-1]
        label = type_ = extends = None
        for before, child in pairwise(children[:-1]):
            if child.__class__ is tree.Word:
                label = child
            elif child.__class__ is not Token:
                if before.type == "COLON":
                    type_ = child
                else:
                    extends = self._ref(child)
        if type_ is UNREAD or extends is UNREAD:
            return self._lost(kind, label)
        is_string = label is not None and self.source.text[label.span.start] == '"'
        doc = self.docs.get(kind.span.start)
        return tree.Decl(kind, label, type_, extends, block, doc, self._span(children), is_string)

    def on_unread(self, children: Children) -> Piece:
        """What error recovery put in the place of an item or a statement."""
        del children
        return UNREAD

    # Types

    def on_type(self, children: Children) -> Piece:
        """Dotted name [`@` major] [`(` arguments `)`]."""
        start, end, parts = children[0]
        major, args = None, None
        for index, child in enumerate(children[1:], 1):
            end = child.end if child.__class__ is Token else end
            if child.__class__ is Token and child.type == "INT":
                major = self._int(child)
            elif child.__class__ is Token and child.type == "LPAR":
                args = self._items(children[index:])
        if major is UNREAD or args is UNREAD:
            return UNREAD
        return tree.TypeRef(".".join(map(str, parts)), major, args, Span(self.path, start, end))

    # Blocks and statements

    def on_block(self, children: Children) -> tree.Block:
        """`{` statements `}`, without those that could not be read."""
        read = next((child for child in children if child.__class__ is list), [])
        statements = tuple([statement for statement in read if statement is not UNREAD])
        return tree.Block(statements, self._span(children), len(statements) == len(read))

    def on_sep(self, children: Children) -> None:
        """Nothing: a separator says no more than that it is there."""

    def on_stmt(self, children: Children) -> Piece:
        """The statement itself."""
        return children[0]

    def on_assign(self, children: Children) -> Piece:
        """Key `=` value."""
        key, _, value = children
        return UNREAD if value is UNREAD else tree.Assign(key, value, self._span(children))

    def on_assign_string(self, children: Children) -> Piece:
        """Quoted key `=` value."""
        key, _, value = children
        word = self.on_label_string(children)
        if value is UNREAD or key.start in self.untrusted:
            return UNREAD
        return tree.Assign(word, value, self._span(children), key_is_string=True)

    def on_require(self, children: Children) -> Piece:
        """Verb, path, comparison, value."""
        verb, path, comparison, value = children
        ref = self._ref(path)
        if value is UNREAD or ref is UNREAD:
            return UNREAD
        return tree.Require(verb, ref, "<=" if comparison.text[0] in "<≤⩽" else ">=", value, self._span(children))

    # Words, paths

    def on_word(self, children: Children) -> tree.Word:
        """A name, or a word with a special place in another place."""
        token = children[0]
        return tree.Word(token.text, Span(self.path, token.start, token.end))

    on_kind = on_ref_word = on_parent_word = on_word

    def on_label(self, children: Children) -> Piece:
        """The word itself."""
        return children[0]

    def on_label_string(self, children: Children) -> tree.Word:
        """A string in the place of a word."""
        token = children[0]
        value, diagnostics = decode_string(self.source, token)
        self.diagnostics += diagnostics
        return tree.Word(value, Span(self.path, token.start, token.end))

    def on_first_part(self, children: Children) -> Piece:
        """A path under construction: start, end, parts."""
        word = children[0]
        return [word.span.start, word.span.end, [word.text]]

    def on_then_part(self, children: Children) -> Piece:
        """The path with `.name` after it."""
        path, _, word = children
        return self._extended(path, word.text, word.span.end)

    def on_then_index(self, children: Children) -> Piece:
        """The path with `[0]` after it."""
        path, _, token, bracket = children
        return self._extended(path, self._int(token), bracket.end)

    def on_then_key(self, children: Children) -> Piece:
        """The path with `["key"]` after it."""
        path, _, token, bracket = children
        text = self._string(token)
        return self._extended(path, UNREAD if text is UNREAD else text.value, bracket.end)

    @staticmethod
    def _extended(path: Piece, part: Piece, end: int) -> Piece:
        path[1] = end
        path[2].append(part)
        return path

    def _ref(self, path: Piece) -> Piece:
        start, end, parts = path
        return UNREAD if UNREAD in parts else tree.Ref(tuple(parts), Span(self.path, start, end))

    # Values

    def on_value(self, children: Children) -> Piece:
        """The value itself."""
        return children[0]

    def on_ref_value(self, children: Children) -> Piece:
        """A path where a value stands."""
        return self._ref(children[0])

    def on_text(self, children: Children) -> Piece:
        """`"…"`."""
        return self._string(children[0])

    def on_raw_text(self, children: Children) -> Piece:
        """`r"…"`."""
        token = children[0]
        return tree.Text(decode_raw(token), self._span(children))

    def on_text_block(self, children: Children) -> Piece:
        """Text over several lines."""
        token = children[0]
        return UNREAD if token.start in self.untrusted else self._text(token, decode_block(self.source, token))

    def on_integer(self, children: Children) -> Piece:
        """A whole number."""
        value = self._int(children[0])
        return UNREAD if value is UNREAD else tree.Integer(value, self._span(children))

    def on_number(self, children: Children) -> Piece:
        """A number with a decimal point."""
        token = children[0]
        return tree.Number(decode_number(token.text), self._span(children)) if self._is_sound(token) else UNREAD

    def on_quantity(self, children: Children) -> Piece:
        """A number with its unit."""
        token = children[0]
        if token.start in self.untrusted or not self._is_sound(token):
            return UNREAD
        number, unit = decode_quantity(token.text)
        return tree.Quantity(number, unit, self._span(children))

    def on_true(self, children: Children) -> tree.Boolean:
        """`true`."""
        return tree.Boolean(value=True, span=self._span(children))

    def on_false(self, children: Children) -> tree.Boolean:
        """`false`."""
        return tree.Boolean(value=False, span=self._span(children))

    def on_list_value(self, children: Children) -> Piece:
        """`[` values `]`."""
        items = self._items(children)
        return UNREAD if items is UNREAD else tree.ListValue(items, self._span(children))

    def on_call(self, children: Children) -> Piece:
        """Name `(` values `)`."""
        args = self._items(children[1:])
        return UNREAD if args is UNREAD else tree.Call(children[0], args, self._span(children))

    # Lists under construction

    def on_first(self, children: Children) -> Piece:
        """A list of one."""
        return children

    def on_then(self, children: Children) -> Piece:
        """The list with one more at its end."""
        children[0].append(children[2])
        return children[0]

    @staticmethod
    def _items(children: Children) -> Piece:
        """The values between two brackets, as a tuple."""
        items = children[1] if children[1].__class__ is list else []
        return UNREAD if UNREAD in items else tuple(items)

    # Literals

    def _string(self, token: Token) -> Piece:
        return UNREAD if token.start in self.untrusted else self._text(token, decode_string(self.source, token))

    def _text(self, token: Token, decoded: Decoded) -> Piece:
        if decoded.diagnostics:
            self.diagnostics += decoded.diagnostics
            return UNREAD
        return tree.Text(decoded.value, Span(self.path, token.start, token.end))

    def _int(self, token: Token) -> Piece:
        return int(token.text.replace("_", "")) if self._is_sound(token) else UNREAD

    def _is_sound(self, token: Token) -> bool:
        fault = check_number(self.source, token)
        if fault is not None:
            self.diagnostics.append(fault)
        return fault is None

    def _span(self, children: Children) -> Span:
        first, last = children[0], children[-1]
        start = first.start if first.__class__ is Token else first.span.start
        return Span(self.path, start, last.end if last.__class__ is Token else last.span.end)
