"""DSSE: what is signed, and that other tools agree."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attacks.bundles import draft
from attacks.recipes import K1, signer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from oloproof.canon.encoding import parse_whole
from oloproof.stages.attest.envelope import decode_base64, parse_envelope, pre_authentication, seal
from oloproof.stages.attest.verdict import Rejected


def _public(seed) -> Ed25519PublicKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32).public_key()


def test_pae_is_that_of_the_dsse_protocol_text():
    """Source: secure-systems-lab/dsse, protocol.md: PAE("http://example.com/HelloWorld", "hello world")."""
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("http://example.com/HelloWorld", b"hello world") == expected


def test_pae_counts_bytes_and_not_characters():
    assert pre_authentication("ä", b"") == b"DSSEv1 2 \xc3\xa4 0 "


def test_a_sealed_envelope_parses_back():
    envelope = parse_envelope(seal(b'{"a":1}', K1), "e")
    assert envelope.payload == b'{"a":1}'
    assert [item.keyid for item in envelope.signatures] == [K1.keyid]
    assert envelope.notices == ()


def test_sealing_twice_gives_equal_bytes():
    assert seal(b"{}", K1) == seal(b"{}", K1)


@pytest.mark.parametrize(
    ("text", "data"), [("", b""), ("AA==", b"\x00"), ("_-_-", b"\xff\xef\xfe"), ("/+/+", b"\xff\xef\xfe")]
)
def test_base64_in_either_alphabet_is_read(text, data):
    assert decode_base64(text, "x") == data


@pytest.mark.parametrize(
    "text", ["A", "AA", "AAA", "AA=", "AB==", "AAB=", "AA==\n", " AA==", "A A=", "AA==AA==", "=", "/_AA", "ä==="]
)
def test_any_other_base64_is_refused(text):
    with pytest.raises(Rejected):
        decode_base64(text, "x")


def test_securesystemslib_accepts_our_envelope_and_refuses_its_tampered_twin():
    value = parse_whole(draft().files()["evidence.dsse.json"])
    key = SSlibKey.from_crypto(_public(1), keyid=K1.keyid)
    accepted = OtherEnvelope.from_dict(_copy(value)).verify([key], 1)
    assert list(accepted) == [K1.keyid]
    payload = base64.b64decode(value["payload"]).replace(b"INSUFFICIENT_EVIDENCE", b"PASS")
    twin = {**_copy(value), "payload": base64.b64encode(payload).decode()}
    with pytest.raises(VerificationError):
        OtherEnvelope.from_dict(twin).verify([key], 1)


def test_openssl_accepts_our_signature_over_the_pae(tmp_path):
    envelope = parse_envelope(draft().files()["evidence.dsse.json"], "e")
    (tmp_path / "pub.pem").write_bytes(_public(1).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    (tmp_path / "sig.bin").write_bytes(envelope.signatures[0].signature)
    (tmp_path / "pae.bin").write_bytes(envelope.message())
    assert _openssl(tmp_path) == 0
    (tmp_path / "pae.bin").write_bytes(envelope.message().replace(b"BLOCK", b"ALLOW"))
    assert _openssl(tmp_path) != 0


def test_another_key_is_another_key():
    assert signer(2).public_key != K1.public_key
    assert isinstance(_public(1), Ed25519PublicKey)


def _openssl(folder: Path) -> int:
    command = "openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in pae.bin -sigfile sig.bin"
    return subprocess.run(command.split(), cwd=folder, capture_output=True, check=False).returncode


def _copy(value) -> dict[str, Any]:
    return {**value, "signatures": [dict(item) for item in value["signatures"]]}
