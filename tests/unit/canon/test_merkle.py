"""The tree over record lines, and files of lines in chunks."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canon.digests import leaf_hash
from oloproof.canon.lines import CHUNK_LINES, Chunk, Summing, chunks_of
from oloproof.canon.merkle import Frontier, merkle_root

LINES = st.lists(st.binary(max_size=4).map(bytes.hex).map(str.encode), max_size=70)


def naive_root(leaves):
    """RFC 6962 section 2.1, as it is written there: split at the largest power of two below n."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


@pytest.mark.parametrize("n", range(66))
def test_the_frontier_has_the_root_of_the_recursive_definition(n):
    leaves = [leaf_hash(str(number).encode()) for number in range(n)]
    assert merkle_root(leaves) == naive_root(leaves)


@given(LINES)
def test_the_root_may_be_asked_for_on_the_way(lines):
    leaves = [leaf_hash(line) for line in lines]
    frontier = Frontier()
    for number, leaf in enumerate(leaves):
        assert (len(frontier), frontier.root()) == (number, naive_root(leaves[:number]))
        frontier.add(leaf)


def test_a_leaf_is_no_node():
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert merkle_root([left, right]) != leaf_hash(b"\x01" + left + right)


@given(LINES, st.data())
def test_every_leaf_and_its_place_is_in_the_root(lines, data):
    leaves = [leaf_hash(line) for line in lines]
    if leaves:
        index = data.draw(st.integers(0, len(leaves) - 1))
        assert merkle_root(leaves[:index] + leaves[index + 1 :]) != merkle_root(leaves)
        assert merkle_root([*leaves[:index], leaf_hash(b"x"), *leaves[index + 1 :]]) != merkle_root(leaves)


@pytest.mark.parametrize("n", [0, 1, CHUNK_LINES, CHUNK_LINES + 1, 3 * CHUNK_LINES - 1])
def test_chunks_hold_all_lines_in_order(n):
    lines = [str(number).encode() for number in range(n)]
    chunks = list(chunks_of(lines))
    assert [line for chunk in chunks for line in chunk.lines()] == lines
    assert all(0 < chunk.n <= CHUNK_LINES for chunk in chunks)
    assert [chunk.leaf(i) for chunk in chunks for i in range(chunk.n)] == [leaf_hash(line) for line in lines]


@given(LINES, st.integers(1, 9))
def test_sums_do_not_depend_on_where_chunks_end(lines, size):
    whole, parts = Summing(), Summing()
    for chunk in chunks_of(lines):
        whole.add(chunk)
    for start in range(0, len(lines), size):
        batch = lines[start : start + size]
        parts.add(Chunk(b"".join(line + b"\n" for line in batch), b"".join(map(leaf_hash, batch)), len(batch)))
    body = b"".join(line + b"\n" for line in lines)
    assert whole.summary() == parts.summary()
    assert (whole.summary().n, whole.summary().size) == (len(lines), len(body))
    assert whole.summary().sha256 == hashlib.sha256(body).digest()
    assert whole.summary().root == naive_root([leaf_hash(line) for line in lines])
