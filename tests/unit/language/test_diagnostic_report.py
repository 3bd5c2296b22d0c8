"""Diagnostics as people and programs see them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.language.reading import read

from oloproof.language.diagnostics import Diagnostic, Edit, Fix, Label, Rule, Severity
from oloproof.language.source import Source, Span
from oloproof.language.syntax import parse
from oloproof.report.diagnostics import (
    display_width,
    escape,
    render_concise,
    render_json,
    render_jsonl,
    render_text,
)

RULE = Rule("OLO001", "unexpected-token")


def framed(text: str, start: int, end: int, **more: Any) -> str:  # noqa: ANN401 (fields of a diagnostic)
    sources = {"a.olo": Source("a.olo", text)}
    return render_text(sources, [Diagnostic(RULE, "wrong", Span("a.olo", start, end), **more)])


def test_a_frame_shows_place_line_caret_label_note_and_help():
    label = Label(Span("a.olo", 0, 1), "because of this")
    shown = framed("x\nlet a = 5 5\n", 12, 13, labels=(label,), notes=("a note",), help="some help")
    assert shown.splitlines() == [
        "error[OLO001]: wrong",
        " --> a.olo:2:11",
        "  |",
        "2 | let a = 5 5",
        "  |           ^",
        "  |",
        "1 | x",
        "  | - because of this",
        "  = note: a note",
        "  = help: some help",
    ]


def test_line_numbers_of_different_length_share_one_gutter():
    text = "a\n" * 99 + "b\n"
    shown = framed(text, 198, 199, labels=(Label(Span("a.olo", 0, 1), "here"),))
    assert [line[:5] for line in shown.splitlines()[1:]] == [
        "   --",
        "    |",
        "100 |",
        "    |",
        "    |",
        "  1 |",
        "    |",
    ]


@pytest.mark.parametrize(
    ("line", "start", "n_blanks"),
    [
        ("\tx", 1, 4),
        ("ab\tx", 3, 4),
        ("abcd\tx", 5, 8),
        ("顧客 x", 3, 5),
        ("e\u0301 x", 3, 2),
        ("a\u202ex", 2, 9),
        ("🙂x", 1, 2),
    ],
)
def test_the_caret_stands_under_its_place_whatever_stands_before(line, start, n_blanks):
    marks = framed(line, start, start + 1).splitlines()[4]
    assert marks == "  | " + " " * n_blanks + "^"


def test_the_column_counts_code_points_however_wide_they_are():
    assert " --> a.olo:1:4" in framed("顧客 x", 3, 4)


def test_a_wide_place_has_carets_below_all_of_it():
    assert framed("a 顧客 b", 2, 4).splitlines()[4] == "  |   ^^^^"


def test_a_place_over_several_lines_is_marked_on_its_first():
    assert framed("ab {\n}\n", 3, 6).splitlines()[3:] == ["1 | ab {", "  |    ^"]


def test_a_place_behind_the_last_character_has_its_caret_there():
    assert framed("let a =", 7, 7).splitlines()[3:] == ["1 | let a =", "  |        ^"]


def test_of_a_very_long_line_the_part_around_the_place_is_shown():
    line, marks = framed("x" * 5000 + "!" + "y" * 5000, 5000, 5001).splitlines()[3:]
    assert len(line) < 200
    assert line[marks.index("^")] == "!"


def test_no_control_character_of_the_text_reaches_the_terminal():
    text = "let a = \x1b[31m\u202e\x07\n"
    shown = framed(text, 8, 9, labels=(Label(Span("a.olo", 8, 9), "\x1b]0;title\x07"),), help="\r\x9b2J")
    assert all(line.isprintable() for line in shown.splitlines())
    assert "\\u{1B}[31m\\u{202E}\\u{7}" in shown


def test_colour_is_used_only_where_it_is_asked_for():
    sources, found = {"a.olo": Source("a.olo", "x")}, [Diagnostic(RULE, "wrong", Span("a.olo", 0, 1))]
    assert "\x1b" not in render_text(sources, found)
    assert "\x1b[1;31merror[OLO001]\x1b[0m" in render_text(sources, found, colour=True)


def test_a_diagnostic_without_place_or_source_is_shown_without_a_line():
    nowhere = Diagnostic(Rule("OLO801", "style", Severity.HINT), "wrong", None)
    unknown = Diagnostic(RULE, "wrong", Span("b.olo", 0, 1))
    assert render_text({}, [nowhere]) == "hint[OLO801]: wrong\n"
    assert render_text({}, [unknown]) == "error[OLO001]: wrong\n --> b.olo\n"
    assert render_concise({}, [nowhere, unknown]) == "-: OLO801 hint: wrong\nb.olo: OLO001 error: wrong\n"


def test_a_label_in_another_file_names_it():
    sources = {"a.olo": Source("a.olo", "x"), "b.olo": Source("b.olo", "\ny")}
    found = Diagnostic(RULE, "wrong", Span("a.olo", 0, 1), labels=(Label(Span("b.olo", 1, 2), "first here"),))
    assert " ::: b.olo:2:1" in render_text(sources, [found]).splitlines()


def test_concise_is_one_line_per_diagnostic():
    source = Source("a.olo", "let a = 5m\nlet b = = 1\n")
    assert [
        line.split(": ")[:2] for line in render_concise({"a.olo": source}, parse(source).diagnostics).splitlines()
    ] == [
        ["a.olo:1:9", "OLO005 error"],
        ["a.olo:2:9", "OLO001 error"],
    ]


def test_json_holds_places_labels_and_fixes():
    source = Source("a.olo", "a\n🙂b\n")
    span = Span("a.olo", 3, 4)
    fix = Fix("write c", "safe", (Edit(span, "c"),))
    found = Diagnostic(RULE, "wrong", span, (Label(span, "here"),), ("note",), "help", (fix,))
    place = {"path": "a.olo", "start": 3, "end": 4, "line": 2, "column": 2, "end_line": 2, "end_column": 3}
    assert json.loads(render_json({"a.olo": source}, [found])) == {
        "format_version": 1,
        "diagnostics": [
            {
                "code": "OLO001",
                "name": "unexpected-token",
                "severity": "error",
                "message": "wrong",
                "span": place,
                "labels": [{**place, "text": "here"}],
                "notes": ["note"],
                "help": "help",
                "fixes": [{"title": "write c", "applicability": "safe", "edits": [{**place, "replacement": "c"}]}],
            }
        ],
    }


def test_jsonl_holds_the_same_objects_one_a_line_with_the_version():
    source = Source("a.olo", "let a = 5m\nlet b = = 1\n")
    sources, found = {"a.olo": source}, parse(source).diagnostics
    lines = [json.loads(line) for line in render_jsonl(sources, found).splitlines()]
    assert lines == [{"format_version": 1, **entry} for entry in json.loads(render_json(sources, found))["diagnostics"]]


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("顧客", 4), ("e\u0301", 1), ("", 0), ("ｗ", 2)])  # noqa: RUF001
def test_width_is_what_a_terminal_takes(text, width):
    assert display_width(text) == width


def test_text_without_controls_is_shown_as_it_is():
    assert escape("größe 🙂") == "größe 🙂"


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_any_place_of_any_text_can_be_rendered(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    shown = framed(text, start, end)
    assert all(line.isprintable() for line in shown.split("\n"))


@given(st.text(alphabet='ab{}[]="\n\t\u202e顧\ud800 5m#', max_size=60))
def test_all_forms_render_what_the_parser_says_of_any_text(text):
    sources, found = {"a.olo": Source("a.olo", text)}, read(text).diagnostics
    render_text(sources, found).encode()
    render_concise(sources, found).encode()
    assert len(json.loads(render_json(sources, found))["diagnostics"]) == len(render_jsonl(sources, found).splitlines())
