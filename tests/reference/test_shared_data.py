"""Reference data that is absent is never passed over in silence."""

import pytest
from shared_data import shared


def test_absent_data_is_skipped_with_its_name(monkeypatch):
    monkeypatch.delenv("OLOPROOF_TEST_STRICT", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_file"):
        shared("no_such_file")


def test_absent_data_fails_a_strict_run(monkeypatch):
    monkeypatch.setenv("OLOPROOF_TEST_STRICT", "1")
    with pytest.raises(pytest.fail.Exception, match="no_such_file"):
        shared("no_such_file")
