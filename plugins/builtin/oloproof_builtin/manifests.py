"""What the built-in types say of themselves; imports none of the modules that run them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from oloproof.sdk import DataFile, FieldPath, InlineCases, Manifest, Options, Target, option


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonOptions(Options):
    """Options of the system `python`."""

    target: Target = option(doc="The function to call, as `module:function`.")
    isolation: Literal["process", "thread"] = option(
        "process",
        doc="`process` runs it in a worker that can be killed; `thread` in oloproof's own process, faster, "
        "where a hang is given up but not ended and a crash ends the run.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions(Options):
    """Options of the system `replay`."""

    path: DataFile = option(doc="A JSON Lines file with one recorded answer a row.")
    id: FieldPath = option("id", doc="Where a row names its case.")
    output: FieldPath = option("output", doc="Where a row holds the answer.")
    latency: FieldPath | None = option(None, doc="Where a row holds the call's duration in seconds.")
    error: FieldPath | None = option(None, doc="Where a row says that the call failed, and how.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactMatchOptions(Options):
    """Options of the evaluator `exact_match`."""

    field: FieldPath | None = option(None, doc="The field of the answer; the whole answer if absent.")
    ignore_case: bool = option(False, doc="Whether texts that differ in case only are equal.")
    strip: bool = option(True, doc="Whether white space around texts is ignored.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsOptions(Options):
    """Options of the evaluator `contains`."""

    field: FieldPath | None = option(None, doc="The field of the answer; the whole answer if absent.")
    match: Literal["any", "all"] = option("all", doc="Whether all texts of `expect` must be contained, or any of them.")
    ignore_case: bool = option(False, doc="Whether case is ignored.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericOptions(Options):
    """Options of the evaluator `numeric`."""

    field: FieldPath | None = option(None, doc="The field of the answer; the whole answer if absent.")
    take: Literal["last", "first", "only"] = option(
        "last", doc="Which number of a text counts; with `only`, a text with several is wrong."
    )
    tolerance: Decimal = option(Decimal(0), doc="Largest absolute difference that is still right, as an exact decimal.")

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise ValueError("tolerance must not be negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonlOptions(Options):
    """Options of the source `jsonl`."""

    path: DataFile = option(doc="A file with one JSON object a line.")


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions(Options):
    """Options of the source `inline`."""

    cases: InlineCases = option(doc='The cases, each as `case "ID" { input = …, expect = … }`.')


PYTHON = Manifest(
    name="python",
    kind="system",
    options=PythonOptions,
    factory="oloproof_builtin.python:PythonSystem",
    doc="A Python function, called with the case's input; it returns a string or a dictionary.",
)

REPLAY = Manifest(
    name="replay",
    kind="system",
    options=ReplayOptions,
    factory="oloproof_builtin.replay:Replay",
    doc="Recorded answers, looked up by the case's id.",
    capabilities=frozenset({"row_key"}),
    execution="inline",
    calls=False,
)

EXACT_MATCH = Manifest(
    name="exact_match",
    kind="evaluator",
    options=ExactMatchOptions,
    factory="oloproof_builtin.exact_match:ExactMatch",
    doc="Whether the answer, or one field of it, equals what is expected.",
    outputs={"pass": "bool"},
    execution="inline",
)

CONTAINS = Manifest(
    name="contains",
    kind="evaluator",
    options=ContainsOptions,
    factory="oloproof_builtin.contains:Contains",
    doc="Whether the answer, or one field of it, contains the expected text or texts.",
    outputs={"pass": "bool"},
    execution="inline",
)

NUMERIC = Manifest(
    name="numeric",
    kind="evaluator",
    options=NumericOptions,
    factory="oloproof_builtin.numeric:Numeric",
    doc="Whether the number in the answer equals the expected one, in exact decimals.",
    outputs={"pass": "bool", "value": "real"},
    execution="inline",
)

JSONL = Manifest(
    name="jsonl",
    kind="source",
    options=JsonlOptions,
    factory="oloproof_builtin.jsonl:JsonLines",
    doc="Cases from a JSON Lines file.",
    execution="inline",
)

INLINE = Manifest(
    name="inline",
    kind="source",
    options=InlineOptions,
    factory="oloproof_builtin.inline:Inline",
    doc="Cases written in the suite itself.",
    capabilities=frozenset({"whole_rows"}),
    execution="inline",
)
