"""`python -m oloproof.language.syntax.generate`: write `table.py` from the grammar. A test holds that it is fresh."""

from __future__ import annotations

import pprint
from pathlib import Path

from oloproof.language.syntax.grammar import compile_grammar, read_grammar

TABLE_FILE = Path(__file__).with_name("table.py")


def render() -> str:
    """The text of `table.py` for the grammar as it is."""
    table = compile_grammar(read_grammar())
    lines = [
        '"""Generated from grammar/oloproof.lark by `python -m oloproof.language.syntax.generate`; do not edit."""',
        "",
    ]
    for name, value in table._asdict().items():
        lines.append(f"{name.upper()} = {pprint.pformat(value, width=120, compact=True)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE_FILE.write_text(render(), encoding="utf-8", newline="\n")
