import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oloproof_builtin import json_lines
from oloproof_builtin.inline import Inline
from oloproof_builtin.json_lines import read_lines
from oloproof_builtin.jsonl import JsonLines
from oloproof_builtin.manifests import InlineOptions, JsonlOptions, ReplayOptions
from oloproof_builtin.replay import Replay

from oloproof.sdk import Context, Failure, Permanent, Reply, Request, Row, RowFault


def rows_of(data: bytes) -> list:
    return [line.content for line in read_lines(io.BytesIO(data))]


def test_every_line_is_a_row_with_its_number_and_empty_lines_count():
    assert rows_of(b'{"a":1}\n\n  \r\n{"a":2}') == [Row(1, {"a": 1}), Row(4, {"a": 2})]


def test_a_byte_order_mark_on_the_first_line_and_crlf_are_no_content():
    assert rows_of(b'\xef\xbb\xbf{"a":1}\r\n{"b":2}\r\n') == [Row(1, {"a": 1}), Row(2, {"b": 2})]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"a":1', "not JSON"),
        (b'{"a":1}{', "not JSON"),
        (b"[1]", "an object"),
        (b"null", "not null"),
        (b'"x"', "not a string"),
        (b'{"a":1,"a":1}', 'the key "a" stands twice'),
        (b'{"x":{"a":1,"a":2}}', 'the key "a" stands twice'),
        (b'{"a":NaN}', "NaN is not"),
        (b'{"a":-Infinity}', "-Infinity is not"),
        (b'{"a":1e999}', "1e999"),
        (b'{"a":' + b"9" * 5000 + b"}", "5000 digits"),
        (b'{"a":"\\ud800"}', "lone surrogate"),
        (b'{"a":"x\xff"}', "byte 8"),
        (b"\xff\xfe{\x00", "UTF-16"),
        (b'{"a":' + b"[" * 100_000, "nested"),
        (b'\xef\xbb\xbf{"a":1}', "not JSON"),
    ],
)
def test_a_line_that_holds_no_object_is_a_fault_and_the_next_is_read(line, problem):
    first, fault, last = rows_of(b'{"n":1}\n' + line + b'\n{"n":3}\n')
    assert (first, last) == (Row(1, {"n": 1}), Row(3, {"n": 3}))
    assert isinstance(fault, RowFault)
    assert fault.number == 2
    assert problem in fault.problem


@pytest.mark.parametrize("excess", [0, 1, 70_000])
def test_a_line_over_the_limit_is_a_fault_and_is_not_held(monkeypatch, excess):
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 100)
    line = b'{"a":"' + b"x" * (92 + excess) + b'"}\n'
    first, last = rows_of(line + b'{"n":2}\n')
    assert isinstance(first, RowFault if excess else Row)
    assert last == Row(2, {"n": 2})


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers(-(2**53), 2**53) | st.booleans(), max_size=4)))
def test_what_json_writes_is_read_back(objects):
    data = "".join(json.dumps(each) + "\n" for each in objects).encode()
    assert rows_of(data) == [Row(number, each) for number, each in enumerate(objects, 1)]


@given(st.binary(max_size=200))
def test_no_bytes_raise_and_the_places_of_lines_are_theirs(data):
    for line in read_lines(io.BytesIO(data)):
        assert data[line.offset : line.offset + line.size].strip()


def test_jsonl_reads_the_file_beside_the_suite_and_again_when_asked_again(tmp_path):
    (tmp_path / "rows.jsonl").write_bytes(b'{"a":1}\n')
    source = JsonLines(JsonlOptions(path="rows.jsonl"), Context(tmp_path, tmp_path))
    assert list(source.rows()) == list(source.rows()) == [Row(1, {"a": 1})]


def test_inline_gives_the_cases_as_they_are_written():
    cases = ({"id": "a", "input": "x"}, {"id": "b", "input": "y", "expect": 1})
    source = Inline(InlineOptions(cases=cases), Context(Path("/"), Path("/")))
    assert list(source.rows()) == [Row(0, cases[0]), Row(0, cases[1])]


def replay_of(folder: Path, data: str, **options: object) -> Replay:
    (folder / "recorded.jsonl").write_text(data)
    return Replay(ReplayOptions(path="recorded.jsonl", **options), Context(folder, folder))


def answer(system: Replay, case_id: str):
    return system.answer(Request(None, case_id, 0, None))


def test_replay_answers_with_what_is_recorded_for_the_case(tmp_path):
    system = replay_of(tmp_path, '{"id":"a","output":"x"}\n{"id":7,"output":{"label":"y"}}\n')
    assert answer(system, "a") == Reply("x")
    assert answer(system, "7") == Reply({"label": "y"})


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"id":"b","output":"x"}', "not_recorded"),
        ('{"id":"a","output":null}', "null_output"),
        ('{"id":"a"}', "null_output"),
        ('{"id":"a","output":"x","error":"HTTP 500"}', "recorded_error"),
        ('{"id":"a","output":"x","error":{"code":1}}', "recorded_error"),
    ],
)
def test_a_case_without_a_recorded_answer_is_missing_with_the_reason(tmp_path, row, reason):
    found = answer(replay_of(tmp_path, row, error="error"), "a")
    assert isinstance(found, Failure)
    assert found.reason == reason


@pytest.mark.parametrize("error", ["null", "false", '""'])
def test_an_empty_error_is_none(tmp_path, error):
    system = replay_of(tmp_path, f'{{"id":"a","output":"x","error":{error}}}', error="error")
    assert answer(system, "a") == Reply("x")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ('{"id":"a"}\n{"id":"a"}\n', r"recorded.jsonl:2: the id 'a' stands in line 1"),
        ('{"id":1}\n{"id":"1"}\n', r"recorded.jsonl:2"),
        ('{"id":"a"}\n{"id"\n', r"recorded.jsonl:2: not JSON"),
        ('{"key":"a"}\n', r"recorded.jsonl:1: no id at id"),
        ('{"id":true}\n', r"recorded.jsonl:1: no id"),
        ('{"id":"a","s":-1}\n', r"recorded.jsonl:1: the latency"),
    ],
)
def test_a_recording_that_cannot_be_trusted_does_not_start(tmp_path, data, told):
    with pytest.raises(Permanent, match=told):
        replay_of(tmp_path, data, latency="s")


def test_the_row_key_changes_with_the_row_and_not_with_its_spelling(tmp_path):
    first = replay_of(tmp_path, '{"id":"a","output":"x"}\n').row_key("a")
    assert replay_of(tmp_path, '\n{ "output": "x", "id": "a" }').row_key("a") == first
    assert replay_of(tmp_path, '{"id":"a","output":"y"}').row_key("a") != first
    assert replay_of(tmp_path, '{"id":"b","output":"y"}').row_key("a") == "none"


def test_a_recording_that_changes_under_the_run_is_noticed(tmp_path):
    system = replay_of(tmp_path, '{"id":"a","output":"x"}\n')
    (tmp_path / "recorded.jsonl").write_text('{"id":"a","output":"y"}\n')
    with pytest.raises(Permanent, match="changed"):
        answer(system, "a")
