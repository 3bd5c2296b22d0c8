"""The kinds that run: system and evaluator."""

from __future__ import annotations

from typing import Final

from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.plugged import configure, find_type
from oloproof.language.semantics.suite import EvaluatorDef, SystemDef
from oloproof.language.semantics.values import Reader
from oloproof.language.syntax.tree import Decl, Value
from oloproof.ports.catalogue import Catalogue
from oloproof.sdk.options import describe

#: Calls at once of a system that does not say.
DEFAULT_CONCURRENCY: Final = 8
#: More calls at once than this is a slip of the keyboard: it would open as many threads and connections.
MAX_CONCURRENCY: Final = 1_000
#: More trials of every case than this say nothing new: they are no independent evidence.
MAX_REPEATS: Final = 10_000
#: Bound on one evaluation in a worker where the suite does not say; evaluators are short and pure.
DEFAULT_EVALUATOR_TIMEOUT_MS: Final = 60_000


def read_system(decl: Decl, catalogue: Catalogue, reader: Reader) -> SystemDef | None:
    """`system NAME: TYPE { … }`."""
    attributes = Attributes(reader.findings, f"system `{_name(decl)}`", decl.block)
    plugin = find_type(decl, "system", catalogue, reader.findings)
    if plugin is None:
        return None
    adapter = configure(_name(decl), plugin, attributes, reader)
    timeout = attributes.take("timeout")
    if timeout is None and plugin.manifest.calls:
        attributes.report_missing("timeout")
    repeats, concurrency = attributes.take("repeats"), attributes.take("concurrency")
    targets = [spec.name for spec in describe(plugin.manifest.options).values() if spec.kind == "target"]
    # Only the code behind a target depends on files; elsewhere the attribute would be ignored, so it is unknown.
    depends_on = attributes.take("depends_on") if targets else None
    if depends_on is not None:
        adapter.option_spans["depends_on"] = depends_on.span
    attributes.refuse("matrix", "rate", "request")
    attributes.close()
    return SystemDef(
        adapter=adapter,
        timeout_ms=None if timeout is None else reader.duration_ms(timeout),
        repeats=_count(repeats, reader, default=1, at_most=MAX_REPEATS),
        concurrency=_count(concurrency, reader, default=DEFAULT_CONCURRENCY, at_most=MAX_CONCURRENCY),
        depends_on=() if depends_on is None else reader.texts(depends_on) or (),
        target=next((str(adapter.options[name]) for name in targets if adapter.options.get(name) is not None), None),
    )


def read_evaluator(decl: Decl, catalogue: Catalogue, reader: Reader) -> EvaluatorDef | None:
    """`evaluator NAME: TYPE { … }`."""
    attributes = Attributes(reader.findings, f"evaluator `{_name(decl)}`", decl.block)
    plugin = find_type(decl, "evaluator", catalogue, reader.findings)
    if plugin is None:
        return None
    adapter = configure(_name(decl), plugin, attributes, reader)
    timeout = attributes.take("timeout")
    attributes.close()
    default = None if plugin.is_builtin else DEFAULT_EVALUATOR_TIMEOUT_MS
    return EvaluatorDef(adapter, default if timeout is None else reader.duration_ms(timeout))


def _count(value: Value | None, reader: Reader, *, default: int, at_most: int) -> int:
    return default if value is None else reader.integer(value, at_least=1, at_most=at_most) or default


def _name(decl: Decl) -> str:
    return decl.label.text if decl.label else ""
