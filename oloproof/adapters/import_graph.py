"""Which source files a module is made of, found by its import statements and never by importing it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from oloproof.canon.digests import DigestText, sha256, text_of
from oloproof.errors import OloproofError, UnreadableFile

_SOURCE_SUFFIX: Final = ".py"


class BadSource(OloproofError):
    """A module whose text Python cannot parse."""

    exit_code = 1

    def __init__(self, path: str, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(
            f"{path}:{line}: this is no Python that {sys.version_info[0]}.{sys.version_info[1]} "
            f"reads: {reason}; correct the file or remove its import"
        )


@dataclass(frozen=True, slots=True)
class SourceModule:
    """One module by its dotted name, its file and the digest of the file's bytes."""

    name: str
    path: Path
    digest: DigestText


@dataclass(frozen=True, slots=True)
class Closure:
    """What imports reach. modules: by name. outside: dotted names that were imported and not accepted, sorted."""

    modules: list[SourceModule]
    outside: list[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a module is. file: None for a package without `__init__`. folders: where its submodules are."""

    file: Path | None
    folders: tuple[str, ...] | None


@dataclass(slots=True)
class ModuleFinder:
    """Finds modules as Python's import would, without running any. folders: searched in this order."""

    folders: Sequence[str] | None
    _known: dict[str, Place | None] = field(default_factory=dict)

    @classmethod
    def of_folders(cls, folders: Iterable[Path]) -> ModuleFinder:
        """Looks in these folders only."""
        invalidate_caches()
        return cls([str(folder) for folder in folders])

    @classmethod
    def of_installed(cls) -> ModuleFinder:
        """Looks where the running interpreter does, editable installs included."""
        return cls(None)

    def find(self, name: str) -> Place | None:
        """The place of a dotted name, or None."""
        if name not in self._known:
            self._known[name] = self._look(name)
        return self._known[name]

    def _look(self, name: str) -> Place | None:
        parent, _, last = name.rpartition(".")
        if parent:
            above = self.find(parent)
            if above is None or above.folders is None:
                return None
            # By its last name alone: for a folder without `__init__` a dotted one asks for the imported parent.
            return _place_of(PathFinder.find_spec(last, list(above.folders)))
        if self.folders is not None:
            return _place_of(PathFinder.find_spec(name, list(self.folders)))
        try:
            # For a top-level name this asks the finders and imports nothing.
            return _place_of(find_spec(name))
        except (ImportError, ValueError):
            return None


def _place_of(spec: ModuleSpec | None) -> Place | None:
    if spec is None:
        return None
    folders = None if spec.submodule_search_locations is None else tuple(spec.submodule_search_locations)
    file = Path(spec.origin) if spec.has_location and spec.origin else None
    return Place(file, folders) if file or folders is not None else None


def closure_of(finder: ModuleFinder, start: str, *, accepts: Callable[[str], bool]) -> Closure:
    """Everything that a module reaches by static imports, the `__init__` files of parents included.

    accepts: whether a dotted name belongs to what is closed over; the others are reported as outside.
    Raises: BadSource, UnreadableFile.
    """
    modules: dict[str, SourceModule] = {}
    outside: set[str] = set()
    queue = [start, *_parents(start)]
    seen = set(queue)
    while queue:
        name = queue.pop()
        place = finder.find(name) if name != DYNAMIC and accepts(name) else None
        if place is None:
            outside.add(name)
            continue
        if place.file is None:
            continue
        data = read_bytes(place.file)
        modules[name] = SourceModule(name, place.file, text_of(sha256(data)))
        if place.file.suffix != _SOURCE_SUFFIX:
            continue
        package = name if place.folders is not None else name.rpartition(".")[0]
        tree = parse_source(place.file, data)
        wanted = {part for found in imports_of(tree, package) for part in _with_parents(found, finder, accepts)}
        queue.extend(wanted - seen)
        seen |= wanted
    return Closure([modules[name] for name in sorted(modules)], sorted(outside))


@dataclass(frozen=True, slots=True)
class Imported:
    """One import. name: the module that must exist. maybe: names taken from it, each perhaps a submodule.

    is_all: whatever it holds is taken, which may be any of its submodules.
    """

    name: str
    maybe: tuple[str, ...] = ()
    is_all: bool = False


#: Stands for an import of a name that is computed while the code runs.
DYNAMIC: Final = "<computed>"


def imports_of(tree: ast.AST, package: str) -> Iterator[Imported]:
    """Every import of a module, wherever it stands. package: what relative imports start from.

    Statements, and calls of `import_module` and `__import__`: of a name written out it is an import like any other; of
    a computed name nobody can tell, so it stands as DYNAMIC for something that was not resolved.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Imported(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            names = tuple(f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
            yield Imported(base, names, is_all=any(alias.name == "*" for alias in node.names))
        elif isinstance(node, ast.Call) and _is_import_call(node):
            name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            yield Imported(name if isinstance(name, str) and not name.startswith(".") else DYNAMIC)


def _is_import_call(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id=("import_module" | "__import__")) | ast.Attribute(attr="import_module"):
            return True
        case _:
            return False


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    if node.level - 1 >= len(parts):
        return "." * node.level + (node.module or "")
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _with_parents(found: Imported, finder: ModuleFinder, accepts: Callable[[str], bool]) -> Iterator[str]:
    yield found.name
    yield from _parents(found.name)
    taken = (*found.maybe, *(_submodules(found.name, finder) if found.is_all and accepts(found.name) else ()))
    for name in taken:
        if accepts(name) and finder.find(name) is not None:
            yield name


def _submodules(package: str, finder: ModuleFinder) -> Iterator[str]:
    """The modules and packages directly in a package."""
    place = finder.find(package)
    for folder in (place.folders or ()) if place else ():
        for path in sorted(Path(folder).iterdir()):
            name = path.stem if path.suffix == _SOURCE_SUFFIX else path.name
            if name.isidentifier() and (path.suffix == _SOURCE_SUFFIX or path.is_dir()):
                yield f"{package}.{name}"


def _parents(name: str) -> Iterator[str]:
    if name.startswith("."):
        return
    parts = name.split(".")
    for length in range(1, len(parts)):
        yield ".".join(parts[:length])


def sources_under(finder: ModuleFinder, package: str) -> list[SourceModule]:
    """Every Python file of a top-level package or module, by its path with `/` from the package's folder."""
    place = finder.find(package)
    if place is None:
        return []
    if place.folders is None:
        return [] if place.file is None else [_hashed(place.file.name, place.file)]
    found = [
        _hashed(f"{package}/{path.relative_to(folder).as_posix()}", path)
        for folder in place.folders
        for path in Path(folder).rglob("*.py")
    ]
    return sorted(found, key=lambda source: source.name)


def _hashed(name: str, path: Path) -> SourceModule:
    return SourceModule(name, path, text_of(sha256(read_bytes(path))))


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises: UnreadableFile."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(str(path), error.strerror or str(error)) from error


def parse_source(path: Path, data: bytes) -> ast.Module:
    """The syntax tree of a module's bytes. Raises: BadSource."""
    try:
        return ast.parse(data, str(path))
    except SyntaxError as error:
        raise BadSource(str(path), error.lineno or 1, error.msg) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadSource(str(path), 1, str(error) or type(error).__name__) from error
