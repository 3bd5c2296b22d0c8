"""Every file and command of tutorial and how-tos, taken from the page as a reader takes them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.pages import blocks_of, commands_of, first_unmatched

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for folder in ("tutorial", "how-to")
    for page in (ROOT / "docs" / folder).glob("*.md")
    if any(block.language == "console" for block in blocks_of(page))
)
#: No command of the documents takes nearly this long.
LIMIT_S = 120


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The installed command on the path, and keys of its own."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    made = {**os.environ, "PATH": path, "OLOPROOF_CONFIG_DIR": str(tmp_path / "config")}
    # A reader's key is there from an earlier run: that it was made is told once and is no part of the pages.
    subprocess.run(["oloproof", "keys", "show"], env=made, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    return made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_its_commands_print(page: Path, tmp_path: Path, environment: dict[str, str]):
    if "keyword_router" in page.read_text(encoding="utf-8"):
        pytest.importorskip("oloproof_example", reason="needs plugins/example installed")
    assert shutil.which("sh"), "commands of the documents are written for a POSIX shell"
    folder = tmp_path / "project"
    folder.mkdir()
    code = 0
    for block in blocks_of(page):
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.language != "console":
            continue
        for command in commands_of(block):
            done = subprocess.run(
                ["sh", "-c", f"(exit {code}); {command.text}"],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                timeout=LIMIT_S,
                check=False,
            )
            code = done.returncode
            assert "internal error" not in done.stdout, f"{page.name}:{command.line}: {done.stdout}"
            unmatched = first_unmatched(command.shown, done.stdout)
            assert unmatched is None, f"{page.name}:{command.line}: shown is {unmatched!r}, printed is\n{done.stdout}"


def test_the_tutorial_and_the_worked_how_tos_are_among_them():
    assert {page.stem for page in PAGES} >= {"first-suite", "gate-in-ci", "missing-cases", "secrets", "verify-a-bundle"}
