"""Canonical bytes and their digests: JCS text (RFC 8785), hashes with a domain, Merkle trees (RFC 6962)."""
