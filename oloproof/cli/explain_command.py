"""`oloproof explain`."""

from __future__ import annotations

import click

from oloproof.cli.saying import say


@click.command("explain")
@click.argument("code")
def command(code: str) -> int:
    """Say what the diagnostic CODE means, why it matters, and how to fix it."""
    from oloproof.app.explain import explain

    say(explain(code))
    return 0
