"""Reading the documents: files and commands as a reader would take them from the page, and what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

#: Stands for any text within a line; alone on a line for any lines.
ANYTHING = "…"
_FENCE = re.compile(r"^(`{3,})(.*)$")
_FILE = re.compile(r"\bfile=(\S+)")


class Block(NamedTuple):
    """A fenced block. language: its first word. file: where a reader saves it, or None."""

    language: str
    file: str | None
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block, and the output that the page shows under it."""

    text: str
    shown: tuple[str, ...]
    line: int


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in its order."""
    opening: tuple[str, str, int] | None = None
    held: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if opening is None and fence:
            opening, held = (fence[1], fence[2].strip(), number), []
        elif opening is not None and line == opening[0]:
            info, start = opening[1], opening[2]
            found = _FILE.search(info)
            text = "".join(f"{item}\n" for item in held)
            yield Block(info.partition(" ")[0], found[1] if found else None, text, start)
            opening = None
        elif opening is not None:
            held.append(line)
    assert opening is None, f"{page}: a block that opens at line {opening} is not closed"


def commands_of(block: Block) -> Iterator[Command]:
    """The commands of a console block: lines with `$ `, and what follows each."""
    text, shown, at = "", list[str](), block.line
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            if text:
                yield Command(text, tuple(shown), at)
            text, shown, at = line[2:], [], number
        else:
            shown.append(line)
    if text:
        yield Command(text, tuple(shown), at)


def first_unmatched(shown: tuple[str, ...], output: str) -> str | None:
    """The first shown line that the output does not have at its place, or None where all is as shown.

    Empty lines and indents do not count. Between two shown lines there may be others only where the page says so.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    at, may_skip = 0, False
    for wanted in (line.strip() for line in shown if line.strip()):
        if wanted == ANYTHING:
            may_skip = True
            continue
        pattern = re.compile(".*".join(map(re.escape, wanted.split(ANYTHING))) + r"\Z")
        found = next((n for n in range(at, len(lines)) if pattern.match(lines[n])), None)
        if found is None or (found != at and not may_skip):
            return wanted
        at, may_skip = found + 1, False
    return None if at == len(lines) or may_skip else f"nothing more, but there is: {lines[at]}"


def links_of(page: Path) -> Iterator[str]:
    """The targets of links to other files, without their anchors."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for found in re.finditer(r"\]\(([^)\s]+)\)", text):
        target = found[1].partition("#")[0]
        if target and "://" not in target:
            yield target
