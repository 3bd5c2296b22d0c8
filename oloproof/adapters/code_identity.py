"""What a python target is made of (specs/chain.md), taken without importing it."""

from __future__ import annotations

import ast
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from oloproof.adapters.distributions import Distributions
from oloproof.adapters.import_graph import (
    DYNAMIC,
    BadSource,
    Closure,
    ModuleFinder,
    Place,
    SourceModule,
    closure_of,
    imports_of,
    parse_source,
    read_bytes,
    sources_under,
)
from oloproof.canon.digests import DigestText, sha256, text_of
from oloproof.errors import OloproofError
from oloproof.plan.plan import CodeEntry
from oloproof.sdk.manifest import SDK_VERSION

#: A target may import the SDK for its errors: the door's version is named then, and not all that is behind it.
OWN_PACKAGE: Final = "oloproof"
_STANDARD: Final = Path(ast.__file__).parent


class BadTarget(OloproofError):
    """A text that is not `module:function`."""

    exit_code = 1

    def __init__(self, target: str) -> None:
        self.target = target
        super().__init__(f"{target[:200]!r} names no function; write module:function, for example app.router:classify")


class TargetNotFound(OloproofError):
    """The target's module or function is not in the project."""

    exit_code = 1

    def __init__(self, target: str, what: str, where: str) -> None:
        self.target, self.what, self.where = target, what, where
        super().__init__(f"{target}: no {what} in {where}; correct the target or add it there")


class CodeOutsideRoot(OloproofError):
    """A module that a target imports, and whose sources lie outside the project's root."""

    exit_code = 1

    def __init__(self, target: str, module: str, path: str, root: str) -> None:
        self.target, self.module, self.path, self.root = target, module, path, root
        super().__init__(
            f"{target} imports {module} from {path}, outside the project's root {root}: its code cannot be part of the "
            f"plan; install it as a built distribution (pip install without -e), or move it inside the root"
        )


class NameTaken(OloproofError):
    """A module of the project is called like one that is there before it: which of the two runs is nobody's guess."""

    exit_code = 1

    def __init__(self, target: str, module: str, path: str) -> None:
        self.target, self.module, self.path = target, module, path
        super().__init__(f"{target} imports {module} from {path}, which has the name of a standard module; rename it")


#: Top-level names that are imported before any project's module can be.
RESERVED: Final = frozenset(sys.stdlib_module_names) | {"oloproof", "oloproof_builtin"}


class FileOutsideRoot(OloproofError):
    """A `depends_on` file outside the project's root, or not written as a relative path."""

    exit_code = 1

    def __init__(self, path: str, root: str) -> None:
        self.path, self.root = path, root
        super().__init__(f"depends_on {path[:200]!r}: a path relative to the suite, with / and inside {root}, is due")


def identify_target(target: str, *, suite_dir: Path, root: Path, depends_on: Sequence[str]) -> CodeEntry:
    """The code of `module:function` as it stands on disk and in the installed distributions.

    suite_dir, root: absolute; modules are looked for in this order, as the python system imports them.
    depends_on: files that the code reads, relative to suite_dir.
    Raises: BadTarget, TargetNotFound, BadSource (with file and line), CodeOutsideRoot, FileOutsideRoot, UnreadableFile.
    """
    module, _, function = target.partition(":")
    if not function.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise BadTarget(target)
    suite_dir, root = suite_dir.resolve(), root.resolve()
    finder = ModuleFinder.of_folders([suite_dir, root])
    _check_function(target, module, function, finder.find(module), (suite_dir, root))
    return _Identification(target, root, finder, Distributions()).of(module, _hash_files(depends_on, suite_dir, root))


def _check_function(target: str, module: str, function: str, place: Place | None, folders: tuple[Path, Path]) -> None:
    if place is None or place.file is None:
        where = " or ".join(dict.fromkeys(str(folder) for folder in folders))
        raise TargetNotFound(target, f"module {module}", where)
    if place.file.suffix != ".py":
        return
    names = set(_names_bound(parse_source(place.file, read_bytes(place.file)).body))
    if function not in names and "*" not in names and "__getattr__" not in names:
        raise TargetNotFound(target, f"function {function}", str(place.file))


def _names_bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that a module's statements bind at its top level; `*` where an import may bind any."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0]
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.stmt):
                        yield from _names_bound([child])
                    elif isinstance(child, ast.ExceptHandler | ast.match_case):
                        yield from _names_bound(child.body)
                    else:
                        yield from (
                            name.id
                            for name in ast.walk(child)
                            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                        )


