"""Small projects that end-to-end tests run."""

from __future__ import annotations

import json
from pathlib import Path

SUITE = """olo 1
suite small { seed = 1 }
cases rows: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "label" }
system upper: python { target = "app:upper", timeout = 5s }
system echo: python { target = "other:echo", timeout = 5s }
evaluator exact: exact_match { }
evaluator within: contains { ignore_case = true }
metric same: proportion { of = exact.pass }
metric holds: proportion { of = within.pass }
gate upper_is_right { require same >= 60%, on = upper }
gate echo_holds { require holds >= 60%, on = echo }
"""
APP = """from shouting import shout

def upper(text):
    return shout(text)
"""
SHOUTING = """def shout(text):
    return text.upper()
"""
OTHER = """def echo(text):
    return text
"""


def write_project(root: Path, *, n: int = 20, suite: str = SUITE) -> Path:
    """A project of n cases whose two systems are right on all of them; gives the suite's path."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "suite.olo").write_text(suite)
    (root / "app.py").write_text(APP)
    (root / "shouting.py").write_text(SHOUTING)
    (root / "other.py").write_text(OTHER)
    write_rows(root, [(f"case-{index:03}", f"word {index}") for index in range(n)])
    return root / "suite.olo"


def write_rows(root: Path, rows: list[tuple[str, str]]) -> None:
    """The rows file: id and text; the expected label is the text in capitals."""
    lines = [json.dumps({"id": name, "text": text, "label": text.upper()}) for name, text in rows]
    (root / "rows.jsonl").write_text("\n".join(lines) + "\n")


def replace(path: Path, old: str, new: str) -> None:
    """Edits a file; the text must be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
