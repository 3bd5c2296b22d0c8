"""Printing diagnostics in the format that was asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Final

from oloproof.canon.encoding import Json
from oloproof.cli.saying import say
from oloproof.language.diagnostics import Diagnostic
from oloproof.language.source import Source
from oloproof.report.diagnostics import render_concise, render_json, render_jsonl, render_text

FORMATS: Final = ("text", "concise", "json", "jsonl")


def print_findings(
    sources: Mapping[str, Source], found: tuple[Diagnostic, ...], *, style: str = "text", err: bool = True
) -> None:
    """Prints what was found; text goes to stderr by default, so that stdout keeps to the result."""
    match style:
        case "text":
            text = render_text(sources, found, colour=wants_colour(err=err))
        case "concise":
            text = render_concise(sources, found)
        case "json":
            text = render_json(sources, found)
        case _:
            text = render_jsonl(sources, found)
    say(text, err=err)


def wants_colour(*, err: bool) -> bool:
    """Colour on a terminal that can show it, unless NO_COLOR asks for none."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_json(value: Mapping[str, Json]) -> None:
    """One JSON object for programs."""
    say(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
