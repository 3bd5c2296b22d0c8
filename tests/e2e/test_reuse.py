"""What is called again after a change, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Ended, oloproof
from projects import replace, write_project, write_rows


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path / "project")
    assert run(tmp_path / "project")["calls"]["system"] == 40
    return tmp_path / "project"


def run(project: Path, *options: str) -> dict:
    done: Ended = oloproof("exec", "suite.olo", "--json", *options, cwd=project)
    return done.json


def test_an_unchanged_project_calls_nothing(project: Path):
    again = run(project)
    assert again["calls"] == {"evaluator": 0, "judge": 0, "system": 0}
    assert again["reused"] == {"measurements": 40, "observations": 40}


def test_an_edited_threshold_calls_nothing_and_decides_anew(project: Path):
    replace(project / "suite.olo", "same >= 60%", "same >= 80%")
    again = run(project)
    assert again["calls"] == {"evaluator": 0, "judge": 0, "system": 0}
    assert {gate["id"]: gate["requires"][0]["threshold"] for gate in again["gates"]}["upper_is_right"] == "0.8"


def test_an_edited_helper_module_of_a_system_calls_that_system_only(project: Path):
    replace(project / "shouting.py", "text.upper()", "text.lower()")
    again = run(project)
    assert again["calls"]["system"] == 20
    assert again["reused"]["observations"] == 20
    states = {gate["id"]: gate["state"] for gate in again["gates"]}
    assert states == {"upper_is_right": "FAIL", "echo_holds": "PASS"}


def test_an_edit_that_changes_no_answer_costs_no_judgment(project: Path):
    replace(project / "shouting.py", "return text.upper()", "shouted = text.upper()\n    return shouted")
    again = run(project)
    assert again["calls"]["system"] == 20
    assert again["calls"]["evaluator"] == 0


def test_an_edited_evaluator_keeps_all_observations(project: Path):
    replace(project / "suite.olo", "exact_match { }", "exact_match { ignore_case = true }")
    again = run(project)
    assert again["calls"]["system"] == 0
    assert again["calls"]["evaluator"] == 20
    assert again["reused"] == {"measurements": 20, "observations": 40}


def test_one_changed_case_is_one_call_a_system(project: Path):
    write_rows(project, [(f"case-{index:03}", f"word {index or 'new'}") for index in range(20)])
    again = run(project)
    assert again["calls"]["system"] == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout = 5s", "timeout = 9s"),
        ("timeout = 5s }\nsystem echo", "timeout = 5s, concurrency = 1 }\nsystem echo"),
        ("suite small { seed = 1 }", "# a comment\nsuite small { seed = 1 }"),
    ],
)
def test_what_cannot_change_an_answer_calls_nothing(project: Path, old: str, new: str):
    replace(project / "suite.olo", old, new)
    assert run(project)["calls"]["system"] == 0


def test_a_renamed_system_is_the_same_system(project: Path):
    text = (
        (project / "suite.olo")
        .read_text()
        .replace("system upper", "system louder")
        .replace("on = upper", "on = louder")
    )
    (project / "suite.olo").write_text(text)
    assert run(project)["calls"]["system"] == 0


def test_fresh_asks_again(project: Path):
    assert run(project, "--fresh")["calls"]["system"] == 40


def test_two_systems_in_one_store_never_share_an_answer(project: Path):
    replace(project / "suite.olo", 'target = "other:echo"', 'target = "app:upper"')
    again = run(project)
    assert again["calls"]["system"] == 0, "the same code under another name is the same system"
    replace(
        project / "suite.olo",
        'target = "app:upper", timeout = 5s }\nsystem echo',
        'target = "other:echo", timeout = 5s }\nsystem echo',
    )
    again = run(project)
    states = {gate["id"]: gate["state"] for gate in again["gates"]}
    assert states["upper_is_right"] == "FAIL"


def test_identical_inputs_get_a_call_each_and_one_cluster(tmp_path: Path):
    project = tmp_path / "twins"
    write_project(project)
    write_rows(project, [(f"case-{index:03}", f"word {index // 2}") for index in range(40)])
    first = run(project)
    assert first["calls"]["system"] == 80
    assert first["gates"][0]["requires"][0]["clusters"] == 20
