from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.language.source import MAX_FILE_BYTES, Source, Span


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_ends_one_line(ending):
    source = Source("a.olo", f"one{ending}two{ending}")
    assert source.position(3 + len(ending)) == (2, 1)
    assert [source.line(1), source.line(2), source.line(3)] == ["one", "two", ""]


def test_line_ends_of_all_kinds_may_be_mixed_in_one_file():
    source = Source("a.olo", "a\r\nb\rc\nd")
    assert [source.line(number) for number in (1, 2, 3, 4)] == ["a", "b", "c", "d"]


def test_columns_count_code_points_and_not_bytes_or_utf16_units():
    assert Source("a.olo", "🙂é x").position(3) == (1, 4)


def test_a_leading_byte_order_mark_is_dropped_and_moves_no_column():
    source = Source.decode("a.olo", b"\xef\xbb\xbfolo 1")
    assert (source.text, source.had_bom, source.fault) == ("olo 1", True, None)


def test_only_one_leading_byte_order_mark_is_dropped():
    assert Source.decode("a.olo", b"\xef\xbb\xbf" * 2 + b"x").text == "\ufeffx"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("olo 1\n".encode("utf-16"), "UTF-16"),
        ("olo 1\n".encode("utf-16-le"), "UTF-16"),
        ("olo 1\n".encode("utf-16-be"), "UTF-16"),
        ("olo 1\n".encode("utf-32"), "UTF-32"),
        ("olo 1\n".encode("utf-32-be"), "UTF-32"),
    ],
)
def test_utf16_and_utf32_are_told_as_what_they_are(data, encoding):
    fault = Source.decode("a.olo", data).fault
    assert fault is not None
    assert (fault.kind, fault.seen) == ("encoding", encoding)


def test_a_bad_byte_is_named_with_its_offset_in_the_file_and_in_the_text():
    fault = Source.decode("a.olo", b"\xef\xbb\xbf\xc3\xa9\xdf!!!!").fault
    assert fault is not None
    assert (fault.kind, fault.seen, fault.byte_offset, fault.offset) == ("bytes", "DF 21 21 21", 5, 1)


def test_a_file_above_the_limit_is_refused_before_it_is_decoded():
    source = Source.decode("a.olo", b"\xff" * (MAX_FILE_BYTES + 1))
    assert source.text == ""
    assert source.fault is not None
    assert source.fault.kind == "size"


def test_a_span_reaches_from_one_place_to_another():
    assert Span("a.olo", 3, 5).to(Span("a.olo", 9, 12)) == Span("a.olo", 3, 12)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_become_a_source(data):
    source = Source.decode("a.olo", data)
    assert source.fault is not None or source.text.encode() == data.removeprefix(b"\xef\xbb\xbf")


@given(st.text(alphabet="ab\r\n\té🙂", max_size=80))
def test_line_and_column_lead_back_to_the_offset(text):
    source = Source("a.olo", text)
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.line_starts[line - 1] + column - 1 == offset
