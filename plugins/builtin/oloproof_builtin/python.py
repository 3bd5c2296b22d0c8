"""The system `python`: a function of the user's, called in this process."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from oloproof.sdk import Context, Json, Permanent, Reply, Request
from oloproof_builtin.manifests import PythonOptions

if TYPE_CHECKING:
    from asyncio import Runner


class PythonSystem:
    """Calls `module:function` with the input as its one argument; a coroutine that it returns is run to its end."""

    def __init__(self, options: PythonOptions, context: Context) -> None:
        module_name, _, name = options.target.partition(":")
        folders = list(dict.fromkeys((str(context.suite_dir), str(context.root))))
        sys.path[:] = folders + [folder for folder in sys.path if folder not in folders]
        importlib.invalidate_caches()
        sys.meta_path.insert(0, _FromSource(context.root))
        module = importlib.import_module(module_name)  # noqa: TID251 -- this is the python adapter
        _refuse_other(module, folders)
        function = getattr(module, name, None)
        if not callable(function):
            raise Permanent(f"{options.target}: the module {module_name} has no function {name}")
        self._function: Callable[[Json], object] = function
        self._loops = threading.local()

    def answer(self, request: Request) -> Reply:
        """What the function returns; the core judges whether that is an answer."""
        result = self._function(request.input)
        if isinstance(result, Awaitable):
            result = self._runner().run(_wait(result))
        return Reply(result)  # type: ignore[arg-type]  # whatever it is: the core checks it

    def _runner(self) -> Runner:
        """One loop a thread for all calls, so that clients which belong to a loop live on between them."""
        runner: Runner | None = getattr(self._loops, "runner", None)
        if runner is None:
            from asyncio import Runner  # noqa: PLC0415 -- 35 ms that only asynchronous targets need

            runner = self._loops.runner = Runner()
        return runner


class _FromSource:
    """Imports the project's modules from their sources and never from `__pycache__`.

    The sources are what was identified. A cached module answers for a source of the same second and size, or for any
    source where it was compiled unchecked.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python would find, loaded afresh where it is the project's."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
            return spec
        origin = Path(spec.origin).resolve()
        if origin.is_relative_to(self._root) and "site-packages" not in origin.parts:
            spec.loader, spec.cached = _SourceLoader(name, spec.origin), None
        return spec


class _SourceLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """The code of the source as it is now."""
        del fullname
        return self.source_to_code(self.get_data(self.path), self.path)


async def _wait(result: Awaitable[object]) -> object:
    return await result


def _refuse_other(module: ModuleType, folders: list[str]) -> None:
    """A target's module must be the project's own, whose code was identified, and not one that was imported before."""
    top = module.__name__.partition(".")[0]
    due = PathFinder.find_spec(top, folders)
    found = sys.modules[top].__spec__
    if due and due.origin and (found is None or found.origin != due.origin):
        raise Permanent(f"{due.origin} has the name of a module that is in use already; rename it")
