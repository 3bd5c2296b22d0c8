"""Diagnostics as text for people (`text`, `concise`) and for programs (`json`, `jsonl`). Pure functions, no output.

All four take the sources by path; a diagnostic whose source is not among them is shown without its line.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from oloproof.language.diagnostics import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oloproof.language.diagnostics import Diagnostic, Fix
    from oloproof.language.source import Source, Span

#: Version of the objects that `render_json` and `render_jsonl` write; raised when a field changes its meaning or goes.
FORMAT_VERSION = 1

#: A tab is shown as blanks up to the next multiple of this column.
TAB_WIDTH = 4

#: Longest line that is shown whole, in columns; of a longer one this much around the place is shown.
MAX_LINE_WIDTH = 160

#: Columns shown before the place in a line that is too long.
CONTEXT_WIDTH = 60

_BOLD, _BLUE, _RESET = "\x1b[1m", "\x1b[1;34m", "\x1b[0m"
_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.HINT: "\x1b[1;36m"}

Json: TypeAlias = None | bool | int | str | list["Json"] | dict[str, "Json"]


def render_text(sources: Mapping[str, Source], diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """One frame per diagnostic: what is wrong, the line, a caret under the place, notes and help."""
    return "\n".join(_Frame(sources, found, colour=colour).render() for found in diagnostics)


def render_concise(sources: Mapping[str, Source], diagnostics: Iterable[Diagnostic]) -> str:
    """One line per diagnostic: `path:line:column: CODE severity: message`."""
    return "".join(
        f"{_place(sources, found.span)}: {found.code} {found.severity.value}: {escape(found.message)}\n"
        for found in diagnostics
    )


def render_json(sources: Mapping[str, Source], diagnostics: Iterable[Diagnostic]) -> str:
    """One JSON object with all diagnostics, for a program that reads a whole report."""
    found: list[Json] = [_object(sources, diagnostic) for diagnostic in diagnostics]
    return json.dumps({"format_version": FORMAT_VERSION, "diagnostics": found}, indent=2) + "\n"


def render_jsonl(sources: Mapping[str, Source], diagnostics: Iterable[Diagnostic]) -> str:
    """One JSON object per line and diagnostic, each with its format version."""
    return "".join(
        json.dumps({"format_version": FORMAT_VERSION, **_object(sources, found)}) + "\n" for found in diagnostics
    )


def escape(text: str) -> str:
    r"""Text that cannot drive a terminal: controls, bidi and other invisible characters become `\u{…}`.

    >>> escape("a\x1b[31mb")
    'a\\u{1B}[31mb'
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for a combining mark."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _shown(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):X}}}"


def _place(sources: Mapping[str, Source], span: Span | None) -> str:
    if span is None:
        return "-"
    source = sources.get(span.path)
    if source is None:
        return escape(span.path)
    line, column = source.position(span.start)
    return f"{escape(span.path)}:{line}:{column}"


class _Marked(NamedTuple):
    """A line as a terminal shows it, and where in it the place begins and how wide it is, in columns."""

    line: str
    column: int
    width: int


def _mark(line: str, start: int, end: int) -> _Marked:
    """A source line made safe to show, with the columns of the code points from `start` up to `end`."""
    pieces: list[str] = []
    column, first, last = 0, 0, 0
    for index, character in enumerate(line):
        if index == start:
            first = column
        piece = " " * (TAB_WIDTH - column % TAB_WIDTH) if character == "\t" else _shown(character)
        pieces.append(piece)
        column += display_width(piece)
        if index == end - 1:
            last = column
    first = column if start >= len(line) else first
    width = max(last - first, 1)
    if column <= MAX_LINE_WIDTH:
        return _Marked("".join(pieces), first, width)
    return _window(pieces, first, width)


