"""What a plugin says of itself, cheap to import: the adapter behind it is loaded only when a run needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from oloproof.sdk.options import Options

#: Version of this door; its major is in the entry-point groups (`oloproof.systems.v1`).
SDK_VERSION: Final = "1.0"

Kind: TypeAlias = Literal["system", "evaluator", "source"]
Capability: TypeAlias = Literal["seed", "row_key", "whole_rows"]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One plugin type.

    name: as the suite writes it. api: the SDK's major that it is written for. major: of the type's own behaviour and
    options; a suite may pin it (`name@1`). factory: `"module:Class"`, called as Class(options, context).
    outputs: of an evaluator, name → `bool`, `real` or `text`. reads: the case fields that an evaluator looks at.
    capabilities: `seed`: takes Request.seed; `row_key`: a system that is a RowKeyed; `whole_rows`: a source whose rows
    hold id, input and expect themselves. execution: `inline` runs in the core's own process and is honoured only for
    types that ship with oloproof; `process` runs in a worker that can be killed. calls: False for systems that only
    look up what is recorded, so that they need no timeout.
    """

    name: str
    kind: Kind
    options: type[Options]
    factory: str
    doc: str
    api: int = 1
    major: int = 1
    outputs: Mapping[str, Literal["bool", "real", "text"]] = field(default_factory=dict)
    reads: frozenset[Literal["input", "expect"]] = frozenset({"expect"})
    capabilities: frozenset[Capability] = frozenset()
    execution: Literal["inline", "process"] = "process"
    calls: bool = True
