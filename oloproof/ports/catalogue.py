"""The plugin types that are installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from oloproof.canon.digests import DigestText
from oloproof.sdk.manifest import Kind, Manifest


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed type: its manifest, the distribution it comes from, and whether it ships with oloproof itself."""

    manifest: Manifest
    dist: str
    version: str
    is_builtin: bool


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """An entry point that gives no usable manifest."""

    kind: Kind
    name: str
    dist: str
    version: str
    error: str


class Catalogue(Protocol):
    """Looks types up without importing what runs them."""

    def find(self, kind: Kind, name: str) -> Plugin | BrokenPlugin | None:
        """The type of that name, or None."""

    def names(self, kind: Kind) -> tuple[str, ...]:
        """All names of a kind, sorted."""

    def code_of(self, plugin: Plugin) -> DigestText:
        """Digest over the modules that implement the type: of its package for outside distributions."""
