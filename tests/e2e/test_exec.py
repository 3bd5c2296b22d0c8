"""`compile` and `exec` as users run them: places, drift, run states, exit codes, bad systems."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import LIMIT_S, oloproof
from projects import replace, write_project

import oloproof as api


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path / "project")
    return tmp_path / "project"


def test_compile_and_exec_without_arguments_work_in_a_folder_with_one_suite(project: Path):
    assert oloproof("compile", cwd=project).code == 0
    assert (project / ".oloproof" / "suite.plan.json").exists()
    done = oloproof("exec", cwd=project)
    assert done.code == 0
    assert "verify it with: oloproof verify suite.evidence" in done.out
    assert oloproof("verify", "suite.evidence", cwd=project).code == 0


def test_exec_without_a_plan_says_what_to_do(project: Path):
    done = oloproof("exec", cwd=project)
    assert done.code == 2
    assert "oloproof compile" in done.err


def test_several_suites_and_none_named_are_listed(project: Path):
    (project / "second.olo").write_text("olo 1\n")
    done = oloproof("compile", cwd=project)
    assert done.code == 2
    assert "second.olo" in done.err
    assert "suite.olo" in done.err
    (project / "oloproof.toml").write_text('suite = "suite.olo"\n')
    assert oloproof("compile", cwd=project).code == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("suite.olo", "same >= 60%", "same >= 61%", "gates.upper_is_right"),
        ("rows.jsonl", '"word 3"', '"word three"', "cases.rows"),
        ("shouting.py", "upper", "lower", "systems.upper"),
    ],
)
def test_a_plan_that_is_no_longer_its_suite_is_not_run(project: Path, name: str, old: str, new: str, told: str):
    assert oloproof("compile", cwd=project).code == 0
    replace(project / name, old, new)
    done = oloproof("exec", cwd=project)
    assert done.code == 7
    assert told in done.err
    assert not (project / "suite.evidence").exists()


def test_the_plan_statement_is_signed_before_the_first_observation(project: Path):
    (project / "app.py").write_text("def upper(text):\n    raise SystemError('no')\n")
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.code == 5
    with sqlite3.connect(project / ".oloproof" / "store.sqlite") as store:
        (n,) = store.execute("SELECT count(*) FROM statements").fetchone()
    assert n == 1


def test_a_system_that_answers_nothing_is_a_run_error_without_any_decision(project: Path):
    (project / "app.py").write_text("def upper(text):\n    raise ValueError('no')\n")
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.code == 5
    assert done.json["run_state"] == "RUN_ERROR"
    assert done.json["recommendation"] is None
    assert "gates" not in done.json
    assert done.json["reason"] == "system_answered_nothing"
    assert not (project / "suite.evidence").exists()


def test_an_adapter_that_cannot_start_is_a_run_error(project: Path):
    (project / "app.py").write_text("import nothing_of_this_name\ndef upper(text):\n    return text\n")
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.code == 5
    assert done.json["run_state"] == "RUN_ERROR"
    assert done.json["reason"] == "adapter_cannot_start"
    assert "nothing_of_this_name" in done.json["message"]


HOSTILE = """import os, sys, time

def upper(text):
    number = int(text.split()[1])
    if number == 0: sys.exit(3)
    if number == 1: raise BaseException("out")
    if number == 2: time.sleep(600)
    if number == 3: return 17
    if number == 4: return None
    if number == 5: return {"score": float("nan")}
    if number == 6: os._exit(9)
    print("noise on stdout")
    return text.upper()
"""


def test_hostile_cases_are_missing_with_their_reason_and_the_run_ends(project: Path):
    (project / "app.py").write_text(HOSTILE)
    replace(project / "suite.olo", '"app:upper", timeout = 5s', '"app:upper", timeout = 1s')
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.json["run_state"] == "COMPLETE"
    assert done.json["missing"] == {
        "null_output": 1,
        "output_not_json": 1,
        "output_type": 1,
        "system_error": 1,
        "system_exit": 1,
        "timeout": 1,
        "worker_died": 1,
    }
    line = next(gate for gate in done.json["gates"] if gate["id"] == "upper_is_right")["requires"][0]
    assert line["counts"] == {"total": 20, "eligible": 20, "observed": 13, "missing": 7}
    assert line["state"] == "INSUFFICIENT_EVIDENCE"


def test_only_failures_that_may_pass_are_asked_again(project: Path):
    (project / "app.py").write_text(HOSTILE)
    replace(project / "suite.olo", '"app:upper", timeout = 5s', '"app:upper", timeout = 1s')
    oloproof("exec", "suite.olo", cwd=project)
    again = oloproof("exec", "suite.olo", "--json", cwd=project).json
    assert again["calls"]["system"] == 4, "exit, error, timeout and a dead worker; a wrong type stays what it is"
    kept = oloproof("exec", "suite.olo", "--keep-missing", "--json", cwd=project).json
    assert kept["calls"]["system"] == 0


def test_filters_explore_and_never_decide(project: Path):
    done = oloproof("exec", "suite.olo", "--case", "case-003", "--json", cwd=project)
    assert done.code == 5
    assert done.json["run_state"] == "PARTIAL"
    assert "gates" not in done.json
    assert done.json["calls"]["system"] == 2


def test_a_misspelt_case_is_named_and_nothing_runs(project: Path):
    done = oloproof("exec", "suite.olo", "--case", "csae-003", cwd=project)
    assert done.code == 2
    assert "case-003" in done.err
    assert "no runs yet" in oloproof("runs", cwd=project).out


SLOW = """import time

