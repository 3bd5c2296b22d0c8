"""Where reference data lies: in `shared`, beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(*parts: str) -> Path:
    """Return a path under `shared`; skip with the reason where it is absent, or fail under OLOPROOF_TEST_STRICT=1."""
    path = _SHARED.joinpath(*parts)
    if not path.exists():
        reason = f"needs {path}, which lies beside the checkout where there is one"
        if os.environ.get("OLOPROOF_TEST_STRICT") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)
    return path
