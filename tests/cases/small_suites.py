"""Small suites for tests: an example says what it is about, the rest of a suite that compiles is added below it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cases.strange_plugins import StrangeCatalogue

from oloproof.app.compile import Compiled, Compiler, compile_suite
from oloproof.app.places import places_of
from oloproof.app.wiring.light import compiler

#: What an example leaves out, by kind, in the order in which it is added.
REST: Final = {
    "suite": "suite demo { }",
    "cases": "cases tickets: inline {\n"
    + "".join(f'  case "c{n}" {{ input = "text {n}", expect = "{n % 2}" }}\n' for n in range(6))
    + "}",
    "system": 'system candidate: replay { path = "answers.jsonl" }',
    "evaluator": "evaluator exact: exact_match { }",
    "metric": "metric accuracy: proportion { of = exact.pass }",
    "gate": "gate floor { require accuracy >= 50% }",
}
#: Files that lie beside every example.
FILES: Final = {
    "answers.jsonl": '{"id": "c0", "output": "0"}\n',
    "app.py": "def answer(text: str) -> str:\n    return text\n",
}
_ORDINARY: Final = compiler()
_STRANGE: Final = Compiler(StrangeCatalogue(_ORDINARY.catalogue), _ORDINARY.load, _ORDINARY.identify_target)


def completed(text: str) -> str:
    """The text and, below it, a declaration of every kind that it has none of."""
    given = set(re.findall(r"^([a-z]+)\b[^=\n]*\{", text, re.MULTILINE))
    rest = [part for kind, part in REST.items() if kind not in given]
    return "\n".join([text.rstrip("\n"), *rest, ""])


def compile_text(
    folder: Path, text: str | bytes, files: Mapping[str, str | bytes] | None = None, *, is_strange: bool = False
) -> Compiled:
    """What compiling a text gives, in a folder of its own with FILES and `files`.

    is_strange: with the plugins of strange_plugins installed as well.
    """
    for name, content in {**FILES, **(files or {}), "suite.olo": text}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    compile_with = _STRANGE if is_strange else _ORDINARY
    return compile_suite(places_of(folder / "suite.olo"), compile_with, display="suite.olo")


def codes(compiled: Compiled) -> list[str]:
    """The codes that were found, in the order of a report."""
    return [item.code for item in compiled.diagnostics]
