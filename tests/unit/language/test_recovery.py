"""One fault, few diagnostics, near its place; everything else is still read."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.language.reading import CORPUS, found, names, only, read

from oloproof.language.source import Source
from oloproof.language.syntax import Parsed, Token, parse, tokenize
from oloproof.language.syntax.tree import Assign, Decl

INSERTED = [*"{}[](),=:.@", "x", '"s"', "5", "5m", ">=", "import", "extends", '"open', "\n"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let a =\nlet b = 1", ["1:7 OLO008"]),
        ("suite s { seed = }", ["1:16 OLO008"]),
        ("suite s {\n seed =\n owner = 1\n}", ["2:7 OLO008"]),
        ("gate g { require a >= }", ["1:20 OLO008"]),
        ("suite s {\n rubric =\n  5\n x = 1\n}", ["2:9 OLO008"]),
        ("suite s {\n a = 1\ngate g { }\n", ["1:9 OLO009"]),
        ("let a = [1, 2\nlet b = 1", ["1:9 OLO009"]),
        ("suite s { a = f(1 }\nlet b = 1", ["1:16 OLO009"]),
        ("suite s { }\n}\ngate g { }", ["2:1 OLO010"]),
        ("let a = 1]\n", ["1:10 OLO010"]),
        ("suite s { a = [1, 2}] }", ["1:20 OLO010"]),
        ("suite s { a = 1 b = 2 }", ["1:17 OLO001"]),
        ("suite s { a = [1 2] }", ["1:18 OLO001"]),
        ("suite s { a 1 }", ["1:13 OLO001"]),
        ("suite s\n{ a = 1 }\n", ["1:8 OLO001"]),
        ("cases c: jsonl\n  path = 1\n  id = 2\n}\ngate g { }", ["1:15 OLO001"]),
        ("suite s {\n a = 1 +\n b = 2\n}", ["2:8 OLO001"]),
        ("olo 1 suite s { }", ["1:7 OLO001"]),
        ("suite s { } gate g { }", ["1:13 OLO001"]),
    ],
)
def test_one_fault_is_one_diagnostic_at_its_place(text, expected):
    assert found(text) == expected


def test_an_unclosed_brace_points_to_its_opener_and_says_where_the_end_is_missing():
    source = Source("a.olo", "suite s {\n  x {\n    a = 1\n}\ngate g { }\n")
    (diagnostic,) = parse(source).diagnostics
    assert diagnostic.span is not None
    assert source.position(diagnostic.span.start) == (2, 5)
    assert source.position(diagnostic.labels[0].span.start).line == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("suite s { 5 }", "expected a statement or `}`, found `5`"),
        ("let a = [1 = 2]", "expected `]` or `,`, found `=`"),
        ("gate g { require a 5 }", "expected `{`, `>=` or `<=`, found `5`"),
        ("let 5 = 1", "expected a name, found `5`"),
        ("gate\n", "expected `{`, a string or a name, found the end of the line"),
    ],
)
def test_the_message_says_what_could_stand_there(text, expected):
    assert only(text).message == expected


def test_two_faults_are_two_diagnostics():
    assert found("suite s {\n a = = 1\n b = 2\n c = = 3\n}\ngate g { require }\n") == [
        "2:6 OLO001",
        "4:6 OLO001",
        "6:18 OLO001",
    ]


def test_what_could_be_read_of_a_broken_block_is_kept():
    (item,) = read("suite s {\n a = 1\n b = = 2\n c = 3\n}").file.items
    assert isinstance(item, Decl)
    assert [entry.key.text for entry in item.block.statements if isinstance(entry, Assign)] == ["a", "c"]
    assert not item.block.is_whole


def test_a_missing_brace_in_a_long_suite_is_one_diagnostic_and_loses_nothing():
    suite = "".join(f"gate g{n} {{\n  require m{n} >= 90%\n  on = s\n}}\n\n" for n in range(250))
    assert suite.count("\n") > 1000
    for nth in (0, 100, 249):
        pieces = suite.split("}\n")
        broken = "}\n".join(pieces[: nth + 1]) + "\n" + "}\n".join(pieces[nth + 1 :])
        parsed = read(broken)
        assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["OLO009"]
        assert len(parsed.file.items) == 250


def test_at_most_a_hundred_diagnostics_are_told_and_they_are_the_first():
    faults = found("let a = = 1\n" * 300)
    assert faults == [f"{line}:9 OLO001" for line in range(1, 101)]


def test_diagnostics_are_the_same_and_in_the_same_order_every_time():
    text = CORPUS["ticket_router.olo"].replace("}", "", 3).replace("=", "= =", 5)
    assert read(text) == read(text)
    assert found(text) == sorted(found(text), key=lambda told: [int(part) for part in told.split()[0].split(":")])


def _code_tokens(text: str) -> list[Token]:
    """Tokens of a corpus file, without comments and the line ends that make them end."""
    tokens = tokenize(Source("a.olo", text)).tokens
    after_comments = {tokens[index + 1].start for index, token in enumerate(tokens[:-1]) if token.type == "COMMENT"}
    return [token for token in tokens if token.type != "COMMENT" and token.start not in after_comments]


def _lines_between(text: str, one: int, other: int) -> int:
    """How many lines with something on them lie between two offsets."""
    begin, end = sorted((one, other))
    return sum(1 for line in text[begin:end].split("\n")[1:-1] if line.strip()) + ("\n" in text[begin:end])


def _hold_single_fault(name: str, mutated: str, at: int) -> None:
    source = Source("a.olo", mutated)
    parsed = parse(source)
    assert len(parsed.diagnostics) <= 3, mutated
    if any(diagnostic.code == "OLO006" for diagnostic in parsed.diagnostics):
        return
    spans = [span for d in parsed.diagnostics for span in (d.span, *(label.span for label in d.labels))]
    places = [span.start for span in spans if span is not None]
    assert not places or min(_lines_between(mutated, at, place) for place in places) <= 2, mutated
    _hold_others(name, parsed, at)


def _hold_others(name: str, parsed: Parsed, at: int) -> None:
    whole = read(CORPUS[name])
    near = {index for index, item in enumerate(whole.file.items) if item.span.start - 3 <= at <= item.span.end + 3}
    others = Counter(known for index, known in enumerate(names(whole)) if index not in near)
    lost = others - Counter(names(parsed))
    assert lost.total() <= 0.1 * others.total() or lost.total() <= 1


@pytest.mark.parametrize("name", CORPUS)
def test_any_token_deleted_gives_at_most_three_diagnostics_nearby_and_keeps_the_others(name):
    text = CORPUS[name]
    for token in _code_tokens(text):
        _hold_single_fault(name, text[: token.start] + text[token.end :], token.start)


@pytest.mark.parametrize("name", CORPUS)
def test_any_two_neighbours_swapped_give_at_most_three_diagnostics_nearby_and_keep_the_others(name):
    text, tokens = CORPUS[name], _code_tokens(CORPUS[name])
    for one, two in pairwise(tokens):
        between = text[one.end : two.start]
        if "#" in between:
            continue
        swapped = f"{two.text} {between}{one.text} "
        _hold_single_fault(name, text[: one.start] + swapped + text[two.end :], one.start)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.sampled_from(sorted(CORPUS)), st.sampled_from(INSERTED), st.integers(0, 10_000))
def test_any_token_inserted_gives_at_most_three_diagnostics_nearby_and_keeps_the_others(name, inserted, nth):
    text, tokens = CORPUS[name], _code_tokens(CORPUS[name])
    at = tokens[nth % len(tokens)].start
    _hold_single_fault(name, f"{text[:at]}{inserted} {text[at:]}", at)


def _hold_anything(text: str) -> None:
    parsed = read(text)
    assert len(parsed.diagnostics) <= 100
    for diagnostic in parsed.diagnostics:
        edits = [edit.span for fix in diagnostic.fixes for edit in fix.edits]
        for span in (diagnostic.span, *(label.span for label in diagnostic.labels), *edits):
            assert span is not None
            assert 0 <= span.start <= span.end <= len(text)


PIECES = [
    *("{", "}", "[", "]", "(", ")", "=", ",", ":", ".", "@", "#", "##", "%", "-", " ", "\n", "\r\n", "\t", "\\"),
    *('"', '"""', 'r"', "x", "gate g ", ">= ", "import ", "let a ", "param p ", "extends ", "true", "olo 1\n"),
    *("5s", "5m", "40 USD", "é", "\u202e", "\ufeff", "“", "≥", "\x00", "\xa0", "\ud800"),
]


@settings(deadline=None, max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_run_of_pieces_of_the_language_makes_anything_but_diagnostics(text):
    _hold_anything(text)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_no_text_makes_anything_but_diagnostics(text):
    _hold_anything(text)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_make_anything_but_diagnostics(data):
    assert len(parse(Source.decode("a.olo", data)).diagnostics) <= 100


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    st.sampled_from(sorted(CORPUS)),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 20), st.sampled_from(PIECES)), min_size=1, max_size=6),
)
def test_no_edits_of_a_good_suite_make_anything_but_diagnostics(name, edits):
    text = CORPUS[name]
    for at, n_deleted, inserted in edits:
        place = at % (len(text) + 1)
        text = text[:place] + inserted + text[place + n_deleted :]
    _hold_anything(text)
