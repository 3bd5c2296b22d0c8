"""What each form of the grammar becomes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from unit.language.reading import CORPUS, found, good, read, shape, statement, value

from oloproof.language.source import Source
from oloproof.language.syntax import parse
from oloproof.language.syntax.tree import (
    Assign,
    Boolean,
    Call,
    Decl,
    Import,
    Integer,
    Let,
    ListValue,
    Number,
    Param,
    Quantity,
    Ref,
    Require,
)


@pytest.mark.parametrize("name", CORPUS)
def test_every_suite_of_the_corpus_is_read_without_a_word(name):
    assert found(CORPUS[name]) == []


def test_the_example_of_the_design_has_all_its_declarations():
    kinds = [item.kind.text for item in good(CORPUS["ticket_router.olo"]) if isinstance(item, Decl)]
    assert " ".join(kinds) == (
        "suite cases cluster system system evaluator judge metric metric metric gate gate gate policy budget"
    )


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("90%", "90", "%"),
        ("-2pp", "-2", "pp"),
        ("250ms", "250", "ms"),
        ("1.5s", "1.5", "s"),
        ("10min", "10", "min"),
        ("2h", "2", "h"),
        ("7d", "7", "d"),
        ("40 USD", "40", "USD"),
        ("1_000.50 EUR", "1000.50", "EUR"),
    ],
)
def test_a_quantity_is_a_decimal_and_a_unit(text, number, unit):
    quantity = value(text)
    assert isinstance(quantity, Quantity)
    assert (quantity.number, quantity.unit) == (Decimal(number), unit)
    assert str(quantity.number) == number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-1", -1), ("20_000", 20000), ("007", 7)])
def test_a_whole_number_is_an_int(text, number):
    integer = value(text)
    assert isinstance(integer, Integer)
    assert integer.value == number


def test_a_number_with_a_point_is_the_decimal_as_written_and_never_a_float():
    number = value("0.10")
    assert isinstance(number, Number)
    assert str(number.value) == "0.10"


def test_true_and_false_are_booleans():
    listed = value("[true, false]")
    assert isinstance(listed, ListValue)
    assert [item.value for item in listed.items if isinstance(item, Boolean)] == [True, False]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'"a \" \\ \n \t \r \u{1F642}"', 'a " \\ \n \t \r 🙂'),
        (r'r"C:\new\{x}"', r"C:\new\{x}"),
        ('""', ""),
        ('"# no comment"', "# no comment"),
    ],
)
def test_a_string_is_what_its_escapes_say(text, meant):
    assert shape(value(text)) == ("Text", ("value", meant))


@pytest.mark.parametrize(
    ("lines", "meant"),
    [
        (["    one", "      two", "", "    three", "    "], "one\n  two\n\nthree"),
        (["one", ""], "one"),
        (["    "], ""),
        (["  \t", "  x", "  "], "\nx"),
        (['  a "quoted" word and \\"\\"\\"', "  "], 'a "quoted" word and """'),
    ],
)
def test_text_over_lines_takes_its_indentation_from_the_closing_line(lines, meant):
    assert shape(value('"""\n' + "\n".join(lines) + '"""')) == ("Text", ("value", meant))


def test_text_over_lines_has_plain_line_ends_in_a_file_with_other_ones():
    assert shape(value('"""\r\n  a\r\n  b\r\n  """')) == ("Text", ("value", "a\nb"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("candidate", ("candidate",)),
        ("case.meta.language", ("case", "meta", "language")),
        ('outputs["py-0.4.0"].label', ("outputs", "py-0.4.0", "label")),
        ("a[0][12].b", ("a", 0, 12, "b")),
        ("a.true.import", ("a", "true", "import")),
    ],
)
def test_a_path_has_names_keys_and_indices(text, parts):
    ref = value(text)
    assert isinstance(ref, Ref)
    assert (ref.parts, ref.head) == (parts, parts[0])


def test_a_call_has_a_name_and_arguments():
    call = value('secret("TOKEN",)')
    assert isinstance(call, Call)
    assert (call.name.text, shape(call.args)) == ("secret", (("Text", ("value", "TOKEN")),))


def test_line_ends_separate_nothing_inside_brackets_and_parentheses():
    assert shape(value("[\n 1,\n 2\n]")) == shape(value("[1, 2]"))
    assert shape(value("f(\n1\n)")) == shape(value("f(1)"))


def test_the_innermost_bracket_decides_what_a_line_end_is():
    assert shape(value("[{\n a = 1\n b = 2\n}]")) == shape(value("[{ a = 1, b = 2 }]"))


def test_an_assignment_tells_a_quoted_key_from_a_name():
    quoted, plain = statement('"lang" = 1'), statement("lang = 1")
    assert isinstance(quoted, Assign)
    assert isinstance(plain, Assign)
    assert (quoted.key.text, quoted.key_is_string, plain.key_is_string) == ("lang", True, False)


def test_a_requirement_has_verb_path_comparison_and_value():
    require = statement("require a.b <= 4s")
    assert isinstance(require, Require)
    assert (require.verb.text, require.ref.parts, require.op) == ("require", ("a", "b"), "<=")


def test_a_declaration_in_a_block_is_the_same_record_as_one_outside():
    rate, case = statement("rate { per = 1min }"), statement('case "c1" { input = "x" }')
    assert isinstance(rate, Decl)
    assert isinstance(case, Decl)
    assert (rate.kind.text, rate.label, rate.type) == ("rate", None, None)
    assert case.label is not None
    assert (case.label.text, case.label_is_string) == ("c1", True)


