"""What systems do to the process that runs them; real workers, real signals."""

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from oloproof.adapters.worker import WORKER_COMMAND, build_handler
from oloproof.engine.local import LocalEngine
from oloproof.engine.work import AdapterCannotStart, AdapterSpec, Call, Stop
from oloproof.sdk import Secret

CANARY = 'canary-"7f3a\\é'
#: Longer than any machine needs to end a process, and never reached where the code is right.
PATIENCE_S = 20

TARGETS = """
import os, sys, time, threading, asyncio, signal, locale, re
from oloproof.sdk import Permanent, Refused, Transient

def echo(text):
    return text

def wait(text):
    time.sleep(0.02)
    return text

async def later(text):
    await asyncio.sleep(0)
    return text

def bad(text):
    match text:
        case "exit": sys.exit(3)
        case "os_exit": os._exit(4)
        case "segfault": os.kill(os.getpid(), signal.SIGSEGV)
        case "base": raise BaseException("bare")
        case "generator_exit": raise GeneratorExit
        case "interrupt": raise KeyboardInterrupt
        case "error": raise ValueError("no")
        case "transient": raise Transient("busy")
        case "refused": raise Refused("policy")
        case "permanent": raise Permanent("gone")
        case "sleep": time.sleep(1000)
        case "gil": sum(range(10**13))
        case "print": print("x" * 100_000); os.write(1, b"[0, 0, {}]\\n" * 1000); return "printed"
        case "move": os.chdir("/"); sys.path.clear(); sys.modules.pop("json", None); return "moved"
        case "close_stdout": sys.stdout.close(); os.close(1); return "closed"
        case "thread": threading.Thread(target=time.sleep, args=(1000,)).start(); return "threaded"
        case "fork_returns": return "parent" if os.fork() else "child"
        case "garble":
            for fd in range(3, 40):
                try: os.write(fd, b"garbage\\n")
                except OSError: pass
            return "garbled"
        case "none": return None
        case "number": return 7
        case "list": return ["a"]
        case "nan": return {"a": float("nan")}
        case "big": return {"a": 2**53}
        case "big_float": return {"a": 1e20}
        case "set": return {"a": {1}}
        case "bytes": return {"a": b"x"}
        case "surrogate": return "\\ud800"
        case "keys": return {1: "a"}
        case "subclass": return {"a": type("F", (float,), {})(1.5)}
        case "cyclic": x = {}; x["x"] = x; return x
        case "deep":
            x = []
            for _ in range(10**5): x = [x]
            return {"x": x}
        case "shared":
            x = ["aaaaaaaa"]
            for _ in range(25): x = [x, x]
            return {"x": x}
        case "huge": return "x" * 300_000_000
    return text

def fork_child(text):
    if os.fork() == 0:
        time.sleep(1000)
    return str(os.getpgrp())

def hang_after_mark(text):
    with open(text, "w") as mark: mark.write(str(os.getpid()))
    if os.fork() == 0:
        time.sleep(1000)
    sum(range(10**13))

def leak(secret):
    match secret:
        case "raise": raise ValueError(CANARY)
        case "exit": sys.exit(CANARY)
        case "escaped": return {"said": __import__("json").dumps(CANARY)}
    return {CANARY: ["so " + CANARY]}
"""


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "targets.py").write_text(f"CANARY = {CANARY!r}\n" + TARGETS)
    return tmp_path


def spec_of(folder: Path, function: str, *, timeout_ms: int = 60_000, concurrency: int = 1) -> AdapterSpec:
    return AdapterSpec(
        kind="system",
        name="candidate",
        factory="oloproof_builtin.python:PythonSystem",
        model="oloproof_builtin.manifests:PythonOptions",
        options={"target": f"targets:{function}"},
        suite_dir=str(folder),
        root=str(folder),
        execution="process",
        timeout_ms=timeout_ms,
        concurrency=concurrency,
        secrets={"TOKEN": Secret("TOKEN", CANARY)},
    )


def call(index: int, value) -> Call:
    return Call(index, {"id": f"c{index}", "input": value, "repeat": 0, "seed": None})


def engine() -> LocalEngine:
    return LocalEngine(worker_command=WORKER_COMMAND, build_inline=build_handler, worker_stderr=subprocess.DEVNULL)


def outcomes_of(spec: AdapterSpec, inputs, stop=None) -> list:
    calls = [call(index, value) for index, value in enumerate(inputs)]
    found = {o.index: o.body for batch in engine().run(spec, calls, stop or Stop()) for o in batch}
    return [found.get(index) for index in range(len(calls))]


def told_by(body) -> str:
    return body["failure"] if "failure" in body else body["output"]


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("exit", "system_exit"),
        ("os_exit", "worker_died"),
        ("segfault", "worker_died"),
        ("base", "system_error"),
        ("generator_exit", "system_error"),
        ("interrupt", "system_error"),
        ("error", "system_error"),
        ("transient", "unavailable"),
        ("refused", "refused"),
        ("permanent", "system_error"),
        ("print", "printed"),
        ("move", "moved"),
        ("close_stdout", "closed"),
        ("thread", "threaded"),
        ("fork_returns", "parent"),
        ("garble", "worker_died"),
        ("none", "null_output"),
        ("number", "output_type"),
        ("list", "output_type"),
        ("nan", "output_not_json"),
        ("big", "output_not_json"),
        ("big_float", "output_not_json"),
        ("set", "output_not_json"),
        ("bytes", "output_not_json"),
        ("surrogate", "output_not_json"),
        ("keys", "output_not_json"),
        ("subclass", "output_not_json"),
        ("cyclic", "output_not_json"),
        ("deep", "output_not_json"),
        ("shared", "output_too_large"),
        ("huge", "output_too_large"),
    ],
)
def test_whatever_a_system_does_costs_no_more_than_its_own_case(suite, does, told):
    bodies = outcomes_of(spec_of(suite, "bad"), ["a", "b", does, "c", "d"])
    assert [told_by(body) for body in bodies] == ["a", "b", told, "c", "d"]


