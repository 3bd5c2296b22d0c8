"""Faults of other tools, as scenarios: each is refused here, with its place and a way out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from cases.small_suites import codes, compile_text, completed

from oloproof.plan.codec import to_json

CANARY = "canary-5f1d0c2e"


def _run(folder: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OLOPROOF_")}
    done = subprocess.run(
        [sys.executable, "-m", "oloproof", *arguments],
        cwd=folder,
        env={**kept, "OLOPROOF_CONFIG_DIR": str(folder / "config"), **(environ or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done


def test_a_typo_in_an_attribute_does_not_pass(tmp_path):
    # promptfoo #4321
    compiled = compile_text(tmp_path, completed("gate floor { require accuracy >= 50%, treshold = 90% }"))
    (found,) = compiled.diagnostics
    assert (found.code, found.span.start) == ("OLO106", 38)
    assert compiled.plan is None


def test_a_misspelt_keyword_in_a_gate_is_an_error_on_its_line(tmp_path):
    text = completed("gate floor {\n  treshold min 0.9\n}")
    (tmp_path / "suite.olo").write_text(text)
    done = _run(tmp_path, "compile", "suite.olo")
    assert done.returncode == 1
    assert "suite.olo:2:" in done.stderr


def test_a_misspelt_adapter_is_an_error_with_a_suggestion(tmp_path):
    (tmp_path / "suite.olo").write_text(completed('system candidate: replai { path = "answers.jsonl" }'))
    done = _run(tmp_path, "compile", "suite.olo")
    assert done.returncode == 1
    assert "OLO205" in done.stderr
    assert "suite.olo:1:19" in done.stderr
    assert "did you mean `replay`?" in done.stderr


def test_what_no_gate_reaches_is_told_and_the_rest_compiles(tmp_path):
    text = completed(
        "evaluator exact: exact_match { }\nevaluator spare: contains { }\n"
        "metric accuracy: proportion { of = exact.pass }\nmetric lenient: proportion { of = exact.pass }\n"
        'cases tickets: inline { case "a" { input = "x", expect = "x" } }\n'
        'cases spare: inline { case "a" { input = "x", expect = "x" } }\n'
        "gate floor { require accuracy >= 1%, cases = tickets }"
    )
    compiled = compile_text(tmp_path, text)
    assert codes(compiled) == ["OLO105", "OLO105", "OLO105", "OLO602"]
    assert compiled.plan is not None


def test_the_last_of_two_values_does_not_win(tmp_path):
    compiled = compile_text(tmp_path, completed("policy {\n  confidence = 95%\n  confidence = 50%\n}"))
    (found,) = compiled.diagnostics
    source = compiled.sources["suite.olo"]
    assert found.code == "OLO121"
    assert [source.position(span.start).line for span in (found.span, found.labels[0].span)] == [3, 2]


def test_a_gate_that_thirty_cases_cannot_decide_is_refused_with_the_number_that_could(tmp_path):
    rows = "".join(f'  case "{n}" {{ input = "{n}", expect = "x" }}\n' for n in range(30))
    text = f"cases tickets: inline {{\n{rows}}}\ngate floor {{ require accuracy >= 99.5%ADVISORY }}"
    (found,) = compile_text(tmp_path, completed(text.replace("ADVISORY", ""))).diagnostics
    assert found.code == "OLO601"
    assert "all of 30 cases right the lower bound is 0.8842" in found.message
    assert found.help == "at least 736 cases are needed at this confidence; or set `advisory = true`"
    advisory = compile_text(tmp_path, completed(text.replace("ADVISORY", ", advisory = true")))
    assert codes(advisory) == ["OLO611"]
    assert advisory.plan is not None


def test_a_shell_variable_in_a_string_is_no_value_anywhere(tmp_path):
    # promptfoo #4616: expanded in some fields and sent as it stands in others.
    vault = 'system candidate: vault {{ key = {}, timeout = 5s, region = "{}" }}'
    plain = compile_text(tmp_path, completed(vault.format('secret("KEY")', "${REGION}")), is_strange=True)
    secret = compile_text(tmp_path, completed(vault.format('"${KEY}"', "eu")), is_strange=True)
    assert "OLO132" in codes(plain)
    assert "OLO701" in codes(secret)


def test_a_broken_plugin_stops_only_the_suites_that_need_it(tmp_path):
    # flake8 #784, sqlfluff #6816
    beside = compile_text(tmp_path, completed(""), is_strange=True)
    needed = compile_text(tmp_path, completed("system candidate: torn { timeout = 5s }"), is_strange=True)
    assert (codes(beside), beside.plan is None) == (["OLO210"], False)
    assert (codes(needed), needed.plan is None) == (["OLO211"], True)
    for found in (*beside.diagnostics, *needed.diagnostics):
        assert "acme-oloproof 0.3" in found.message
        assert "ImportError: No module named 'acme_client'" in found.message


def test_a_secret_is_in_the_plan_by_name_only(tmp_path, monkeypatch):
    # terraform #516
    monkeypatch.setenv("VAULT_KEY", CANARY)
    text = completed(
        'system candidate: vault { key = secret("VAULT_KEY"), timeout = 5s }\n'
        'evaluator exact: guarded { key = secret("JUDGE_KEY") }'
    )
    compiled = compile_text(tmp_path, text, is_strange=True)
    assert compiled.plan is not None
    assert compiled.plan.inputs.secrets == ("JUDGE_KEY", "VAULT_KEY")
    assert CANARY not in repr(to_json(compiled.plan))
    assert CANARY not in repr(compiled.diagnostics)


def test_nothing_is_no_green(tmp_path):
    # i-have-adhd #49: a misspelt path, no cases, exit code 0
    empty = completed('cases tickets: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "text" }')
    (tmp_path / "suite.olo").write_text(empty)
    (tmp_path / "answers.jsonl").write_text("")
    (tmp_path / "rows.jsonl").write_text("")
    assert _run(tmp_path, "compile", "suite.olo").returncode == 1
    (tmp_path / "rows.jsonl").unlink()
    assert _run(tmp_path, "compile", "suite.olo").returncode == 2
    assert _run(tmp_path, "compile", "suit.olo").returncode == 2
    (tmp_path / "suite.olo").unlink()
    assert _run(tmp_path, "compile").returncode == 2


@pytest.mark.parametrize("command", ["compile", "lint"])
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "OLO110"),
        (b"# nothing\n## at all\n", "OLO110"),
        (b"\xff\xfes\x00", "OLO002"),
        (b"suite demo { }\xff\n", "OLO002"),
        (b"\x00\x01\x02", "OLO003"),
        ("suite demo { }\n".encode("utf-16"), "OLO002"),
    ],
)
def test_a_file_that_is_no_suite_is_told_as_such(tmp_path, command, content, code):
    (tmp_path / "suite.olo").write_bytes(content)
    done = _run(tmp_path, command, "suite.olo")
    assert done.returncode == 1
    assert code in done.stdout + done.stderr
