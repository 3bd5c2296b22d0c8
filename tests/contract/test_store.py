"""What every store must do, whatever it keeps things in."""

import hashlib
from collections.abc import Iterator

import pytest
from fakes.memory_store import MemoryStore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oloproof.adapters.store import SqliteStore
from oloproof.canon.digests import digest_of
from oloproof.canon.lines import Chunk, chunks_of
from oloproof.chain.link import Link
from oloproof.chain.run_state import RunState
from oloproof.ports.store import Result, StoreUnusable

SCOPE = "sha256:" + "a" * 64


def key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def result(number: int, body: bytes = b'{"output":"x"}') -> Result:
    return Result(key(number), body, b'{"elapsed_ms":1.000}')


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "store.sqlite")
    yield made
    made.close()


def lines(n: int) -> list[bytes]:
    return [b'{"id":"%d"}' % number for number in range(n)]


def test_an_unknown_key_is_none(store):
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(1)]) == [None]


def test_no_keys_give_no_results(store):
    assert store.lookup(Link.OBSERVATION, SCOPE, []) == []


@pytest.mark.parametrize("keep", ["append", "seal"])
def test_what_is_kept_is_found_in_the_order_asked_for(store, keep):
    getattr(store, keep)(Link.OBSERVATION, SCOPE, [result(1, b"1"), result(2, b"2")])
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(2), key(3), key(1)]) == [result(2, b"2"), None, result(1, b"1")]


@pytest.mark.parametrize("keep", ["append", "seal"])
def test_links_and_scopes_share_nothing(store, keep):
    getattr(store, keep)(Link.OBSERVATION, SCOPE, [result(1)])
    assert store.lookup(Link.MEASUREMENT, SCOPE, [key(1)]) == [None]
    assert store.lookup(Link.OBSERVATION, "another", [key(1)]) == [None]


def test_sealing_what_was_appended_changes_nothing_that_is_found(store):
    store.append(Link.OBSERVATION, SCOPE, [result(1)])
    store.append(Link.OBSERVATION, SCOPE, [result(2)])
    store.seal(Link.OBSERVATION, SCOPE, [result(2), result(1)])
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(1), key(2)]) == [result(1), result(2)]


writes = st.tuples(st.sampled_from(["append", "seal", "begin", "reopen"]), st.lists(st.integers(0, 30), max_size=8))


def test_blocks_that_share_batches_are_sealed_one_after_the_other(store):
    blocks = [[result(10 * block + number) for number in range(3)] for block in range(4)]
    for position in range(3):
        store.append(Link.OBSERVATION, SCOPE, [block[position] for block in blocks])
    for number, block in enumerate(blocks):
        store.seal(Link.OBSERVATION, SCOPE, block)
        everything = [item for each in blocks for item in each]
        assert store.lookup(Link.OBSERVATION, SCOPE, [item.key for item in everything]) == everything, number


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(writes, max_size=14))
def test_the_newest_result_of_a_key_wins(tmp_path_factory, writes):
    path = tmp_path_factory.mktemp("store") / "store.sqlite"
    sqlite, memory = SqliteStore(path), MemoryStore()
    for at, (step, numbers) in enumerate(writes):
        # A block holds a key once.
        results = [result(number, b"%d" % at) for number in dict.fromkeys(numbers)]
        if step == "reopen":
            sqlite.close()
            sqlite = SqliteStore(path)
        elif step == "begin":
            sqlite.begin_run(suite="s", plan_hash="p")
        else:
            getattr(sqlite, step)(Link.OBSERVATION, SCOPE, results)
            getattr(memory, step)(Link.OBSERVATION, SCOPE, results)
        keys = [key(number) for number in range(31)]
        if at % 3 == 0 or step in ("begin", "reopen"):
            assert sqlite.lookup(Link.OBSERVATION, SCOPE, keys) == memory.lookup(Link.OBSERVATION, SCOPE, keys)
    sqlite.close()


@pytest.mark.parametrize("keep", ["append", "seal"])
def test_a_scope_that_is_forgotten_is_gone_and_no_other(store, keep):
    for scope in (SCOPE, "another"):
        getattr(store, keep)(Link.OBSERVATION, scope, [result(1)])
    store.forget(Link.OBSERVATION, SCOPE)
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(1)]) == [None]
    assert store.lookup(Link.OBSERVATION, "another", [key(1)]) == [result(1)]
    getattr(store, keep)(Link.OBSERVATION, SCOPE, [result(2)])
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(1), key(2)]) == [None, result(2)]


