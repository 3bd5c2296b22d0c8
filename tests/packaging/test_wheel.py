"""The wheel by itself: what a user installs holds everything that a run needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SUITE = """olo 1
suite packed { seed = 1 }
cases few: inline {
  case "a" { input = "x", expect = "x" }
  case "b" { input = "y", expect = "y" }
}
system echo: python { target = "echo:echo", timeout = 5s }
evaluator exact: exact_match { }
metric same: proportion { of = exact.pass }
gate any { require same >= 10%, on = echo }
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="needs the extra `test`")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, "."],
        cwd=Path(__file__).resolve().parents[2],
        check=True,
        timeout=300,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oloproof", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_wheel_holds_the_packages_the_grammar_and_the_pages_and_nothing_else(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"oloproof", "oloproof_builtin"}
    assert "oloproof/grammar/oloproof.lark" in names
    assert "oloproof/pages/OLO601.md" in names


def test_an_installed_wheel_compiles_runs_and_verifies(installed: Path, tmp_path: Path):
    (tmp_path / "suite.olo").write_text(SUITE)
    (tmp_path / "echo.py").write_text("def echo(text):\n    return text\n")
    code = "import oloproof; print(oloproof.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    assert run(installed, tmp_path, "compile").returncode == 0
    done = run(installed, tmp_path, "exec")
    assert done.returncode == 0, done.stderr
    assert run(installed, tmp_path, "verify", "suite.evidence").returncode == 0


def test_an_installed_wheel_explains_its_codes(installed: Path, tmp_path: Path):
    done = run(installed, tmp_path, "explain", "OLO601")
    assert done.returncode == 0
    assert done.stdout.startswith("# OLO601")
