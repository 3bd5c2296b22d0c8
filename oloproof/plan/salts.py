"""Salts: one for every record and for every committed content, derived so that equal work gives equal bytes."""

from __future__ import annotations

import hmac

from oloproof.canon.digests import SALT_BYTES
from oloproof.canon.encoding import encode_plain

_DOMAIN = b"olo-salt-v1\x00"


class Salts:
    """Salts under one secret key. The key never leaves; the salts enter records and packs."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def salt(  # noqa: PLR0913 -- the fields of the formula, in its order
        self,
        link: str,
        case_set: str,
        input_hash: bytes,
        occurrence: int,
        *,
        field: str,
        role: str = "",
        system: str = "",
        by: str = "",
        ordinal: int = 0,
        repeat: int = 0,
    ) -> bytes:
        """16 bytes. by: evaluator or judge. field: `record`, or the name of the committed field.

        Source: RECORDS §2: HMAC(key, "olo-salt-v1", [link, set, input_hash, occurrence, role, system variant,
        evaluator or judge, request ordinal, repeat, field])[:16].
        """
        message = encode_plain([link, case_set, input_hash.hex(), occurrence, role, system, by, ordinal, repeat, field])
        return hmac.digest(self._key, _DOMAIN + message, "sha256")[:SALT_BYTES]
