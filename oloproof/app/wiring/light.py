"""What compiling and linting need; imports no numpy, scipy or httpx."""

from __future__ import annotations

from oloproof.adapters.code_identity import identify_target
from oloproof.adapters.plugins import EntryPointCatalogue, load
from oloproof.app.compile import Compiler
from oloproof.app.places import Places
from oloproof.plan.plan import CodeEntry


def compiler() -> Compiler:
    """A compiler over the plugins that are installed."""

    def identify(target: str, places: Places, depends_on: tuple[str, ...]) -> CodeEntry:
        return identify_target(target, suite_dir=places.folder, root=places.root, depends_on=depends_on)

    return Compiler(EntryPointCatalogue(), load, identify)
