"""Values as written to values as meant: one reader for each type that an attribute can have.

Every reader gives None after it has reported what is wrong, so that a caller can go on and find more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from oloproof.canon.encoding import Json
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import gates, names, types
from oloproof.language.semantics.suite import CasePath
from oloproof.language.syntax.tree import (
    Assign,
    Block,
    Boolean,
    Call,
    Decl,
    Integer,
    ListValue,
    Number,
    Quantity,
    Ref,
    Require,
    Text,
    Value,
)
from oloproof.sdk.paths import BadPath, FieldRef, parse_path

_MS_PER: Final = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_PLACEHOLDER = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_.]*\}")


class Reader:
    """Reads typed values; a bare name that a `let` gives stands for its value."""

    __slots__ = ("_lets", "findings")

    def __init__(self, findings: Findings, lets: Mapping[str, Value]) -> None:
        self.findings, self._lets = findings, lets

    def meant(self, value: Value) -> Value:
        """The value itself, or what the `let` of that name gives; lets of lets end, since a let sees earlier ones."""
        while isinstance(value, Ref) and len(value.parts) == 1 and value.head in self._lets:
            value = self._lets[value.head]
        return value

    def text(self, value: Value) -> str | None:
        """A string."""
        found = self.meant(value)
        if not isinstance(found, Text):
            self._wrong(value, "a string")
            return None
        if _PLACEHOLDER.search(found.value):
            self.findings.add(
                names.PLACEHOLDER,
                f"`{found.value[:60]}` holds a placeholder that nothing fills: strings are taken as they stand",
                value.span,
                help='use a `let`, or `secret("NAME")` where the attribute is a secret',
            )
        return found.value

    def texts(self, value: Value) -> tuple[str, ...] | None:
        """A list of strings; one string is a list of one."""
        found = self.meant(value)
        items = found.items if isinstance(found, ListValue) else (found,)
        read = [self.text(item) for item in items]
        return tuple(item for item in read if item is not None) if None not in read else None

    def integer(self, value: Value, *, at_least: int) -> int | None:
        """A whole number, no smaller than a bound."""
        found = self.meant(value)
        if not isinstance(found, Integer):
            self._wrong(value, "a whole number")
            return None
        if found.value < at_least or found.value > 2**53 - 1:
            self.findings.add(types.OUT_OF_RANGE, f"{found.value} is out of range", value.span, help=f"from {at_least}")
            return None
        return found.value

    def decimal(self, value: Value) -> Decimal | None:
        """A number without a unit."""
        found = self.meant(value)
        if isinstance(found, Integer | Number):
            return Decimal(found.value)
        self._wrong(value, "a number without a unit")
        return None

    def boolean(self, value: Value) -> bool | None:
        """`true` or `false`."""
        found = self.meant(value)
        if isinstance(found, Boolean):
            return found.value
        self._wrong(value, "`true` or `false`")
        return None

    def choice(self, value: Value, choices: Sequence[str]) -> str | None:
        """One of a closed set of bare words."""
        if isinstance(value, Ref) and len(value.parts) == 1 and value.head in choices:
            return value.head
        found = self.meant(value)
        word = found.head if isinstance(found, Ref) else found.value if isinstance(found, Text) else None
        if isinstance(found, Ref) and len(found.parts) == 1 and found.head in choices:
            return found.head
        if not isinstance(word, str):
            self._wrong(value, f"one of {', '.join(choices)}")
            return None
        if isinstance(found, Text) and word in choices:
            self.findings.add(types.WRONG_TYPE, "a word of the language stands without quotes", value.span, help=word)
            return word
        self.findings.add_unknown(
            types.NOT_ONE_OF, f"`{word}` is not one of {', '.join(choices)}", word, choices, value.span
        )
        return None

    def choices(self, value: Value, choices: Sequence[str]) -> tuple[str, ...] | None:
        """A list of words of a closed set."""
        found = self.meant(value)
        if not isinstance(found, ListValue):
            self._wrong(value, "a list")
            return None
        read = [self.choice(item, choices) for item in found.items]
        return tuple(item for item in read if item is not None) if None not in read else None

    def duration_ms(self, value: Value) -> int | None:
        """A time span in milliseconds, positive and at most a week."""
        found = self.meant(value)
        if not isinstance(found, Quantity):
            self._wrong(value, "a time span such as `5s`")
            return None
        if found.unit not in _MS_PER:
            self.findings.add(
                types.WRONG_UNIT,
                f"`{found.unit}` is no unit of time",
                value.span,
                help=f"one of {', '.join(_MS_PER)}",
            )
            return None
        n_ms = found.number * _MS_PER[found.unit]
        if not 1 <= n_ms <= 7 * _MS_PER["d"] or n_ms != int(n_ms):
            self.findings.add(types.OUT_OF_RANGE, "the time span is out of range", value.span, help="from 1ms to 7d")
            return None
        return int(n_ms)

    def rate(self, value: Value, *, what: str) -> Decimal | None:
        """A percentage as an exact fraction; only literals and lets can give one, so that no flag relaxes a gate."""
        found = self.meant(value)
        match found:
            case Quantity(number=number, unit="%"):
                return number.scaleb(-2)
            case Quantity(unit=unit):
                self.findings.add(
                    types.WRONG_UNIT, f"a {what} is a rate and has the unit `%`, not `{unit}`", value.span
                )
            case Integer() | Number():
                shown = Decimal(found.value)
                written = f"{format((shown * 100 if shown <= 1 else shown).normalize(), 'f')}%"
                self.findings.add(types.WRONG_UNIT, f"a {what} needs its unit", value.span, help=f"write `{written}`")
            case Ref() | Call():
                self.findings.add(
                    gates.THRESHOLD_LITERAL,
                    f"a {what} is a literal or the name of a `let`, so that no flag and no variable can relax it",
                    value.span,
                )
            case _:
                self._wrong(value, "a rate such as `90%`")
        return None

    def path(self, value: Value) -> tuple[str, FieldRef] | None:
        """A field path in a string."""
        text = self.text(value)
        if text is None:
            return None
        try:
            return text, parse_path(text)
        except BadPath as error:
            self.findings.add(types.BAD_PATH, str(error), value.span)
            return None

    def case_path(self, value: Value) -> CasePath | None:
        """`case.X…`: what a cluster or a slice goes by."""
        found = self.meant(value)
        if not isinstance(found, Ref) or found.head != "case" or len(found.parts) < 2:  # noqa: PLR2004 -- case.X
            self._wrong(value, "a field of the case, such as `case.customer_id`")
            return None
        root, rest = str(found.parts[1]), found.parts[2:]
        text = _path_text(found.parts[1:])
        if root in ("id", "input", "expect"):
            mapped = FieldRef(text, rest) if rest else None
            return CasePath(
                "id" if root == "id" else "input" if root == "input" else "expect", mapped, text, value.span
            )
        return CasePath("row", FieldRef(text, found.parts[1:]), text, value.span)

    def secret(self, value: Value) -> str | None:
        """The name in `secret("NAME")`; the value is read when a run needs it and stands nowhere else."""
        found = self.meant(value)
        match found:
            case Call(name=name, args=(Text(value=text),)) if name.text == "secret":
                return text
            case Text():
                self.findings.add(
                    types.SECRET_LITERAL,
                    "a secret must not stand in the suite",
                    value.span,
                    help='put it in the environment and write secret("NAME")',
                )
            case _:
                self._wrong(value, 'secret("NAME")')
        return None

    def json(self, value: Value) -> Json:  # noqa: PLR0911 -- one return a kind of value
        """Any plain value as JSON: strings, whole numbers, decimals, booleans, lists and blocks."""
        found = self.meant(value)
        match found:
            case Text(value=text):
                return text
            case Integer(value=number):
                return number
            case Number(value=decimal):
                return float(decimal)
            case Boolean(value=boolean):
                return boolean
            case ListValue(items=items):
                return [self.json(item) for item in items]
            case Block():
                return self.json_object(found)
            case _:
                self._wrong(value, "a plain value")
                return None

    def json_object(self, block: Block) -> dict[str, Json]:
        """A block of assignments as a JSON object."""
        read: dict[str, Json] = {}
        for statement in block.statements:
            match statement:
                case Assign(key=key, value=value):
                    if key.text in read:
                        self.findings.add(names.SET_TWICE, f"`{key.text}` is set twice", key.span)
                    read[key.text] = self.json(value)
                case Decl() | Require():
                    self.findings.add(types.WRONG_TYPE, "only `name = value` can stand here", statement.span)
        return read

    def refuse_call(self, value: Value) -> None:
        """Reports a call of a function that the language does not have here."""
        if isinstance(value, Call):
            self.findings.add(
                types.BAD_CALL, f"`{value.name.text}(…)` is no value here", value.span, help='only secret("NAME") is'
            )

    def _wrong(self, value: Value, due: str) -> None:
        if isinstance(value, Ref) and len(value.parts) == 1 and not isinstance(self.meant(value), Ref):
            seen = f"`{value.head}` is {_kind_of(self.meant(value))}"
        elif isinstance(value, Ref):
            seen = f"no `let` gives `{_path_text(value.parts)}`"
        else:
            seen = f"this is {_kind_of(value)}"
        self.findings.add(types.WRONG_TYPE, f"{seen}; {due} is due", value.span)


def _path_text(parts: Sequence[str | int]) -> str:
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier() and part.isascii():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def _kind_of(value: Value) -> str:
    kinds = {
        Text: "a string",
        Integer: "a whole number",
        Number: "a number",
        Boolean: "true or false",
        Quantity: "a quantity",
        ListValue: "a list",
        Block: "a block",
        Call: "a call",
        Ref: "a name",
    }
    return kinds[type(value)]
