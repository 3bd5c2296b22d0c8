"""A trust file for K1, the honest bundle, and no network."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from attacks.bundles import write_honest
from attacks.checking import trust_text
from attacks.recipes import K1


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline means offline: any socket is an error."""

    def refuse(*_: object, **__: object) -> None:
        message = "verification opened a socket"
        raise AssertionError(message)

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def trust(tmp_path: Path) -> Path:
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K1))
    return path


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The honest bundle B, as the product writes it."""
    return write_honest(tmp_path / "suite.evidence").path