def test_a_declaration_may_have_kind_label_type_and_parent():
    (item,) = good('system b: openai.chat@2("x") extends m.a["1"] { }')
    assert isinstance(item, Decl)
    assert item.label is not None
    assert item.type is not None
    assert item.extends is not None
    assert (item.kind.text, item.label.text, item.type.name, item.type.major) == ("system", "b", "openai.chat", 2)
    assert (shape(item.type.args), item.extends.parts) == ((("Text", ("value", "x")),), ("m", "a", "1"))


def test_a_type_without_brackets_has_no_arguments_and_one_with_empty_ones_has_none_of_them():
    bare, empty = good("a b: t { }\na b: t() { }")
    assert isinstance(bare, Decl)
    assert isinstance(empty, Decl)
    assert bare.type is not None
    assert empty.type is not None
    assert (bare.type.args, empty.type.args) == (None, ())


def test_imports_lets_and_params_are_items_of_their_own():
    imported, pinned, let, param, bare = good(
        'import "a.olo" as a\nimport "b.olo" sha256 "00" as b\nlet x = 1\nparam p: int = 2 { min = 1 }\nparam q: string'
    )
    assert isinstance(imported, Import)
    assert isinstance(pinned, Import)
    assert isinstance(let, Let)
    assert isinstance(param, Param)
    assert isinstance(bare, Param)
    assert (imported.path.value, imported.sha256, imported.name.text) == ("a.olo", None, "a")
    assert (pinned.name.text, shape(pinned.sha256)) == ("b", ("Text", ("value", "00")))
    assert (let.name.text, shape(let.value)) == ("x", ("Integer", ("value", 1)))
    assert (param.name.text, shape(param.default), param.block is None) == ("p", ("Integer", ("value", 2)), False)
    assert (bare.type.name, bare.default, bare.block) == ("string", None, None)


def test_no_word_is_reserved():
    for word in ["olo", "import", "let", "param", "extends", "sha256", "as", "true", "false"]:
        assert isinstance(statement(f"{word} = 1"), Assign)
        assert isinstance(statement(f"{word} {word} {{ }}"), Decl)
        assert len(good(f"let {word} = 1\nsuite {word}: {word} {{ }}")) == 2


@pytest.mark.parametrize(
    ("above", "doc"),
    [
        ("## One.\n## Two.\n", "One.\nTwo."),
        ("## Other.\n\n## This.\n", "This."),
        ("## This.\n\n", "This."),
        ("## This.\n# an aside\n", "This."),
        ("# plain\n", None),
        ("### banner\n", None),
        ("let x = 1 ## beside\n", None),
    ],
)
def test_a_doc_comment_belongs_to_the_declaration_below(above, doc):
    item = good(above + "gate g { }")[-1]
    assert isinstance(item, Decl)
    assert item.doc == doc


def test_the_edition_is_read_and_may_be_absent():
    assert shape(read("olo 1\n").file.edition) == ("Integer", ("value", 1))
    assert read("suite s { }").file.edition is None


def test_an_unknown_edition_is_one_error_whatever_else_the_file_holds():
    parsed = read("olo 2\nsuite s }{ 5m \u202e\n")
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["OLO006"]
    assert parsed.file.items == ()


def test_a_file_needs_no_final_line_end():
    assert shape(read("let a = 1").file) == shape(read("let a = 1\n").file)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "olo 1", "\r\n\r\n"])
def test_a_file_may_be_empty(text):
    assert good(text) == ()


def test_an_attribute_set_twice_is_read_twice_for_the_checks_to_see():
    (item,) = good("policy { confidence = 95%, confidence = 50% }")
    assert isinstance(item, Decl)
    assert len(item.block.statements) == 2


@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_of_another_kind_change_no_tree(name, ending):
    assert shape(read(CORPUS[name].replace("\n", ending)).file) == shape(read(CORPUS[name]).file)


@pytest.mark.parametrize("name", CORPUS)
def test_mixed_line_ends_change_no_tree(name):
    head, middle, tail = CORPUS[name].partition("\n")
    assert shape(read(head + middle + tail.replace("\n", "\r\n")).file) == shape(read(CORPUS[name]).file)


@pytest.mark.parametrize("name", CORPUS)
def test_a_byte_order_mark_changes_neither_tree_nor_spans(name):
    plain = parse(Source.decode("a.olo", CORPUS[name].encode()))
    assert parse(Source.decode("a.olo", b"\xef\xbb\xbf" + CORPUS[name].encode())) == plain


def test_spans_cover_exactly_what_was_written():
    text = 'system b: t@1 extends a.c { k = [1, f("x")] }'
    (item,) = good(text)
    assert isinstance(item, Decl)
    assert item.type is not None
    assert item.extends is not None
    (assign,) = item.block.statements
    assert isinstance(assign, Assign)
    spans = (item.span, item.type.span, item.extends.span, item.block.span, assign.span, assign.value.span)
    assert [text[span.start : span.end] for span in spans] == [
        text,
        "t@1",
        "a.c",
        '{ k = [1, f("x")] }',
        'k = [1, f("x")]',
        '[1, f("x")]',
    ]


def test_a_bad_value_takes_its_statement_with_it_and_leaves_a_mark():
    (item,) = read("gate g {\n a = 5m\n b = 1\n}").file.items
    assert isinstance(item, Decl)
    assert ([s.key.text for s in item.block.statements if isinstance(s, Assign)], item.block.is_whole) == (["b"], False)


def test_the_words_of_an_unread_item_are_kept_so_that_nobody_calls_them_unknown():
    assert read("let floor = 5m\nsystem candidate python {\n}\ngate g { on = candidate }").file.unread == (
        "candidate",
        "floor",
        "python",
        "system",
    )
