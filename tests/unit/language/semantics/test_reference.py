"""docs/reference/language.md: its examples compile, and its tables name what the compiler takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases.small_suites import compile_text, completed

from oloproof.app.wiring.light import compiler
from oloproof.sdk.options import describe

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "language.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```olo\n(.*?)```", PAGE, re.DOTALL)
ROWS = "".join(
    f'{{"ticket_id": {n}, "text": "t{n}", "label": "{"ab"[n // 12 % 2]}", "customer_id": {n // 4},'
    f' "language": "{["de", "en", "fr", "it"][n % 4]}"}}\n'
    for n in range(80)
)
FILES = {
    "data/tickets.jsonl": ROWS,
    "data/baseline.jsonl": "",
    "router.py": "def classify(text):\n    return {}\n",
}


@pytest.mark.parametrize("text", EXAMPLES, ids=["whole", "inline", "uneven"])
def test_every_example_compiles_without_a_word(text, tmp_path):
    compiled = compile_text(tmp_path, text, FILES)
    assert [item.message for item in compiled.diagnostics if item.code != "OLO602"] == []
    assert compiled.plan is not None


@pytest.mark.parametrize("kind", ["source", "system", "evaluator"])
def test_every_built_in_type_and_option_is_listed(kind):
    catalogue = compiler().catalogue
    for name in catalogue.names(kind):
        found = catalogue.find(kind, name)
        if found.is_builtin:
            row = next(line for line in PAGE.splitlines() if line.startswith(f"| {kind} `{name}` |"))
            for spec in describe(found.manifest.options).values():
                assert f"`{spec.name}`" in row or spec.kind == "inline_cases"
            for output in found.manifest.outputs:
                assert f"`{output}`" in row


@pytest.mark.parametrize(
    "text",
    [
        "judge a: rubric { }",
        "budget { }",
        "plugin a { }",
        'import "x.olo" as x',
        "param x: int = 1",
        'suite demo { owner = env("X") }',
        "suite demo { population = suite }",
        "policy { guarantee = proved }",
        *(f"metric accuracy: {kind} {{ }}" for kind in ("mean", "quantile", "paired_difference", "difference")),
        *(f"metric accuracy: {kind} {{ }}" for kind in ("pass_at_k", "pass_hat_k")),
        *(f"metric accuracy: proportion {{ of = system.{name} }}" for name in ("latency", "cost", "tokens_in")),
        *(f"metric accuracy: proportion {{ of = exact.pass, {name} = 1 }}" for name in ("range", "q", "k", "control")),
        "metric accuracy: proportion { of = exact.pass, missing = complete_case }",
        "metric accuracy: proportion { of = exact.pass, assume { icc_max = 0.1 } }",
        'cases tickets: csv { path = "x.csv" }',
        'cases tickets: jsonl { path = "x.jsonl", id = "a", input = "b", weight = "c" }',
        "system candidate: http { }",
        "system candidate: subprocess { }",
        *(f'system candidate: replay {{ path = "answers.jsonl", {name} {{ }} }}' for name in ("matrix", "rate")),
        *(f"gate floor {{ require accuracy >= 50%, {name} = 3 }}" for name in ("looks", "spending", "method")),
        "gate floor { require accuracy >= 50%, correction = holm }",
        'system candidate: replay { path = "answers.jsonl" }\nsystem b extends candidate { }',
    ],
)
def test_what_is_not_available_yet_is_refused_as_such(text, tmp_path):
    compiled = compile_text(tmp_path, completed(text))
    assert "OLO109" in {item.code for item in compiled.diagnostics}
    assert compiled.plan is None
