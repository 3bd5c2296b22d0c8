"""The attributes of one block, taken by name; what nobody takes is reported as unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oloproof.language.diagnostics import Label
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import names
from oloproof.language.source import Span
from oloproof.language.syntax.tree import Assign, Block, Decl, Require, Value


class Attributes:
    """`name = value` of one block. Each stands once; nested blocks and require lines are kept apart."""

    __slots__ = ("_asked", "_findings", "_is_whole", "_values", "nested", "owner", "requires", "span")

    def __init__(self, findings: Findings, owner: str, block: Block) -> None:
        self._findings, self.owner, self.span, self._is_whole = findings, owner, block.span, block.is_whole
        self._values: dict[str, Assign] = {}
        self._asked: set[str] = set()
        self.nested: list[Decl] = []
        self.requires: list[Require] = []
        for statement in block.statements:
            match statement:
                case Assign(key=key):
                    earlier = self._values.setdefault(key.text, statement)
                    if earlier is not statement:
                        self._report_twice(key.text, key.span, earlier.key.span)
                case Decl():
                    self.nested.append(statement)
                case Require():
                    self.requires.append(statement)

    def take(self, name: str) -> Value | None:
        """The value of an attribute that may be absent."""
        self._asked.add(name)
        found = self._values.get(name)
        return found.value if found else None

    def take_required(self, name: str) -> Value | None:
        """The value of an attribute that must stand; reports its absence."""
        value = self.take(name)
        if value is None:
            self.report_missing(name)
        return value

    def refuse(self, *words: str) -> None:
        """Says that attributes or blocks of edition 1, where they stand, are not available in this version."""
        keys = [found.key for word in words if (found := self._values.pop(word, None))]
        keys += [decl.kind for decl in self.nested if decl.kind.text in words]
        self.nested = [decl for decl in self.nested if decl.kind.text not in words]
        for key in keys:
            self._findings.add_unavailable(f"`{key.text}` in {self.owner}", key.span)

    def report_missing(self, name: str) -> None:
        """Says that an attribute is absent, unless the block could not be read whole."""
        if self._is_whole:
            self._findings.add(
                names.MISSING_ATTRIBUTE, f"{self.owner} needs `{name}`", self.span, help=f"add `{name} = …`"
            )

    def report_ambiguous(self, name: str, kind: str, known: Sequence[str]) -> None:
        """Says that an attribute must choose, since the suite has none or several of a kind."""
        if not self._is_whole:
            return
        seen = f"the suite has {len(known)} of kind `{kind}`" if known else f"the suite has no {kind}"
        way = f"add `{name} = …`, one of {', '.join(known)}" if known else f"declare `{kind} NAME: TYPE {{ … }}`"
        self._findings.add(names.AMBIGUOUS, f"{self.owner} needs `{name}`: {seen}", self.span, help=way)

    def span_of(self, name: str) -> Span:
        """Where an attribute's value stands, else the whole block."""
        return self._values[name].value.span if name in self._values else self.span

    def close(self, *, blocks: Iterable[str] = (), allow_require: bool = False) -> None:
        """Reports what nobody asked for. blocks: words that nested blocks of this owner may begin with."""
        allowed = set(blocks)
        for name, statement in self._values.items():
            if name not in self._asked:
                self._report_unknown(f"attribute `{name}`", name, statement.key.span, allowed)
            elif statement.key_is_string:
                self._findings.add(
                    names.UNKNOWN_ATTRIBUTE,
                    f"the attribute `{name}` of {self.owner} stands in quotes",
                    statement.key.span,
                    help=f"write `{name} = …`",
                )
        seen: dict[str, Span] = {}
        for decl in self.nested:
            word = decl.kind.text
            if word not in allowed:
                self._report_unknown(f"block `{word}`", word, decl.kind.span, allowed)
                continue
            extra = decl.type.span if decl.type else decl.extends.span if decl.extends else None
            if word != "case":
                extra = decl.label.span if decl.label else extra
                earlier = seen.setdefault(word, decl.kind.span)
                if earlier is not decl.kind.span:
                    self._report_twice(word, decl.kind.span, earlier)
            if extra is not None:
                shape = 'case "ID" { … }' if word == "case" else f"{word} {{ … }}"
                self._findings.add(
                    names.BAD_HEADER, f"nothing else stands in the head of `{word}`", extra, help=f"write `{shape}`"
                )
        if not allow_require:
            for line in self.requires:
                self._findings.add(
                    names.BAD_HEADER,
                    f"`{line.verb.text}` lines stand in gates only, and this is {self.owner}",
                    line.span,
                    help="move it to a gate; an attribute is written `name = value`",
                )

    def _report_unknown(self, what: str, word: str, span: Span, blocks: set[str]) -> None:
        self._findings.add_unknown(
            names.UNKNOWN_ATTRIBUTE, f"{self.owner} has no {what}", word, self._asked | blocks, span
        )

    def _report_twice(self, name: str, span: Span, earlier: Span) -> None:
        self._findings.add(
            names.SET_TWICE,
            f"`{name}` is set twice in {self.owner}",
            span,
            labels=(Label(earlier, "first set here"),),
            help="keep one of them",
        )
