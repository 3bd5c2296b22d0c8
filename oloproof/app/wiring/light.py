"""What compiling and linting need; imports no numpy, scipy or httpx."""

from __future__ import annotations

from collections.abc import Callable

from oloproof.adapters.code_identity import identify_target
from oloproof.adapters.plugins import EntryPointCatalogue, load
from oloproof.app.compile import Compiler
from oloproof.app.places import Places
from oloproof.canon.digests import DigestText
from oloproof.canon.encoding import Json
from oloproof.plan.plan import CodeEntry


def compiler(
    *, recall: Callable[[bytes], Json] | None = None, tool: Callable[[], DigestText] | None = None
) -> Compiler:
    """A compiler over the plugins that are installed; recall and tool as Compiler says."""

    def identify(target: str, places: Places, depends_on: tuple[str, ...]) -> CodeEntry:
        return identify_target(target, suite_dir=places.folder, root=places.root, depends_on=depends_on)

    return Compiler(EntryPointCatalogue(), load, identify, recall, tool)
