"""What a run needs: store, engine, keys, adapters, and where this is running."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from oloproof import __version__
from oloproof.adapters.code_identity import identify_target
from oloproof.adapters.ed25519 import SIGNING_KEY, FileSigner, config_dir, load_signer, own_signer, salt_key
from oloproof.adapters.plugins import EntryPointCatalogue, execution_of
from oloproof.adapters.store import SqliteStore
from oloproof.adapters.trust import enter_own_key
from oloproof.adapters.worker import WORKER_COMMAND, build_handler, start_adapter
from oloproof.app.exec import Bench, Provenance
from oloproof.app.places import Places
from oloproof.canon.digests import DigestText, digest_of, sha256, text_of
from oloproof.canon.encoding import Json
from oloproof.engine.local import LocalEngine
from oloproof.engine.redaction import redact_text, spellings_of
from oloproof.engine.work import AdapterSpec, Stop
from oloproof.errors import OloproofError, UsageError
from oloproof.plan.plan import EvaluatorEntry, Plan, SystemEntry
from oloproof.plan.salts import Salts
from oloproof.ports.catalogue import Plugin
from oloproof.ports.store import StoreUnusable
from oloproof.sdk.manifest import Kind
from oloproof.sdk.options import Context, Secret, describe
from oloproof.sdk.protocols import RowKeyed
from oloproof.stages.attest.statement import Producer

#: Distributions whose version can move a bound or a byte.
_NUMERIC: Final = ("cryptography", "numpy")


class SecretNotSet(UsageError):
    """A secret that the suite names is not in the environment."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the suite needs the secret {name}: set the environment variable {name}")


def signer_for(key: Path | None, root: Path, environ: Mapping[str, str]) -> FileSigner:
    """The signer of a key file, or one's own: made on first use and entered in one's own trust file."""
    if key is not None:
        return load_signer(key)
    directory = config_dir(environ)
    signer = own_signer(directory, root=root)
    enter_own_key(directory, signer.public_key)
    return signer


