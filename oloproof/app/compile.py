"""A suite file to a plan: read, parse, resolve, look up what lies outside the text, lower."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, overload

from oloproof.app.places import Places
from oloproof.canon.digests import DigestText, hash_parts, sha256, text_of
from oloproof.canon.encoding import Json, encode
from oloproof.errors import OloproofError, UnreadableFile
from oloproof.language.diagnostics import Diagnostic, Severity
from oloproof.language.planning.cases import build_case_set
from oloproof.language.planning.lower import Facts, Reach, lower, reach_of
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.resolve import resolve
from oloproof.language.semantics.rules import data, names, types
from oloproof.language.semantics.suite import CaseSetDef, Configured, Suite, SystemDef
from oloproof.language.source import Source, Span
from oloproof.language.syntax import parse
from oloproof.plan.cases import CaseSet
from oloproof.plan.codec import from_json, to_json
from oloproof.plan.keys import content_digest
from oloproof.plan.plan import CodeEntry, Plan
from oloproof.ports.catalogue import Catalogue
from oloproof.sdk.options import Context, Options, build_options
from oloproof.sdk.protocols import Source as RowSource
from oloproof.sdk.records import Row, RowFault

_PATHS: Final = "paths are relative to the suite's folder and stay inside its project"
#: Largest suite or plan that is read whole.
MAX_FILE_BYTES: Final = 64 << 20
_DRIVE: Final = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Compiler:
    """What compiling needs from outside.

    load: gives what a plugin's `module:Class` names. recall: a plan that was made before under the same key, or None.
    tool: digest of this compiler's own code, asked for only where there is a recall.
    """

    catalogue: Catalogue
    load: Callable[[str], object]
    identify_target: Callable[[str, Places, tuple[str, ...]], CodeEntry]
    recall: Callable[[bytes], Json] | None = None
    tool: Callable[[], DigestText] | None = None


class Memo(NamedTuple):
    """A plan under the key of everything that it was made from."""

    key: bytes
    plan: Json


class CasesChanged(OloproofError):
    """The rows are no longer those that the plan was made from: somebody edits them while they are run."""

    exit_code = 7

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"cases {name} changed while they were read; run the command again")


class LateCases(Sequence[CaseSet]):
    """The case sets of a recalled plan, read when somebody looks at them."""

    def __init__(self, load: Callable[[], tuple[CaseSet, ...]]) -> None:
        self._load = load
        self._found: tuple[CaseSet, ...] | None = None

    def _all(self) -> tuple[CaseSet, ...]:
        if self._found is None:
            self._found = self._load()
        return self._found

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> CaseSet: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseSet]: ...
    def __getitem__(self, index: int | slice) -> CaseSet | Sequence[CaseSet]:
        return self._all()[index]


@dataclass(frozen=True, slots=True)
class Compiled:
    """All that came out: the plan is None where an error was found. sources: path as shown → text, for rendering.

    digests: path relative to the suite's folder → digest of every text and data file that was read. memo: what to
    remember so that an unchanged suite need not read its rows again; None where it was recalled or had findings.
    """

    plan: Plan | None
    case_sets: Sequence[CaseSet]
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    digests: Mapping[str, DigestText]
    memo: Memo | None = None

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
    plan, case_sets, memo = outside.plan(resolved.suite, digests[places.suite.name])
    digests.update(outside.digests)
    if findings.has_errors:
        return Compiled(None, (), findings.all(), sources, digests)
    is_silent = findings.all() == resolved.diagnostics
    return Compiled(plan, case_sets, findings.all(), sources, digests, memo if is_silent else None)


def plan_bytes(plan: Plan) -> bytes:
    """The canonical bytes of plan.json."""
    return encode(to_json(plan))


def read_bytes(path: Path) -> bytes:
    """A regular file that somebody named, of at most MAX_FILE_BYTES. Raises: UnreadableFile."""
    try:
        if path.exists() and not path.is_dir() and not path.is_file():
            raise UnreadableFile(str(path), "it is no regular file")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(str(path), error.strerror or str(error)) from error
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableFile(str(path), f"it is larger than {MAX_FILE_BYTES} bytes")
    return data


class _Made(NamedTuple):
    """What came of a suite's text and what lies outside it."""

    plan: Plan | None
    case_sets: Sequence[CaseSet]
    memo: Memo | None


class _SourceFailed(OloproofError):
    """A source gave no rows for a reason that is reported already."""


