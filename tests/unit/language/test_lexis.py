"""Tokens, and what is wrong with single characters, strings and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.language.reading import CORPUS, found, only, read, shape

from oloproof.language.source import Source
from oloproof.language.syntax import parse, tokenize

BLANKS = {" ", "\t"}


def tokens(text):
    return [(token.type, token.text) for token in tokenize(Source("a.olo", text)).tokens]


@pytest.mark.parametrize("name", CORPUS)
def test_every_token_is_what_stands_at_its_place_and_only_blanks_lie_between(name):
    text, end = CORPUS[name], 0
    for token in tokenize(Source("a.olo", text)).tokens:
        assert token.text == text[token.start : token.end]
        assert set(text[end : token.start]) <= BLANKS
        end = token.end
    assert set(text[end:]) <= BLANKS


@given(st.text(alphabet='a1 "\\\n\r\t#{}[]()=<>.%-\u202e\u200b\xa0é“≥🙂\x00', max_size=60))
def test_every_token_of_any_text_is_what_stands_at_its_place(text):
    end = 0
    for token in tokenize(Source("a.olo", text)).tokens:
        assert token.text == text[token.start : token.end]
        assert token.start >= end
        end = token.end


def test_a_comment_ends_before_any_kind_of_line_end():
    assert tokens("# note\r\n#\r# x\n") == [
        ("COMMENT", "# note"),
        ("NL", "\r\n"),
        ("COMMENT", "#"),
        ("NL", "\r"),
        ("COMMENT", "# x"),
        ("NL", "\n"),
    ]


def test_a_unit_belongs_to_its_number():
    assert [kind for kind, _ in tokens("5s 40 USD 1.5 7 -2pp")] == [
        "QUANTITY",
        "QUANTITY",
        "DECIMAL",
        "INT",
        "QUANTITY",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "5m",
        "1e5",
        "1.",
        ".5",
        "+5",
        "1__0",
        "1_",
        "5secs",
        "40USD",
        "40  USD",
        "40 usd",
        "40 XYZ",
        "5 min",
        "90 %",
        "5µs",
    ],
)
def test_a_malformed_number_or_quantity_is_one_error(text):
    assert found(f"let a = {text}\nlet b = 1\n") == ["1:9 OLO005"]


def test_a_malformed_quantity_lists_the_units():
    assert only("let a = 5m").help == "units are % pp ms s min h d, or one space and a currency: `40 USD`"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("40USD", "40 USD"), ("40 usd", "40 USD"), ("5 min", "5min"), ("90 %", "90%"), ("+5", "5")],
)
def test_a_malformed_number_is_mended_where_only_one_thing_can_be_meant(text, meant):
    (fix,) = only(f"let a = {text}").fixes
    assert (fix.applicability, fix.edits[0].replacement) == ("safe", meant)


def test_an_unknown_currency_suggests_the_nearest_one():
    assert only("let a = 40 USB").help == "did you mean `40 USD`?"


def test_a_number_too_long_to_be_one_is_refused():
    assert found(f"let a = {'9' * 5000}\nlet b = {'9' * 5000}.5\nlet c = {'9' * 5000}s") == [
        "1:9 OLO005",
        "2:9 OLO005",
        "3:9 OLO005",
    ]


@pytest.mark.parametrize("text", ['"open', '"open \\"', 'r"open', '"""', '"""\n open\n'])
def test_a_string_without_its_end_is_one_error_at_its_start(text):
    assert found(f"let a = {text}\nlet b = 1\n") == ["1:9 OLO004"]


def test_a_text_that_neither_begins_nor_ends_where_it_should_is_one_error():
    assert found('let a = """Some\nprose here\nand there\n') == ["1:9 OLO011"]


def test_an_unclosed_text_ends_before_the_next_statement_of_its_block():
    parsed = read('judge j {\n  rubric = """\n    Prose here\n  and here.\n  accept = ["x"]\n}\ngate g { }\n')
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["OLO004"]
    assert len(parsed.file.items) == 2


@pytest.mark.parametrize("escape", [r"\q", r"\u{}", r"\u{110000}", r"\u{D800}", r"\u{xyz}", r"\u0041", r"\'"])
def test_a_bad_escape_is_an_error_at_its_backslash(escape):
    assert found(f'let a = "x{escape}y"') == ["1:11 OLO007"]


def test_several_bad_escapes_are_all_told():
    assert found(r'let a = "\q \n \p"') == ["1:10 OLO007", "1:16 OLO007"]


