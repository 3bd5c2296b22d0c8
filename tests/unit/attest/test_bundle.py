"""Writing bundles: whole or not at all, and nothing overwritten."""

from __future__ import annotations

import json
import os
from base64 import b64decode

import pytest
from attacks.bundles import write_honest
from attacks.checking import check, edit, trust_text
from attacks.recipes import B0, K1, K2, LARGE, SIGNED_AT, B

from oloproof.canon.digests import sha256, text_of
from oloproof.chain.link import Link
from oloproof.stages.attest import bundle as writing
from oloproof.stages.attest.bundle import BundleNotWritten


@pytest.fixture
def target(tmp_path):
    return tmp_path / "suite.evidence"


@pytest.fixture
def trust(tmp_path):
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K1, K2))
    return path


def _previous(path) -> str | None:
    envelope = json.loads((path / "evidence.dsse.json").read_bytes())
    return json.loads(b64decode(envelope["payload"]))["predicate"]["previous"]


def _bytes(path) -> dict[str, bytes]:
    return {str(item.relative_to(path)): item.read_bytes() for item in path.rglob("*") if item.is_file()}


def test_the_first_bundle_has_no_previous_and_moves_nothing(target, trust):
    written = write_honest(target)
    assert (written.path, written.was_there, written.moved) == (target, False, None)
    assert _previous(target) is None
    assert sorted(item.name for item in target.parent.iterdir()) == ["suite.evidence", "trust.toml"]
    assert check(target, trust).exit_code == 0


def test_equal_work_at_another_time_leaves_the_bundle_in_place(target):
    write_honest(target)
    before = {item: item.stat().st_mtime_ns for item in target.rglob("*")}
    written = write_honest(target, signed_at="2026-01-10T11:59:00Z")
    assert written.was_there
    assert {item: item.stat().st_mtime_ns for item in target.rglob("*")} == before


def test_a_companion_that_somebody_added_does_not_count_as_a_change(target):
    write_honest(target)
    (target / "attestations" / "svr.dsse.json").write_bytes(b"{}")
    assert write_honest(target).was_there


def test_other_work_moves_the_older_bundle_away_and_names_it(target, trust):
    write_honest(target, B0)
    older = _bytes(target)
    written = write_honest(target, B)
    assert written.moved is not None
    assert _bytes(written.moved) == older
    assert written.moved.is_relative_to(target.parent / ".oloproof" / "bundles")
    assert _previous(target) == text_of(sha256(older["evidence.dsse.json"]))
    assert check(target, trust).exit_code == 0
    assert check(written.moved, trust).exit_code == 0


def test_another_key_makes_another_bundle(target):
    write_honest(target)
    assert not write_honest(target, key=K2).was_there


def test_moving_the_same_bundle_away_many_times_overwrites_none(target):
    for _ in range(3):
        write_honest(target, B0)
        edit(target, "plan.json", lambda data: data + b" ")
        write_honest(target, B0)
        edit(target, "plan.json", lambda data: data + b" ")
    kept = list((target.parent / ".oloproof" / "bundles").glob("*/suite.evidence"))
    assert len(kept) == 5


@pytest.mark.parametrize("name", ["evidence.dsse.json", "plan.json", "attestations/plan.dsse.json", "blobs/case.index"])
@pytest.mark.parametrize("damage", ["edit", "remove", "link"])
def test_a_damaged_bundle_is_moved_away_and_written_anew(target, trust, name, damage):
    write_honest(target)
    whole = _bytes(target)
    path = target / name
    if damage == "edit":
        edit(target, name, lambda data: data[:-1] + b"?")
    elif damage == "remove":
        path.unlink()
    else:
        data = path.read_bytes()
        path.unlink()
        (target.parent / "elsewhere").write_bytes(data)
        path.symlink_to(target.parent / "elsewhere")
    written = write_honest(target)
    assert not written.was_there
    assert written.moved is not None
    again = _bytes(target)
    assert {k: v for k, v in again.items() if k != "evidence.dsse.json"} == {
        k: v for k, v in whole.items() if k != "evidence.dsse.json"
    }
    assert check(target, trust).exit_code == 0


@pytest.mark.parametrize("link", list(Link))
def test_a_damaged_record_file_is_seen(target, link):
    write_honest(target)
    edit(target, f"records/{link.value}.jsonl", lambda data: data[:-2] + b"?\n")
    assert not write_honest(target).was_there


def test_an_extra_file_makes_the_bundle_another(target):
    write_honest(target)
    (target / "notes.txt").write_text("mine")
    written = write_honest(target)
    assert written.moved is not None
    assert (written.moved / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_no_bundle_is_refused_and_stays(target, kind):
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        (target.parent / "real").mkdir()
        target.symlink_to(target.parent / "real")
    else:
        target.mkdir()
        (target / "mine").write_text("mine")
    with pytest.raises(BundleNotWritten, match="no bundle"):
        write_honest(target)
    assert target.read_text() == "mine" if kind == "file" else os.path.lexists(target)
    assert kind != "folder" or (target / "mine").read_text() == "mine"
    assert target.is_symlink() == (kind == "link")


def test_a_write_that_fails_leaves_what_was_there(target, monkeypatch):
    write_honest(target, B0)
    before = _bytes(target)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(BundleNotWritten, match="No space left"):
        write_honest(target, B)
    assert _bytes(target) == before
    assert [item.name for item in target.parent.iterdir()] == ["suite.evidence"]


def test_a_store_that_gives_other_bytes_is_never_signed_into_a_bundle(target, monkeypatch):
    monkeypatch.setattr("fakes.memory_store.MemoryStore.read_file", lambda *_: iter(()))
    with pytest.raises(writing.StoreDiffers):
        write_honest(target)
    assert not target.exists()


def test_a_bundle_of_several_chunks_verifies(target, trust):
    write_honest(target, LARGE, signed_at=SIGNED_AT)
    assert check(target, trust).exit_code == 0
