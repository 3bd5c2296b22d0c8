"""The values that `let` gives a name: each sees the ones above it only, and none grows without bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import names, types
from oloproof.language.syntax.tree import Assign, Block, Call, Decl, Let, ListValue, Ref, Value

#: A let of lets of lists doubles with every line; nobody writes a value of more parts than this.
MAX_VALUES: Final = 1_000
#: Deepest value with its lets written out; canonical JSON carries no more.
MAX_DEPTH: Final = 32


class Extent(NamedTuple):
    """How large a value is with all its lets written out."""

    n_values: int
    depth: int


class Lets:
    """Values by name. A let that is refused is in `lost`, so that nobody calls its name unknown."""

    __slots__ = ("_extents", "_findings", "_pending", "lost", "values")

    def __init__(self, lets: tuple[Let, ...], findings: Findings) -> None:
        self._findings = findings
        self._pending = {item.name.text for item in lets}
        self._extents: dict[str, Extent] = {}
        self.values: dict[str, Value] = {}
        self.lost: set[str] = set()
        for item in lets:
            self._add(item)

    def extent(self, value: Value) -> Extent:
        """The extent of a value."""
        if isinstance(value, Ref) and len(value.parts) == 1:
            return self._extents.get(value.head, Extent(1, 1))
        inner = [self.extent(part) for part in _parts(value)]
        return Extent(1 + sum(part.n_values for part in inner), 1 + max((part.depth for part in inner), default=0))

    def _add(self, item: Let) -> None:
        name = item.name.text
        if name in self.values or name in self.lost:
            self._findings.add(
                names.DUPLICATE_NAME, f"`{name}` is given twice", item.name.span, help="keep one of them"
            )
            return
        named = list(_refs(item.value))
        later = next((ref for ref in named if ref.head in self._pending and ref.head not in self.values), None)
        extent = self.extent(item.value)
        if any(ref.head in self.lost for ref in named):
            # Its fault is told where the other one stands.
            self.lost.add(name)
        elif later is not None:
            self._findings.add(
                names.UNKNOWN_NAME,
                f"`{later.head}` is not given yet: a `let` sees the ones above it only",
                later.span,
                help=f"`{name}` cannot be made of itself" if later.head == name else f"move `{later.head}` up",
            )
            self.lost.add(name)
        elif extent.n_values > MAX_VALUES or extent.depth > MAX_DEPTH:
            self._findings.add(
                types.OUT_OF_RANGE,
                f"written out, `{name}` has {extent.n_values:,} values, {extent.depth} deep",
                item.name.span,
                help=f"up to {MAX_VALUES:,} values and {MAX_DEPTH} deep; cases belong in a data file",
            )
            self.lost.add(name)
        else:
            self._extents[name] = extent
            # A chain of names is followed once, here.
            self.values[name] = _followed(item.value, self.values)


def _followed(value: Value, known: Mapping[str, Value]) -> Value:
    return known.get(value.head, value) if isinstance(value, Ref) and len(value.parts) == 1 else value


def _refs(value: Value) -> Iterator[Ref]:
    """The names in a value that a let could give."""
    if isinstance(value, Ref):
        if len(value.parts) == 1:
            yield value
        return
    for part in _parts(value):
        yield from _refs(part)


def _parts(value: Value) -> tuple[Value, ...]:
    match value:
        case ListValue(items=items):
            return items
        case Call(args=args):
            return args
        case Block(statements=statements):
            return tuple(
                item.block if isinstance(item, Decl) else item.value
                for item in statements
                if isinstance(item, Assign | Decl)
            )
        case _:
            return ()
