"""Bits that rot, logs that are cut, files that are none of ours: a miss or a refusal, never a wrong result."""

import hashlib
import sqlite3
from random import Random

import pytest

from oloproof.adapters.store import SqliteStore
from oloproof.adapters.store.schema import APPLICATION_ID, SCHEMA_VERSION
from oloproof.canon.lines import chunks_of
from oloproof.chain.link import Link
from oloproof.ports.store import DamagedFile, Result, StoreUnusable

SCOPE = "scope"


def result(number: int) -> Result:
    return Result(hashlib.sha256(b"%d" % number).digest(), b'{"output":"%d"}' % number * 40)


def flip(path, needle: bytes) -> None:
    """Flips one bit in the middle of the first occurrence of these bytes in the file."""
    data = bytearray(path.read_bytes())
    at = data.index(needle) + len(needle) // 2
    data[at] ^= 1
    path.write_bytes(data)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


def test_a_flipped_bit_in_a_segment_is_a_miss_for_its_whole_block_and_no_other(path):
    with SqliteStore(path) as store:
        store.seal(Link.OBSERVATION, SCOPE, [result(1), result(2)])
        store.seal(Link.OBSERVATION, SCOPE, [result(3)])
    flip(path, result(2).body)
    with SqliteStore(path) as store:
        found = store.lookup(Link.OBSERVATION, SCOPE, [result(n).key for n in (1, 2, 3)])
        assert found == [None, None, result(3)]
        store.seal(Link.OBSERVATION, SCOPE, [result(1)])
        assert store.lookup(Link.OBSERVATION, SCOPE, [result(1).key]) == [result(1)]
    with SqliteStore(path) as store:
        assert store.lookup(Link.OBSERVATION, SCOPE, [result(1).key, result(2).key]) == [result(1), None]


def test_an_older_sound_copy_is_served_where_the_newest_is_damaged(path):
    newer = Result(result(1).key, b'{"output":"newer"}' * 30)
    with SqliteStore(path) as store:
        store.seal(Link.OBSERVATION, SCOPE, [result(1)])
        store.seal(Link.OBSERVATION, SCOPE, [newer])
    flip(path, newer.body)
    with SqliteStore(path) as store:
        assert store.lookup(Link.OBSERVATION, SCOPE, [result(1).key]) == [result(1)]


def test_a_flipped_bit_in_the_journal_is_a_miss_for_what_was_appended_with_it(path):
    keys = [result(n).key for n in (1, 2, 3)]
    with SqliteStore(path) as store:
        store.append(Link.OBSERVATION, SCOPE, [result(1)])
        store.append(Link.OBSERVATION, SCOPE, [result(2), result(3)])
    flip(path, result(2).body)
    with SqliteStore(path) as store:
        assert store.lookup(Link.OBSERVATION, SCOPE, keys) == [result(1), None, None]
        store.begin_run(suite="s", plan_hash="p")
        assert store.lookup(Link.OBSERVATION, SCOPE, keys) == [result(1), None, None]


def test_a_damaged_file_is_said_to_be_so_once_and_can_be_written_again(path):
    lines = [b'{"id":"%d"}' % number for number in range(3000)]
    with SqliteStore(path) as store:
        file = store.write_file(Link.CASE, chunks_of(lines))
    flip(path, lines[1500] + b"\n" + lines[1501])
    with SqliteStore(path) as store:
        with pytest.raises(DamagedFile, match="run again"):
            list(store.read_file(file.summary.sha256))
        assert store.find_file(file.summary.sha256) is None
        assert store.write_file(Link.CASE, chunks_of(lines)) == file
        assert sum(chunk.n for chunk in store.read_file(file.summary.sha256)) == 3000
        store.begin_run(suite="s", plan_hash="p")
        assert sum(chunk.n for chunk in store.read_file(file.summary.sha256)) == 3000


def test_a_flipped_bit_in_a_step_forgets_it(path):
    with SqliteStore(path) as store:
        store.bind_step(b"k" * 32, {"file": "0123456789abcdef"})
    flip(path, b"0123456789abcdef")
    with SqliteStore(path) as store:
        assert store.find_step(b"k" * 32) is None


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bits_anywhere_give_misses_or_a_refusal_but_never_another_result(path, seed):
    wanted = {number: result(number) for number in range(60)}
    with SqliteStore(path) as store:
        store.seal(Link.OBSERVATION, SCOPE, [wanted[n] for n in range(40)])
        store.append(Link.OBSERVATION, SCOPE, [wanted[n] for n in range(40, 60)])
    data, random = bytearray(path.read_bytes()), Random(seed)  # noqa: S311 -- bits to flip
    for _ in range(40):
        data[random.randrange(100, len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)
    try:
        with SqliteStore(path) as store:
            found = store.lookup(Link.OBSERVATION, SCOPE, [one.key for one in wanted.values()])
    except StoreUnusable:
        return
    assert all(one is None or one == wanted[number] for number, one in enumerate(found))


def test_a_cut_log_loses_its_end_and_nothing_else(path, tmp_path):
    store = SqliteStore(path)
    for number in range(20):
        store.append(Link.OBSERVATION, SCOPE, [result(number)])
    copy = tmp_path / "copy.sqlite"
    log = (tmp_path / "store.sqlite-wal").read_bytes()
    copy.write_bytes(path.read_bytes())
    (tmp_path / "copy.sqlite-wal").write_bytes(log[: len(log) * 2 // 3])
    store.close()
    with SqliteStore(copy) as cut:
        found = cut.lookup(Link.OBSERVATION, SCOPE, [result(n).key for n in range(20)])
    n_kept = sum(one is not None for one in found)
    assert 0 < n_kept < 20
    assert found == [result(n) for n in range(n_kept)] + [None] * (20 - n_kept)


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\x00"], ids=["empty", "text", "short"])
def test_what_is_no_store_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    for mode in ("write", "read"):
        with pytest.raises(StoreUnusable, match=str(path)):
            SqliteStore(path, mode=mode)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("application", "version", "words"),
    [
        (0, 0, "another program"),
        (APPLICATION_ID, SCHEMA_VERSION + 1, "use that version"),
        (APPLICATION_ID, 0, "schema"),
    ],
)
def test_other_databases_and_newer_schemas_are_refused_and_left_alone(path, application, version, words):
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA application_id = {application}")
    other.execute(f"PRAGMA user_version = {version}")
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match=words) as raised:
        SqliteStore(path)
    assert raised.value.exit_code == 5
    assert path.read_bytes() == before


def test_a_wrecked_schema_is_told_with_the_way_out(path):
    SqliteStore(path).close()
    data = bytearray(path.read_bytes())
    data[100:400] = b"\xff" * 300
    path.write_bytes(data)
    with pytest.raises(StoreUnusable, match="move it away"):
        SqliteStore(path)
