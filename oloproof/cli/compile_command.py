"""`oloproof compile`."""

from __future__ import annotations

from pathlib import Path

import click

from oloproof.cli.exit_codes import ExitCode
from oloproof.cli.findings import print_findings, print_json
from oloproof.cli.saying import say


@click.command("compile")
@click.argument("suite", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write the plan.")
@click.option("--json", "as_json", envvar="OLOPROOF_COMPILE_JSON", is_flag=True, help="Print one JSON object.")
def command(suite: Path | None, output: Path | None, *, as_json: bool) -> int:
    """Validate SUITE and write its plan.

    SUITE is a file or a folder with one; without it, what oloproof.toml names, else the only *.olo here or in specs/.
    """
    from oloproof.app.compile import compile_suite
    from oloproof.app.drift import write_plan
    from oloproof.app.places import find_suite, places_of, shown
    from oloproof.app.wiring.light import compiler
    from oloproof.report.compiled import compiled_json, compiled_text

    if output is not None and output.suffix != ".json":
        raise click.BadParameter(f"{output}: a plan's name ends in .json", param_hint="-o")
    cwd = Path.cwd()
    places = places_of(find_suite(suite, cwd))
    compiled = compile_suite(places, compiler(), display=shown(places.suite, cwd))
    print_findings(compiled.sources, compiled.diagnostics)
    if compiled.plan is None:
        return ExitCode.USAGE if compiled.has_unreadable else ExitCode.FINDINGS
    target = output or places.plan
    write_plan(target, compiled.plan, places, compiled)
    written = shown(target.absolute(), cwd)
    if as_json:
        print_json(compiled_json(compiled.plan, written=written))
    else:
        say(compiled_text(compiled.plan, written=written))
    return ExitCode.DONE
