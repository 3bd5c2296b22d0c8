"""Links lead somewhere, and the decisions are numbered without a gap."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.pages import links_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "tests/README.md")),
    ]
)
ADRS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path):
    assert [target for target in links_of(page) if not (page.parent / target).exists()] == []


def test_decisions_are_numbered_one_by_one():
    assert [int(path.name[:4]) for path in ADRS] == list(range(1, len(ADRS) + 1))


@pytest.mark.parametrize("page", ADRS, ids=lambda page: page.stem)
def test_a_decision_has_its_four_parts(page: Path):
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["Context", "Options", "Choice", "Consequences"]


def test_every_decision_is_in_the_list():
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    assert all(f"({path.name})" in index for path in ADRS)
