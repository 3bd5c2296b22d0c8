"""Reads the case files and the pages of codes; README.md says what they look like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PAGES: Final = HERE.parents[1] / "specs" / "diagnostics"

_SECTION = re.compile(r"#=== (good|bad|file)((?: whole| strange)*):? (.*)")
_MARK = re.compile(r"#! (.*)")
_WANTED = re.compile(r"(nowhere )?(OLO[0-9]{3})(?:: (.+))?")
_FENCE = re.compile(r"```(\w+)([^\n]*)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A diagnostic that must come. line: where its place begins, None where it has none; text: in what it says."""

    line: int | None
    code: str
    text: str


@dataclass(slots=True)
class Case:
    """A text to compile, and all that must be said about it."""

    code: str
    title: str
    is_good: bool
    flags: frozenset[str]
    text: str = ""
    files: dict[str, str] = field(default_factory=dict)

    @property
    def wanted(self) -> list[Wanted]:
        found = []
        for number, line in enumerate(self.text.splitlines(), start=1):
            mark = _MARK.search(line)
            for part in mark[1].split(" & ") if mark else ():
                match = _WANTED.fullmatch(part.strip())
                assert match, f"{self.code}: `#! {part}` is no mark"
                found.append(Wanted(None if match[1] else number, match[2], match[3] or ""))
        return found


def read_cases(path: Path) -> list[Case]:
    """The cases of one file, which is named after the code that they are about."""
    cases: list[Case] = []
    file: str | None = None
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        section = _SECTION.fullmatch(line.rstrip("\n"))
        if section is None and cases and file is not None:
            cases[-1].files[file] += line
        elif section is None and cases:
            cases[-1].text += line
        elif section is None:
            assert not line.strip() or line.startswith("# "), f"{path.name}: text before the first case"
        elif section[1] == "file":
            file = section[3]
            cases[-1].files[file] = ""
        else:
            file = None
            cases.append(Case(path.stem, section[3], section[1] == "good", frozenset(section[2].split())))
    return cases


def read_page(path: Path) -> dict[str, Case]:
    """The examples of a page by `bad` and `good`. Files of the bad one lie beside the good one too."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, Case] = {}
    files: dict[str, str] = {}
    for word in ("Bad", "Good"):
        part = text.partition(f"\n{word}:\n")[2]
        part = re.split(r"\n(?:Good:|## )", part)[0]
        case = Case(path.stem, "page", word == "Good", frozenset())
        for language, words, body in _FENCE.findall(part):
            if language == "olo":
                case.text, case.flags = body, frozenset(words.split())
            else:
                files = {**files, words.strip(): body}
        case.files = files
        found[word.lower()] = case
    return found
