"""Official vectors: RFC 8785, JSONTestSuite and the trees of RFC 6962."""

import base64
import json
from pathlib import Path

import pytest
from shared_data import shared

from oloproof.canon.digests import leaf_hash
from oloproof.canon.encoding import NotCanonical, encode, parse
from oloproof.canon.merkle import merkle_root

JCS = shared("vectors", "jcs", "testdata")
SUITE = shared("vectors", "jsontestsuite", "test_parsing")
TREES = shared("vectors", "merkle", "testdata")

#: Files that every parser must accept; most spell their value otherwise than RFC 8785 does.
MUST_READ = sorted(SUITE.glob("y_*.json"))
#: The leaves of the reference trees of eight entries (Certificate Transparency, merkletree test inputs).
LEAVES = (
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    bytes(range(0x50, 0x58)),
    bytes(range(0x60, 0x70)),
)


def names(paths):
    return [path.name for path in paths]


@pytest.mark.parametrize("name", sorted(path.name for path in (JCS / "input").iterdir()))
def test_rfc8785_output(name):
    found = encode(json.loads((JCS / "input" / name).read_text(encoding="utf-8")))
    assert found == (JCS / "output" / name).read_text(encoding="utf-8").rstrip("\n").encode()
    assert found == bytes.fromhex((JCS / "outhex" / name).with_suffix(".txt").read_text(encoding="utf-8"))
    assert encode(parse(found)) == found


@pytest.mark.parametrize("path", found := sorted(SUITE.glob("n_*.json")), ids=names(found))
def test_what_no_parser_may_accept_is_refused(path: Path):
    with pytest.raises(NotCanonical):
        parse(path.read_bytes())


@pytest.mark.parametrize("path", found := sorted(SUITE.glob("[yi]_*.json")), ids=names(found))
def test_what_parsers_may_accept_is_read_exactly_where_it_is_canonical(path: Path):
    data = path.read_bytes()
    try:
        assert encode(parse(data)) == data
    except NotCanonical:
        try:
            other = encode(json.loads(data.decode()))
        except (ValueError, NotCanonical, RecursionError):
            return
        assert other != data


def test_the_suite_holds_files_that_are_read():
    read = []
    for path in MUST_READ:
        try:
            parse(path.read_bytes())
        except NotCanonical:
            continue
        read.append(path.name)
    assert len(read) > 20


@pytest.mark.parametrize(
    "path",
    found := sorted(TREES.glob("*/*/happy-path.json")),
    ids=[str(path.parent.relative_to(TREES)) for path in found],
)
def test_roots_of_the_reference_trees(path: Path):
    vector = json.loads(path.read_text(encoding="utf-8"))
    pairs = [(vector.get("treeSize", vector.get("size1")), vector.get("root", vector.get("root1")))]
    if "size2" in vector:
        pairs.append((vector["size2"], vector["root2"]))
    for size, root in pairs:
        if size:
            assert merkle_root(map(leaf_hash, LEAVES[:size])) == base64.b64decode(root)