class _Outside:
    """Looks up what a suite names outside its text, reporting what is not there."""

    def __init__(self, places: Places, compiler: Compiler, findings: Findings) -> None:
        self._places, self._compiler, self._findings = places, compiler, findings
        self.digests: dict[str, DigestText] = {}

    def plan(self, suite: Suite, text: DigestText) -> _Made:
        """The plan and its cases: recalled where everything they are made from is as it was, else made from the rows.

        text: digest of the suite's text.
        """
        reach = reach_of(suite)
        adapters = [item.adapter for item in suite.systems if item.name in reach.systems]
        adapters += [item.adapter for item in suite.evaluators if item.name in reach.evaluators]
        sources = [item for item in suite.cases if item.name in reach.cases]
        for adapter in (*adapters, *(item.source for item in sources)):
            self._hash_files(adapter)
        code = self._code((*adapters, *(item.source for item in sources)))
        targets = self._targets(item for item in suite.systems if item.name in reach.systems)
        if self._findings.has_errors:
            return _Made(None, (), None)
        key = self._key(text, code, targets)
        recalled = None if key is None or self._compiler.recall is None else self._compiler.recall(key)
        if recalled is not None:
            plan = from_json(Plan, recalled)
            return _Made(plan, LateCases(lambda: self._cases_of(plan, sources, suite, reach)), None)
        whole = self._all_cases(sources, suite, reach)
        if whole is None:
            return _Made(None, (), None)
        plan = lower(suite, whole, Facts(code, self.digests, targets), self._findings)
        memo = None if key is None else Memo(key, to_json(plan))
        return _Made(plan, tuple(whole[name] for name in sorted(whole, key=str.encode)), memo)

    def _key(
        self, text: DigestText, code: Mapping[tuple[str, str], DigestText], targets: Mapping[str, CodeEntry]
    ) -> bytes | None:
        """Digest of everything that a plan is made from, or None where nothing can be recalled."""
        if self._compiler.tool is None:
            return None
        plugins: list[Json] = [[kind, name, digest] for (kind, name), digest in sorted(code.items())]
        tool = self._compiler.tool()
        return hash_parts("olo-compile-v1", tool, text, self.digests, plugins, to_json(targets))

    def _all_cases(self, sources: Iterable[CaseSetDef], suite: Suite, reach: Reach) -> dict[str, CaseSet] | None:
        case_sets = {item.name: self._cases(item, suite, reach) for item in sources}
        whole = {name: found for name, found in case_sets.items() if found is not None}
        return whole if len(whole) == len(case_sets) else None

    def _cases_of(self, plan: Plan, sources: Iterable[CaseSetDef], suite: Suite, reach: Reach) -> tuple[CaseSet, ...]:
        """The rows of a recalled plan; they must be those that it was made from. Raises: CasesChanged."""
        whole = self._all_cases(sources, suite, reach) or {}
        for entry in plan.cases:
            found = whole.get(entry.name)
            if found is None or content_digest(row.case_hash for row in found.rows) != entry.content:
                raise CasesChanged(entry.name)
        return tuple(whole[name] for name in sorted(whole, key=str.encode))

    def _hash_files(self, adapter: Configured) -> None:
        written = {str(adapter.options.get(option)): span for option, span in adapter.option_spans.items()}
        for name in adapter.data_files:
            span = written.get(name, adapter.span)
            digest = self._digest(name, span)
            if digest is not None:
                self.digests[name] = digest

    def _inside(self, name: str) -> Path | str:
        """The file, or in words why its path cannot be used; links may not lead out of the project either."""
        if "\\" in name or name.startswith("~") or PurePosixPath(name).is_absolute() or _DRIVE.match(name):
            return "is not a path relative to the suite, with `/`"
        if not name or not name.isprintable():
            return "is no file name that every system can have"
        path = self._places.folder / name
        root = self._places.root.resolve()
        if not Path(os.path.realpath(path)).is_relative_to(root):
            return f"leads out of the project's root {root}"
        return path

    def _digest(self, name: str, span: Span) -> DigestText | None:
        """The digest of a file that the suite names, or None after its fault is reported."""
        path = self._inside(name)
        if isinstance(path, str):
            self._findings.add(names.BAD_FILE_PATH, f"`{name}` {path}", span, help=_PATHS)
            return None
        try:
            return _file_digest(path)
        except OSError as error:
            reason = error.strerror or str(error)
            self._findings.add(data.UNREADABLE, f"`{name}` cannot be read: {reason}", span, help=_PATHS)
        return None

    def _code(self, adapters: Iterable[Configured]) -> dict[tuple[str, str], DigestText]:
        found: dict[tuple[str, str], DigestText] = {}
        for item in adapters:
            plugin = item.plugin
            key = (plugin.manifest.kind, plugin.manifest.name)
            if key in found:
                continue
            try:
                found[key] = self._compiler.catalogue.code_of(plugin)
            except OloproofError as error:
                self._findings.add(
                    types.PLUGIN_BROKEN,
                    f"the code of `{plugin.manifest.name}` of {plugin.dist} {plugin.version} cannot be identified: "
                    f"{error}",
                    item.span,
                    help=f"reinstall {plugin.dist}",
                )
        return found

    def _targets(self, systems: Iterable[SystemDef]) -> dict[str, CodeEntry]:
        found: dict[str, CodeEntry] = {}
        known: dict[tuple[str, tuple[str, ...]], CodeEntry] = {}
        for system in systems:
            if system.target is None:
                continue
            spans = system.adapter.option_spans
            span = spans.get("depends_on", system.adapter.span)
            digests = [self._digest(name, span) for name in system.depends_on]
            if None in digests:
                continue
            key = (system.target, system.depends_on)
            try:
                if key not in known:
                    known[key] = self._compiler.identify_target(system.target, self._places, system.depends_on)
                found[system.name] = known[key]
            except UnreadableFile as error:
                self._findings.add(data.UNREADABLE, str(error), spans.get("target", system.adapter.span))
            except OloproofError as error:
                self._findings.add(types.TARGET, str(error), spans.get("target", system.adapter.span))
        return found

    def _cases(self, item: CaseSetDef, suite: Suite, reach: Reach) -> CaseSet | None:
        used = reach.clusters_of(suite, item.name)
        clusters = [cluster for cluster in suite.clusters if cluster.name in used]
        try:
            return build_case_set(item, self._rows(item), clusters, suite.slices, self._findings)
        except _SourceFailed:
            return None

    def _rows(self, item: CaseSetDef) -> Iterator[Row | RowFault]:
        """The rows of a source plugin; whatever it raises is a finding, since plugins are strangers."""
        manifest = item.source.plugin.manifest
        context = Context(self._places.folder, self._places.root)
        source = f"the source `{manifest.name}` of {item.source.plugin.dist} {item.source.plugin.version}"
        try:
            options = build_options(manifest.options, item.source.options, {})
            for row in self._source(manifest.factory, options, context).rows():
                if not _is_row(row):
                    raise TypeError(f"its rows hold a {type(row).__name__} that is no row")  # noqa: TRY301 -- told below
                yield row
        except OSError as error:
            self._findings.add(
                data.UNREADABLE,
                f"cases `{item.name}` cannot be read: {error.strerror or error}",
                item.source.option_spans.get("path", item.source.span),
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- around plugin code
            self._findings.add(
                types.PLUGIN_BROKEN,
                f"{source} failed: {type(error).__name__}: {error}",
                item.source.span,
                help=f"tell the authors of {item.source.plugin.dist}",
            )
        else:
            return
        raise _SourceFailed(item.name)

    def _source(self, factory: str, options: Options, context: Context) -> RowSource:
        made = self._compiler.load(factory)
        source = made(options, context)  # type: ignore[operator] # a plugin's class; what it is shows when it runs
        if not isinstance(source, RowSource):
            raise TypeError(f"{factory} gives a {type(source).__name__}, which has no rows()")
        return source


def _file_digest(path: Path) -> DigestText:
    """The digest of a file's bytes. Raises: OSError."""
    if path.exists() and not path.is_file():
        # Reading a pipe or a device would wait for ever, or never end.
        raise OSError(errno.EISDIR, "it is a folder" if path.is_dir() else "it is no regular file")
    return text_of(sha256(path.read_bytes()))


def _is_row(row: object) -> bool:
    """Whether a stranger's row is one, as far as the compiler relies on it."""
    if isinstance(row, RowFault):
        return True
    return isinstance(row, Row) and isinstance(row.number, int) and isinstance(row.fields, Mapping)


def errors_of(diagnostics: Iterable[Diagnostic]) -> int:
    """How many of the findings stop the compiler."""
    return sum(item.severity is Severity.ERROR for item in diagnostics)