@pytest.mark.parametrize("hangs", ["sleep", "gil"])
def test_a_call_that_hangs_is_killed_at_its_timeout_and_the_others_are_made(suite, hangs):
    bodies = outcomes_of(spec_of(suite, "bad", timeout_ms=1500), ["a", hangs, "b", hangs, "c"])
    assert [told_by(body) for body in bodies] == ["a", "timeout", "b", "timeout", "c"]


def test_a_slow_reader_of_the_outcomes_makes_no_call_time_out(suite):
    spec = spec_of(suite, "wait", timeout_ms=1000)
    bodies = {}
    for batch in engine().run(spec, [call(index, "x") for index in range(60)], Stop()):
        bodies |= {outcome.index: outcome.body for outcome in batch}
        if len(bodies) < 3:
            time.sleep(1.5)
    assert [told_by(bodies[index]) for index in range(60)] == ["x"] * 60


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_outcomes_are_the_same_at_every_concurrency(suite, concurrency):
    inputs = [f"text {index}" for index in range(300)]
    bodies = outcomes_of(spec_of(suite, "wait", concurrency=concurrency), inputs)
    assert [body["output"] for body in bodies] == inputs


def test_each_call_is_made_once_when_workers_die_between_them(suite):
    (suite / "targets.py").write_text(
        textwrap.dedent("""
        import os
        def count(n):
            with open(os.path.join(os.path.dirname(__file__), "made"), "a") as made: made.write(f"{n}\\n")
            if n % 50 == 49: os._exit(1)
            return str(n)
        """)
    )
    bodies = outcomes_of(spec_of(suite, "count", concurrency=2), range(200))
    assert sorted(map(int, (suite / "made").read_text().split())) == list(range(200))
    assert [index for index, body in enumerate(bodies) if "failure" in body] == [49, 99, 149, 199]


def test_asynchronous_targets_are_run_to_their_end(suite):
    assert [told_by(body) for body in outcomes_of(spec_of(suite, "later"), ["a", "b"])] == ["a", "b"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import os; os._exit(9)", "exit status 9"),
        ("import no_such_module", "no_such_module"),
        ("raise SystemExit(2)", "SystemExit"),
        ("echo = 3", "no function echo"),
        ("def echo(:", "SyntaxError"),
        (f"raise ValueError({CANARY!r})", r"\[redacted:TOKEN\]"),
    ],
)
def test_a_target_that_cannot_be_imported_ends_the_run_before_any_call(suite, source, told):
    (suite / "targets.py").write_text(source)
    with pytest.raises(AdapterCannotStart, match=told) as caught:
        outcomes_of(spec_of(suite, "echo"), ["a"])
    assert CANARY not in str(caught.value)


def test_a_worker_that_is_never_ready_ends_the_run(suite):
    (suite / "targets.py").write_text("import time; time.sleep(1000)")
    impatient = LocalEngine(worker_command=WORKER_COMMAND, build_inline=build_handler, start_s=0.5)
    with pytest.raises(AdapterCannotStart, match="not ready within"):
        list(impatient.run(spec_of(suite, "echo"), [call(0, "a")], Stop()))


@pytest.mark.parametrize("how", ["raise", "exit", "escaped", "answer"])
def test_a_secret_is_in_no_outcome(suite, how):
    (body,) = outcomes_of(spec_of(suite, "leak"), [how])
    text = json.dumps(body, ensure_ascii=False) + json.dumps(body) + repr(body)
    assert "canary" not in text
    assert "[redacted:TOKEN]" in text


def test_a_stop_admits_nothing_more_and_gives_out_what_has_finished(suite):
    stop = Stop()
    finished = []
    for batch in engine().run(spec_of(suite, "wait"), (call(index, "x") for index in range(10**6)), stop):
        finished += batch
        stop.signal = 2
    assert 0 < len(finished) < 1000
    assert {told_by(outcome.body) for outcome in finished} == {"x"}


def test_a_stop_ends_a_call_that_hangs(suite):
    stop = Stop()

    def calls() -> Iterator[Call]:
        yield call(0, "a")
        yield call(1, "gil")
        stop.signal = 15

    found = [outcome.index for batch in engine().run(spec_of(suite, "bad"), calls(), stop) for outcome in batch]
    assert found in ([0], [])


def is_gone(pid: int) -> bool:
    """True for a process that has ended, whether or not anybody has asked for its status."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


def wait_until(holds) -> bool:
    last = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < last:
        time.sleep(0.05)
    return holds()


def members_of(group: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and not is_gone(int(entry.name)):
            try:
                if os.getpgid(int(entry.name)) == group:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_child_that_a_system_forks_ends_with_the_run(suite):
    (body,) = outcomes_of(spec_of(suite, "fork_child"), ["a"])
    assert wait_until(lambda: not members_of(int(body["output"])))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_that_hangs_ends_when_its_parent_is_killed(suite):
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_systems import call, engine, spec_of
        from oloproof.engine.work import Stop
        list(engine().run(spec_of(Path({str(suite)!r}), "hang_after_mark"), [call(0, {str(suite / "mark")!r})], Stop()))
    """)
    parent = subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": ":".join(sys.path)})
    try:
        mark = suite / "mark"
        assert wait_until(lambda: mark.exists() and mark.read_text())
        worker = int(mark.read_text())
        assert wait_until(lambda: len(members_of(worker)) == 2)
    finally:
        parent.kill()
        parent.wait()
    assert wait_until(lambda: not members_of(worker))
