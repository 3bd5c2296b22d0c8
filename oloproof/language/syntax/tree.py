"""The syntax tree: what an author wrote, not yet what it means. Every node knows its span; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from decimal import Decimal

    from oloproof.language.source import Span


@dataclass(frozen=True, slots=True)
class Word:
    """A name, or a string in the place of one; the text is without quotes and escapes."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A string of any of the three forms, decoded; lines inside are separated by LF whatever the file uses."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Number:
    """A number with a decimal point, exactly as written."""

    value: Decimal
    span: Span


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit: one of `%`, `pp`, `ms`, `s`, `min`, `h`, `d`, or an ISO 4217 code.

    The number is the one written: `90%` has number 90 and unit `%`.
    """

    number: Decimal
    unit: str
    span: Span


@dataclass(frozen=True, slots=True)
class ListValue:
    """`[a, b]`."""

    items: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`name(args)`, such as `secret("TOKEN")`."""

    name: Word
    args: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Ref:
    """A dotted path: names and quoted keys as str, indices as int. `a.b` and `a["b"]` have the same parts."""

    parts: tuple[str | int, ...]
    span: Span

    @property
    def head(self) -> str:
        """The name the path begins with."""
        return str(self.parts[0])


@dataclass(frozen=True, slots=True)
class Assign:
    """`key = value`. key_is_string tells `"lang" = …` from `lang = …`."""

    key: Word
    value: Value
    span: Span
    key_is_string: bool = False


@dataclass(frozen=True, slots=True)
class Require:
    """`require accuracy >= 90%`: any verb, a path, a comparison, a value."""

    verb: Word
    ref: Ref
    op: Literal[">=", "<="]
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """`{ … }`. is_whole is False where a statement in it could not be read, so nothing may be called missing."""

    statements: tuple[Statement, ...]
    span: Span
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class TypeRef:
    """`openai.rubric@1`, `enum("a", "b")`: dotted name, major version if given, arguments (None without brackets)."""

    name: str
    major: int | None
    args: tuple[Value, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Decl:
    """`kind label: type extends parent { … }`; only kind and block are always there.

    Declarations inside blocks (`case "c1" { … }`, `rate { … }`) are the same record. doc: the lines of the `##`
    comment above it.
    """

    kind: Word
    label: Word | None
    type: TypeRef | None
    extends: Ref | None
    block: Block
    doc: str | None
    span: Span
    label_is_string: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """`import "path" sha256 "digest" as name`."""

    path: Text
    sha256: Text | None
    name: Word
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """`let name = value`."""

    name: Word
    value: Value
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`param name: type = default { … }`."""

    name: Word
    type: TypeRef
    default: Value | None
    block: Block | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class File:
    """A whole file. edition is None where the file names none.

    unread: the words of the first line of every item that could not be read, sorted. A name among them is not unknown,
    it is only not understood yet; and where the tuple is not empty nothing may be called missing.
    """

    edition: Integer | None
    items: tuple[Item, ...]
    unread: tuple[str, ...] = ()


Value: TypeAlias = Text | Integer | Number | Boolean | Quantity | ListValue | Block | Call | Ref
Statement: TypeAlias = Assign | Decl | Require
Item: TypeAlias = Import | Let | Param | Decl
