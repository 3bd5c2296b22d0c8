"""Plugins as strangers write them: broken, failing, or with options that no built-in type has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from oloproof.canon.digests import DigestText, digest_of
from oloproof.errors import OloproofError
from oloproof.ports.catalogue import BrokenPlugin, Catalogue, Plugin
from oloproof.sdk import Context, DataFile, Kind, Manifest, Options, Row, RowFault, Secret, option

DIST, VERSION = "acme-oloproof", "0.3"


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultOptions(Options):
    key: Secret = option(doc="The key of the service.")
    region: str = option("eu", doc="Where the service runs.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOptions(Options):
    headers: dict[str, Any] = option(None, doc="What no suite can write.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RashOptions(Options):
    level: int = option(doc="A level.")

    def __post_init__(self) -> None:
        assert 1 // self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions(Options):
    words: DataFile = option("words.txt", doc="A word list with a default place.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeOptions(Options):
    how: str = option("fail", doc="How it goes wrong.")


class Tape:
    """A source that goes wrong in the way its option names."""

    def __init__(self, options: TapeOptions, _context: Context) -> None:
        self._how = options.how

    def rows(self) -> Iterator[Row | RowFault]:
        match self._how:
            case "exit":
                raise SystemExit(3)
            case "junk":
                yield "no row"  # type: ignore[misc] # a stranger's mistake
            case "fields":
                yield Row(1, [1])  # type: ignore[arg-type] # as above
            case "late":
                yield Row(1, {"id": "a", "text": "x"})
                raise RuntimeError("the tape tore")
            case "object":
                yield Row(1, {"id": "a", "text": object()})  # type: ignore[dict-item] # as above
            case "huge":
                yield Row(1, {"id": 10**5000, "text": "x"})
            case _:
                raise RuntimeError("no tape")


class NoTape:
    """Has no rows at all."""

    def __init__(self, _options: TapeOptions, _context: Context) -> None:
        pass


def _manifest(kind: Kind, name: str, options: type[Options], **more: Any) -> Manifest:  # noqa: ANN401 -- as Manifest
    return Manifest(name, kind, options, more.pop("factory", "nowhere:None"), "For tests.", **more)


_MANIFESTS: Final = (
    _manifest("system", "vault", VaultOptions),
    _manifest("system", "raw", RawOptions),
    _manifest("system", "unsourced", TapeOptions),
    _manifest("evaluator", "rash", RashOptions, outputs={"pass": "bool"}),
    _manifest("evaluator", "pack", PackOptions, outputs={"pass": "bool"}),
    _manifest("evaluator", "guarded", VaultOptions, outputs={"pass": "bool"}),
    _manifest("source", "tape", TapeOptions, factory="cases.strange_plugins:Tape"),
    _manifest("source", "notape", TapeOptions, factory="cases.strange_plugins:NoTape"),
)
_BROKEN: Final = BrokenPlugin("system", "torn", DIST, VERSION, "ImportError: No module named 'acme_client'")


class NoSource(OloproofError):
    """The code of a type is not found."""


class StrangeCatalogue:
    """The types of another catalogue and the strange ones."""

    def __init__(self, other: Catalogue) -> None:
        self._other = other
        self._own: Mapping[tuple[Kind, str], Plugin] = {
            (item.kind, item.name): Plugin(item, DIST, VERSION, is_builtin=False) for item in _MANIFESTS
        }

    def find(self, kind: Kind, name: str) -> Plugin | BrokenPlugin | None:
        if (kind, name) == (_BROKEN.kind, _BROKEN.name):
            return _BROKEN
        return self._own.get((kind, name)) or self._other.find(kind, name)

    def names(self, kind: Kind) -> tuple[str, ...]:
        own = [name for found, name in self._own if found == kind] + [_BROKEN.name] * (kind == _BROKEN.kind)
        return tuple(sorted({*own, *self._other.names(kind)}))

    def code_of(self, plugin: Plugin) -> DigestText:
        if plugin.manifest.name == "unsourced":
            raise NoSource("type unsourced: the source of nowhere:None is not found")
        return digest_of("strange", plugin.manifest.name) if plugin.dist == DIST else self._other.code_of(plugin)
