"""Printing results so that a reader who goes away changes nothing: the exit code is the decision's, not the pipe's."""

from __future__ import annotations

import os
import sys

import click


def say(text: str, *, err: bool = False) -> None:
    """Prints text as it is. Where nobody reads any more, this and what follows go nowhere."""
    try:
        click.echo(text, nl=False, err=err)
    except BrokenPipeError:
        stop_saying()


def stop_saying() -> None:
    """Sends the rest of the output nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
