"""What a file declares, by kind and name; references are looked up here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from oloproof.language.diagnostics import Label, nearest
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.lets import Lets
from oloproof.language.semantics.rules import names
from oloproof.language.source import Span
from oloproof.language.syntax.tree import Decl, File, Import, Let, Param, Ref, Value

#: Kinds that this version compiles.
KINDS: Final = ("suite", "cases", "cluster", "slice", "system", "evaluator", "metric", "gate", "policy")
#: Kinds of edition 1 that this version knows and does not compile yet.
KNOWN_KINDS: Final = ("judge", "budget", "plugin")
#: What to call one of a kind in a sentence.
_ONE: Final = {"cases": "a case set", "evaluator": "an evaluator"}
_HEADERS: Final = {
    "cases": "cases NAME: TYPE { … }",
    "system": "system NAME: TYPE { … }",
    "evaluator": "evaluator NAME: TYPE { … }",
    "metric": "metric NAME: proportion { … }",
    "policy": "policy { … }",
}


class Declared:
    """Declarations by kind, in file order, without those that could not be accepted."""

    __slots__ = ("_by_kind", "_findings", "_is_read_whole", "_rejected", "lets", "lost")

    def __init__(self, file: File, findings: Findings) -> None:
        self._findings, self._is_read_whole = findings, not file.unread
        self._by_kind: dict[str, dict[str, Decl]] = defaultdict(dict)
        self._rejected: set[str] = set()
        self.lets = Lets(tuple(item for item in file.items if isinstance(item, Let)), findings)
        #: Names that stand in the file and could not be accepted: nobody calls them unknown.
        self.lost = {*file.unread, *self.lets.lost}
        for item in file.items:
            match item:
                case Let():
                    pass
                case Decl():
                    if not self._is_accepted(item):
                        self.lost.update([item.label.text] if item.label else [])
                        self._rejected.add(nearest(item.kind.text, KINDS) or item.kind.text)
                case Import() | Param():
                    word = "import" if isinstance(item, Import) else "param"
                    findings.add_unavailable(f"`{word}`", item.span)
                    self.lost.add(item.name.text)

    def of(self, kind: str) -> tuple[Decl, ...]:
        """The declarations of a kind."""
        return tuple(self._by_kind[kind].values())

    def names(self, kind: str) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._by_kind[kind])

    def has_all(self, kind: str) -> bool:
        """True where every declaration of a kind could be read, so that one may be called missing."""
        return self._is_read_whole and kind not in self._rejected

    def find(self, kind: str, value: Value, *, n_parts: int = 1) -> str | None:
        """The name of that kind which a reference begins with; reports what it is not."""
        if not isinstance(value, Ref) or (value.head in self._by_kind[kind] and len(value.parts) != n_parts):
            shape = "a name without quotes" if n_parts == 1 else "`NAME.OUTPUT`"
            self._findings.add(
                names.WRONG_KIND,
                f"{self._one(kind)} is due here: {shape}",
                value.span,
                help=f"declared here: {', '.join(self.names(kind))}" if self.names(kind) else None,
            )
            return None
        name = value.head
        if name in self._by_kind[kind]:
            return name
        if name in self.lost:
            return None
        others = [other for other in KINDS if name in self._by_kind[other]]
        if others:
            decl = self._by_kind[others[0]][name]
            self._findings.add(
                names.WRONG_KIND,
                f"`{name}` is {self._one(others[0])}; {self._one(kind)} is due here",
                value.span,
                labels=(Label(_name_span(decl), "declared here"),),
            )
        elif name in self.lets.values:
            self._findings.add(
                names.WRONG_KIND, f"`{name}` is a `let`; the name of {self._one(kind)} is due here", value.span
            )
        else:
            what = kind if kind != "cases" else "case set"
            self._findings.add_unknown(
                names.UNKNOWN_NAME, f"no {what} is called `{name}`", name, self.names(kind), value.span
            )
        return None

    def report_unused(self, kind: str, used: Iterable[str]) -> None:
        """Warns of declarations that no gate reaches: they are checked and not run."""
        what = kind if kind != "cases" else "case set"
        for name in self._by_kind[kind].keys() - set(used):
            self._findings.add(
                names.UNUSED,
                f"no gate reaches {what} `{name}`: it is not run",
                _name_span(self._by_kind[kind][name]),
                help="use it in a gate, or take it out",
            )

    def _is_accepted(self, decl: Decl) -> bool:
        kind = decl.kind.text
        if kind in KNOWN_KINDS:
            self._findings.add_unavailable(f"the kind `{kind}`", decl.kind.span)
            return False
        if kind not in KINDS:
            self._findings.add_unknown(
                names.UNKNOWN_KIND, f"`{kind}` is no kind of declaration", kind, KINDS, decl.kind.span
            )
            return False
        if not self._has_good_header(decl):
            return False
        name = decl.label.text if decl.label else ""
        earlier = self._by_kind[kind].setdefault(name, decl)
        if earlier is not decl:
            what = f"{kind} `{name}`" if name else f"`{kind}`"
            self._findings.add(
                names.DUPLICATE_NAME if name else names.SET_TWICE,
                f"{what} is declared twice",
                _name_span(decl),
                labels=(Label(_name_span(earlier), "first declared here"),),
                help="rename one of them, or take it out" if name else "keep one of them",
            )
        return True

    def _has_good_header(self, decl: Decl) -> bool:
        kind = decl.kind.text
        if decl.extends is not None:
            self._findings.add_unavailable("`extends`", decl.extends.span)
            return False
        if (decl.label is None) != (kind == "policy") or decl.label_is_string:
            shape = _HEADERS.get(kind, f"{kind} NAME {{ … }}")
            seen = "no quotes around its name" if decl.label_is_string else "no name" if decl.label else "a name"
            self._findings.add(
                names.BAD_HEADER,
                f"{self._one(kind)} takes {seen}" if kind != "policy" else "the policy takes no name",
                (decl.label or decl.kind).span,
                help=f"write `{shape}`",
            )
            return False
        if decl.type is not None and kind not in ("cases", "system", "evaluator", "metric"):
            self._findings.add(
                names.BAD_HEADER,
                f"{self._one(kind)} has no type",
                decl.type.span,
                help=f"write `{_HEADERS.get(kind, kind + ' NAME { … }')}`",
            )
            return False
        if decl.type is not None and decl.type.args is not None:
            self._findings.add(
                names.BAD_HEADER,
                f"the type `{decl.type.name}` takes no arguments in brackets",
                decl.type.span,
                help="write its options as attributes in the block",
            )
            return False
        return True

    def _one(self, kind: str) -> str:
        return _ONE.get(kind, f"a {kind}")


def _name_span(decl: Decl) -> Span:
    return decl.label.span if decl.label else decl.kind.span
