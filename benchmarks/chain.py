"""Whole commands over N cases: CPU seconds, peak memory and store size, side by side in one table."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SUITE = """olo 1
suite bench { seed = 1 }
cases rows: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "label" }
system upper: python { target = "app:upper", timeout = 10s }
evaluator exact: exact_match { }
metric accuracy: proportion { of = exact.pass }
gate floor { require accuracy >= 50%, on = upper }
"""
APP = """def upper(text):
    return text.upper()
"""
SIZES = (100, 1_000, 10_000)
#: Runs of each command of which the median is shown.
RUNS = 3
#: Text beside the number in each case, so that rows are as long as real ones.
FILLER = "the quick brown fox jumps over the lazy dog and comes back to see what it has missed " * 3


class Cost(NamedTuple):
    """What one command took: CPU seconds (user and system, with its children) and its largest process in MB."""

    cpu_s: float
    rss_mb: float


def measure(command: list[str], cwd: Path, env: dict[str, str]) -> Cost:
    """Runs a command to its end and asks the system what it took."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {said.decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(costs: list[Cost]) -> Cost:
    """The middle run by CPU."""
    return sorted(costs)[len(costs) // 2]


def write_project(root: Path, n: int) -> None:
    """A project of n distinct cases."""
    (root / "suite.olo").write_text(SUITE)
    (root / "app.py").write_text(APP)
    with (root / "rows.jsonl").open("w") as file:
        for index in range(n):
            text = f"{index} {FILLER}"
            file.write(json.dumps({"id": f"case-{index:07}", "text": text, "label": text.upper()}) + "\n")


def row(name: str, n: int | None, cost: Cost, store: str = "") -> None:
    """Prints one line of the table."""
    shown = "" if n is None else f"{n:,}"
    print(f"{name:<28} {shown:>8} {cost.cpu_s:>8.2f} {cost.rss_mb:>8.0f} {store:>10}")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="CPU seconds, peak memory and store size of the commands.")
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, help="numbers of cases")
    sizes = parser.parse_args().sizes
    tool = [sys.executable, "-m", "oloproof"]
    print(f"{'command':<28} {'cases':>8} {'CPU s':>8} {'RSS MB':>8} {'store kB':>10}")
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        env = {**os.environ, "OLOPROOF_CONFIG_DIR": str(base / "config")}
        # Compiled modules are kept, as on a user's machine; the first runs of a fresh checkout write them.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        measure([*tool, "--help"], base, env)
        for label, command in (("python -c pass", [sys.executable, "-c", "pass"]), ("--version", [*tool, "--version"])):
            row(label, None, median([measure(command, base, env) for _ in range(RUNS)]))
        for n in sizes:
            firsts = []
            for turn in range(RUNS):
                root = base / f"{n}-{turn}"
                root.mkdir()
                write_project(root, n)
                firsts.append(measure([*tool, "exec", "suite.olo"], root, env))
            size = (root / ".oloproof" / "store.sqlite").stat().st_size // 1024
            row("exec, first run", n, median(firsts), f"{size:,}")
            for label, command in (
                ("compile", [*tool, "compile"]),
                ("exec, unchanged", [*tool, "exec", "suite.olo"]),
                ("verify", [*tool, "verify", "suite.evidence"]),
            ):
                row(label, n, median([measure(command, root, env) for _ in range(RUNS)]))


main()
