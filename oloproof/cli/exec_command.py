"""`oloproof exec`."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oloproof.cli.exit_codes import ExitCode
from oloproof.cli.findings import print_findings, print_json
from oloproof.cli.saying import say

if TYPE_CHECKING:
    from oloproof.app.compile import Compiled
    from oloproof.app.execute import Executed

_PATH = click.Path(path_type=Path)


@click.command("exec")
@click.argument("target", metavar="[PLAN|SUITE]", required=False, type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Where to write the evidence bundle.")
@click.option("--store", type=_PATH, envvar="OLOPROOF_STORE", help="Store file, or a folder for it.")
@click.option("--key", type=_PATH, help="Private key that signs (PKCS#8 or OpenSSH, Ed25519).")
@click.option("--fresh", is_flag=True, help="Ask the systems again, whatever is stored.")
@click.option("--keep-missing", is_flag=True, help="Do not retry stored failures.")
@click.option(
    "--case",
    "cases",
    envvar="OLOPROOF_EXEC_CASE",
    multiple=True,
    metavar="ID",
    help="Only this case; the run is PARTIAL.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N cases of a set; the run is PARTIAL.")
@click.option("--json", "as_json", envvar="OLOPROOF_EXEC_JSON", is_flag=True, help="Print one JSON object.")
def command(  # noqa: PLR0913 -- one parameter an option
    target: Path | None,
    output: Path | None,
    store: Path | None,
    key: Path | None,
    cases: tuple[str, ...],
    limit: int | None,
    *,
    fresh: bool,
    keep_missing: bool,
    as_json: bool,
) -> int:
    """Run a PLAN or a SUITE (a file or its folder), decide, and sign the evidence.

    Without an argument: the plan that `oloproof compile` wrote here; it must still be that of the suite.
    """
    from oloproof.adapters.signals import stopping
    from oloproof.app.exec import Choices
    from oloproof.app.execute import Given, execute
    from oloproof.cli.progress import progress
    from oloproof.engine.work import Stop

    stop = Stop()
    with progress() as on_progress, stopping(stop):
        choices = Choices(fresh, keep_missing, cases, limit, on_progress)
        given = Given(target, Path.cwd(), os.environ, store, key, output, choices)
        done = execute(given, stop, on_compiled=_print_compiled)
    return _print_run(done, as_json=as_json)


def _print_compiled(compiled: Compiled) -> None:
    print_findings(compiled.sources, compiled.diagnostics)


def _print_run(done: Executed, *, as_json: bool) -> int:
    from oloproof.app.places import shown
    from oloproof.report.executed import run_json, run_text

    if done.run is None:
        return ExitCode.USAGE if done.compiled.has_unreadable else ExitCode.FINDINGS
    if done.run.made_key is not None:
        click.echo(f"note: a signing key of your own was made in {done.run.made_key}", err=True)
    bundle = None if done.run.bundle is None else shown(done.run.bundle, Path.cwd())
    if as_json:
        print_json(run_json(done.run, bundle=bundle))
    else:
        say(run_text(done.run, bundle=bundle, tool=_called()))
    return done.run.exit_code


def _called() -> str:
    """How this command is called here: by its name where that finds it, else as it was called."""
    called = Path(sys.argv[0])
    return "oloproof" if called.stem != "oloproof" or shutil.which("oloproof") else shlex.quote(str(called))
