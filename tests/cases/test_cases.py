"""Every code of the compiler outside family 0: cases with what must be said beside the line, and its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases.reading import HERE, PAGES, Case, read_cases, read_page
from cases.small_suites import compile_text, completed

from oloproof.app.compile import Compiled
from oloproof.language.codes import RULES
from oloproof.language.diagnostics import Diagnostic

CASES = [case for path in sorted(HERE.glob("*.olo")) for case in read_cases(path)]
CODES = {rule.code for rule in RULES if not rule.code.startswith("OLO0")}


def check(case: Case, folder: Path) -> None:
    """Compiles a case; what is found must be what its marks say, all of it and nothing else."""
    compiled = _compile(case, folder)
    found = [(_line(compiled, item), item.code) for item in compiled.diagnostics]
    assert sorted(found, key=str) == sorted(((item.line, item.code) for item in case.wanted), key=str)
    for wanted in case.wanted:
        said = [
            _said(item)
            for item in compiled.diagnostics
            if (item.code, _line(compiled, item)) == (wanted.code, wanted.line)
        ]
        assert any(wanted.text in text for text in said), said


def _compile(case: Case, folder: Path) -> Compiled:
    text = case.text if "whole" in case.flags else completed(case.text)
    return compile_text(folder, text, case.files, is_strange="strange" in case.flags)


def _line(compiled: Compiled, item: Diagnostic) -> int | None:
    return None if item.span is None else compiled.sources[item.span.path].position(item.span.start).line


def _said(item: Diagnostic) -> str:
    return "\n".join([item.message, *item.notes, item.help or "", *(label.text for label in item.labels)])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.title}")
def test_a_case_gives_what_its_marks_say_and_nothing_else(case, tmp_path):
    check(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.title}")
def test_a_bad_case_shows_its_code_and_a_good_one_does_not(case):
    assert (case.code in {wanted.code for wanted in case.wanted}) is not case.is_good


def test_every_code_has_bad_cases_and_good_ones_and_every_case_a_code():
    assert {case.code for case in CASES if not case.is_good} == CODES
    assert {case.code for case in CASES if case.is_good} == CODES


def test_every_rule_has_its_page_and_every_page_its_rule():
    assert {path.stem for path in PAGES.glob("*.md")} == {rule.code for rule in RULES}


def test_codes_and_names_are_unique():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in CODES], ids=lambda rule: rule.code)
def test_a_page_says_why_it_matters_and_how_to_fix_it(rule):
    text = (PAGES / f"{rule.code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {rule.code}: {rule.name}\n\n")
    assert text.index("\nBad:\n") < text.index("\nGood:\n") < text.index("\n## How to fix\n")
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_bad_example_of_a_page_shows_its_code(code, tmp_path):
    case = read_page(PAGES / f"{code}.md")["bad"]
    assert code in {item.code for item in _compile(case, tmp_path).diagnostics}


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_good_example_of_a_page_compiles_and_is_free_of_its_code(code, tmp_path):
    case = read_page(PAGES / f"{code}.md")["good"]
    compiled = _compile(case, tmp_path)
    assert code not in {item.code for item in compiled.diagnostics}
    assert compiled.plan is not None, [_said(item) for item in compiled.diagnostics]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.title}")
def test_every_error_names_a_way_out(case, tmp_path):
    for item in _compile(case, tmp_path).diagnostics:
        assert item.help or item.fixes or "due" in item.message or ";" in item.message, item
