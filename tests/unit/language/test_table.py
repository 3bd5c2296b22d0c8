"""The grammar file is the only grammar; the table is made from it."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from lark.exceptions import GrammarError

from oloproof.language.source import Source
from oloproof.language.syntax import RULES, parse
from oloproof.language.syntax.builder import Builder
from oloproof.language.syntax.generate import TABLE_FILE, render
from oloproof.language.syntax.grammar import compile_grammar, read_grammar
from oloproof.language.syntax.table import GRAMMAR_SHA256
from oloproof.language.syntax.table import RULES as PRODUCTIONS

ROOT = Path(__file__).parents[3]


def test_the_grammar_has_no_conflicts():
    assert compile_grammar(read_grammar()).states


def test_a_conflict_would_be_an_error_and_not_resolved_silently():
    with pytest.raises(GrammarError):
        compile_grammar(read_grammar() + '\nfile: item "!"? "!"?\n')


def test_the_shipped_table_is_made_from_the_grammar_as_it_is():
    assert hashlib.sha256(read_grammar().encode()).hexdigest() == GRAMMAR_SHA256
    assert TABLE_FILE.read_text(encoding="utf-8") == render()


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_the_table_does_not_depend_on_the_hash_seed(seed):
    code = "from oloproof.language.syntax.generate import render; print(render(), end='')"
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert made.stdout == TABLE_FILE.read_text(encoding="utf-8")


def test_every_production_has_its_place_in_the_builder():
    assert {f"on_{alias or origin}" for origin, _, alias in PRODUCTIONS} <= set(dir(Builder))


def test_the_table_is_plain_data():
    docstring, *assignments = ast.parse(TABLE_FILE.read_text(encoding="utf-8")).body
    assert isinstance(docstring, ast.Expr)
    for assignment in assignments:
        assert isinstance(assignment, ast.Assign)
        ast.literal_eval(assignment.value)


def test_reading_a_suite_needs_neither_the_grammar_file_nor_the_generator():
    code = (
        "import sys; from oloproof.language.source import Source; from oloproof.language.syntax import parse;"
        "assert not parse(Source('a.olo', 'suite s { }')).diagnostics;"
        "print([name for name in sys.modules if name.endswith(('syntax.grammar', 'syntax.generate', 'pickle'))"
        " and name.startswith('oloproof')])"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert made.stdout == "[]\n"


def test_codes_of_syntax_are_unique_ordered_and_of_their_family():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert all(code.startswith("OLO0") for code in codes)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_page_whose_bad_example_shows_it_and_whose_good_one_does_not(rule):
    page = (ROOT / "specs" / "diagnostics" / f"{rule.code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {rule.code}: {rule.name}\n")
    examples = [part.split("```")[0] for part in page.split("```olo\n")[1:]]
    assert examples
    good = parse(Source("a.olo", examples[-1]))
    assert good.diagnostics == ()
    if len(examples) > 1:
        assert rule.code in {found.code for found in parse(Source("a.olo", examples[0])).diagnostics}