def _hash_files(paths: Sequence[str], suite_dir: Path, root: Path) -> dict[str, DigestText]:
    files: dict[str, DigestText] = {}
    for path in paths:
        found = (suite_dir / path).resolve()
        if "\\" in path or PurePosixPath(path).is_absolute() or not found.is_relative_to(root):
            raise FileOutsideRoot(path, str(root))
        files[path] = text_of(sha256(read_bytes(found)))
    return dict(sorted(files.items()))


class _Identification:
    """One target's: the project's modules first, then what they import from elsewhere, until nothing is new."""

    def __init__(self, target: str, root: Path, finder: ModuleFinder, installed: Distributions) -> None:
        self._target, self._root, self._project, self._installed = target, root, finder, installed
        self._elsewhere = ModuleFinder.of_installed()
        self._modules: dict[str, DigestText] = {}
        self._distributions: dict[str, str] = {}
        self._unresolved: set[str] = set()
        self._seen: set[str] = set()

    def of(self, module: str, files: dict[str, DigestText]) -> CodeEntry:
        self._add_sources(closure_of(self._project, module, accepts=self._is_ours))
        return CodeEntry(
            python=platform.python_version(),
            modules=dict(sorted(self._modules.items())),
            distributions=dict(sorted(self._distributions.items())),
            files=files,
            unresolved=tuple(sorted(self._unresolved)),
        )

    def _is_ours(self, name: str) -> bool:
        """Whether Python would take the name from the project's folders."""
        top = name.partition(".")[0]
        place = self._project.find(top)
        if place is None or place.file is not None:
            return place is not None
        # A folder without `__init__` gives way to a module or package anywhere on the path.
        other = self._elsewhere.find(top)
        return top not in sys.stdlib_module_names and (other is None or other.file is None)

    def _add_sources(self, closure: Closure) -> None:
        for source in closure.modules:
            self._add_source(source)
        for name in closure.outside:
            self._add_import(name)

    def _add_source(self, source: SourceModule) -> None:
        if not source.path.resolve().is_relative_to(self._root):
            raise CodeOutsideRoot(self._target, source.name, str(source.path), str(self._root))
        if source.name.partition(".")[0] in RESERVED:
            raise NameTaken(self._target, source.name, str(source.path))
        self._modules[source.name] = source.digest

    def _add_import(self, name: str) -> None:
        """A name that is no module of the project's own folders."""
        top = name.partition(".")[0]
        if name == DYNAMIC or not top or self._is_ours(name):
            self._unresolved.add(name)
        elif top == OWN_PACKAGE:
            self._distributions[OWN_PACKAGE] = f"sdk {SDK_VERSION}"
        elif top not in sys.stdlib_module_names and top not in self._seen:
            self._seen.add(top)
            self._add_package(top)

    def _add_package(self, top: str) -> None:
        place = self._elsewhere.find(top)
        givers = self._installed.giving(top, _file_of(place))
        if not givers and (place is None or _is_python_own(place)):
            if place is None:
                self._unresolved.add(top)
            return
        if not givers or any(giver.editable for giver in givers):
            # What is on the path by other means (PYTHONPATH, a .pth file) is as good as an editable install.
            self._add_loose(top)
        for each in {each.name: each for giver in givers for each in self._installed.with_requirements(giver)}.values():
            if each.editable is None:
                self._distributions[each.name] = each.label
            elif not each.editable.is_relative_to(self._root):
                raise CodeOutsideRoot(self._target, each.name, str(each.editable), str(self._root))

    def _add_loose(self, top: str) -> None:
        """All sources of a package that is not installed as a built distribution, and what these import in turn."""
        for source in sources_under(self._elsewhere, top):
            self._add_source(source)
            package = ".".join(source.name.split("/")[:-1])
            try:
                tree = parse_source(source.path, read_bytes(source.path))
            except BadSource:
                # Packages hold files that nobody imports, such as templates.
                continue
            for found in imports_of(tree, package):
                if found.name.partition(".")[0] != top:
                    self._add_elsewhere(found.name)

    def _add_elsewhere(self, name: str) -> None:
        if self._is_ours(name):
            self._add_sources(closure_of(self._project, name, accepts=self._is_ours))
        else:
            self._add_import(name)


def _is_python_own(place: Place) -> bool:
    """Whether a module lies in the standard library; sys.stdlib_module_names leaves out a few, such as `test`."""
    return place.file is not None and place.file.is_relative_to(_STANDARD) and "site-packages" not in place.file.parts


def _file_of(place: Place | None) -> Path | None:
    if place is None:
        return None
    if place.file is not None:
        return place.file
    return Path(place.folders[0]) if place.folders else None
