"""What a file declares, by kind and name; references are looked up here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from oloproof.language.diagnostics import Label
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import names
from oloproof.language.source import Span
from oloproof.language.syntax.tree import Decl, File, Import, Let, Param, Ref, Value

#: Kinds that this version compiles.
KINDS: Final = ("suite", "cases", "cluster", "slice", "system", "evaluator", "metric", "gate", "policy")
#: Kinds of edition 1 that this version knows and does not compile yet.
KNOWN_KINDS: Final = ("judge", "budget", "plugin")


class Declared:
    """Declarations by kind, in file order, without those that could not be accepted."""

    __slots__ = ("_by_kind", "_findings", "_unread", "lets")

    def __init__(self, file: File, findings: Findings) -> None:
        self._findings, self._unread = findings, frozenset(file.unread)
        self._by_kind: dict[str, dict[str, Decl]] = defaultdict(dict)
        self.lets: dict[str, Value] = {}
        for item in file.items:
            match item:
                case Let():
                    self._add_let(item)
                case Decl():
                    self._add(item)
                case Import() | Param():
                    word = "import" if isinstance(item, Import) else "param"
                    self._report_unavailable(f"`{word}`", item.span)

    def of(self, kind: str) -> tuple[Decl, ...]:
        """The declarations of a kind."""
        return tuple(self._by_kind[kind].values())

    def names(self, kind: str) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._by_kind[kind])

    @property
    def is_whole(self) -> bool:
        """True where every item could be read, so that something may be called missing."""
        return not self._unread

    def find(self, kind: str, value: Value, *, n_parts: int = 1) -> str | None:
        """The name of that kind which a reference begins with; reports what it is not."""
        if not isinstance(value, Ref) or len(value.parts) != n_parts:
            shape = "a name" if n_parts == 1 else "NAME.OUTPUT"
            self._findings.add(names.WRONG_KIND, f"{shape} of kind {kind} is due here", value.span)
            return None
        name = value.head
        if name in self._by_kind[kind]:
            return name
        if name in self._unread:
            return None
        others = [other for other in KINDS if name in self._by_kind[other]]
        if others:
            self._findings.add(
                names.WRONG_KIND,
                f"`{name}` is a {others[0]}; a {kind} is due here",
                value.span,
                labels=(Label(self._by_kind[others[0]][name].span, "declared here"),),
            )
        else:
            self._findings.add_unknown(
                names.UNKNOWN_NAME, f"no {kind} is called `{name}`", name, self.names(kind), value.span
            )
        return None

    def report_unused(self, kind: str, used: Iterable[str]) -> None:
        """Warns of declarations that no gate reaches: they are checked and not run."""
        for name in self._by_kind[kind].keys() - set(used):
            decl = self._by_kind[kind][name]
            span = decl.label.span if decl.label else decl.span
            self._findings.add(
                names.UNUSED,
                f"no gate reaches {kind} `{name}`: it is not run",
                span,
                help="use it in a gate, or take it out",
            )

    def _add_let(self, item: Let) -> None:
        if item.name.text in self.lets:
            self._findings.add(names.DUPLICATE_NAME, f"`{item.name.text}` is given twice", item.name.span)
            return
        value = item.value
        # Lets see earlier lets only, so that no chain of them can be a circle.
        if isinstance(value, Ref) and len(value.parts) == 1:
            value = self.lets.get(value.head, value)
        self.lets[item.name.text] = value

    def _add(self, decl: Decl) -> None:
        kind = decl.kind.text
        if kind in KNOWN_KINDS:
            self._report_unavailable(f"the kind `{kind}`", decl.kind.span)
            return
        if kind not in KINDS:
            self._findings.add_unknown(
                names.UNKNOWN_KIND, f"`{kind}` is no kind of declaration", kind, KINDS, decl.kind.span
            )
            return
        if not self._has_good_header(decl):
            return
        name = decl.label.text if decl.label else ""
        earlier = self._by_kind[kind].setdefault(name, decl)
        if earlier is not decl:
            what = f"{kind} `{name}`" if name else f"`{kind}`"
            self._findings.add(
                names.DUPLICATE_NAME if name else names.SET_TWICE,
                f"{what} is declared twice",
                decl.label.span if decl.label else decl.kind.span,
                labels=(Label(earlier.label.span if earlier.label else earlier.kind.span, "first declared here"),),
            )

    def _has_good_header(self, decl: Decl) -> bool:
        kind = decl.kind.text
        if decl.extends is not None:
            self._report_unavailable("`extends`", decl.extends.span)
            return False
        if (decl.label is None) != (kind == "policy") or decl.label_is_string:
            shape = "policy { … }" if kind == "policy" else f"{kind} NAME … {{ … }}"
            self._findings.add(names.BAD_HEADER, f"a {kind} is written `{shape}`", decl.kind.span)
            return False
        if decl.type is not None and kind not in ("cases", "system", "evaluator", "metric"):
            self._findings.add(names.BAD_HEADER, f"a {kind} has no type", decl.type.span)
            return False
        return True

    def _report_unavailable(self, what: str, span: Span) -> None:
        self._findings.add(
            names.NOT_AVAILABLE,
            f"{what} is part of edition 1 and not available in this version",
            span,
            help="docs/reference/language.md lists what is",
        )
