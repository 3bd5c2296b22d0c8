"""Signing with a key that somebody holds."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """One private key."""

    @property
    def keyid(self) -> str:
        """`SHA256:` and the OpenSSH fingerprint of the public key; a hint, never an authority."""

    @property
    def public_key(self) -> str:
        """The OpenSSH text of the public key, `ssh-ed25519 AAAA…`."""

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of an Ed25519 signature."""
