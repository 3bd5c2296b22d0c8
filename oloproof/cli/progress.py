"""Progress on stderr: one line that changes on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from oloproof.stages.intake import Progress

#: Seconds between two drawings.
_INTERVAL_S = 0.1


@contextmanager
def progress() -> Iterator[Callable[[Progress], None] | None]:
    """A callback that draws how far each step is, or None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    drawn_at = 0.0

    def draw(step: Progress) -> None:
        nonlocal drawn_at
        now = time.monotonic()
        if now - drawn_at >= _INTERVAL_S or step.settled == step.planned:
            drawn_at = now
            click.echo(f"\r\x1b[K{step.name}: {step.settled:,} of {step.planned:,}", nl=False, err=True)

    try:
        yield draw
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)
