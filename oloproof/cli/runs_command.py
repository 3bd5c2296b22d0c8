"""`oloproof runs`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from oloproof.cli.findings import print_json
from oloproof.cli.saying import say


@click.command("runs")
@click.argument("suite", required=False, type=click.Path(path_type=Path))
@click.option("--store", type=click.Path(path_type=Path), envvar="OLOPROOF_STORE", help="Store file or its folder.")
@click.option("--json", "as_json", envvar="OLOPROOF_RUNS_JSON", is_flag=True, help="Print one JSON object.")
def command(suite: Path | None, store: Path | None, *, as_json: bool) -> int:
    """List the runs in the store of SUITE, newest first."""
    from oloproof.app.show import list_runs
    from oloproof.report.shown import runs_json, runs_text

    found = list_runs(suite, Path.cwd(), os.environ, store)
    if as_json:
        print_json(runs_json(found))
    else:
        say(runs_text(found))
    return 0