def _window(pieces: list[str], first: int, width: int) -> _Marked:
    """The part of a long line around the place."""
    begin, stop = max(first - CONTEXT_WIDTH, 0), max(first - CONTEXT_WIDTH, 0) + MAX_LINE_WIDTH
    kept: list[str] = []
    column = offset = 0
    for piece in pieces:
        if begin <= column < stop:
            if not kept:
                offset = column
            kept.append(piece)
        column += display_width(piece)
    lead = "…" if begin else ""
    tail = "…" if column > stop else ""
    return _Marked(lead + "".join(kept) + tail, first - offset + len(lead), min(width, stop - first))


@dataclass(frozen=True, slots=True)
class _Frame:
    """One diagnostic as rustc would show it."""

    sources: Mapping[str, Source]
    found: Diagnostic
    colour: bool

    def render(self) -> str:
        found = self.found
        hue = _COLOURS[found.severity]
        head = self._paint(hue, f"{found.severity.value}[{found.code}]")
        lines = [head + self._paint(_BOLD, f": {escape(found.message)}")]
        if found.span is not None:
            lines.append(f"{' ' * self._gutter()}{self._paint(_BLUE, '-->')} {_place(self.sources, found.span)}")
            lines += self._excerpt(found.span, "^", "", hue)
        for label in found.labels:
            if found.span is None or label.span.path != found.span.path:
                lines.append(f"{' ' * self._gutter()}{self._paint(_BLUE, ':::')} {_place(self.sources, label.span)}")
            lines += self._excerpt(label.span, "-", label.text, _BLUE)
        lines += [self._remark("note", note) for note in found.notes]
        if found.help is not None:
            lines.append(self._remark("help", found.help))
        lines += [self._remark("fix", fix.title) for fix in found.fixes]
        return "\n".join(lines) + "\n"

    def _gutter(self) -> int:
        """Columns for line numbers."""
        spans = [label.span for label in self.found.labels]
        if self.found.span is not None:
            spans.append(self.found.span)
        numbers = [self.sources[span.path].position(span.start).line for span in spans if span.path in self.sources]
        return len(str(max(numbers, default=1)))

    def _excerpt(self, span: Span, sign: str, text: str, hue: str) -> list[str]:
        source = self.sources.get(span.path)
        if source is None or not source.text:
            return []
        number, column = source.position(span.start)
        marked = _mark(source.line(number), column - 1, column - 1 + span.end - span.start)
        blank = " " * self._gutter()
        bar = self._paint(_BLUE, "|")
        marks = self._paint(hue, (sign * marked.width + " " + escape(text)).rstrip())
        return [
            f"{blank} {bar}",
            f"{self._paint(_BLUE, str(number).rjust(len(blank)))} {bar} {marked.line}".rstrip(),
            f"{blank} {bar} {' ' * marked.column}{marks}",
        ]

    def _remark(self, kind: str, text: str) -> str:
        return f"{' ' * self._gutter()} {self._paint(_BLUE, '=')} {kind}: {escape(text)}"

    def _paint(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self.colour else text


def _object(sources: Mapping[str, Source], found: Diagnostic) -> dict[str, Json]:
    labels: list[Json] = [{**_range(sources, label.span), "text": label.text} for label in found.labels]
    notes: list[Json] = list(found.notes)
    fixes: list[Json] = [_fix(sources, fix) for fix in found.fixes]
    return {
        "code": found.code,
        "name": found.rule.name,
        "severity": found.severity.value,
        "message": found.message,
        "span": None if found.span is None else _range(sources, found.span),
        "labels": labels,
        "notes": notes,
        "help": found.help,
        "fixes": fixes,
    }


def _fix(sources: Mapping[str, Source], fix: Fix) -> Json:
    edits: list[Json] = [{**_range(sources, edit.span), "replacement": edit.replacement} for edit in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}


def _range(sources: Mapping[str, Source], span: Span) -> dict[str, Json]:
    """Offsets always, lines and columns where the source is at hand; all count code points, columns from 1."""
    place: dict[str, Json] = {"path": span.path, "start": span.start, "end": span.end}
    source = sources.get(span.path)
    if source is not None:
        start, end = source.position(span.start), source.position(span.end)
        place |= {"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column}
    return place
