"""The DSSE envelope: a signature over bytes. Nothing here knows an algorithm or a key."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from oloproof.canon.encoding import Json, NotCanonical, encode_plain, parse_whole
from oloproof.ports.signer import Signer
from oloproof.stages.attest.verdict import FailureClass, Rejected

#: The only payload type that is read.
PAYLOAD_TYPE = "application/vnd.in-toto+json"
#: A larger envelope is refused unread; a payload of 6 MB holds 15,000 cells.
MAX_ENVELOPE_BYTES = 8 << 20
#: Signatures in one envelope; each costs a verification for every trusted key.
MAX_SIGNATURES = 16

_URL_SAFE = str.maketrans("-_", "+/")


class VerifySignature(Protocol):
    """True if the signature is that key's over the message; False for anything else, never an exception."""

    def __call__(self, public_key: bytes, signature: bytes, message: bytes) -> bool:
        """Checks one signature."""


@dataclass(frozen=True, slots=True)
class SignatureEntry:
    """One signature as it lies in an envelope. keyid: a hint, or None where the envelope gives none."""

    keyid: str | None
    signature: bytes


@dataclass(frozen=True, slots=True)
class Envelope:
    """A parsed envelope, with nothing verified. notices: what was ignored."""

    payload_type: str
    payload: bytes
    signatures: tuple[SignatureEntry, ...]
    notices: tuple[str, ...]

    def message(self) -> bytes:
        """What the signatures are over."""
        return pre_authentication(self.payload_type, self.payload)


def seal(payload: bytes, signer: Signer) -> bytes:
    """The canonical bytes of an envelope around a payload, signed by one key."""
    signature = signer.sign(pre_authentication(PAYLOAD_TYPE, payload))
    return encode_plain(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": signer.keyid, "sig": base64.b64encode(signature).decode()}],
        }
    )


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """PAE: `DSSEv1 SP LEN(type) SP type SP LEN(payload) SP payload`, lengths in bytes.

    Source: secure-systems-lab/dsse, protocol.md, version 1.
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def parse_envelope(data: bytes, place: str) -> Envelope:
    """The envelope in these bytes, which must be its canonical form.

    Raises: Rejected (MALFORMED). Fields that DSSE does not define are ignored, with a notice.
    """
    if len(data) > MAX_ENVELOPE_BYTES:
        raise _malformed(place, f"{len(data)} bytes; the limit is {MAX_ENVELOPE_BYTES}")
    try:
        value = parse_whole(data)
    except NotCanonical as error:
        raise _malformed(place, str(error)) from error
    if not isinstance(value, dict):
        raise _malformed(place, "an envelope is an object")
    payload, payload_type, signatures = (value.get(name) for name in ("payload", "payloadType", "signatures"))
    if not isinstance(payload, str) or not isinstance(payload_type, str):
        raise _malformed(place, "payload and payloadType must be strings")
    if not isinstance(signatures, list) or len(signatures) > MAX_SIGNATURES:
        raise _malformed(place, f"signatures must be a list of at most {MAX_SIGNATURES}")
    notices = _unknown(value, ("payload", "payloadType", "signatures"), place)
    entries = []
    for index, item in enumerate(signatures):
        entry, ignored = _entry(item, f"{place} signatures[{index}]")
        entries.append(entry)
        notices.extend(ignored)
    return Envelope(payload_type, decode_base64(payload, f"{place} payload"), tuple(entries), tuple(notices))


def _entry(value: Json, place: str) -> tuple[SignatureEntry, list[str]]:
    if not isinstance(value, dict):
        raise _malformed(place, "a signature is an object")
    keyid, signature = value.get("keyid"), value.get("sig")
    if not isinstance(signature, str) or not (keyid is None or isinstance(keyid, str)):
        raise _malformed(place, "sig must be a string, and keyid a string where there is one")
    return SignatureEntry(keyid or None, decode_base64(signature, f"{place} sig")), _unknown(
        value, ("keyid", "sig"), place
    )


def decode_base64(text: str, place: str) -> bytes:
    """The bytes of strict base64: standard or URL-safe, padded, no white space, unused bits zero.

    Raises: Rejected (MALFORMED).
    """
    standard = text
    if "-" in text or "_" in text:
        if "+" in text or "/" in text:
            raise _malformed(place, "two base64 alphabets in one text")
        standard = text.translate(_URL_SAFE)
    try:
        data = base64.b64decode(standard, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _malformed(place, f"not base64: {error}") from error
    if base64.b64encode(data).decode() != standard:
        raise _malformed(place, "not the one base64 text of its bytes")
    return data


def _unknown(value: dict[str, Json], known: Sequence[str], place: str) -> list[str]:
    return [f"{place}: ignored the unknown field {name[:80]!r}" for name in sorted(value) if name not in known]


def _malformed(place: str, reason: str) -> Rejected:
    return Rejected(FailureClass.MALFORMED, place, reason)