def upper(text):
    time.sleep(0.05)
    return text.upper()
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_cancelled_run_keeps_what_finished_and_the_next_one_goes_on(tmp_path: Path, sent: signal.Signals, code: int):
    project = tmp_path / "slow"
    write_project(project, n=200)
    (project / "app.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "oloproof", "exec", "suite.olo", "--json"],
        cwd=project,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_results(project / ".oloproof" / "store.sqlite", process)
    process.send_signal(sent)
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == code, err
    body = json.loads(out)
    assert body["run_state"] == "CANCELLED"
    assert body["recommendation"] is None
    assert "gates" not in body
    again = oloproof("exec", "suite.olo", "--json", cwd=project).json
    assert again["run_state"] == "COMPLETE"
    assert again["reused"]["observations"] > 0
    assert again["calls"]["system"] + again["reused"]["observations"] == 400
    states = [line.split()[2] for line in oloproof("runs", cwd=project).out.splitlines()]
    assert states == ["COMPLETE", "CANCELLED"]


def wait_for_results(store: Path, process: subprocess.Popen[str]) -> None:
    """Until some results of the slow system are acknowledged."""
    for _ in range(1200):
        assert process.poll() is None, process.communicate()
        if store.exists():
            try:
                with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as opened:
                    (n,) = opened.execute("SELECT count(*) FROM journal").fetchone()
            except sqlite3.Error:
                n = 0
            if n > 20:
                return
        time.sleep(0.05)
    raise AssertionError("no results were acknowledged")


def test_a_killed_run_is_taken_over(tmp_path: Path):
    project = tmp_path / "killed"
    write_project(project, n=200)
    (project / "app.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "oloproof", "exec", "suite.olo"],
        cwd=project,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_results(project / ".oloproof" / "store.sqlite", process)
    process.kill()
    process.communicate(timeout=LIMIT_S)
    again = oloproof("exec", "suite.olo", "--json", cwd=project).json
    assert again["run_state"] == "COMPLETE"
    assert again["reused"]["observations"] > 0
    states = [line.split()[2] for line in oloproof("runs", cwd=project).out.splitlines()]
    assert states == ["COMPLETE", "CANCELLED"]


def test_policy_turns_a_state_into_a_warning_and_never_into_another_state(project: Path):
    replace(
        project / "suite.olo",
        "gate upper_is_right { require same >= 60%",
        "policy { warn_on = [FAIL] }\ngate upper_is_right { require same >= 60%",
    )
    (project / "app.py").write_text("def upper(text):\n    return text\n")
    done = oloproof("exec", "suite.olo", "--json", cwd=project)
    assert done.code == 0
    assert done.json["recommendation"]["action"] == "WARN"
    assert next(gate for gate in done.json["gates"] if gate["id"] == "upper_is_right")["state"] == "FAIL"


def test_an_older_bundle_is_kept(project: Path):
    assert oloproof("exec", "suite.olo", cwd=project).code == 0
    before = (project / "suite.evidence" / "evidence.dsse.json").read_bytes()
    replace(project / "suite.olo", "same >= 60%", "same >= 70%")
    assert oloproof("exec", "suite.olo", cwd=project).code == 0
    kept = list((project / ".oloproof" / "bundles").rglob("evidence.dsse.json"))
    assert [path.read_bytes() for path in kept] == [before]
    assert oloproof("verify", "suite.evidence", cwd=project).code == 0
    assert oloproof("verify", str(kept[0].parent), cwd=project).code == 0


def test_the_python_api_gives_the_same_records(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project)
    plan = api.compile("suite.olo")
    done = api.execute("suite.olo")
    assert done.plan.plan_hash == plan.plan_hash
    assert done.outcome is not None
    assert {item.state for item in done.outcome.decisions} == {"PASS"}
    assert done.bundle is not None
    report = api.verify(done.bundle)
    assert report.is_verified
    assert report.plan_hash == plan.plan_hash


def test_verify_opens_no_socket(project: Path):
    assert oloproof("exec", "suite.olo", cwd=project).code == 0
    code = (
        "import socket, sys\n"
        "def refuse(*_a, **_k): raise AssertionError('socket')\n"
        "socket.socket = refuse; socket.create_connection = refuse; socket.getaddrinfo = refuse\n"
        "sys.argv = ['oloproof', 'verify', 'suite.evidence']\n"
        "from oloproof.cli import main\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr
