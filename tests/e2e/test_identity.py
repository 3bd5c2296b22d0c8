"""The code that is named is the code that runs: a verdict is never of something else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import LIMIT_S, oloproof

SUITE = """olo 1
suite s { }
cases c: jsonl { path = "c.jsonl", id = "id", input = "input", expect = "expect" }
system p: python { target = "app:f", timeout = 20s }
evaluator e: exact_match { }
metric m: proportion { of = e.pass }
gate g { require m >= 50% }
"""
#: As on a user's machine, where Python keeps compiled modules.
CACHING = {"PYTHONDONTWRITEBYTECODE": ""}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "oloproof.toml").write_text("")
    (tmp_path / "s.olo").write_text(SUITE)
    (tmp_path / "c.jsonl").write_text("".join(f'{{"id":"c{n:03}","input":"i{n}","expect":"ok"}}\n' for n in range(20)))
    return tmp_path


def run(project: Path) -> tuple[int, str]:
    done = oloproof("exec", "s.olo", "--json", cwd=project, env=CACHING)
    return done.json["calls"]["system"], done.json["gates"][0]["state"]


def test_a_compiled_module_never_answers_for_an_edited_source(project: Path):
    app = project / "app.py"
    app.write_text('def f(x): return "ok"\n')
    os.utime(app, (1_767_225_600, 1_767_225_600))
    assert run(project) == (20, "PASS")
    app.write_text('def f(x): return "no"\n')
    os.utime(app, (1_767_225_600, 1_767_225_600))
    assert run(project) == (20, "FAIL")


def test_a_module_compiled_unchecked_does_not_answer_either(project: Path):
    (project / "app.py").write_text('def f(x): return "ok"\n')
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "."],
        cwd=project,
        env={**os.environ, **CACHING},
        check=True,
    )
    (project / "app.py").write_text('def f(x): return "something else"\n')
    assert run(project) == (20, "FAIL")


@pytest.mark.parametrize(
    "app",
    [
        "from pkg import *\ndef f(x): return sub.g()\n",
        "import importlib\ndef f(x): return importlib.import_module('pkg.sub').g()\n",
        "from importlib import import_module\ndef f(x): return import_module('pkg.sub').g()\n",
        "def f(x):\n    __import__('pkg.sub')\n    import sys\n    return sys.modules['pkg.sub'].g()\n",
    ],
)
def test_code_that_is_reached_by_other_ways_of_importing_counts(project: Path, app: str):
    (project / "app.py").write_text(app)
    (project / "pkg").mkdir()
    (project / "pkg" / "__init__.py").write_text('__all__ = ["sub"]\n')
    (project / "pkg" / "sub.py").write_text('def g(): return "ok"\n')
    assert run(project) == (20, "PASS")
    (project / "pkg" / "sub.py").write_text('def g(): return "no"\n')
    assert run(project) == (20, "FAIL")


def test_a_computed_import_is_named_in_the_plan(project: Path):
    (project / "app.py").write_text("import importlib\ndef f(x): return importlib.import_module(x)\n")
    done = oloproof("compile", "s.olo", cwd=project)
    assert done.code == 0
    assert "imports that are not in its identity: <computed>\n" in done.out
    plan = json.loads((project / ".oloproof" / "s.plan.json").read_bytes())
    assert plan["systems"][0]["code"]["unresolved"] == ["<computed>"]


def test_a_module_with_the_name_of_a_standard_one_is_refused(project: Path):
    (project / "app.py").write_text("import json\ndef f(x): return getattr(json, 'ANSWER', 'ok')\n")
    (project / "json.py").write_text('ANSWER = "no"\n')
    done = oloproof("exec", "s.olo", cwd=project)
    assert done.code == 1
    assert "standard module" in done.err


def test_code_that_is_edited_while_it_runs_gives_no_verdict_and_leaves_no_answers(project: Path):
    (project / "h.py").write_text('def g(): return "no"\n')
    (project / "app.py").write_text(
        "import pathlib, time\n"
        "here = pathlib.Path(__file__).parent\n"
        "def f(x):\n"
        "    (here / 'started').touch()\n"
        "    while (here / 'hold').exists():\n"
        "        time.sleep(0.02)\n"
        "    import h\n"
        "    return h.g()\n"
    )
    (project / "hold").touch()
    process = subprocess.Popen(
        [sys.executable, "-m", "oloproof", "exec", "s.olo"],
        cwd=project,
        env={**os.environ, **CACHING},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if (project / "started").exists():
            break
        time.sleep(0.05)
    (project / "h.py").write_text('def g(): return "ok" \n')
    (project / "hold").unlink()
    _, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 7, err
    assert "changed while it was run" in err
    (project / "h.py").write_text('def g(): return "no"\n')
    assert run(project) == (20, "FAIL")


def test_failures_that_count_as_outcomes_are_not_drawn_again_until_they_are_gone(project: Path):
    text = SUITE.replace("of = e.pass", "of = e.pass, errors = failed")
    (project / "s.olo").write_text(text)
    (project / "app.py").write_text(
        "import pathlib\n"
        "seen = pathlib.Path(__file__).parent / 'seen'\n"
        "seen.mkdir(exist_ok=True)\n"
        "def f(x):\n"
        "    if (seen / x).exists(): return 'ok'\n"
        "    (seen / x).touch()\n"
        "    raise ValueError(x)\n"
    )
    (project / "seen").mkdir()
    for n in range(2):
        (project / "seen" / f"i{n}").touch()
    assert run(project) == (20, "FAIL")
    assert run(project) == (0, "FAIL")
    with (project / "c.jsonl").open("a") as file:
        file.write('{"id":"c020","input":"i20","expect":"ok"}\n')
    assert run(project) == (1, "FAIL")


def test_from_its_second_look_at_one_system_on_a_gate_says_which_it_is(project: Path):
    def looks() -> list[str]:
        lines = oloproof("exec", "s.olo", cwd=project).out.splitlines()
        return [line.partition(":")[0].strip() for line in lines if "look" in line]

    (project / "app.py").write_text('def f(x): return "no"\n')
    assert looks() == []
    with (project / "c.jsonl").open("a") as file:
        file.write('{"id":"c020","input":"i20","expect":"ok"}\n')
    assert looks() == ["look 2 at this gate"]
    assert looks() == ["look 2 at this gate"]
    (project / "app.py").write_text('def f(x): return "ok"\n')
    assert looks() == []


def test_a_number_that_is_not_there_is_observed_and_wrong(project: Path):
    (project / "s.olo").write_text(SUITE.replace("exact_match { }", "numeric { }"))
    (project / "c.jsonl").write_text("".join(f'{{"id":"c{n:03}","input":"i{n}","expect":0}}\n' for n in range(30)))
    (project / "app.py").write_text('def f(x): return "I do not know"\n')
    done = oloproof("exec", "s.olo", "--json", cwd=project).json
    line = done["gates"][0]["requires"][0]
    assert line["counts"] == {"total": 30, "eligible": 30, "observed": 30, "missing": 0}
    assert (line["state"], done["missing"]) == ("FAIL", {})


def test_whatever_a_target_raises_while_it_is_imported_the_run_says_that_it_cannot_start(project: Path):
    for raised in ("KeyboardInterrupt", "GeneratorExit", "BaseException('x')", "SystemExit(0)"):
        (project / "app.py").write_text(f"raise {raised}\ndef f(x): return x\n")
        done = oloproof("exec", "s.olo", "--json", cwd=project)
        assert (done.code, done.json["reason"]) == (5, "adapter_cannot_start")


@pytest.mark.parametrize("name", ["s.olo", ".oloproof/s.plan.json"])
def test_what_is_no_regular_file_is_refused_and_never_waited_for(project: Path, name: str):
    (project / "app.py").write_text("def f(x): return x\n")
    assert oloproof("compile", "s.olo", cwd=project).code == 0
    (project / name).unlink()
    os.mkfifo(project / name)
    assert oloproof("exec", cwd=project).code == 2


def test_a_time_beyond_all_years_is_misuse(project: Path):
    assert oloproof("verify", ".", "--at", "9999-12-31T23:59:59Z", cwd=project).code == 2


def test_a_suite_beyond_all_measure_is_not_read(project: Path):
    os.truncate(project / "s.olo", (64 << 20) + 1)
    done = oloproof("compile", "s.olo", cwd=project)
    assert done.code == 2
    assert "larger than 67108864 bytes" in done.err
