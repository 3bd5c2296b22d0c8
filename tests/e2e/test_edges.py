"""Where commands meet their surroundings: pipes, places, plans, stale memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import LIMIT_S, oloproof
from projects import replace, write_project, write_rows

import oloproof as api
from oloproof.app.api import PlanOfUnknownSuite
from oloproof.app.compile import CasesChanged, compile_suite
from oloproof.app.drift import Drift
from oloproof.app.places import places_of
from oloproof.app.wiring.light import compiler
from oloproof.canon.digests import DigestText
from oloproof.plan.codec import to_json


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path / "project")
    return tmp_path / "project"


def test_a_reader_that_goes_away_does_not_turn_a_failing_gate_green(project: Path):
    (project / "app.py").write_text("def upper(text):\n    return text\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "oloproof", "exec", "suite.olo"],
        cwd=project,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1, done.stderr


def test_output_that_cannot_be_written_is_an_error_and_no_fault(project: Path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "oloproof", "exec", "suite.olo"],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert done.returncode == 2
    assert "internal error" not in done.stderr


def test_what_is_no_bundle_is_not_moved_and_nothing_is_called(project: Path):
    (project / "notes").mkdir()
    (project / "notes" / "mine.txt").write_text("mine")
    done = oloproof("exec", "suite.olo", "-o", "notes", cwd=project)
    assert done.code == 2
    assert (project / "notes" / "mine.txt").read_text() == "mine"
    assert "no runs yet" in oloproof("runs", cwd=project).out


def test_a_plan_from_compile_runs_and_a_changed_suite_is_drift(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project)
    plan = api.compile("suite.olo")
    assert api.execute(plan).outcome is not None
    replace(project / "suite.olo", "same >= 60%", "same >= 61%")
    with pytest.raises(Drift):
        api.execute(plan)


def test_a_plan_from_elsewhere_does_not_say_where_its_suite_lies(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project)
    plan = api.compile("suite.olo")
    monkeypatch.setattr("oloproof.app.api._SUITES", {})
    with pytest.raises(PlanOfUnknownSuite):
        api.execute(plan)


def test_rows_that_change_under_a_recalled_plan_are_noticed(project: Path):
    places = places_of(project / "suite.olo")
    before = compile_suite(places, compiler(), display="suite.olo").plan
    assert before is not None
    write_rows(project, [("another", "row")])
    stale = compiler(recall=lambda _: to_json(before), tool=lambda: DigestText("sha256:" + "0" * 64))
    recalled = compile_suite(places, stale, display="suite.olo")
    with pytest.raises(CasesChanged):
        list(recalled.case_sets)


def test_the_words_of_a_failure_are_told_and_enter_no_bundle(project: Path):
    (project / "app.py").write_text(
        "def upper(text):\n"
        "    if text == 'word 3':\n"
        "        raise ValueError('zebra at the door')\n"
        "    return text.upper()\n"
    )
    done = oloproof("exec", "suite.olo", cwd=project)
    assert "zebra at the door" in done.out
    written = [path.read_bytes() for path in (project / "suite.evidence").rglob("*") if path.is_file()]
    assert not any(b"zebra" in data for data in written)


@pytest.mark.parametrize("link", ["case", "inference", "decision", "recommendation", "evidence", "diagnosis"])
def test_failures_are_asked_only_of_records_that_can_fail(project: Path, link: str):
    assert oloproof("exec", "suite.olo", cwd=project).code == 0
    assert oloproof("show", link, "--failures", cwd=project).code == 2


def test_every_link_is_readable_by_itself(project: Path):
    assert oloproof("exec", "suite.olo", cwd=project).code == 0
    for source in ("last", "suite.evidence"):
        for link in ("case", "observation", "measurement", "inference", "decision", "recommendation", "evidence"):
            shown = oloproof("show", source, link, "--json", cwd=project)
            assert shown.code == 0
            assert {item["record"]["link"] for item in shown.json["records"]} == {link}


def test_a_run_without_records_says_so(project: Path):
    assert oloproof("exec", "suite.olo", "--limit", "2", cwd=project).code == 5
    done = oloproof("show", "1", cwd=project)
    assert done.code == 2
    assert "PARTIAL" in done.err


@pytest.mark.parametrize("text", ['suit = "suite.olo"\n', 'suite = "../elsewhere.olo"\n', "suite = 3\n", "suite = \n"])
def test_settings_that_mean_nothing_are_refused(project: Path, text: str):
    (project / "oloproof.toml").write_text(text)
    assert oloproof("compile", cwd=project).code == 2


def test_a_folder_whose_name_is_no_utf8_is_refused_at_once(tmp_path: Path):
    name = os.fsdecode(b"gr\xfc\xdfe")
    try:
        write_project(tmp_path / name)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    done = oloproof("compile", cwd=tmp_path / name)
    assert done.code == 2
    assert "UTF-8" in done.err


def test_a_suite_in_a_folder_with_spaces_and_umlauts_works(tmp_path: Path):
    project = tmp_path / "mein größerer Ordner"
    write_project(project)
    done = oloproof("exec", "suite.olo", cwd=project)
    assert done.code == 0
    assert oloproof("verify", "suite.evidence", cwd=project).code == 0