def _makes_key(key: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The folder in which the run will make a signing key, or None where it has one."""
    directory = config_dir(environ)
    return directory if key is None and not (directory / SIGNING_KEY).exists() else None


@contextmanager
def bench(
    plan: Plan, places: Places, *, store: Path, key: Path | None, environ: Mapping[str, str], stop: Stop
) -> Iterator[Bench]:
    """A bench for one run of a plan. Raises: SecretNotSet, BadKey, StoreUnusable."""
    secrets = _secrets(plan, environ)
    directory = config_dir(environ)
    made_key = _makes_key(key, environ)
    signer = signer_for(key, places.root, environ)
    salts = Salts(salt_key(directory, environ, root=places.root))
    specs = _Specs(EntryPointCatalogue(), places, secrets)
    engine = LocalEngine(worker_command=WORKER_COMMAND, build_inline=build_handler)
    with SqliteStore(store) as opened:
        yield Bench(
            store=opened,
            engine=engine,
            signer=signer,
            salts=salts,
            system=specs.system,
            evaluator=specs.evaluator,
            row_keys=specs.row_keys,
            is_unchanged=specs.is_unchanged,
            stop=stop,
            now=utc_now,
            made_key=made_key,
        )


def recall(store: Path) -> Callable[[bytes], Json]:
    """What the store remembers under a key; nothing where there is no store, or none that can be read."""

    def find(key: bytes) -> Json:
        if not store.exists():
            return None
        try:
            with SqliteStore(store, mode="read") as opened:
                return opened.find_step(key)
        except StoreUnusable:
            return None  # opening it for the run will say what is wrong

    return find


def utc_now() -> str:
    """The time in RFC 3339, UTC, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def provenance(sources: Mapping[str, DigestText]) -> Provenance:
    """This tool on this machine, without host, user or path."""
    return Provenance(producer(), _platform(), sources)


def tool_digest() -> DigestText:
    """Digest of oloproof's own modules."""
    return producer().code


@cache
def producer() -> Producer:
    """This tool: its version and the digest of its modules."""
    package = Path(__file__).resolve().parents[2]
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    modules: dict[str, Json] = {name: text_of(sha256(files[name].read_bytes())) for name in sorted(files)}
    return Producer("oloproof", __version__, digest_of("olo-tool-v1", modules))


def _platform() -> dict[str, Json]:
    versions: dict[str, Json] = {name: metadata.version(name) for name in _NUMERIC}
    return {
        "byteorder": sys.byteorder,
        "distributions": versions,
        "implementation": platform.python_implementation(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def _secrets(plan: Plan, environ: Mapping[str, str]) -> dict[str, Secret]:
    for name in plan.inputs.secrets:
        if not environ.get(name):
            raise SecretNotSet(name)
    return {name: Secret(name, environ[name]) for name in plan.inputs.secrets}


class _Specs:
    """Plan entries to what the engine starts."""

    def __init__(self, catalogue: EntryPointCatalogue, places: Places, secrets: Mapping[str, Secret]) -> None:
        self._catalogue, self._places, self._secrets = catalogue, places, secrets

    def system(self, entry: SystemEntry) -> AdapterSpec:
        return self._spec("system", entry, concurrency=entry.concurrency)

    def evaluator(self, entry: EvaluatorEntry) -> AdapterSpec:
        return self._spec("evaluator", entry, concurrency=1, outputs=entry.outputs)

    def row_keys(self, entry: SystemEntry) -> RowKeyed | None:
        plugin = self._plugin("system", entry.type)
        if "row_key" not in plugin.manifest.capabilities:
            return None
        found = start_adapter(
            entry.name,
            factory=plugin.manifest.factory,
            model=_named(plugin.manifest.options),
            options=entry.options,
            context=Context(self._places.folder, self._places.root),
            secrets=self._secrets,
        )
        return _Told(found, self._secrets) if isinstance(found, RowKeyed) else None

    def is_unchanged(self, entry: SystemEntry) -> bool:
        """Whether the code behind a system is still what its entry says; a target that is gone is not."""
        plugin = self._plugin("system", entry.type)
        targets = [spec.name for spec in describe(plugin.manifest.options).values() if spec.kind == "target"]
        if entry.code is None or not targets:
            return True
        try:
            now = identify_target(
                str(entry.options[targets[0]]),
                suite_dir=self._places.folder,
                root=self._places.root,
                depends_on=tuple(entry.code.files),
            )
        except OloproofError:
            return False
        return now == entry.code

    def _spec(
        self,
        kind: Kind,
        entry: SystemEntry | EvaluatorEntry,
        *,
        concurrency: int,
        outputs: Mapping[str, str] | None = None,
    ) -> AdapterSpec:
        plugin = self._plugin(kind, entry.type)
        manifest = plugin.manifest
        return AdapterSpec(
            kind="system" if kind == "system" else "evaluator",
            name=entry.name,
            factory=manifest.factory,
            model=_named(manifest.options),
            options=entry.options,
            suite_dir=str(self._places.folder),
            root=str(self._places.root),
            execution=execution_of(plugin, entry.options),
            timeout_ms=entry.timeout_ms,
            concurrency=concurrency,
            secrets=self._secrets,
            outputs=manifest.outputs if outputs is not None else {},
        )

    def _plugin(self, kind: Kind, name: str) -> Plugin:
        found = self._catalogue.find(kind, name)
        assert isinstance(found, Plugin)  # the plan was compiled on this machine just now
        return found


class _Told:
    """A RowKeyed whose errors hold no secret: what it raises is stored with the run and printed."""

    def __init__(self, adapter: RowKeyed, secrets: Mapping[str, Secret]) -> None:
        self._adapter, self._spellings = adapter, spellings_of(secrets.values())

    def row_key(self, case_id: str) -> str:
        """The adapter's own. Raises: ValueError with its words, redacted."""
        try:
            return self._adapter.row_key(case_id)
        except Exception as error:  # noqa: BLE001 -- around plugin code
            raise ValueError(redact_text(f"{type(error).__name__}: {error}", self._spellings)) from None


def _named(model: type) -> str:
    return f"{model.__module__}:{model.__qualname__}"
