"""`oloproof verify`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from oloproof.cli.findings import print_json
from oloproof.cli.saying import say

_LEVELS = ("structure", "integrity", "signature", "binding", "recompute")


@click.command("verify")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--trust", type=click.Path(path_type=Path), help="Trust file (TOML); replaces your own.")
@click.option("--level", type=click.Choice(_LEVELS), help="What exit code 0 shall mean; recompute by default.")
@click.option("--expect-subject", metavar="[NAME=]DIGEST", help="The system that the bundle must speak of.")
@click.option("--expect-plan", metavar="DIGEST", help="The plan, plan hash or decision hash that must have been run.")
@click.option("--require-decision", type=click.Choice(["PASS", "ALLOW"]), help="What must have been decided.")
@click.option("--at", "at", metavar="TIME", help="Check as of this time (RFC 3339) instead of now.")
@click.option("--json", "as_json", envvar="OLOPROOF_VERIFY_JSON", is_flag=True, help="Print one JSON object.")
def command(  # noqa: PLR0913, PLR0917 -- one parameter an option
    bundle: Path,
    trust: Path | None,
    level: str | None,
    expect_subject: str | None,
    expect_plan: str | None,
    require_decision: str | None,
    at: str | None,
    *,
    as_json: bool,
) -> int:
    """Check BUNDLE offline: structure, hashes, signature, and the decision computed again from its records."""
    from oloproof.app.verify import verify_bundle
    from oloproof.report.verified import verified_json, verified_text
    from oloproof.stages.attest.verdict import Level

    report = verify_bundle(
        bundle,
        trust=trust,
        level=None if level is None else Level(level),
        expect_subject=expect_subject,
        expect_plan=expect_plan,
        require_decision=require_decision,
        environ=os.environ,
        now=datetime.now(UTC) if at is None else _time(at),
    )
    if as_json:
        print_json(verified_json(report))
    else:
        say(verified_text(report))
    return report.exit_code


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no RFC 3339 time", param_hint="--at") from error
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    if not datetime(1970, 1, 2, tzinfo=UTC) <= aware <= datetime(9998, 1, 1, tzinfo=UTC):
        raise click.BadParameter(f"{text!r} lies outside the years that can be checked", param_hint="--at")
    return aware
