"""How the tests of the language read texts: short names for what almost every one of them does."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.language.source import Source, Span
from oloproof.language.syntax import Parsed, parse

if TYPE_CHECKING:
    from oloproof.language.diagnostics import Diagnostic
    from oloproof.language.syntax.tree import Item, Statement, Value

CORPUS = {path.name: path.read_bytes().decode() for path in sorted(Path(__file__).with_name("corpus").glob("*.olo"))}


def read(text: str) -> Parsed:
    return parse(Source("a.olo", text))


def good(text: str) -> tuple[Item, ...]:
    """The items of a text that must be without fault."""
    parsed = read(text)
    assert parsed.diagnostics == ()
    return parsed.file.items


def found(text: str) -> list[str]:
    """What is said about a text, as `line:column code`."""
    source = Source("a.olo", text)
    return [told(source, diagnostic) for diagnostic in parse(source).diagnostics]


def told(source: Source, diagnostic: Diagnostic) -> str:
    assert diagnostic.span is not None
    line, column = source.position(diagnostic.span.start)
    return f"{line}:{column} {diagnostic.code}"


def only(text: str) -> Diagnostic:
    """The one diagnostic of a text."""
    (diagnostic,) = read(text).diagnostics
    return diagnostic


def value(text: str) -> Value:
    """The tree of one value."""
    (item,) = good(f"let x = {text}")
    return item.value  # type: ignore[union-attr] # a let has one


def statement(text: str) -> Statement:
    """The tree of one statement of a block."""
    (item,) = good(f"suite s {{ {text} }}")
    (only_one,) = item.block.statements  # type: ignore[union-attr] # a declaration has one
    return only_one


def shape(node: Any) -> Any:  # noqa: ANN401 (any node or part of one)
    """A tree without its spans, for comparing what two texts mean."""
    if is_dataclass(node):
        kept = [field.name for field in fields(node) if not isinstance(getattr(node, field.name), Span)]
        return type(node).__name__, *((name, shape(getattr(node, name))) for name in kept)
    return tuple(map(shape, node)) if isinstance(node, tuple) else node


def names(parsed: Parsed) -> list[tuple[str, str]]:
    """Kind and name of every item that could be read."""
    return [_name(item) for item in parsed.file.items]


def _name(item: Item) -> tuple[str, str]:
    kind = getattr(item, "kind", None)
    word = getattr(item, "label", None) or getattr(item, "name", None)
    return (kind.text if kind else type(item).__name__), (word.text if word else "")
