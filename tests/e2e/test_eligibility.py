"""Cases that a rule on inputs excludes: counted, never run, never measured."""

from __future__ import annotations

import json
from pathlib import Path

from commands import oloproof
from projects import write_project

SUITE = """olo 1
suite some { }
cases rows: jsonl {
  path = "rows.jsonl", id = "id", input = "text", expect = "label"
  eligible { "lang" = ["de", "fr"] }
}
system upper: python { target = "app:upper", timeout = 5s }
evaluator exact: exact_match { }
metric same: proportion { of = exact.pass }
gate right { require same >= 60%, on = upper }
"""


def test_excluded_cases_are_counted_and_not_run(tmp_path: Path):
    project = tmp_path / "some"
    write_project(project, suite=SUITE)
    rows = [
        {"id": f"{index:02}", "text": f"w{index}", "label": f"W{index}", "lang": ("de", "fr", "en")[index % 3]}
        for index in range(60)
    ]
    (project / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.code == 0
    assert done.json["calls"] == {"evaluator": 40, "judge": 0, "system": 40}
    line = done.json["gates"][0]["requires"][0]
    assert line["counts"] == {"total": 60, "eligible": 40, "observed": 40, "missing": 0}
    assert oloproof("verify", "suite.evidence", cwd=project).code == 0
    assert oloproof("exec", "suite.olo", "--json", cwd=project).json["calls"]["system"] == 0


def test_another_reading_of_the_same_rows_decides_anew(tmp_path: Path):
    project = tmp_path / "some"
    suite = write_project(project)
    first = oloproof("compile", "--json", cwd=project).json
    suite.write_text(suite.read_text().replace('expect = "label"', 'expect = "text"'))
    second = oloproof("compile", "--json", cwd=project).json
    assert first["decision_hash"] != second["decision_hash"]
    assert first["plan_hash"] != second["plan_hash"]
