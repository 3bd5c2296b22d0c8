"""The page of a diagnostic code."""

from __future__ import annotations

import difflib
from pathlib import Path

from oloproof.errors import UsageError
from oloproof.language.codes import RULES


class UnknownCode(UsageError):
    """No rule has this code."""

    def __init__(self, code: str) -> None:
        self.code = code
        near = difflib.get_close_matches(code.upper(), [rule.code for rule in RULES], n=1)
        super().__init__(f"no diagnostic has the code {code[:40]!r}" + (f"; did you mean {near[0]}?" if near else ""))


def explain(code: str) -> str:
    """The page in Markdown, as it stands under specs/diagnostics. Raises: UnknownCode."""
    known = {rule.code for rule in RULES}
    if code.upper() not in known:
        raise UnknownCode(code)
    return (pages_folder() / f"{code.upper()}.md").read_text(encoding="utf-8")


def pages_folder() -> Path:
    """Where the pages lie: in the installed package, else in the checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "pages"
    return inside if inside.is_dir() else package.parent / "specs" / "diagnostics"
