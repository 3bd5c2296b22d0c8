"""A suite file to a plan: read, parse, resolve, look up what lies outside the text, lower."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from oloproof.app.places import Places
from oloproof.canon.digests import DigestText, sha256, text_of
from oloproof.canon.encoding import encode
from oloproof.errors import OloproofError, UnreadableFile
from oloproof.language.diagnostics import Diagnostic, Severity
from oloproof.language.planning.cases import build_case_set
from oloproof.language.planning.lower import Facts, Reach, lower, reach_of
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.resolve import resolve
from oloproof.language.semantics.rules import data, names, types
from oloproof.language.semantics.suite import CaseSetDef, Configured, Suite, SystemDef
from oloproof.language.source import Source
from oloproof.language.syntax import parse
from oloproof.plan.cases import CaseSet
from oloproof.plan.codec import to_json
from oloproof.plan.plan import CodeEntry, Plan
from oloproof.ports.catalogue import Catalogue, Plugin
from oloproof.sdk.options import Context, Options, build_options
from oloproof.sdk.protocols import Source as RowSource
from oloproof.sdk.records import Row, RowFault


@dataclass(frozen=True, slots=True)
class Compiler:
    """What compiling needs from outside. load: gives what a plugin's `module:Class` names."""

    catalogue: Catalogue
    load: Callable[[str], object]
    identify_target: Callable[[str, Places, tuple[str, ...]], CodeEntry]


