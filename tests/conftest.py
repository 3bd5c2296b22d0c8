"""What all tests share: no test touches the keys and the trust of whoever runs it, and hypothesis draws the same."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Derandomized: a run on another day tries the same examples; no deadline, since machines differ.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keys and trust of the tests lie in a folder of their own."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("OLOPROOF_") and name != "OLOPROOF_TEST_STRICT"]:
        del os.environ[name]
    os.environ["OLOPROOF_CONFIG_DIR"] = str(tmp_path_factory.mktemp("config"))
    yield
    os.environ.clear()
    os.environ.update(before)


IS_STRICT = os.environ.get("OLOPROOF_TEST_STRICT") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under OLOPROOF_TEST_STRICT=1 a skip is a failure: what a test needs has to be there."""
    report = yield
    if IS_STRICT and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"skipped, which strict mode does not allow: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole module."""
    report = yield
    if IS_STRICT and report.skipped:
        report.outcome, report.longrepr = "failed", f"skipped, which strict mode does not allow: {report.longrepr}"
    return report


@pytest.fixture
def checkout() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]
