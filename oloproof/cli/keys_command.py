"""`oloproof keys`."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.group("keys")
def command() -> None:
    """Keys that sign bundles."""


@command.command("show")
@click.option("--key", type=click.Path(path_type=Path), help="A private key file instead of your own key.")
def show(key: Path | None) -> int:
    """Print the public key and the entry that a relying party puts into a trust file; made on first use."""
    from oloproof.app.places import root_of
    from oloproof.app.wiring.run import signer_for

    signer = signer_for(key, root_of(Path.cwd()), os.environ)
    click.echo(f"# keyid      {signer.keyid}")
    click.echo(f"# public key {signer.public_key}")
    click.echo("# trust file for those who verify your bundles (oloproof verify --trust FILE BUNDLE):")
    click.echo(f'\nversion = 1\n\n[[signer]]\nprincipal = "NAME"\nkey = "{signer.public_key}"\nroles = ["runner"]')
    return 0
