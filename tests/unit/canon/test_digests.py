"""Digests with a domain."""

import hashlib
import hmac

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canon.digests import (
    BadDigest,
    bytes_of,
    digest_of,
    hash_parts,
    is_digest,
    leaf_hash,
    mac_parts,
    sha256,
    text_of,
)

PARTS = st.lists(st.text(max_size=5) | st.integers(0, 99) | st.none(), max_size=4)
GOOD = "sha256:" + "0123456789abcdef" * 4


@given(st.text("abc-", max_size=8), PARTS)
def test_a_hash_is_over_domain_zero_byte_and_the_array_of_its_parts(domain, parts):
    message = domain.encode() + b"\x00" + rfc8785.dumps(parts)
    assert hash_parts(domain, *parts) == hashlib.sha256(message).digest()
    assert mac_parts(b"key", domain, *parts) == hmac.new(b"key", message, "sha256").digest()
    assert digest_of(domain, *parts) == "sha256:" + hashlib.sha256(message).hexdigest()


def test_equal_parts_in_another_domain_have_another_hash():
    assert hash_parts("a", "x") != hash_parts("b", "x")
    assert hash_parts("a", "x", "y") != hash_parts("a", ["x", "y"])


@given(st.binary(min_size=32, max_size=32))
def test_a_digest_text_is_read_back(digest):
    assert bytes_of(text_of(digest)) == digest
    assert is_digest(text_of(digest))


@pytest.mark.parametrize(
    "text",
    ["", GOOD[:-1], GOOD + "0", GOOD + "\n", GOOD.upper(), GOOD.replace("a", "A"), "sha512:" + "0" * 64, "0" * 64,
     "sha256:0x" + "0" * 62, " " + GOOD, GOOD.replace("0", "g", 1), "sha256:" + "\u0660" * 64],
)  # fmt: skip
def test_another_spelling_of_a_digest_is_refused(text):
    assert not is_digest(text)
    with pytest.raises(BadDigest):
        bytes_of(text)


@given(st.binary(max_size=40))
def test_a_leaf_has_its_own_prefix(line):
    assert leaf_hash(line) == hashlib.sha256(b"\x00" + line).digest()
    assert sha256(line) == hashlib.sha256(line).digest()
