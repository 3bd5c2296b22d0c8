"""Observing with a store that loses bits, and with a process that is killed in the middle."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

from fakes.fake_engine import FakeEngine
from fakes.small_plans import case_set, echo, plan_of, system, system_bench

from oloproof.adapters.store import SqliteStore
from oloproof.plan.salts import Salts
from oloproof.stages.observe import observe

ROOT = Path(__file__).resolve().parents[3]
SALTS = Salts(b"k" * 32)
CASES = [case_set({f"c{number:03}": (f"text {number}", "en") for number in range(60)})]
PLAN = plan_of(CASES, [system()])


def run(path, engine):
    with SqliteStore(path) as store:
        store.begin_run(suite="s", plan_hash="p")
        return observe(PLAN, CASES, store=store, salts=SALTS, bench=system_bench(engine))


def test_a_kill_with_a_call_in_flight_repeats_that_call_alone(tmp_path):  # inspect_ai#913
    code = """
        import sys, time
        from pathlib import Path
        from fakes.fake_engine import FakeEngine
        from fakes.small_plans import echo
        from test_observe_store import run
        def answer(payload):
            if payload["id"] == "c037":
                print("hangs", flush=True)
                time.sleep(60)
            return echo(payload)
        run(Path(sys.argv[1]), FakeEngine({"bot": answer}, batch=1))
    """
    path = tmp_path / "store.sqlite"
    folders = os.pathsep.join(map(str, (ROOT, ROOT / "tests", Path(__file__).parent)))
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        env={**os.environ, "PYTHONPATH": folders},
        stdout=subprocess.PIPE,
        text=True,
    )
    told = child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert told == "hangs\n"
    engine = FakeEngine({"bot": echo})
    outcome = run(path, engine)
    assert [payload["id"] for payload in engine.calls["bot"]] == [f"c{number:03}" for number in range(37, 60)]
    assert outcome.file == run(tmp_path / "calm.sqlite", FakeEngine({"bot": echo})).file


def test_a_body_that_is_gone_is_called_again(tmp_path):  # bazel#12423
    path, engine = tmp_path / "store.sqlite", FakeEngine({"bot": echo})
    first = run(path, engine)
    peek = sqlite3.connect(path, isolation_level=None)
    peek.execute("UPDATE segments SET body = x''")
    peek.execute("DELETE FROM chunks")
    peek.execute("DELETE FROM files")
    peek.close()
    again = run(path, engine)
    assert (engine.n_calls, again.file) == (120, first.file)
    assert run(path, engine).is_linked


def test_a_lost_record_file_is_built_again_without_a_call(tmp_path):
    path, engine = tmp_path / "store.sqlite", FakeEngine({"bot": echo})
    first = run(path, engine)
    peek = sqlite3.connect(path, isolation_level=None)
    peek.execute("DELETE FROM files")
    peek.close()
    again = run(path, engine)
    assert (engine.n_calls, again.file, again.is_linked) == (60, first.file, False)
