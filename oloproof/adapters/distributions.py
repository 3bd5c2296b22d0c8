"""Installed distributions: which one gives a module, what it is made of, and what it requires."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from oloproof.adapters.markers import parse_requirement
from oloproof.canon.digests import DigestText, sha256, text_of

_SEPARATORS = re.compile(r"[-_.]+")


def normalized(name: str) -> str:
    """The name by which distributions are compared (PEP 503)."""
    return _SEPARATORS.sub("-", name).lower()


class Installed:
    """One distribution. What is asked of few is read when it is asked: metadata take a millisecond each to parse."""

    def __init__(self, name: str, dist: metadata.Distribution) -> None:
        self.name = name
        self._dist = dist

    @cached_property
    def record(self) -> str:
        """The text of its RECORD, or the like for an old install without one."""
        return self._dist.read_text("RECORD") or _listed(self._dist)

    @cached_property
    def top_level(self) -> frozenset[str]:
        """The top-level modules whose files it has."""
        return frozenset(found[1] for found in _MODULE.finditer(self.record))

    @cached_property
    def requires(self) -> tuple[str, ...]:
        """Its requirement lines."""
        return tuple(self._dist.requires or ())

    @cached_property
    def editable(self) -> Path | None:
        """The folder of its project, where it is an editable install."""
        return _editable(self._dist.read_text("direct_url.json"))

    @property
    def label(self) -> str:
        """Version and digest of what it is made of."""
        return f"{self._dist.version} {self.digest}"

    @property
    def digest(self) -> DigestText:
        """Digest of its RECORD: of the entries with a hash that lie in its own folders, sorted.

        Left out are the lines that differ between two installs of one wheel: scripts, which hold the interpreter's
        path, compiled files, which have no hash, and the installer's own notes.
        """
        kept = sorted(line for line in self.record.splitlines() if _belongs_to_wheel(line))
        return text_of(sha256("\n".join(kept).encode()))


_INSTALLERS_NOTES = re.compile(r"[^/]*\.dist-info/(INSTALLER|REQUESTED|RECORD|direct_url\.json|uv_cache\.json),")


def _belongs_to_wheel(line: str) -> bool:
    return ",sha256=" in line and not line.startswith(("../", "/", '"../')) and not _INSTALLERS_NOTES.match(line)


@dataclass(slots=True)
class Distributions:
    """What is installed on the path of this interpreter, read once and when it is first asked for."""

    _all: dict[str, Installed] = field(default_factory=dict)
    _is_read: bool = False

    def named(self, name: str) -> Installed | None:
        """The distribution of that name, or None."""
        return self._installed().get(normalized(name))

    def giving(self, module: str, file: Path | None) -> list[Installed]:
        """Those that a top-level module comes from: several for one that is shared by many, sorted by name."""
        found = [each for each in self._installed().values() if module in each.top_level]
        if not found and file is not None:
            found = [each for each in self._installed().values() if each.editable and _lies_in(file, each.editable)]
        return sorted(found, key=lambda each: each.name)

    def with_requirements(self, start: Installed) -> list[Installed]:
        """The distribution and all installed ones that it requires here, directly or not; sorted by name."""
        seen: dict[str, Installed] = {}
        asked: set[tuple[str, frozenset[str]]] = set()
        queue: list[tuple[Installed, frozenset[str]]] = [(start, frozenset())]
        while queue:
            each, extras = queue.pop()
            if (each.name, extras) in asked:
                continue
            asked.add((each.name, extras))
            seen[each.name] = each
            for text in each.requires:
                wanted = parse_requirement(text)
                needed = self.named(wanted.name) if wanted and wanted.applies(extras) else None
                if wanted and needed:
                    queue.append((needed, wanted.extras))
        return [seen[name] for name in sorted(seen)]

    def _installed(self) -> dict[str, Installed]:
        if not self._is_read:
            for name, dist in _found():
                # The first on the path is the one that is imported.
                self._all.setdefault(name, Installed(name, dist))
            self._is_read = True
        return self._all


def _found() -> Iterator[tuple[str, metadata.Distribution]]:
    """Every distribution on the path with its name, which stands in the name of its folder."""
    for folder in sys.path:
        path = Path(folder or ".")
        if not path.is_dir():
            continue
        for entry in sorted(path.iterdir()):
            if entry.suffix in (".dist-info", ".egg-info"):
                yield normalized(entry.stem.split("-")[0]), metadata.Distribution.at(entry)


def _listed(dist: metadata.Distribution) -> str:
    """The lines of a RECORD for a distribution without one, as old installers left it: its files and their digests."""
    lines = []
    for item in dist.files or ():
        path = Path(str(item.locate()))
        if path.is_file():
            lines.append(f"{item.as_posix()},sha256={sha256(path.read_bytes()).hex()},")
    return "\n".join(lines)


_EXTENSION = rf"(?:\.{sys.implementation.cache_tag}[^/,]*|\.abi3)?\.so"
_MODULE = re.compile(rf"^([A-Za-z_]\w*)(?:/|\.py,|{_EXTENSION},)", re.MULTILINE)


def _editable(direct_url: str | None) -> Path | None:
    if direct_url is None:
        return None
    try:
        told = json.loads(direct_url)
        if not told["dir_info"]["editable"]:
            return None
        return Path(url2pathname(urlsplit(told["url"]).path)).resolve()
    except (ValueError, KeyError, TypeError):
        return None


def _lies_in(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder)
