"""Running the installed command as a user does: another process, text in and out, an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: No command of the tests takes nearly this long; one that does has hung.
LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 -- whatever the command printed
        """Its standard output as JSON."""
        return json.loads(self.out)


def oloproof(*arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> Ended:
    """Runs `oloproof ARGUMENTS` in a folder. No output may ever hold a traceback or an internal error."""
    done = subprocess.run(
        # `-P`: the installed command, too, does not look for its modules in the folder it is run in.
        [sys.executable, "-P", "-m", "oloproof", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    for text in (done.stdout, done.stderr):
        assert "Traceback" not in text, text
        assert "internal error" not in text, text
    return Ended(done.returncode, done.stdout, done.stderr)
