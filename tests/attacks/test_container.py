"""The directory and the names in it."""

from __future__ import annotations

import os
import threading

import pytest
from attacks.bundles import draft
from attacks.checking import assert_refused, check, edit

from oloproof.errors import UnreadableFile
from oloproof.stages.attest.files import MAX_ENTRIES
from oloproof.stages.attest.verdict import FailureClass

MALFORMED, INTEGRITY = FailureClass.MALFORMED, FailureClass.INTEGRITY


@pytest.mark.parametrize(
    "name",
    [
        "Evidence.dsse.json",  # A15
        "con",  # A16
        "nul.json",
        "records/aux.jsonl",
        "com1.tar.gz",
        "trailing.",
        "trailing ",
        "..\\x",  # A03
        "c:",
        ".hidden",
        "a\nb",
        "ä.json",
        "x" * 101,
        "a/b/c/d/e/f/g",
    ],
)
def test_a_name_that_some_machine_reads_otherwise_is_malformed(bundle, trust, name):
    path = bundle / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize(
    "name",
    [
        "pyproject.toml",  # F15
        "conftest.py",
        "sitecustomize.py",
        "oloproof.pth",
        "records/extra.jsonl",
        "blobs/measurement.pack",
        "attestations/readme.txt",
        "attestations/deeper/x.dsse.json",
        "timestamps/x.json",
        "k2.pub",
    ],
)
def test_a_file_that_the_statement_does_not_name_breaks_integrity(bundle, trust, name):
    path = bundle / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"raise SystemExit(0)\n")
    assert_refused(check(bundle, trust), INTEGRITY)


def test_a_companion_is_ignored_with_a_notice(bundle, trust):
    (bundle / "attestations" / "svr.dsse.json").write_bytes(b"{}")
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert any("svr.dsse.json" in notice for notice in report.notices)


@pytest.mark.parametrize("name", sorted(draft().files()))
def test_a_missing_file_is_refused(bundle, trust, name):
    (bundle / name).unlink()
    assert_refused(check(bundle, trust), MALFORMED if name == "evidence.dsse.json" else INTEGRITY)


@pytest.mark.parametrize("name", sorted(draft().files()))
def test_a_symbolic_link_is_never_followed(bundle, trust, tmp_path, name):
    outside = tmp_path / "outside"
    outside.write_bytes((bundle / name).read_bytes())
    (bundle / name).unlink()
    (bundle / name).symlink_to(outside)
    assert_refused(check(bundle, trust), MALFORMED)  # A21


def test_a_linked_folder_is_never_entered(bundle, trust, tmp_path):
    (bundle / "records").rename(tmp_path / "records")
    (bundle / "records").symlink_to(tmp_path / "records", target_is_directory=True)
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("name", ["plan.json", "records/case.jsonl", "extra"])
def test_a_pipe_is_refused_and_never_waited_for(bundle, trust, name):
    (bundle / name).unlink(missing_ok=True)
    os.mkfifo(bundle / name)
    assert_refused(check(bundle, trust), MALFORMED)


def test_a_folder_where_a_file_is_due_is_refused(bundle, trust):
    (bundle / "plan.json").unlink()
    (bundle / "plan.json").mkdir()
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
@pytest.mark.parametrize("name", ["evidence.dsse.json", "plan.json", "records/measurement.jsonl", "blobs/case.pack"])
def test_a_truncated_file_is_refused(bundle, trust, name, keep):
    edit(bundle, name, lambda data: data[:keep])  # A18
    assert_refused(check(bundle, trust), MALFORMED if name == "evidence.dsse.json" else INTEGRITY)


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_a_truncated_index_is_refused(bundle, trust, keep):
    edit(bundle, "blobs/observation.index", lambda data: data[:keep])
    assert_refused(check(bundle, trust), INTEGRITY if keep == 0 else MALFORMED)


def test_a_flood_of_entries_is_refused_before_it_is_listed(bundle, trust):
    for number in range(MAX_ENTRIES + 1):  # A20
        (bundle / "attestations" / f"x{number}.dsse.json").write_bytes(b"")
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b\x08", b"ustar", b"", b"{}"])
def test_a_file_in_place_of_the_directory_is_malformed(tmp_path, trust, head):
    (tmp_path / "bundle.json").write_bytes(head + b"\x00" * 600)  # A28
    assert_refused(check(tmp_path / "bundle.json", trust), MALFORMED)


def test_a_path_that_does_not_exist_is_the_callers_mistake(tmp_path, trust):
    with pytest.raises(UnreadableFile):
        check(tmp_path / "nothing", trust)


def test_an_entry_that_no_record_names_breaks_integrity(tmp_path, trust):
    made = draft()
    made.contents[next(iter(made.contents))].append(b"\x00" * 16 + b"a secret")  # A25
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_bytes_after_the_last_entry_break_integrity(bundle, trust):
    edit(bundle, "blobs/case.pack", lambda data: data + b"x")
    assert_refused(check(bundle, trust), INTEGRITY)


def test_an_entry_under_another_address_breaks_integrity(bundle, trust):
    edit(bundle, "blobs/observation.pack", lambda data: data.replace(b"answer 3", b"answer 4", 1))  # A26
    assert_refused(check(bundle, trust), INTEGRITY)


def test_swapped_entries_break_integrity(tmp_path, trust):
    made = draft()
    entries = made.contents[next(iter(made.contents))]
    entries[0], entries[1] = entries[1], entries[0]
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_a_file_that_changes_while_it_is_read_is_never_verified(bundle, trust):
    path, done = bundle / "records" / "case.jsonl", threading.Event()
    data = path.read_bytes()
    changed = data.replace(b'"weight":1', b'"weight":2')

    def flip() -> None:
        with path.open("r+b") as file:
            while not done.is_set():
                for version in (changed, data):
                    file.seek(0)
                    file.write(version)
                    file.flush()

    writer = threading.Thread(target=flip)
    writer.start()
    try:
        codes = {check(bundle, trust).exit_code for _ in range(20)}  # A23
    finally:
        done.set()
        writer.join()
    assert codes <= {0, int(INTEGRITY)}
