"""Files that are not what a suite takes them for: each is a finding, and no wait and no traceback."""

from __future__ import annotations

import os

import pytest
from cases.small_suites import codes, compile_text, completed

from oloproof.app.compile import Compiled
from oloproof.language.diagnostics import Diagnostic

SUITE = completed('cases tickets: jsonl { path = "rows.jsonl", id = "id", input = "text", expect = "text" }')


def _only(compiled: Compiled) -> Diagnostic:
    (found,) = compiled.diagnostics
    return found


def test_a_link_may_not_lead_out_of_the_project(tmp_path):
    (tmp_path / "secret.jsonl").write_text('{"id": "a", "text": "x"}\n')
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "rows.jsonl").symlink_to(tmp_path / "secret.jsonl")
    found = _only(compile_text(folder, SUITE))
    assert (found.code, str(folder) in found.message) == ("OLO112", True)


def test_a_link_inside_the_project_is_followed(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "r.jsonl").write_text("".join(f'{{"id": "{n}", "text": "{n}"}}\n' for n in range(6)))
    (tmp_path / "rows.jsonl").symlink_to(tmp_path / "data" / "r.jsonl")
    assert codes(compile_text(tmp_path, SUITE)) == []


def test_the_project_begins_at_the_nearest_mark(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "rows.jsonl").write_text("".join(f'{{"id": "{n}", "text": "{n}"}}\n' for n in range(6)))
    assert codes(compile_text(tmp_path / "specs", SUITE.replace("rows.jsonl", "../rows.jsonl"))) == []
    (tmp_path / "specs" / "oloproof.toml").write_text("")
    assert codes(compile_text(tmp_path / "specs", SUITE.replace("rows.jsonl", "../rows.jsonl"))) == ["OLO112"]


def test_a_circle_of_links_is_unreadable(tmp_path):
    (tmp_path / "rows.jsonl").symlink_to("rows.jsonl")
    assert codes(compile_text(tmp_path, SUITE)) == ["OLO301"]


def test_nobody_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "rows.jsonl")
    assert "no regular file" in _only(compile_text(tmp_path, SUITE)).message


@pytest.mark.parametrize("name", ["rows.jsonl" * 30, "rows.jsonl/x", "answers.jsonl/x"])
def test_a_name_that_no_file_can_have_is_unreadable(tmp_path, name):
    assert codes(compile_text(tmp_path, SUITE.replace("rows.jsonl", name))) == ["OLO301"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "a", "text": "x"}\n'.encode("utf-16"), "UTF-16"),
        (b'{"id": "a", "text": "\xff"}\n', "not UTF-8 at byte 22"),
        (b'{"id": "a", "text": "x"}\n' * 3 + b"{", "line 4"),
        (b'{"id": "a", "text": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "nested too deeply"),
        (b'{"id": "a", "text": ' + b"9" * 5_000 + b"}", "5000 digits"),
        (b'{"id": "a", "text": 1e999}', "beyond what JSON readers can hold"),
        (b'{"id": "a", "text": Infinity}', "Infinity"),
        (b'{"id": "a", "text": {"k": 1, "k": 2}}', "stands twice"),
        (b'{"id": "a", "text": "\\udc00"}', "surrogate"),
        (b'null\n1\n"x"\n[]\n', "line 4"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_line(tmp_path, content, told):
    found = compile_text(tmp_path, SUITE, {"rows.jsonl": content}).diagnostics[0]
    assert found.code == "OLO302"
    assert any(told in note for note in found.notes)


def test_a_deep_row_is_beyond_what_can_be_committed_to(tmp_path):
    row = '{"id": "a", "text": ' + "[" * 40 + "]" * 40 + "}\n"
    assert codes(compile_text(tmp_path, SUITE, {"rows.jsonl": row})) == ["OLO308"]


def test_a_thousand_bad_rows_are_one_finding_that_names_a_few(tmp_path):
    rows = "".join(f'{{"id": "{n}"}}\n' for n in range(1_000))
    found = _only(compile_text(tmp_path, SUITE, {"rows.jsonl": rows}))
    assert found.message == "1000 of 1000 rows of cases `tickets` lack a field that the suite names"
    assert len(found.notes) == 6
    assert found.notes[-1] == "and 995 more"


def test_a_byte_order_mark_and_any_line_ends_are_read(tmp_path):
    rows = b"\xef\xbb\xbf" + b"".join(b'{"id": "%d", "text": "%d"}\r\n' % (n, n) for n in range(6))
    assert codes(compile_text(tmp_path, SUITE, {"rows.jsonl": rows})) == []


@pytest.mark.parametrize("content", [b"def answer(:", b"\x00", b"\xff\xfe", b"def answer(x):\n return " + b"(" * 900])
def test_a_target_that_is_no_python_is_a_finding(tmp_path, content):
    text = completed('system candidate: python { target = "app:answer", timeout = 5s }')
    assert codes(compile_text(tmp_path, text, {"app.py": content})) == ["OLO213"]


def test_a_plugin_may_have_a_data_file_by_default(tmp_path):
    text = completed("evaluator exact: pack { }")
    absent = compile_text(tmp_path, text, is_strange=True)
    there = compile_text(tmp_path, text, {"words.txt": "a"}, is_strange=True)
    assert codes(absent) == ["OLO210", "OLO301"]
    assert there.plan is not None
    assert [entry.path for entry in there.plan.evaluator("exact").data] == ["words.txt"]


def test_a_row_of_a_stranger_with_an_enormous_number_is_a_finding(tmp_path):
    text = completed('cases tickets: tape { id = "id", input = "text", expect = "text", how = "huge" }')
    assert codes(compile_text(tmp_path, text, is_strange=True)) == ["OLO210", "OLO307"]


def test_more_findings_than_anybody_reads_are_cut(tmp_path):
    text = completed("suite demo {\n" + "".join(f"a{n} = 1\n" for n in range(500)) + "}")
    assert len(compile_text(tmp_path, text).diagnostics) == 100


@pytest.mark.slow
def test_a_suite_of_ten_thousand_lines_compiles(tmp_path):
    lines = "".join(
        f"metric m{n}: proportion {{ of = exact.pass }}\ngate g{n} {{ require m{n} >= 50% }}\n" for n in range(5_000)
    )
    assert compile_text(tmp_path, completed(lines)).plan is not None
