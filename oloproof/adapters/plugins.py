"""Installed plugin types, read from entry points, and the only place that loads code by its name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from oloproof.canon.digests import DigestText, digest_of
from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError
from oloproof.ports.catalogue import BrokenPlugin, Plugin
from oloproof.sdk.manifest import SDK_VERSION, Kind, Manifest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from oloproof.adapters.import_graph import SourceModule

#: Entry-point group of each kind; its major is that of SDK_VERSION.
GROUPS: Final[Mapping[Kind, str]] = {
    "system": "oloproof.systems.v1",
    "evaluator": "oloproof.evaluators.v1",
    "source": "oloproof.sources.v1",
}
#: The distribution whose types ship with oloproof itself.
OWN_DIST: Final = "oloproof"
_API: Final = int(SDK_VERSION.partition(".")[0])


class BadFactory(OloproofError):
    """A `module:name` that cannot be loaded."""

    exit_code = 5

    def __init__(self, factory: str, reason: str) -> None:
        self.factory, self.reason = factory, reason
        super().__init__(f"{factory}: cannot be loaded: {reason}")


class PluginSourceNotFound(OloproofError):
    """The package that implements a type has no readable source, so that its code cannot be identified."""

    exit_code = 5

    def __init__(self, name: str, factory: str) -> None:
        self.name, self.factory = name, factory
        super().__init__(f"type {name}: the source of {factory} is not found; install its distribution again")


def load(factory: str) -> object:
    """What `module:name` names; imports the module. Raises: BadFactory.

    Whatever the module raises while it is imported is told as text: a plugin is a stranger.
    """
    module_name, _, name = factory.partition(":")
    if not module_name or not name.isidentifier():
        raise BadFactory(factory, "it is not of the form module:name")
    try:
        module = importlib.import_module(module_name)  # noqa: TID251 -- this is the plugin loader
        found: object = getattr(module, name)
    except BaseException as error:
        raise BadFactory(factory, f"{type(error).__name__}: {error}") from error
    return found


def execution_of(plugin: Plugin, options: Mapping[str, Json]) -> Literal["inline", "process"]:
    """Where a type runs: inline only for oloproof's own types that ask for it, or whose `isolation` is `thread`."""
    if not plugin.is_builtin:
        return "process"
    return "inline" if options.get("isolation") == "thread" else plugin.manifest.execution


class EntryPointCatalogue:
    """The types that installed distributions offer. A manifest is imported when its name is looked up, once."""

    def __init__(self) -> None:
        self._entries: dict[tuple[Kind, str], list[EntryPoint]] | None = None
        self._found: dict[tuple[Kind, str], Plugin | BrokenPlugin] = {}

    def find(self, kind: Kind, name: str) -> Plugin | BrokenPlugin | None:
        """The type of that name, or None."""
        key = (kind, name)
        if key not in self._found:
            entries = self._all().get(key)
            if entries is None:
                return None
            self._found[key] = _read(kind, name, entries)
        return self._found[key]

    def names(self, kind: Kind) -> tuple[str, ...]:
        """All names of a kind, sorted; broken ones too."""
        return tuple(sorted(name for found, name in self._all() if found == kind))

    def code_of(self, plugin: Plugin) -> DigestText:
        """Digest over the sources that implement the type, taken without importing them.

        oloproof's own: the modules of its package that the factory's module reaches by imports. Outside: every
        module of the factory's top-level package, and the distribution's name and version, so that an edited helper
        module of an editable install is seen. Raises: PluginSourceNotFound.
        """
        module = plugin.manifest.factory.partition(":")[0]
        found = _sources(module, whole_package=not plugin.is_builtin)
        modules: dict[str, Json] = {source.name: source.digest for source in found}
        if not modules:
            raise PluginSourceNotFound(plugin.manifest.name, plugin.manifest.factory)
        if plugin.is_builtin:
            return digest_of("olo-code-v1", modules)
        return digest_of("olo-code-v1", modules, plugin.dist, plugin.version)

    def _all(self) -> dict[tuple[Kind, str], list[EntryPoint]]:
        if self._entries is None:
            self._entries = {}
            for kind, entry in _entry_points():
                self._entries.setdefault((kind, entry.name), []).append(entry)
        return self._entries


def _entry_points() -> Iterator[tuple[Kind, EntryPoint]]:
    from importlib import metadata  # noqa: PLC0415 -- 17 ms that a worker, which only loads, must not pay

    everything = metadata.entry_points()
    for kind, group in GROUPS.items():
        for entry in everything.select(group=group):
            yield kind, entry


def _read(kind: Kind, name: str, entries: list[EntryPoint]) -> Plugin | BrokenPlugin:
    offers = sorted({_dist_of(entry) for entry in entries})
    dist, version = offers[0]
    if len(entries) > 1:
        both = " and ".join(f"{each} {number}" for each, number in offers)
        return BrokenPlugin(kind, name, dist, version, f"{both} offer a {kind} of this name; uninstall all but one")
    try:
        found = load(entries[0].value)
    except BadFactory as error:
        return BrokenPlugin(kind, name, dist, version, str(error))
    problem = _problem(kind, name, found)
    if problem or not isinstance(found, Manifest):
        return BrokenPlugin(kind, name, dist, version, f"{entries[0].value}: {problem}")
    return Plugin(found, dist, version, is_builtin=dist == OWN_DIST)


def _problem(kind: Kind, name: str, found: object) -> str | None:
    """What keeps a loaded object from being the manifest of this entry point."""
    if not isinstance(found, Manifest):
        return f"a Manifest is due, not a {type(found).__name__}"
    if found.api != _API:
        return f"it is written for major {found.api} of the SDK; this is {_API}"
    if found.kind != kind:
        return f"it is a manifest of kind {found.kind}, offered as a {kind}"
    if found.name != name:
        return f"its manifest is named {found.name}, its entry point {name}"
    return None


def _dist_of(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist else ("unknown", "0")


def _sources(module: str, *, whole_package: bool) -> list[SourceModule]:
    from oloproof.adapters import import_graph  # noqa: PLC0415 -- as in _entry_points

    package = module.partition(".")[0]
    finder = import_graph.ModuleFinder.of_installed()
    if whole_package:
        return import_graph.sources_under(finder, package)
    return import_graph.closure_of(finder, module, accepts=lambda name: name.partition(".")[0] == package).modules
