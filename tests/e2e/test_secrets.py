"""A secret's value reaches no artefact: not the plan, the store, the bundle, nor anything that is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import oloproof
from projects import write_project

CANARY = "canary-7f3a9c51e2d84b06"
SUITE = """olo 1
suite routed { }
cases rows: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "label" }
system router: keyword_router { rules = ["word -> WORD"], token = secret("ROUTER_TOKEN"), timeout = 5s }
evaluator near: edit_distance { field = "label", at_most = 100 }
metric close: proportion { of = near.pass }
gate good { require close >= 50%, on = router }
"""


def traces(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]


def test_the_value_of_a_secret_is_nowhere_after_a_run(tmp_path: Path):
    pytest.importorskip("oloproof_example", reason="needs plugins/example installed")
    project = tmp_path / "routed"
    write_project(project, suite=SUITE)
    done = oloproof("exec", "suite.olo", "--json", cwd=project, env={"ROUTER_TOKEN": CANARY})
    assert done.code == 0, done.err
    assert done.json["calls"]["system"] == 20
    assert CANARY not in done.out + done.err
    assert traces(tmp_path) == []
    assert "ROUTER_TOKEN" in (project / "suite.evidence" / "plan.json").read_text()


def test_another_value_and_another_name_of_a_secret_call_nothing(tmp_path: Path):
    pytest.importorskip("oloproof_example", reason="needs plugins/example installed")
    project = tmp_path / "routed"
    suite = write_project(project, suite=SUITE)
    assert oloproof("exec", "suite.olo", cwd=project, env={"ROUTER_TOKEN": CANARY}).code == 0
    suite.write_text(SUITE.replace("ROUTER_TOKEN", "OTHER_TOKEN"))
    again = oloproof("exec", "suite.olo", "--json", cwd=project, env={"OTHER_TOKEN": "different"})
    assert again.json["calls"]["system"] == 0


def test_a_secret_that_is_not_set_is_asked_for_before_anything_runs(tmp_path: Path):
    pytest.importorskip("oloproof_example", reason="needs plugins/example installed")
    project = tmp_path / "routed"
    write_project(project, suite=SUITE)
    done = oloproof("exec", "suite.olo", cwd=project)
    assert done.code == 2
    assert "ROUTER_TOKEN" in done.err
    assert not (project / ".oloproof").exists()
