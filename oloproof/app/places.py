"""Where things lie: the suite, its project's root, its store, its plan and its bundle (specs/chain.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from oloproof.errors import UnreadableFile, UsageError

#: Files and folders that mark a project's root.
ROOT_MARKS: Final = ("oloproof.toml", "pyproject.toml", ".git")
SUFFIX: Final = ".olo"
WORK_FOLDER: Final = ".oloproof"


class SuiteNotFound(UsageError):
    """No suite was named and none, or more than one, can be meant."""

    def __init__(self, folder: Path, found: tuple[str, ...]) -> None:
        self.folder, self.found = folder, found
        seen = f"several suites here: {', '.join(found)}" if found else f"no *{SUFFIX} file here or in specs/"
        super().__init__(f'{folder}: {seen}; name one, or write `suite = "PATH"` in oloproof.toml')


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one suite. suite: the file's absolute path; name: of plan and bundle, the file's stem."""

    suite: Path
    root: Path
    given_bundle: Path | None = None

    def with_bundle(self, bundle: Path) -> Places:
        """The same places with the bundle elsewhere."""
        return Places(self.suite, self.root, bundle)

    @property
    def name(self) -> str:
        """What plan and bundle are called after."""
        return self.suite.stem

    @property
    def folder(self) -> Path:
        """The suite's own folder."""
        return self.suite.parent

    @property
    def work(self) -> Path:
        """Where plan and store lie."""
        return self.folder / WORK_FOLDER

    @property
    def plan(self) -> Path:
        """The compiled plan."""
        return self.work / f"{self.name}.plan.json"

    @property
    def bundle(self) -> Path:
        """The evidence bundle."""
        return self.given_bundle or self.folder / f"{self.name}.evidence"

    @property
    def archive(self) -> Path:
        """Where older bundles go."""
        return self.work / "bundles"

    def store(self, given: Path | None, environ: Mapping[str, str]) -> Path:
        """The store's file; a folder that is given or named in $OLOPROOF_STORE holds `store.sqlite`."""
        named = given or (Path(environ["OLOPROOF_STORE"]) if environ.get("OLOPROOF_STORE") else None)
        if named is None:
            return self.work / "store.sqlite"
        return named if named.suffix == ".sqlite" else named / "store.sqlite"


def places_of(suite: Path) -> Places:
    """The places of a suite file."""
    absolute = suite.absolute()
    try:
        str(absolute).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{str(absolute)!a}: the path is not UTF-8; rename the folder or the file") from None
    return Places(absolute, root_of(absolute.parent))


def root_of(folder: Path) -> Path:
    """The nearest folder upward that marks a project, else the folder itself. Nothing outside it is read."""
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in ROOT_MARKS):
            return candidate
    return folder


def find_suite(given: Path | None, cwd: Path) -> Path:
    """The suite that is meant: the file or folder given, else what oloproof.toml names, else the only one here.

    Raises: SuiteNotFound, UnreadableFile, UsageError.
    """
    if given is not None and not given.is_dir():
        return given
    folder = cwd if given is None else given
    if (folder / "oloproof.toml").is_file():
        named = _configured(folder / "oloproof.toml")
        if named is not None:
            return folder / named
    for place in (folder, folder / "specs"):
        found = sorted(place.glob(f"*{SUFFIX}")) if place.is_dir() else []
        if len(found) == 1:
            return found[0]
        if found:
            raise SuiteNotFound(folder, tuple(path.name for path in found))
    raise SuiteNotFound(folder, ())


def _configured(path: Path) -> str | None:
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(str(path), error.strerror or str(error)) from error
    except ValueError as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    named = settings.pop("suite", None)
    if settings:
        raise UsageError(f"{path}: unknown key {min(settings)!r}; this version knows `suite`")
    if named is not None and not isinstance(named, str):
        raise UsageError(f'{path}: `suite` must be a path in quotes, such as suite = "specs/gate.olo"')
    if named is not None and not (path.parent / named).resolve().is_relative_to(path.parent.resolve()):
        raise UsageError(f"{path}: `suite` must lie in the folder of this file or below it, not at {named!r}")
    return named


def shown(path: Path, cwd: Path) -> str:
    """A path as people read it: relative to where they stand if it lies below, else as it is."""
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
