"""`oloproof show`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from oloproof.cli.findings import print_json
from oloproof.cli.saying import say

_LINKS = (
    "case",
    "observation",
    "measurement",
    "inference",
    "diagnosis",
    "decision",
    "recommendation",
    "evidence",
)


@click.command("show")
@click.argument("source", metavar="[RUN|BUNDLE]", required=False)
@click.argument("link", required=False, type=click.Choice(_LINKS))
@click.option(
    "--case",
    "case_id",
    envvar="OLOPROOF_SHOW_CASE",
    metavar="ID",
    help="Only the records of this case; without LINK all of them.",
)
@click.option("--failures", is_flag=True, help="Only measurements that failed or are missing.")
@click.option("--suite", type=click.Path(path_type=Path), help="The suite whose store is read; the only one here.")
@click.option("--store", type=click.Path(path_type=Path), envvar="OLOPROOF_STORE", help="Store file or its folder.")
@click.option("--json", "as_json", envvar="OLOPROOF_SHOW_JSON", is_flag=True, help="Print one JSON object.")
def command(  # noqa: PLR0913 -- one parameter an option
    source: str | None,
    link: str | None,
    case_id: str | None,
    suite: Path | None,
    store: Path | None,
    *,
    failures: bool,
    as_json: bool,
) -> int:
    """Read the records of a RUN (its id, or `last`) or of a BUNDLE (its folder), one canonical line each.

    Contents that a record commits to are shown beside it where they are there.
    """
    from oloproof.app.show import Wanted, show_records
    from oloproof.report.shown import records_json, records_text

    if source in _LINKS and link is None:
        source, link = None, source
    wanted = Wanted(source or "last", link, case_id, only_failures=failures)
    found = show_records(wanted, suite=suite, cwd=Path.cwd(), environ=os.environ, store=store)
    if as_json:
        print_json(records_json(found))
    else:
        say(records_text(found))
    return 0
