"""The types that a plugin's options can have, and the record that holds them.

An options class is both the documentation and the check: the compiler reads its fields to judge the suite's text where
it stands, and builds the record when the plugin starts. Plain frozen dataclasses, since this module is imported by
every command and every worker.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError


class Secret:
    """A value that reaches no artefact: it prints, compares and serialises as its name only."""

    __slots__ = ("_value", "name")

    def __init__(self, name: str, value: str) -> None:
        self.name, self._value = name, value

    def reveal(self) -> str:
        """The value; for the wire and nowhere else."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.name == self.name

    def __hash__(self) -> int:
        return hash((Secret, self.name))

    def __reduce__(self) -> str:
        raise TypeError(f"{self!r} is not copied or pickled: its value must stay in this process")


@dataclass(frozen=True, slots=True)
class Form:
    """Marks what an option's text means, so that the compiler can treat it: see the aliases below."""

    name: Literal["duration", "data_file", "target", "field_path", "inline_cases", "choice"]


#: A time span; written `5s`, handed over in milliseconds.
Duration: TypeAlias = Annotated[int, Form("duration")]
#: A file beside the suite; hashed at compile. Handed over as its path relative to Context.suite_dir.
DataFile: TypeAlias = Annotated[str, Form("data_file")]
#: `module:function`; its code is identified at compile without importing it.
Target: TypeAlias = Annotated[str, Form("target")]
#: A path into a JSON value, such as `label` or `outputs["a-1"].label`.
FieldPath: TypeAlias = Annotated[str, Form("field_path")]
#: The `case "ID" { … }` statements of a case set, as rows.
InlineCases: TypeAlias = Annotated[tuple[dict[str, Any], ...], Form("inline_cases")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Base of every plugin's options: subclass it as a frozen dataclass, each field by `option`.

    A `__post_init__` may refuse values with a ValueError whose text is for the suite's author and begins with the
    name of the option where one is at fault.
    """


def option(default: Any = dataclasses.MISSING, *, doc: str) -> Any:  # noqa: ANN401 -- as dataclasses.field
    """One field of an options class; required without a default. doc: one sentence for the suite's author."""
    return dataclasses.field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, slots=True)
class Context:
    """Where a plugin may look: the suite's folder and the project's root. Both are absolute."""

    suite_dir: Path
    root: Path


OptionKind: TypeAlias = Literal[
    "text",
    "integer",
    "decimal",
    "boolean",
    "choice",
    "texts",
    "duration",
    "data_file",
    "target",
    "field_path",
    "inline_cases",
    "secret",
]
_PLAIN_KINDS: dict[Any, OptionKind] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    Decimal: "decimal",
    Secret: "secret",
    tuple[str, ...]: "texts",
}


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option as the compiler sees it. choices: for kind `choice`; default: None where required."""

    name: str
    kind: OptionKind
    required: bool
    default: Any
    choices: tuple[str, ...]
    doc: str


class UnusableOption(TypeError):
    """An option whose type is none that the language can write."""


class OptionProblem(NamedTuple):
    """What is wrong with one option, by its name; empty where it is the options together."""

    option: str
    text: str


class UnusableOptions(OloproofError):
    """Values that an options class does not take. The message names options and never values: one may be a secret."""

    exit_code = 5

    def __init__(self, problems: tuple[OptionProblem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"option {item.option}: {item.text}" for item in problems))


def describe(model: type[Options]) -> Mapping[str, OptionSpec]:
    """The options of a class by name, in the order of its fields. Raises: UnusableOption."""
    hints = get_type_hints(model, include_extras=True)
    return {field.name: _describe_field(field, hints[field.name]) for field in dataclasses.fields(model)}


def _describe_field(field: dataclasses.Field[Any], annotation: Any) -> OptionSpec:  # noqa: ANN401 -- any annotation
    if NoneType in get_args(annotation):
        annotation = next(item for item in get_args(annotation) if item is not NoneType)
    form = None
    if get_origin(annotation) is Annotated:
        annotation, *marks = get_args(annotation)
        form = next((mark.name for mark in marks if isinstance(mark, Form)), None)
    choices = tuple(get_args(annotation)) if get_origin(annotation) is Literal else ()
    kind = form or ("choice" if choices else _PLAIN_KINDS.get(annotation))
    if kind is None:
        raise UnusableOption(f"option {field.name}: the language cannot write a {annotation}")
    is_required = field.default is dataclasses.MISSING
    default = None if is_required else field.default
    return OptionSpec(field.name, kind, is_required, default, choices, str(field.metadata.get("doc", "")))


def build_options(model: type[Options], values: Mapping[str, Json], secrets: Mapping[str, Secret]) -> Options:
    """The record of values as a plan holds them: lists as tuples, decimals from text, {"secret": NAME} as a Secret.

    Raises: UnusableOptions with everything that is wrong.
    """
    specs = describe(model)
    problems = [OptionProblem(name, "there is no such option") for name in values if name not in specs]
    problems += [
        OptionProblem(name, "it is required") for name, spec in specs.items() if spec.required and name not in values
    ]
    built: dict[str, Any] = {}
    for name, value in values.items():
        if name in specs:
            try:
                built[name] = _build(specs[name], value, secrets)
            except (ValueError, TypeError) as error:
                problems.append(OptionProblem(name, str(error)))
    if problems:
        raise UnusableOptions(tuple(problems))
    try:
        return model(**built)
    except ValueError as error:
        first = str(error).partition(" ")[0]
        raise UnusableOptions((OptionProblem(first if first in specs else "", str(error)),)) from error


def _build(spec: OptionSpec, value: Json, secrets: Mapping[str, Secret]) -> Any:  # noqa: ANN401, PLR0911 -- one return a kind
    if value is None and not spec.required and spec.default is None:
        return None
    match spec.kind:
        case "text" | "data_file" | "target" | "field_path":
            return _of(str, value, "a string")
        case "integer" | "duration":
            return _of(int, value, "a whole number")
        case "boolean":
            return _of(bool, value, "true or false")
        case "choice":
            if value not in spec.choices:
                raise ValueError(f"one of {', '.join(spec.choices)} is due")
            return value
        case "secret":
            return _secret(value, secrets)
        case "decimal":
            return _decimal(value)
        case "texts":
            return tuple(_of(str, item, "a string") for item in _of(list, value, "a list"))
        case "inline_cases":
            return tuple(_of(dict, item, "an object") for item in _of(list, value, "a list"))


def _of(kind: type, value: Any, due: str) -> Any:  # noqa: ANN401 -- gives back what it checked
    if kind is list and type(value) is tuple:
        return value
    if type(value) is not kind:
        raise TypeError(f"{due} is due")
    return value


def _secret(value: Json, secrets: Mapping[str, Secret]) -> Secret:
    wanted = value.get("secret") if isinstance(value, Mapping) else None
    if not isinstance(wanted, str) or wanted not in secrets:
        raise ValueError("the secret's value was not given")
    return secrets[wanted]


def _decimal(value: Json) -> Decimal:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        try:
            return Decimal(value)
        except InvalidOperation:
            pass
    raise ValueError("a decimal is due, as text")
