import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def path_and_modules_as_before(monkeypatch):
    """A python target is imported into this process; the next test must not see it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("contract_target", None)
