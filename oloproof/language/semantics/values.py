"""Values as written to values as meant: one reader for each type that an attribute can have.

Every reader gives None after it has reported what is wrong, so that a caller can go on and find more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Final

from oloproof.canon.encoding import MAX_INTEGER, Json
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.lets import Lets
from oloproof.language.semantics.rules import gates, names, types
from oloproof.language.semantics.spelling import EXACT, kind_of, path_text, plain, shown_quantity
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
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Digits after the point of a rate as a fraction. Bounds are computed to 1e-12; finer thresholds say nothing.
MAX_RATE_DECIMALS: Final = 12
#: Values that the lets of one file may put into blocks and lists in all: beyond it, data belong in a data file.
MAX_EXPANDED: Final = 200_000


class Reader:
    """Reads typed values; a bare name that a `let` gives stands for its value.

    lost: names that stand in the file and could not be read; what they give is unknown and nothing is said about it.
    """

    __slots__ = ("_lets", "_lost", "_n_expanded", "findings")

    def __init__(self, findings: Findings, lets: Lets, lost: Collection[str] = ()) -> None:
        self.findings, self._lets, self._lost, self._n_expanded = findings, lets, frozenset(lost), 0

    def meant(self, value: Value) -> Value:
        """The value itself, or what the `let` of that name gives."""
        if isinstance(value, Ref) and len(value.parts) == 1:
            return self._lets.values.get(value.head, value)
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

    def integer(self, value: Value, *, at_least: int, at_most: int = MAX_INTEGER) -> int | None:
        """A whole number within bounds, both included."""
        found = self.meant(value)
        if not isinstance(found, Integer):
            self._wrong(value, "a whole number")
            return None
        if not at_least <= found.value <= at_most:
            self.findings.add(
                types.OUT_OF_RANGE,
                f"{found.value} is out of range",
                value.span,
                help=f"write a whole number from {at_least:_} to {at_most:_}",
            )
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

    def choice(self, value: Value, choices: Sequence[str], *, later: Sequence[str] = ()) -> str | None:
        """One of a closed set of bare words. later: words of edition 1 that this version does not compile yet."""
        if isinstance(value, Ref) and len(value.parts) == 1 and value.head in choices:
            return value.head
        found = self.meant(value)
        word = found.head if isinstance(found, Ref) else found.value if isinstance(found, Text) else None
        if isinstance(found, Ref) and len(found.parts) == 1 and found.head in choices:
            return found.head
        if word in later:
            self.findings.add_unavailable(f"`{word}`", value.span)
            return None
        if not isinstance(word, str) or word in self._lost:
            self._wrong(value, f"one of {', '.join(choices)}")
            return None
        if isinstance(found, Text) and word in choices:
            self.findings.add(
                types.WRONG_TYPE,
                f"`{word}` is a word of the language and stands without quotes",
                value.span,
                help=f"write `{word}`",
            )
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
        n_ms = EXACT.multiply(found.number, Decimal(_MS_PER[found.unit]))
        if not 1 <= n_ms <= 7 * _MS_PER["d"] or n_ms != int(n_ms):
            self.findings.add(
                types.OUT_OF_RANGE,
                f"`{shown_quantity(found)}` is out of range",
                value.span,
                help="write a time span of whole milliseconds from `1ms` to `7d`",
            )
            return None
        return int(n_ms)

    def rate(self, value: Value, *, what: str) -> Decimal | None:
        """A percentage as an exact fraction; only literals and lets can give one, so that no flag relaxes a gate."""
        found = self.meant(value)
        match found:
            case Quantity(number=number, unit="%"):
                rate = plain(number.scaleb(-2, EXACT))
                if -int(rate.as_tuple().exponent) <= MAX_RATE_DECIMALS:
                    return rate
                self.findings.add(
                    types.OUT_OF_RANGE,
                    f"`{shown_quantity(found)}` has more digits than any interval can tell apart",
                    value.span,
                    help=f"up to {MAX_RATE_DECIMALS - 2} digits after the point",
                )
            case Quantity(unit=unit):
                self.findings.add(
                    types.WRONG_UNIT,
                    f"a {what} is a rate and has the unit `%`, not `{unit}`",
                    value.span,
                    help=f"write `{format(found.number, 'f')}%` if that is what you mean",
                )
            case Integer() | Number():
                shown = Decimal(found.value)
                written = EXACT.multiply(shown, Decimal(100)) if shown <= 1 else shown
                self.findings.add(
                    types.WRONG_UNIT,
                    f"a {what} needs its unit: `{format(shown, 'f')}` could be meant in two ways",
                    value.span,
                    help=f"write `{format(plain(written), 'f')}%`",
                )
            case Ref(parts=(str(name),)) if name in self._lost:
                pass
            case Ref() | Call():
                self.findings.add(
                    gates.THRESHOLD_LITERAL,
                    f"a {what} is a literal or the name of a `let`, so that no flag and no variable can relax it",
                    value.span,
                    help="write a rate such as `90%`",
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
            text = found.value if isinstance(found, Text) else path_text(found.parts) if isinstance(found, Ref) else ""
            meant = text if text.isascii() and text.isidentifier() and text != "case" else "customer_id"
            self._wrong(value, f"a field of the case, such as `case.{meant}`")
            return None
        if not isinstance(found.parts[1], str):
            self._wrong(value, "a field of the case, such as `case.customer_id`")
            return None
        root, rest = str(found.parts[1]), found.parts[2:]
        text = path_text(found.parts[1:])
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
                if _VARIABLE.fullmatch(text):
                    return text
                self.findings.add(
                    types.BAD_CALL,
                    f"{text[:40]!r} is no name that an environment variable can have",
                    value.span,
                    help='letters, digits and `_`, as in secret("OPENAI_API_KEY")',
                )
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
        if found is not value and not self._can_expand(value):
            return None
        match found:
            case Integer(value=number) if abs(number) > MAX_INTEGER:
                self.findings.add(
                    types.OUT_OF_RANGE,
                    f"{number} is beyond 2^53, where JSON readers lose digits",
                    value.span,
                    help="write it as a string",
                )
                return None
            case Text(value=text):
                return text
            case Integer(value=number):
                return number
            case Number(value=decimal):
                if format(plain(decimal), "f") == format(plain(Decimal(repr(float(decimal)))), "f"):
                    return float(decimal)
                self.findings.add(
                    types.OUT_OF_RANGE,
                    f"{format(decimal, 'f')} has more digits than JSON readers keep",
                    value.span,
                    help="write it as a string",
                )
                return None
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
                        self.findings.add(
                            names.SET_TWICE, f"`{key.text}` is set twice", key.span, help="keep one of them"
                        )
                    read[key.text] = self.json(value)
                case Decl() | Require():
                    self.findings.add(types.WRONG_TYPE, "only `name = value` can stand here", statement.span)
        return read

    def _can_expand(self, value: Value) -> bool:
        """Counts what the lets of a file put into values; says so once where that is too much."""
        if self._n_expanded > MAX_EXPANDED:
            return False
        self._n_expanded += self._lets.extent(value).n_values
        if self._n_expanded <= MAX_EXPANDED:
            return True
        self.findings.add(
            types.OUT_OF_RANGE,
            f"the lets of this file stand for more than {MAX_EXPANDED:,} values",
            value.span,
            help="put the cases into a data file",
        )
        return False

    def _wrong(self, value: Value, due: str) -> None:
        found = self.meant(value)
        if isinstance(found, Ref) and found.head in self._lost:
            return
        if isinstance(found, Call):
            self._refuse_call(found, value, due)
            return
        if isinstance(value, Ref) and found is not value:
            seen = f"`{value.head}` is {kind_of(found)}"
        elif isinstance(value, Ref):
            seen = f"no `let` gives `{path_text(value.parts)}`"
        else:
            seen = f"this is {kind_of(value)}"
        self.findings.add(types.WRONG_TYPE, f"{seen}; {due} is due", value.span)

    def _refuse_call(self, call: Call, value: Value, due: str) -> None:
        """Says why a call is no value here: not a function, not yet one, or not the type that is due."""
        name = call.name.text
        if name == "env":
            self.findings.add_unavailable("`env(…)`", value.span)
        elif name == "secret":
            self.findings.add(
                types.WRONG_TYPE, f"a secret stands only where an option is one; {due} is due", value.span
            )
        else:
            self.findings.add(
                types.BAD_CALL,
                f"there is no function `{name}`",
                value.span,
                help='the language computes nothing; only secret("NAME") is called, where an option is a secret',
            )
