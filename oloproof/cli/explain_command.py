"""`oloproof explain`."""

from __future__ import annotations

import click


@click.command("explain")
@click.argument("code")
def command(code: str) -> int:
    """Say what the diagnostic CODE means, why it matters, and how to fix it."""
    from oloproof.app.explain import explain

    click.echo(explain(code), nl=False)
    return 0
