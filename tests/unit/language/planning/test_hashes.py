"""What changes the hashes of a plan and the identities in it, and what does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from cases.small_suites import FILES, compile_text

from oloproof.plan.codec import to_json
from oloproof.plan.plan import Plan

SUITE = """\
suite demo { seed = 7, owner = "me" }
cases tickets: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "label" }
cluster customer { by = case.customer }
slice kind { by = case.kind }
system candidate: python { target = "app:answer", timeout = 5s, concurrency = 4 }
system baseline: replay { path = "answers.jsonl" }
evaluator exact: exact_match { field = "label" }
evaluator near: numeric { tolerance = 0.5 }
metric accuracy: proportion { of = exact.pass, cluster = customer }
metric close: proportion { of = near.pass }
gate floor {
  require accuracy >= 50%
  require close >= 40%
  on = candidate
}
gate other { require accuracy >= 60%, on = baseline, advisory = true }
policy { confidence = 95%, warn_on = [MANUAL_REVIEW, INSUFFICIENT_EVIDENCE] }
"""
ROWS = "".join(
    f'{{"id": "c{n}", "text": "t{n}", "label": "{n % 2}", "customer": "k{n // 2}", "kind": "{n % 3}"}}\n'
    for n in range(24)
)


@pytest.fixture
def plan_of(tmp_path):
    def plan(text: str = SUITE, rows: str = ROWS, **files: str) -> Plan:
        compiled = compile_text(tmp_path, text, {"rows.jsonl": rows, **files})
        assert compiled.plan is not None, [item.message for item in compiled.diagnostics]
        return compiled.plan

    return plan


def _hashes(plan: Plan) -> tuple[str, str]:
    return plan.decision_hash, plan.plan_hash


def _shuffled(text: str) -> str:
    items = re.split(r"\n(?=[a-z])", text.rstrip("\n"))
    return "\n\n".join(reversed(items)) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        SUITE.replace("\n", "\r\n"),
        SUITE.replace("\n", "\r"),
        "\ufeff" + SUITE,
        SUITE.rstrip("\n"),
        "olo 1\n" + SUITE,
        "# a comment\n" + SUITE.replace("gate floor", "## What must hold.\ngate floor") + "# the end",
        SUITE.replace(", ", "\n  ").replace("{ ", "{\n").replace("[MANUAL_REVIEW\n  ", "[MANUAL_REVIEW, "),
        _shuffled(SUITE),
        SUITE.replace("95%", "95.0%").replace("50%", "50.00%").replace("0.5 }", "0.50 }"),
        SUITE.replace("5s", "5_000ms"),
        SUITE.replace("MANUAL_REVIEW, INSUFFICIENT_EVIDENCE", "INSUFFICIENT_EVIDENCE, MANUAL_REVIEW"),
        SUITE.replace("50%", "bar").replace("suite demo", "let bar = 50%\nsuite demo"),
        SUITE.replace("seed = 7, owner", "owner").replace('"me" }', '"me", seed = 7 }'),
        SUITE.replace("exact_match {", "exact_match@1 { strip = true,"),
        SUITE + "evaluator spare: contains { }\nmetric spare: proportion { of = spare.pass }\n",
    ],
    ids=["crlf", "cr", "bom", "no-end", "edition", "comments", "layout", "order", "zeros", "units", "states", "let",
         "attributes", "defaults", "unreached"],
)  # fmt: skip
def test_how_a_suite_is_written_changes_no_hash(plan_of, text):
    assert _hashes(plan_of(text)) == _hashes(plan_of())


def test_where_a_suite_lies_and_from_where_it_is_compiled_changes_no_hash(tmp_path):
    seen = set()
    for folder, cwd in ((tmp_path / "a", tmp_path / "a"), (tmp_path / "b" / "c", tmp_path)):
        folder.mkdir(parents=True)
        for name, content in {**FILES, "rows.jsonl": ROWS, "suite.olo": SUITE}.items():
            (folder / name).write_text(content)
        suite = os.path.relpath(folder / "suite.olo", cwd)
        subprocess.run(
            [sys.executable, "-m", "oloproof", "compile", suite, "-o", folder / "p.json"],
            cwd=cwd,
            env={**os.environ, "PYTHONHASHSEED": str(len(seen))},
            capture_output=True,
            check=True,
            timeout=60,
        )
        seen.add((folder / "p.json").read_bytes())
    assert len(seen) == 1
    assert str(tmp_path).encode() not in seen.pop()


@pytest.mark.parametrize(
    "change",
    [
        ("50%", "51%"),
        ("50%", "49%"),
        (">= 40%", "<= 40%"),
        ("95%", "90%"),
        ("advisory = true", "advisory = false"),
        ("warn_on = [MANUAL_REVIEW, INSUFFICIENT_EVIDENCE]", "warn_on = [MANUAL_REVIEW]"),
        ("cluster = customer", "cluster = customer, errors = failed"),
        ("cluster = customer", "cluster = customer, max_size = 5"),
        ("by = case.customer", "by = case.id"),
        ("by = case.kind", "by = case.label"),
        ("seed = 7", "seed = 8"),
    ],
    ids=str,
)
def test_what_decides_changes_the_decision_hash_and_no_system(plan_of, change):
    before, after = plan_of(), plan_of(SUITE.replace(*change))
    assert after.decision_hash != before.decision_hash
    assert after.plan_hash != before.plan_hash
    assert [entry.identity for entry in after.systems] == [entry.identity for entry in before.systems]


@pytest.mark.parametrize(
    "change",
    [
        ("timeout = 5s", "timeout = 6s"),
        ("concurrency = 4", "concurrency = 9"),
        ("timeout = 5s", "timeout = 5s, repeats = 2"),
    ],
    ids=str,
)
def test_how_a_system_is_called_changes_the_plan_and_neither_decision_nor_identity(plan_of, change):
    before, after = plan_of(), plan_of(SUITE.replace(*change))
    assert after.plan_hash != before.plan_hash
    assert after.decision_hash == before.decision_hash
    assert after.systems[1].identity == before.systems[1].identity


def test_the_name_of_a_system_is_no_part_of_its_identity(plan_of):
    before, after = plan_of(), plan_of(SUITE.replace("candidate", "contender"))
    assert after.system("contender").identity == before.system("candidate").identity


@pytest.mark.parametrize("change", [("0.5 }", "0.6 }"), ("numeric {", "numeric { take = first,")], ids=str)
def test_an_option_of_an_evaluator_changes_its_identity_and_no_other(plan_of, change):
    before, after = plan_of(), plan_of(SUITE.replace(*change))
    assert after.evaluator("near").identity != before.evaluator("near").identity
    assert after.evaluator("exact").identity == before.evaluator("exact").identity
    assert [entry.identity for entry in after.systems] == [entry.identity for entry in before.systems]
    assert after.decision_hash != before.decision_hash


def test_an_edit_of_a_row_changes_the_content_and_no_system(plan_of):
    before, after = plan_of(), plan_of(rows=ROWS.replace('"t3"', '"T3"'))
    old, new = before.case_set("tickets"), after.case_set("tickets")
    assert (old.content != new.content, old.ids == new.ids, old.design == new.design) == (True, True, True)
    assert after.decision_hash != before.decision_hash
    assert [entry.identity for entry in after.systems] == [entry.identity for entry in before.systems]


def test_the_order_of_rows_and_the_spelling_of_a_row_change_no_decision(plan_of):
    before = plan_of()
    after = plan_of(rows="".join(reversed(ROWS.replace(", ", " ,  ").splitlines(keepends=True))))
    assert after.decision_hash == before.decision_hash
    assert after.plan_hash != before.plan_hash  # the file's own digest is in what runs


def test_a_new_recording_changes_the_plan_and_re_buys_nothing(plan_of):
    before, after = plan_of(), plan_of(**{"answers.jsonl": '{"id": "c0", "output": "1"}\n'})
    assert after.plan_hash != before.plan_hash
    assert after.system("baseline").identity == before.system("baseline").identity


def test_an_edit_of_the_code_changes_the_identity_of_its_system_only(plan_of):
    before, after = plan_of(), plan_of(**{"app.py": FILES["app.py"] + "# more\n"})
    assert after.system("candidate").identity != before.system("candidate").identity
    assert after.system("baseline").identity == before.system("baseline").identity
    assert after.decision_hash == before.decision_hash


def test_a_plan_holds_no_place_and_no_float(plan_of, tmp_path):
    def walk(value: object) -> None:
        assert not isinstance(value, float)
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
            walk(item)

    body = to_json(plan_of())
    walk(body)
    assert str(tmp_path) not in repr(body)