@dataclass(frozen=True, slots=True)
class Compiled:
    """All that came out: the plan is None where an error was found. sources: path as shown → text, for rendering.

    digests: path relative to the suite's folder → digest of every text and data file that was read.
    """

    plan: Plan | None
    case_sets: tuple[CaseSet, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    digests: Mapping[str, DigestText]

    @property
    def has_errors(self) -> bool:
        """True where no plan could be made."""
        return self.plan is None

    @property
    def has_unreadable(self) -> bool:
        """True where a file that the suite names could not be read: misuse rather than a finding."""
        return any(item.rule == data.UNREADABLE for item in self.diagnostics)


def compile_suite(places: Places, compiler: Compiler, *, display: str) -> Compiled:
    """Everything from the suite's text to its plan, with all findings. display: the suite's path as people see it.

    Raises: UnreadableFile for the suite itself.
    """
    text = read_bytes(places.suite)
    source = Source.decode(display, text)
    parsed = parse(source)
    resolved = resolve(parsed.file, source, compiler.catalogue, parsed.diagnostics)
    sources = {display: source}
    digests = {places.suite.name: text_of(sha256(text))}
    if resolved.suite is None:
        return Compiled(None, (), resolved.diagnostics, sources, digests)
    findings = Findings(resolved.diagnostics)
    outside = _Outside(places, compiler, findings)
    plan, case_sets = outside.plan(resolved.suite)
    digests.update(outside.digests)
    plan = None if findings.has_errors else plan
    return Compiled(plan, case_sets, findings.all(), sources, digests)


def plan_bytes(plan: Plan) -> bytes:
    """The canonical bytes of plan.json."""
    return encode(to_json(plan))


def read_bytes(path: Path) -> bytes:
    """A file that somebody named. Raises: UnreadableFile."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(str(path), error.strerror or str(error)) from error


class _Outside:
    """Looks up what a suite names outside its text, reporting what is not there."""

    def __init__(self, places: Places, compiler: Compiler, findings: Findings) -> None:
        self._places, self._compiler, self._findings = places, compiler, findings
        self.digests: dict[str, DigestText] = {}

    def plan(self, suite: Suite) -> tuple[Plan | None, tuple[CaseSet, ...]]:
        reach = reach_of(suite)
        adapters = [item.adapter for item in suite.systems if item.name in reach.systems]
        adapters += [item.adapter for item in suite.evaluators if item.name in reach.evaluators]
        sources = [item for item in suite.cases if item.name in reach.cases]
        for adapter in (*adapters, *(item.source for item in sources)):
            self._hash_files(adapter)
        code = self._code(item.plugin for item in (*adapters, *(item.source for item in sources)))
        targets = self._targets(item for item in suite.systems if item.name in reach.systems)
        if self._findings.has_errors:
            return None, ()
        case_sets = {item.name: self._cases(item, suite, reach) for item in sources}
        whole = {name: found for name, found in case_sets.items() if found is not None}
        if len(whole) != len(case_sets):
            return None, ()
        plan = lower(suite, whole, Facts(code, self.digests, targets), self._findings)
        return plan, tuple(whole[name] for name in sorted(whole, key=str.encode))

    def _hash_files(self, adapter: Configured) -> None:
        for name in adapter.data_files:
            span = next((adapter.option_spans[k] for k, v in adapter.options.items() if v == name), adapter.span)
            path = self._inside(name)
            if isinstance(path, str):
                self._findings.add(names.BAD_FILE_PATH, f"`{name}` {path}", span)
                continue
            try:
                self.digests[name] = text_of(sha256(read_bytes(path)))
            except UnreadableFile as error:
                self._findings.add(
                    data.UNREADABLE,
                    f"`{name}` cannot be read: {error.reason}",
                    span,
                    help="paths are relative to the suite's folder",
                )

    def _inside(self, name: str) -> Path | str:
        """The file, or in words why its path cannot be used; links may not lead out of the project either."""
        if "\\" in name or PurePosixPath(name).is_absolute() or not name:
            return "is not a relative path with `/`"
        path = self._places.folder / name
        root = self._places.root.resolve()
        if not Path(os.path.realpath(path)).is_relative_to(root):
            return f"leads out of the project's root {root}"
        return path

    def _code(self, plugins: Iterable[Plugin]) -> dict[tuple[str, str], DigestText]:
        return {
            (plugin.manifest.kind, plugin.manifest.name): self._compiler.catalogue.code_of(plugin) for plugin in plugins
        }

    def _targets(self, systems: Iterable[SystemDef]) -> dict[str, CodeEntry]:
        found = {}
        for system in systems:
            if system.target is None:
                continue
            try:
                found[system.name] = self._compiler.identify_target(system.target, self._places, system.depends_on)
            except OloproofError as error:
                self._findings.add(
                    types.TARGET, str(error), system.adapter.option_spans.get("target", system.adapter.span)
                )
        return found

    def _cases(self, item: CaseSetDef, suite: Suite, reach: Reach) -> CaseSet | None:
        used = reach.clusters_of(suite, item.name)
        clusters = [cluster for cluster in suite.clusters if cluster.name in used]
        return build_case_set(item, self._rows(item), clusters, suite.slices, self._findings)

    def _rows(self, item: CaseSetDef) -> Iterator[Row | RowFault]:
        """The rows of a source plugin; whatever it raises is a finding, since plugins are strangers."""
        manifest = item.source.plugin.manifest
        context = Context(self._places.folder, self._places.root)
        try:
            options = build_options(manifest.options, item.source.options, {})
            yield from self._source(manifest.factory, options, context).rows()
        except OSError as error:
            self._findings.add(
                data.UNREADABLE,
                f"cases `{item.name}` cannot be read: {error.strerror or error}",
                item.source.option_spans.get("path", item.source.span),
            )
        except Exception as error:  # noqa: BLE001 -- around plugin code
            self._findings.add(
                types.PLUGIN_BROKEN,
                f"the source `{manifest.name}` of {item.source.plugin.dist} failed: {type(error).__name__}: {error}",
                item.source.span,
            )

    def _source(self, factory: str, options: Options, context: Context) -> RowSource:
        made = self._compiler.load(factory)
        source = made(options, context)  # type: ignore[operator] # a plugin's class; what it is shows when it runs
        assert isinstance(source, RowSource)
        return source


def errors_of(diagnostics: Iterable[Diagnostic]) -> int:
    """How many of the findings stop the compiler."""
    return sum(item.severity is Severity.ERROR for item in diagnostics)
