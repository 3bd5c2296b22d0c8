"""Salts: one for every record and for every committed content, derived so that equal work gives equal bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from json.encoder import encode_basestring as _text
from typing import TypeAlias

from oloproof.canon.digests import SALT_BYTES

#: (input hash, occurrence, repeat) → 16 bytes.
Series: TypeAlias = Callable[[bytes, int, int], bytes]

_DOMAIN = b"olo-salt-v1\x00"
_BLOCK_BYTES = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Salts:
    """Salts under one secret key. The key never leaves; the salts enter records and packs."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        # HMAC (RFC 2104) with its two key blocks hashed beforehand: less than half the time of hmac.digest a salt.
        block = (hashlib.sha256(key).digest() if len(key) > _BLOCK_BYTES else key).ljust(_BLOCK_BYTES, b"\x00")
        self._inner = hashlib.sha256(block.translate(_INNER) + _DOMAIN)
        self._outer = hashlib.sha256(block.translate(_OUTER))

    def fingerprint(self) -> str:
        """A value that differs between salt keys and tells nothing of them."""
        return self.salt("fingerprint", "", b"", 0, field="").hex()

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

        Source: specs/chain.md §4: HMAC(key, "olo-salt-v1", [link, set, input_hash, occurrence, role, system variant,
        evaluator or judge, request ordinal, repeat, field])[:16].
        """
        series = self.series(link, case_set, field=field, role=role, system=system, by=by, ordinal=ordinal)
        return series(input_hash, occurrence, repeat)

    def series(  # noqa: PLR0913 -- as salt
        self,
        link: str,
        case_set: str,
        *,
        field: str,
        role: str = "",
        system: str = "",
        by: str = "",
        ordinal: int = 0,
    ) -> Series:
        """The salts of one field of many records: a function of (input hash, occurrence, repeat)."""
        head = f'[{_text(link)},{_text(case_set)},"'
        middle, tail = f",{_text(role)},{_text(system)},{_text(by)},{ordinal},", f",{_text(field)}]"
        copy_inner, copy_outer = self._inner.copy, self._outer.copy

        def salt(input_hash: bytes, occurrence: int, repeat: int) -> bytes:
            inner, outer = copy_inner(), copy_outer()
            inner.update(f'{head}{input_hash.hex()}",{occurrence}{middle}{repeat}{tail}'.encode())
            outer.update(inner.digest())
            return outer.digest()[:SALT_BYTES]

        return salt
