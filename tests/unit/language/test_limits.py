"""Size, depth and time: nothing an author or an attacker writes takes more than its length."""

from __future__ import annotations

import gc
import time

import pytest
from unit.language.reading import CORPUS, found, read

from oloproof.language.source import MAX_FILE_BYTES, Source
from oloproof.language.syntax import parse
from oloproof.language.syntax.lexer import MAX_TOKENS
from oloproof.language.syntax.nesting import MAX_DEPTH

#: The design asks for t(2n) <= 2.6 t(n), so for 6.8 over two doublings; a loaded machine is given room, and quadratic
#: time (16) still shows.
MAX_GROWTH = 9.0


@pytest.mark.parametrize("pair", ["[]", "{}", "()"])
def test_depth_100_000_is_refused_with_one_diagnostic(pair):
    opener = {"[": "[", "{": "{ a = ", "(": "f("}[pair[0]]
    assert [told.split()[1] for told in found("let a = " + opener * 100_000)] in (["OLO012"], ["OLO013"])


def test_brackets_may_be_nested_up_to_the_limit_and_no_deeper():
    assert found("let a = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH) == []
    assert found("let a = " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) == [f"1:{9 + MAX_DEPTH} OLO012"]


def test_what_stands_after_a_value_that_is_nested_too_deeply_is_still_read():
    for closing in ("]" * 90_000, ""):
        assert len(read("let a = " + "[" * 90_000 + closing + "\nsuite s { }\n").file.items) == 1


def test_the_deepest_tree_that_is_read_can_be_compared_hashed_and_shown():
    text = "let a = " + "{ a = [" * (MAX_DEPTH // 2) + "] }" * (MAX_DEPTH // 2)
    one, two = read(text).file, read(text).file
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two)


def test_a_file_of_too_many_tokens_is_one_diagnostic():
    assert [told.split()[1] for told in found("a\n" * (MAX_TOKENS // 2 + 1))] == ["OLO013"]
    assert "OLO013" not in " ".join(found("a\n" * (MAX_TOKENS // 2)))


def test_a_text_above_the_size_limit_is_one_diagnostic_whether_it_was_bytes_or_not():
    text = "#" * (MAX_FILE_BYTES + 1)
    for source in (Source("a.olo", text), Source.decode("a.olo", text.encode())):
        assert [diagnostic.code for diagnostic in parse(source).diagnostics] == ["OLO013"]


def _cpu_seconds(text: str) -> float:
    source = Source("a.olo", text)
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        parse(source)
        return time.process_time() - begin
    finally:
        gc.enable()


SHAPES = {
    "good suites": CORPUS["ticket_router.olo"].removeprefix("olo 1"),
    "one brace too few each": CORPUS["ticket_router.olo"].removeprefix("olo 1").replace("5s }", "5s"),
    "open brackets": "a [\n",
    "open braces": "a {\n",
    "closing braces": "}\n",
    "broken statements": "gate x { a = = 1, b 5 5, c = }\n",
    "broken lines": "x 5 5 5\n",
    "crossed brackets": "a { b = [ ( }\n",
    "opening quotes": '"\n',
    "opening texts": '\\"""\n',
    "bad escapes": '"\\q"\n',
    "hidden characters": "# \u202e\n",
    "foreign words": "é ",
    "digits": "1_",
}


@pytest.mark.parametrize("name", SHAPES)
def test_four_times_the_text_takes_about_four_times_the_time(name):
    n_times = max(12_000 // len(SHAPES[name]), 10)
    small = min(_cpu_seconds(SHAPES[name] * n_times) for _ in range(3))
    large = min(_cpu_seconds(SHAPES[name] * n_times * 4) for _ in range(3))
    assert large <= MAX_GROWTH * max(small, 0.001)


@pytest.mark.parametrize("text", ["a.b" + ".c" * 50_000, "a" + "[0]" * 40_000, "[" + "1, " * 60_000 + "]"])
def test_long_chains_and_lists_are_read_without_recursion(text):
    assert found(f"let x = {text}") == []
