"""Every attribute of every kind and type with every kind of wrong value: findings, never an exception."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from cases.small_suites import REST, compile_text, completed

from oloproof.app.wiring.light import compiler
from oloproof.language.codes import RULES
from oloproof.sdk.options import describe

VALUES = (
    '""',
    '"text"',
    '"../x"',
    '"${X}"',
    r'"\u{0}"',
    '"\U0001f642"',
    'r"a\\b"',
    "0",
    "-1",
    "9007199254740992",
    "9" * 100,
    "0.5",
    "-0.5",
    "0." + "3" * 90,
    "90%",
    "120%",
    "-1%",
    "2pp",
    "5s",
    "0s",
    "100000d",
    "40 USD",
    "true",
    "[]",
    "[1, [2], {}]",
    '["a", 1]',
    "{ }",
    "{ a = 1, a = 2 }",
    "nobody",
    "candidate",
    "exact.pass",
    "case.id",
    "case",
    "case[0]",
    'secret("X")',
    "secret(1, 2)",
    'env("X")',
    "f()",
)
HEADS = {
    "suite": "suite demo",
    "cases": "cases tickets: {}",
    "cluster": "cluster c",
    "slice": "slice s",
    "system": "system candidate: {}",
    "evaluator": "evaluator exact: {}",
    "metric": "metric accuracy: proportion",
    "gate": "gate floor",
    "policy": "policy",
}
OWN = {
    "suite": ("seed", "owner", "population"),
    "cases": ("id", "input", "expect", "weight", "eligible", "case"),
    "cluster": ("by", "alone", "weight_by", "max_size"),
    "slice": ("by", "values", "min_cases"),
    "system": ("timeout", "repeats", "concurrency", "depends_on", "rate", "matrix"),
    "evaluator": ("timeout",),
    "metric": ("of", "cluster", "weight_by", "max_size", "method", "errors", "missing", "assume", "q"),
    "gate": ("on", "cases", "across", "correction", "confidence", "advisory", "looks"),
    "policy": ("confidence", "guarantee", "warn_on"),
}
TYPES = {"cases": "source", "system": "system", "evaluator": "evaluator"}
CODES = {rule.code for rule in RULES}


def _attributes() -> Iterator[tuple[str, str]]:
    catalogue = compiler().catalogue
    for kind, head in HEADS.items():
        if kind not in TYPES:
            yield from ((head, attribute) for attribute in OWN[kind])
            continue
        for name in catalogue.names(TYPES[kind]):
            options = describe(catalogue.find(TYPES[kind], name).manifest.options)
            yield from ((head.format(name), attribute) for attribute in (*options, *OWN[kind]))


@pytest.mark.parametrize(("head", "attribute"), list(_attributes()))
def test_no_value_of_an_attribute_is_more_than_a_finding(head, attribute, tmp_path):
    for value in VALUES:
        text = completed(f"{head} {{ {attribute} = {value} }}")
        for found in compile_text(tmp_path, text).diagnostics:
            assert found.code in CODES
            assert found.message
            assert found.message[0].islower() or not found.message[0].isalpha()
            assert found.span is None or 0 <= found.span.start <= found.span.end <= len(text)


@pytest.mark.parametrize("value", VALUES)
def test_a_let_may_hold_anything_and_stand_anywhere(value, tmp_path):
    uses = "suite demo { seed = x, owner = x }\npolicy { confidence = x, warn_on = x }\nslice s { by = x }"
    cases = 'cases tickets: inline { case x { input = x }\n case "a" { input = x, expect = [x, x] } }'
    compile_text(tmp_path, completed(f"let x = {value}\n{uses}\n{cases}\ngate floor {{ require accuracy >= x }}"))


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(REST, 2)))
def test_parts_of_the_wrong_kind_are_findings(first, second, tmp_path):
    swapped = REST[first].replace(first, second, 1)
    compiled = compile_text(tmp_path, completed(f"{swapped}\n{swapped}"))
    assert compiled.plan is None


@pytest.mark.parametrize("left_out", list(REST))
def test_every_part_is_needed(left_out, tmp_path):
    text = "\n".join(part for kind, part in REST.items() if kind != left_out)
    compiled = compile_text(tmp_path, text)
    assert compiled.plan is None
    assert 1 <= len(compiled.diagnostics) <= 2


@pytest.mark.parametrize("nested", ["eligible", "case", "assume", "matrix", "rate", "qualification", "require", "gate"])
@pytest.mark.parametrize("kind", list(HEADS))
def test_a_block_where_none_belongs_is_a_finding(kind, nested, tmp_path):
    head = HEADS[kind].format("inline" if kind == "cases" else "python" if kind == "system" else "exact_match")
    for block in (f"{nested} {{ }}", f'{nested} "x" {{ a = 1 }}', f"{nested} x: y extends z {{ }}"):
        compiled = compile_text(tmp_path, completed(f"{head} {{ {block}\n {block} }}"))
        assert compiled.plan is None
