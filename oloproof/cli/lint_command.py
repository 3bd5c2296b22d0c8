"""`oloproof lint`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oloproof.cli.exit_codes import ExitCode
from oloproof.cli.findings import FORMATS, print_findings

if TYPE_CHECKING:
    from oloproof.language.diagnostics import Diagnostic
    from oloproof.language.source import Source


@click.command("lint")
@click.argument("suites", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format", "style", envvar="OLOPROOF_LINT_FORMAT", type=click.Choice(FORMATS), default="text", show_default=True
)
def command(suites: tuple[Path, ...], style: str) -> int:
    """Check SUITES (files or folders): everything that compile would find, and nothing is written or run."""
    from oloproof.app.compile import compile_suite, errors_of
    from oloproof.app.places import find_suite, places_of, shown
    from oloproof.app.wiring.light import compiler
    from oloproof.report.wording import plural

    cwd, compile_with = Path.cwd(), compiler()
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    is_unreadable = False
    for suite in _expand(suites) or [find_suite(None, cwd)]:
        places = places_of(suite)
        compiled = compile_suite(places, compile_with, display=shown(places.suite, cwd))
        found.extend(compiled.diagnostics)
        sources.update(compiled.sources)
        is_unreadable |= compiled.has_unreadable
    print_findings(sources, tuple(found), style=style, err=False)
    n_errors = errors_of(found)
    if style == "text":
        click.echo(f"{plural(n_errors, 'error')}, {plural(len(found) - n_errors, 'warning')}", err=True)
    if is_unreadable:
        return ExitCode.USAGE
    return ExitCode.FINDINGS if found else ExitCode.DONE


def _expand(suites: tuple[Path, ...]) -> list[Path]:
    """Files as they are, folders as the suites directly in them."""
    found: list[Path] = []
    for suite in suites:
        found.extend(sorted(suite.glob("*.olo")) if suite.is_dir() else [suite])
    if suites and not found:
        raise click.UsageError(f"no *.olo file in {', '.join(map(str, suites))}")
    return found