def test_a_bad_escape_in_a_text_over_lines_is_told_at_its_own_line():
    assert found('let a = """\n  x\n  \\q\n  """') == ["3:3 OLO007"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"""one line"""', "1:9"),
        ('"""first\n  second\n  """', "1:9"),
        ('"""first', "1:9"),
        ('""""""', "1:9"),
        ('"""\n  last"""', "2:1"),
        ('"""\n x\n  """', "2:1"),
        ('"""\n\tx\n  """', "2:1"),
    ],
)
def test_text_over_lines_keeps_to_its_layout(text, place):
    assert found(f"let a = {text}") == [f"{place} OLO011"]


@pytest.mark.parametrize("character", "\u202e\u2066\u200f\u061c\ufeff\x00\x1b\x85")
@pytest.mark.parametrize("template", ['let a = "x{}y"', "let a = 1 # x{}y", "let a = {}1", "let a = r'x'\nlet{} a = 1"])
def test_hidden_characters_are_errors_wherever_they_stand(character, template):
    codes = [diagnostic.code for diagnostic in read(template.format(character)).diagnostics]
    assert "OLO003" in codes


def test_a_byte_order_mark_that_is_not_the_first_character_is_an_error():
    assert found("let a = 1\n\ufefflet b = 2\n") == ["2:1 OLO003"]


def test_hidden_characters_of_one_line_are_one_diagnostic_with_labels():
    diagnostic = only('let a = "\u202ex\u202c"')
    assert [label.text for label in diagnostic.labels] == ["and U+202C POP DIRECTIONAL FORMATTING"]


def test_an_escaped_hidden_character_is_allowed():
    assert found(r'let a = "\u{202E}"') == []


def test_characters_of_any_script_are_allowed_in_strings_and_comments():
    assert found('let a = "顧客 – “ä” 👩\u200d👩\u200d👧" # ñ\n') == []  # noqa: RUF001 (any script)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("gate g { require a ≥ 1 }", ">="),
        ("let a =\xa01", " "),
        ("let a = \u200b1", ""),
        ("let a = “x”", '"'),
        ("let a = 5\uff05", "%"),
    ],
)
def test_a_look_alike_of_ascii_is_one_error_that_says_what_to_write(text, written):
    diagnostic = only(text)
    assert (diagnostic.code, diagnostic.fixes[0].edits[0].replacement) == ("OLO003", written)


def test_a_name_with_a_cyrillic_letter_is_spelt_in_latin_by_its_fix():
    diagnostic = only("let \u0430ccuracy = 1")
    assert (diagnostic.code, diagnostic.fixes[0].edits[0].replacement) == ("OLO003", "accuracy")


def test_a_name_that_is_not_ascii_is_an_error_and_its_declaration_still_read():
    parsed = read("gate größe { require a >= 1 }")
    assert ([diagnostic.code for diagnostic in parsed.diagnostics], len(parsed.file.items)) == (["OLO003"], 1)


def test_a_utf16_file_is_one_clear_error():
    (diagnostic,) = parse(Source.decode("a.olo", "olo 1\nsuite s { }\n".encode("utf-16"))).diagnostics
    assert (diagnostic.code, diagnostic.message, diagnostic.help) == (
        "OLO002",
        "this file is UTF-16",
        "save it as UTF-8",
    )


def test_bad_bytes_are_one_error_with_offset_and_hex_and_the_rest_is_read():
    parsed = parse(Source.decode("a.olo", b'let a = "gr\xfc\xdfe"\nlet b = 1\n'))
    assert [diagnostic.message for diagnostic in parsed.diagnostics] == ["byte 11 is not UTF-8: FC DF 65 22"]
    assert len(parsed.file.items) == 2


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("let a == 1", "the comparisons are `>=` and `<=`; a value is given with one `=`"),
        ("gate g { require a > 1 }", "the comparisons are `>=` and `<=`; a value is given with one `=`"),
        ("let a = 'x'", "strings stand between double quotes"),
        ("// note", "a comment begins with `#`"),
        ("let a = 1;", "a statement ends with its line, or with `,` inside braces"),
        ("let a = b ? 1", "there are no conditionals; write two systems or a matrix"),
    ],
)
def test_habits_from_other_languages_are_answered(text, help_):
    assert (only(text).code, only(text).help) == ("OLO001", help_)


def test_string_forms_that_mean_the_same_are_the_same_tree():
    assert shape(read('let a = "x\\\\y"').file) == shape(read('let a = r"x\\y"').file)
