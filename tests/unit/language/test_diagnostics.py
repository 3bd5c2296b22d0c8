from __future__ import annotations

import pytest

from oloproof.language.diagnostics import Diagnostic, MalformedRule, Rule, Severity, nearest, sort_key
from oloproof.language.source import Span

RULE = Rule("OLO001", "a-name")


@pytest.mark.parametrize(("code", "name"), [("OLO1", "a"), ("XYZ001", "a"), ("OLO001", "A Name"), ("OLO001", "a--b")])
def test_a_rule_has_a_code_of_three_digits_and_a_kebab_name(code, name):
    with pytest.raises(MalformedRule):
        Rule(code, name)


def test_a_rule_is_an_error_unless_it_says_otherwise():
    assert RULE.severity is Severity.ERROR


def test_a_diagnostic_weighs_what_its_rule_weighs():
    diagnostic = Diagnostic(Rule("OLO801", "style", Severity.HINT), "m", None)
    assert (diagnostic.code, diagnostic.severity) == ("OLO801", Severity.HINT)


def test_diagnostics_are_ordered_by_path_then_place_then_code():
    later = Diagnostic(RULE, "m", Span("a.olo", 9, 10))
    other = Diagnostic(Rule("OLO002", "b"), "m", Span("a.olo", 2, 3))
    first = Diagnostic(RULE, "m", Span("a.olo", 2, 5))
    nowhere = Diagnostic(RULE, "m", None)
    elsewhere = Diagnostic(RULE, "m", Span("b.olo", 0, 1))
    shown = sorted([elsewhere, later, other, first, nowhere], key=sort_key)
    assert shown == [nowhere, first, other, later, elsewhere]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("sytem", "system"), ("METRIC", "metric"), ("gates", "gate"), ("zebra", None)],
)
def test_a_misspelt_name_suggests_the_nearest_known_one(word, meant):
    assert nearest(word, ["metric", "system", "gate"]) == meant


def test_suggestions_do_not_depend_on_the_order_of_the_known_names():
    assert nearest("tet", ["text", "test"]) == nearest("tet", ["test", "text"])
