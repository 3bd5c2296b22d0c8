"""The types that a plugin's options can have, and the model that holds them.

A model is both the documentation and the check: the compiler reads its fields to judge the suite's text where it
stands, and builds the model when the plugin starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from oloproof.canon.encoding import Json


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

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 -- pydantic's own signature
        return core_schema.is_instance_schema(cls)


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


class Options(BaseModel):
    """Base of every plugin's options: strict, frozen, no unknown names, no NaN. Fields need a description."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


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


def describe(model: type[Options]) -> Mapping[str, OptionSpec]:
    """The options of a model by name, in the order of its fields. Raises: UnusableOption."""
    return {name: _describe_field(name, field) for name, field in model.model_fields.items()}


def _describe_field(name: str, field: Any) -> OptionSpec:  # noqa: ANN401 -- pydantic's FieldInfo
    annotation = field.annotation
    forms = [item.name for item in field.metadata if isinstance(item, Form)]
    if get_origin(annotation) is not None and type(None) in get_args(annotation):
        inner = next(item for item in get_args(annotation) if item is not type(None))
        if get_origin(inner) is Annotated:
            inner, *metadata = get_args(inner)
            forms += [item.name for item in metadata if isinstance(item, Form)]
        annotation = inner
    choices = tuple(get_args(annotation)) if get_origin(annotation) is Literal else ()
    kind: OptionKind = forms[0] if forms else "choice" if choices else _plain_kind(name, annotation)
    required = field.is_required()
    return OptionSpec(name, kind, required, None if required else field.default, choices, field.description or "")


def _plain_kind(name: str, annotation: Any) -> OptionKind:  # noqa: ANN401 -- any annotation can stand there
    from decimal import Decimal  # noqa: PLC0415 -- 3 ms that only the compiler needs

    kinds: dict[Any, OptionKind] = {
        str: "text",
        bool: "boolean",
        int: "integer",
        Decimal: "decimal",
        Secret: "secret",
        tuple[str, ...]: "texts",
    }
    try:
        return kinds[annotation]
    except (KeyError, TypeError):
        raise UnusableOption(f"option {name}: the language cannot write a {annotation}") from None


def build_options(model: type[Options], options: Mapping[str, Json], secrets: Mapping[str, Secret]) -> Options:
    """The model from the JSON that a plan holds: lists become tuples, decimal text numbers, secret names secrets.

    Raises: pydantic.ValidationError where the model refuses; KeyError for a secret that is not given.
    """
    from decimal import Decimal  # noqa: PLC0415 -- as in _plain_kind

    specs = describe(model)
    read: dict[str, Any] = {}
    for name, value in options.items():
        kind = specs[name].kind if name in specs else "text"
        if kind == "secret" and isinstance(value, Mapping):
            read[name] = secrets[str(value["secret"])]
        elif kind == "decimal" and isinstance(value, str):
            read[name] = Decimal(value)
        elif kind in ("texts", "inline_cases") and isinstance(value, list):
            read[name] = tuple(value)
        else:
            read[name] = value
    return model.model_validate(read)
