"""The command line: the thin edge. `main` is what the installed command runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    if sys.argv[1:] == ["--version"]:  # answered without click, as cheaply as Python starts
        from oloproof import __version__

        print(f"oloproof {__version__}")  # noqa: T201 -- the command's output
        return
    from oloproof.cli.group import run

    sys.exit(run(sys.argv[1:]))
