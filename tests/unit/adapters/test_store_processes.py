"""Kills, full disks, second processes: what was acknowledged stays, and nobody sees a traceback of SQLite."""

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from oloproof.adapters.store import SqliteStore
from oloproof.canon.lines import chunks_of
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.ports.store import Result, StoreUnusable

ROOT = Path(__file__).resolve().parents[3]
PRELUDE = """
import hashlib, os, sys, time
from pathlib import Path
from oloproof.adapters.store import SqliteStore
from oloproof.canon.lines import chunks_of
from oloproof.chain.link import Link
from oloproof.ports.store import Result, StoreUnusable
def result(n): return Result(hashlib.sha256(b"%d" % n).digest(), b'{"output":"%d"}' % n)
store = SqliteStore(Path(sys.argv[1]))
"""


def result(number: int) -> Result:
    return Result(hashlib.sha256(b"%d" % number).digest(), b'{"output":"%d"}' % number)


def other_process(path, code: str) -> "subprocess.Popen[str]":
    program = PRELUDE + textwrap.dedent(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.mark.parametrize("kills", range(3))
def test_a_kill_loses_nothing_that_was_acknowledged(path, kills):
    endless = """
        for block in range(10**6):
            for n in range(block * 10, block * 10 + 10):
                store.append(Link.OBSERVATION, "s", [result(n)])
                print(n, flush=True)
            store.seal(Link.OBSERVATION, "s", [result(n) for n in range(block * 10, block * 10 + 10)])
    """
    child = other_process(path, endless)
    acknowledged = [int(child.stdout.readline()) for _ in range(35 + kills)]
    child.send_signal(signal.SIGKILL)
    acknowledged += [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    with SqliteStore(path) as store:
        found = store.lookup(Link.OBSERVATION, "s", [result(n).key for n in acknowledged])
        assert found == [result(n) for n in acknowledged]
        store.begin_run(suite="s", plan_hash="p")
        assert store.lookup(Link.OBSERVATION, "s", [result(n).key for n in acknowledged]) == found


def test_a_file_half_written_by_a_killed_process_is_never_seen_and_is_cleared_away(path):
    child = other_process(
        path,
        """
        def lines():
            for n in range(10**9):
                if n == 40_000: print("going", flush=True); time.sleep(60)
                yield b'{"id":"%d"}' % n + b" " * 500
        store.write_file(Link.CASE, chunks_of(lines()))
        """,
    )
    assert child.stdout.readline() == "going\n"
    child.kill()
    child.communicate()
    with SqliteStore(path) as store:
        peek = sqlite3.connect(path)
        assert peek.execute("SELECT count(*) FROM chunks").fetchone()[0] > 0
        assert peek.execute("SELECT count(*) FROM files WHERE sha256 IS NOT NULL").fetchone()[0] == 0
        store.begin_run(suite="s", plan_hash="p")
        assert peek.execute("SELECT count(*) FROM chunks").fetchone()[0] == 0
        peek.close()


def test_the_run_of_a_killed_process_is_closed_as_cancelled_and_that_of_a_live_one_is_not(path):
    begin = 'print(store.begin_run(suite="s", plan_hash="p"), flush=True); time.sleep(60)'
    dead, live = other_process(path, begin), other_process(path, begin)
    dead_run, live_run = dead.stdout.readline().strip(), live.stdout.readline().strip()
    dead.kill()
    dead.communicate()
    with SqliteStore(path) as store:
        mine = store.begin_run(suite="s", plan_hash="p")
        states = {run.id: run.state for run in store.runs()}
    live.kill()
    live.communicate()
    assert states == {dead_run: RunState.CANCELLED, live_run: None, mine: None}


def test_two_processes_write_at_once_and_each_finds_what_the_other_wrote(path):
    with SqliteStore(path) as store:
        write = """
            for n in range(1000, 1200): store.append(Link.OBSERVATION, "s", [result(n)])
            store.seal(Link.OBSERVATION, "s", [result(n) for n in range(1000, 1100)])
            print(all(store.lookup(Link.OBSERVATION, "s", [result(n).key for n in range(1000, 1200)])))
        """
        child = other_process(path, write)
        for number in range(200):
            store.append(Link.OBSERVATION, "s", [result(number)])
            store.lookup(Link.OBSERVATION, "s", [result(number).key])
        out, _ = child.communicate(timeout=60)
        assert out == "True\n"
        wanted = [*range(200), *range(1000, 1200)]
        assert store.lookup(Link.OBSERVATION, "s", [result(n).key for n in wanted]) == [result(n) for n in wanted]


def test_a_store_made_by_two_processes_at_once_is_one_store(path):
    children = [other_process(path, 'store.append(Link.OBSERVATION, "s", [result(os.getpid())])') for _ in range(4)]
    assert [child.communicate(timeout=60)[0] for child in children] == [""] * 4
    with SqliteStore(path) as store:
        pids = [child.pid for child in children]
        assert all(store.lookup(Link.OBSERVATION, "s", [result(pid).key for pid in pids]))
    assert list(path.parent.glob("*.new")) == []


def test_who_waits_too_long_is_told_who_writes(path):
    holds = """
        store.begin_run(suite="their suite", plan_hash="p")
        with store._database.writing():
            print("held", flush=True)
            time.sleep(60)
    """
    child = other_process(path, holds)
    store = SqliteStore(path, busy_timeout_s=0.1) if child.stdout.readline() == "" else None
    try:
        with pytest.raises(StoreUnusable, match=rf"process {child.pid} \(run 1 of their suite\)"):
            store = SqliteStore(path, busy_timeout_s=0.1)
    finally:
        child.kill()
        child.communicate()
    assert store is None


def test_a_full_disk_keeps_what_was_acknowledged_and_says_so(path):
    code = """
        import resource
        store.append(Link.OBSERVATION, "s", [result(1)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
        try:
            for n in range(2, 200):
                store.append(Link.OBSERVATION, "s", [Result(result(n).key, b"x" * 20_000)])
                kept = n
        except StoreUnusable as error:
            print(kept, error.exit_code, len(str(error)) > 20)
        try:
            store.close()
        except StoreUnusable:
            pass
    """
    out, _ = other_process(path, code).communicate(timeout=60)
    kept, exit_code, is_told = out.split()
    assert (exit_code, is_told) == ("5", "True")
    with SqliteStore(path) as store:
        assert all(store.lookup(Link.OBSERVATION, "s", [result(n).key for n in range(1, int(kept) + 1)]))


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small tmpfs here; the limit on file sizes stands in for it")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_fills_up_keeps_what_was_acknowledged(small_disk):
    path, kept = small_disk / "store.sqlite", 0
    store = SqliteStore(path)
    with pytest.raises(StoreUnusable, match="full"):  # noqa: PT012 -- one of these, whichever fills the disk
        for number in range(1000):
            store.append(Link.OBSERVATION, "s", [Result(result(number).key, b"x" * 20_000)])
            kept = number
    assert all(store.lookup(Link.OBSERVATION, "s", [result(n).key for n in range(kept + 1)]))
    with pytest.raises(StoreUnusable, match="full"):
        store.write_file(Link.CASE, chunks_of([b"x" * 1_000_000] * 4))
    store.close()


@pytest.fixture
def ordinary_user():
    """Whoever runs the tests, with root's rights laid down."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.fixture
def locked_folder():
    """A store in a folder that an ordinary user may read and not write."""
    folder = Path(tempfile.mkdtemp())
    with SqliteStore(folder / "store.sqlite") as store:
        store.append(Link.OBSERVATION, "s", [result(1)])
    (folder / "store.sqlite").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_folder_that_cannot_be_written_can_be_read_and_is_refused_for_writing(locked_folder, ordinary_user):  # noqa: ARG001 -- in this order
    refuses_writing_and_can_be_read(locked_folder / "store.sqlite")


def refuses_writing_and_can_be_read(path) -> None:
    with pytest.raises(StoreUnusable, match=r"read-only|written|opened"):
        SqliteStore(path)
    reader = SqliteStore(path, mode="read")
    assert reader.lookup(Link.OBSERVATION, "s", [result(1).key]) == [result(1)]
    with pytest.raises(StoreUnusable, match="read-only"):
        reader.begin_run(suite="s", plan_hash="p")
    reader.close()


def test_a_read_only_mount_can_be_read_and_is_refused_for_writing(small_disk):
    path = small_disk / "store.sqlite"
    with SqliteStore(path) as store:
        store.append(Link.OBSERVATION, "s", [result(1)])
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    refuses_writing_and_can_be_read(path)


def test_a_reader_leaves_the_store_as_it_is(path):
    with SqliteStore(path) as store:
        store.append(Link.OBSERVATION, "s", [result(1)])
    before = path.read_bytes()
    reader = SqliteStore(path, mode="read")
    assert reader.lookup(Link.OBSERVATION, "s", [result(1).key]) == [result(1)]
    with pytest.raises(StoreUnusable, match="read-only"):
        reader.append(Link.OBSERVATION, "s", [result(2)])
    reader.close()
    assert path.read_bytes() == before


def test_there_is_no_store_to_read_where_there_is_none(path):
    with pytest.raises(StoreUnusable):
        SqliteStore(path, mode="read")
    assert not path.exists()


def test_no_pickle_is_read_or_written():
    sources = (ROOT / "oloproof" / "adapters" / "store").glob("*.py")
    assert all("pickle" not in source.read_text() for source in sources)