def test_thousands_of_keys_in_many_blocks_are_found(store):
    for block in range(12):
        store.seal(Link.OBSERVATION, SCOPE, [result(n, b"%d" % n) for n in range(block * 500, block * 500 + 500)])
        assert store.lookup(Link.OBSERVATION, SCOPE, [key(block * 500 + 7), key(9999)])[1] is None
    found = store.lookup(Link.OBSERVATION, SCOPE, [key(n) for n in range(6000)])
    assert [one.body for one in found] == [b"%d" % n for n in range(6000)]


@pytest.mark.parametrize("n", [0, 1, 1024, 2500])
def test_a_file_comes_back_as_it_was_written(store, n):
    chunks = list(chunks_of(lines(n)))
    file = store.write_file(Link.CASE, iter(chunks))
    assert list(store.read_file(file.summary.sha256)) == chunks
    assert file.summary.n == n
    assert file.summary.sha256 == hashlib.sha256(b"".join(chunk.body for chunk in chunks)).digest()


def test_packs_and_indexes_come_back_too(store):
    (plain,) = chunks_of(lines(2))
    chunk = Chunk(plain.body, plain.leaves, plain.n, b"salt and content", b"aa 16\n")
    file = store.write_file(Link.OBSERVATION, [chunk])
    assert list(store.read_file(file.summary.sha256)) == [chunk]


def test_a_file_is_found_by_its_address_alone(store):
    file = store.write_file(Link.CASE, chunks_of(lines(3)))
    assert store.find_file(file.summary.sha256) == file
    assert store.find_file(bytes(32)) is None


def test_an_equal_file_is_the_same_file(store):
    assert store.write_file(Link.CASE, chunks_of(lines(3))) == store.write_file(Link.CASE, chunks_of(lines(3)))


def test_a_file_may_be_made_from_what_the_store_holds(store):
    def from_store() -> Iterator[bytes]:
        for line in lines(2000):
            store.append(Link.OBSERVATION, SCOPE, [result(1, line)])
            yield store.lookup(Link.OBSERVATION, SCOPE, [key(1)])[0].body

    file = store.write_file(Link.OBSERVATION, chunks_of(from_store()))
    assert b"".join(chunk.body for chunk in store.read_file(file.summary.sha256)) == b"\n".join(lines(2000)) + b"\n"


def test_a_file_whose_making_fails_leaves_nothing(store):
    def broken() -> Iterator[Chunk]:
        yield from chunks_of(lines(1024))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write_file(Link.CASE, broken())
    whole = store.write_file(Link.CASE, chunks_of(lines(1024)))
    assert len(list(store.read_file(whole.summary.sha256))) == 1


def test_reading_a_file_that_is_not_there_is_an_error_with_words(store):
    with pytest.raises(StoreUnusable):
        list(store.read_file(bytes(32)))


def test_a_step_is_remembered_and_replaced(store):
    assert store.find_step(key(1)) is None
    store.bind_step(key(1), {"file": "aa", "n": 1})
    store.bind_step(key(1), {"file": "bb", "n": 2})
    assert store.find_step(key(1)) == {"file": "bb", "n": 2}


def test_runs_are_listed_newest_first_and_end_as_they_ended(store):
    first = store.begin_run(suite="s", plan_hash="p")
    store.end_run(first, RunState.COMPLETE, files={Link.CASE: bytes(32)}, detail={"calls": 3})
    second = store.begin_run(suite="s", plan_hash="p")
    newest, oldest = store.runs()
    assert (newest.id, newest.state, newest.ended_at) == (second, None, None)
    assert (oldest.id, oldest.state, oldest.files, oldest.detail) == (
        first,
        RunState.COMPLETE,
        {Link.CASE: bytes(32)},
        {"calls": 3},
    )
    assert oldest.ended_at is not None


def test_results_survive_the_start_of_a_run(store):
    store.append(Link.OBSERVATION, SCOPE, [result(1)])
    store.begin_run(suite="s", plan_hash="p")
    store.append(Link.OBSERVATION, SCOPE, [result(2)])
    assert store.lookup(Link.OBSERVATION, SCOPE, [key(1), key(2)]) == [result(1), result(2)]


def test_the_first_statement_of_a_plan_stays(store):
    assert store.find_statement("p", "k") is None
    store.put_statement("p", "k", b"one")
    store.put_statement("p", "k", b"two")
    assert store.find_statement("p", "k") == b"one"
    assert store.find_statement("p", "other") is None


def test_a_look_counts_once_for_each_distinct_inference(store):
    gate, other = digest_of("test", "gate"), digest_of("test", "other gate")
    one, two = sorted([digest_of("test", 1), digest_of("test", 2)])
    assert store.look(gate, two) == (two,)
    assert store.look(gate, two) == (two,)
    assert store.look(gate, one) == (one, two)
    assert store.look(other, one) == (one,)


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(StoreUnusable):
        store.lookup(Link.OBSERVATION, SCOPE, [key(1)])
