"""Writing a bundle: complete beside its place, then moved there; what was there before is kept."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from oloproof.canon.digests import DigestText, sha256, text_of
from oloproof.chain.link import PACKED, Link
from oloproof.errors import OloproofError, UsageError
from oloproof.ports.signer import Signer
from oloproof.ports.store import Store, StoredFile
from oloproof.stages.attest import layout
from oloproof.stages.attest.envelope import MAX_ENVELOPE_BYTES, parse_envelope, seal
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.payload import read_decision
from oloproof.stages.attest.statement import DecisionStatement
from oloproof.stages.attest.verdict import Rejected

#: How often a name that somebody else takes at the same moment is tried again.
_TRIES = 100


class BundleNotWritten(UsageError):
    """The bundle could not be written; nothing that was there has changed."""

    def __init__(self, target: Path, reason: str) -> None:
        self.target, self.reason = target, reason
        super().__init__(f"{target}: the bundle could not be written: {reason}")


class StoreDiffers(OloproofError):
    """The store gave other bytes than the statement is about."""

    def __init__(self, link: Link) -> None:
        self.link = link
        super().__init__(f"the store's {link} records are not those of this run; run the command again")


@dataclass(frozen=True, slots=True)
class Contents:
    """What a bundle holds beside its signed statement."""

    plan_bytes: bytes
    plan_envelope: bytes | None
    files: Mapping[Link, StoredFile]


@dataclass(frozen=True, slots=True)
class Written:
    """Where the bundle is. was_there: it held all of this already and was left in place. moved: where an older went."""

    path: Path
    was_there: bool
    moved: Path | None


def write_bundle(
    target: Path, contents: Contents, *, store: Store, statement: DecisionStatement, signer: Signer, archive: Path
) -> Written:
    """Writes, signs and publishes a bundle at target, whole or not at all; a target that is no bundle is refused.

    An intact bundle there of the same plan, records and key stays as it is. Any other moves into a folder of its own
    under archive, and the new one names it as its `previous`. Nothing is ever overwritten.

    Raises: BundleNotWritten, StoreDiffers.
    """
    _refuse_other(target)
    if _holds_already(target, contents, store=store, statement=statement, signer=signer):
        return Written(target, was_there=True, moved=None)
    sealed = seal(replace(statement, previous=_envelope_digest(target)).payload(), signer)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = _fresh_folder(target.parent, f".{target.name}.new")
        try:
            _fill(fresh, contents, store, sealed)
            moved = _publish(fresh, target, archive)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    except OSError as error:
        raise BundleNotWritten(target, error.strerror or str(error)) from error
    return Written(target, was_there=False, moved=moved)


def check_place(target: Path) -> None:
    """Raises BundleNotWritten where no bundle could be put: before anything is run, so that no call is made in vain.

    What lies at target and is no bundle is somebody's, and stays.
    """
    _refuse_other(target)
    folder = next(path for path in target.absolute().parents if os.path.lexists(path))
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise BundleNotWritten(target, f"{folder} is no folder that can be written")


def _refuse_other(target: Path) -> None:
    if os.path.lexists(target) and not _looks_like_one(target):
        raise BundleNotWritten(target, "something that is no bundle lies there; name another place with -o")


def _looks_like_one(target: Path) -> bool:
    """A bundle, whole or damaged, or a folder with nothing in it."""
    if target.is_symlink() or not target.is_dir():
        return False
    names = {entry.name for entry in target.iterdir()}
    return not names or layout.ENVELOPE in names or {"plan.json", "records"} <= names


def _fill(folder: Path, contents: Contents, store: Store, sealed: bytes) -> None:
    for name in ("attestations", "blobs", "records"):
        (folder / name).mkdir()
    with _created(folder, layout.PLAN) as file:
        file.write(contents.plan_bytes)
    if contents.plan_envelope is not None:
        with _created(folder, layout.PLAN_STATEMENT) as file:
            file.write(contents.plan_envelope)
    else:
        (folder / "attestations").rmdir()
    for link in Link:
        _write_link(folder, link, contents.files[link], store)
    with _created(folder, layout.ENVELOPE) as file:
        file.write(sealed)
    for parent in {path.parent for path in folder.rglob("*")}:
        _sync_folder(parent)


def _write_link(folder: Path, link: Link, stored: StoredFile, store: Store) -> None:
    body = hashlib.sha256()
    if link not in PACKED:
        with _created(folder, layout.records(link)) as records:
            for chunk in store.read_file(stored.summary.sha256):
                body.update(chunk.body)
                records.write(chunk.body)
    else:
        with (
            _created(folder, layout.records(link)) as records,
            _created(folder, layout.pack(link)) as pack,
            _created(folder, layout.index(link)) as index,
        ):
            for chunk in store.read_file(stored.summary.sha256):
                body.update(chunk.body)
                records.write(chunk.body)
                pack.write(chunk.pack)
                index.write(chunk.index)
    if body.digest() != stored.summary.sha256:
        raise StoreDiffers(link)


def _publish(fresh: Path, target: Path, archive: Path) -> Path | None:
    """Moves what is at target away, and the fresh folder there; again if somebody else publishes meanwhile."""
    moved: Path | None = None
    for _ in range(_TRIES):
        if os.path.lexists(target):
            moved = _move_away(target, archive)
        try:
            fresh.rename(target)
        except OSError:
            if not os.path.lexists(target):
                raise
            continue
        _sync_folder(target.parent)
        return moved
    raise BundleNotWritten(target, "other runs keep writing it")


def _move_away(target: Path, archive: Path) -> Path:
    archive.mkdir(parents=True, exist_ok=True)
    digest = _envelope_digest(target) or "sha256:unsigned"
    slot = _fresh_folder(archive, f"{target.name}.{digest.removeprefix('sha256:')[:16]}")
    moved = slot / target.name
    try:
        target.rename(moved)
    except FileNotFoundError:  # another run was faster
        slot.rmdir()
    else:
        _sync_folder(slot)
    return moved


def _fresh_folder(parent: Path, stem: str) -> Path:
    """A new folder that nobody else has: the making itself decides who gets the name."""
    number = 0
    while True:
        path = parent / f"{stem}-{number}"
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path


@contextmanager
def _created(folder: Path, name: str) -> Iterator[BinaryIO]:
    with (folder / name).open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _envelope_digest(target: Path) -> DigestText | None:
    """Digest of the envelope that lies at target, or None where there is no bundle."""
    try:
        with Folder(target) as folder:
            return text_of(sha256(folder.read(layout.ENVELOPE, MAX_ENVELOPE_BYTES)))
    except (Rejected, UsageError):
        return None


def _holds_already(
    target: Path, contents: Contents, *, store: Store, statement: DecisionStatement, signer: Signer
) -> bool:
    """True where an intact bundle at target differs from the new one in nothing but its time and `previous`."""
    if target.is_symlink() or not target.is_dir():
        return False
    try:
        with Folder(target) as folder:
            expected = set(layout.REQUIRED) | ({layout.PLAN_STATEMENT} if contents.plan_envelope is not None else set())
            names = folder.names()
            if not expected <= names or not all(map(layout.is_companion, names - expected)):
                return False
            return _is_sealed_alike(folder, statement, signer) and _has_same_files(folder, contents, store)
    except (Rejected, UsageError):
        return False


def _is_sealed_alike(folder: Folder, statement: DecisionStatement, signer: Signer) -> bool:
    """Ed25519 gives equal signatures for equal statements, so that signing anew checks the one that is there."""
    data = folder.read(layout.ENVELOPE, MAX_ENVELOPE_BYTES)
    there = read_decision(parse_envelope(data, layout.ENVELOPE), layout.ENVELOPE).statement
    again = replace(statement, claimed_signed_at=there.claimed_signed_at, previous=there.previous)
    return seal(again.payload(), signer) == data


def _has_same_files(folder: Folder, contents: Contents, store: Store) -> bool:
    wanted = {layout.PLAN: sha256(contents.plan_bytes)}
    if contents.plan_envelope is not None:
        wanted[layout.PLAN_STATEMENT] = sha256(contents.plan_envelope)
    for link in Link:
        wanted[layout.records(link)] = contents.files[link].summary.sha256
    for link in PACKED:
        pack, index = hashlib.sha256(), hashlib.sha256()
        for chunk in store.read_file(contents.files[link].summary.sha256):
            pack.update(chunk.pack)
            index.update(chunk.index)
        wanted[layout.pack(link)], wanted[layout.index(link)] = pack.digest(), index.digest()
    return all(_file_digest(folder, name) == digest for name, digest in wanted.items())


def _file_digest(folder: Folder, name: str) -> bytes:
    with folder.open(name) as file:
        return hashlib.file_digest(file, "sha256").digest()
