"""Hashes: every one of ours names the domain it was taken in, so that no two meanings share a digest."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import NewType

from oloproof.canon.encoding import Json, encode
from oloproof.errors import OloproofError

#: `sha256:` and 64 lower-case hexadecimal digits.
DigestText = NewType("DigestText", str)

#: Length of every salt, in bytes.
SALT_BYTES = 16

_DIGEST_TEXT = re.compile(r"sha256:[0-9a-f]{64}\Z")
_LEAF = b"\x00"


class BadDigest(OloproofError):
    """A digest that is not `sha256:` and 64 lower-case hexadecimal digits."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(f"{text[:80]!r} is no digest; write sha256: and 64 lower-case hexadecimal digits")


def hash_parts(domain: str, *parts: Json) -> bytes:
    """H(domain, a, b, ...) = sha256(domain, one zero byte, JCS of the array [a, b, ...]); 32 bytes."""
    return hashlib.sha256(domain.encode() + b"\x00" + encode(list(parts))).digest()


def mac_parts(key: bytes, domain: str, *parts: Json) -> bytes:
    """HMAC-SHA256 over the same message as hash_parts; 32 bytes."""
    return hmac.digest(key, domain.encode() + b"\x00" + encode(list(parts)), "sha256")


def sha256(data: bytes) -> bytes:
    """The 32 bytes of SHA-256."""
    return hashlib.sha256(data).digest()


def text_of(digest: bytes) -> DigestText:
    """A digest as records and plans write it."""
    return DigestText("sha256:" + digest.hex())


def is_digest(text: str) -> bool:
    """True for `sha256:` and 64 lower-case hexadecimal digits."""
    return _DIGEST_TEXT.match(text) is not None


def bytes_of(text: str) -> bytes:
    """The 32 bytes of a digest text. Raises: BadDigest."""
    if not is_digest(text):
        raise BadDigest(text)
    return bytes.fromhex(text[7:])


def digest_of(domain: str, *parts: Json) -> DigestText:
    """hash_parts as text."""
    return text_of(hash_parts(domain, *parts))


def leaf_hash(line: bytes) -> bytes:
    """sha256(0x00, line without its LF): how one record refers to another, and its Merkle leaf (RFC 6962)."""
    return hashlib.sha256(_LEAF + line).digest()
