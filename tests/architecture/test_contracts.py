"""The house: import contracts, what light commands import, and words that do not belong here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

#: What starting Python for a light command must never load.
HEAVY = ("numpy", "scipy", "httpx", "asyncio", "oloproof.engine.local", "oloproof.stages.observe")


def test_the_import_contracts_hold(checkout: Path):
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def modules_after(arguments: list[str], cwd: Path) -> set[str]:
    code = (
        "import sys\n"
        f"sys.argv = ['oloproof', *{arguments!r}]\n"
        "from oloproof.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write('\\nMODULES ' + ' '.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=True)
    return set(done.stderr.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["explain", "OLO601"],
        ["lint", "specs/examples/language_id/suite.olo"],
    ],
)
def test_light_commands_load_nothing_heavy(arguments: list[str], checkout: Path):
    loaded = modules_after(arguments, checkout)
    assert loaded.isdisjoint(HEAVY)


def test_the_version_is_told_without_click(checkout: Path):
    assert "click" not in modules_after(["--version"], checkout)


def test_importing_oloproof_imports_none_of_its_floors():
    code = "import sys, oloproof; print([name for name in sys.modules if name.startswith('oloproof.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_are_short(checkout: Path):
    sources = [*(checkout / "oloproof").rglob("*.py"), *(checkout / "plugins").rglob("*.py")]
    generated = checkout / "oloproof" / "language" / "syntax" / "table.py"
    long = {
        str(path.relative_to(checkout)): n
        for path in sources
        if path != generated and (n := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_module_is_named_for_nothing(checkout: Path):
    vague = {"utils", "util", "helpers", "common", "misc", "constants"}
    found = [path for path in (checkout / "oloproof").rglob("*.py") if path.stem in vague]
    assert found == []


def test_work_is_finished(checkout: Path):
    unfinished = re.compile(r"NotImplementedError|\bTODO\b|\bFIXME\b|\bXXX\b")
    found = [
        str(path.relative_to(checkout))
        for folder in ("oloproof", "plugins")
        for path in (checkout / folder).rglob("*.py")
        if unfinished.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
