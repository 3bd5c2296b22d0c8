"""Rows to cases: ids, inputs, occurrences, eligibility, slices; the order of rows changes nothing."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
from cases.small_suites import codes, compile_text, completed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oloproof.app.compile import Compiled
from oloproof.canon.encoding import Json
from oloproof.chain.case import SAME_INPUT
from oloproof.plan.cases import CaseRow
from oloproof.plan.keys import case_hash, input_hash

JSONL = 'cases tickets: jsonl {{ path = "rows.jsonl", id = "id", input = {}, expect = "label"{} }}\n'
BY_CLUSTER = (
    "cluster k { by = case.k }\nmetric accuracy: proportion { of = exact.pass, cluster = k, weight_by = cluster }\n"
)
GATE = "gate floor { require accuracy >= 40%, advisory = true }\n"


def _compiled(
    folder: Path, rows: Sequence[Json], *, mapped: str = '"text"', more: str = "", rest: str = ""
) -> Compiled:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return compile_text(folder, completed(JSONL.format(mapped, more) + rest + GATE), {"rows.jsonl": lines})


def _cases(folder: Path, rows: Sequence[Json], **how: str) -> tuple[CaseRow, ...]:
    compiled = _compiled(folder, rows, **how)
    assert compiled.plan is not None, [item.message for item in compiled.diagnostics]
    (case_set,) = compiled.case_sets
    return case_set.rows


def _row(case_id: Json, text: Json, **more: Json) -> dict[str, Json]:
    return {"id": case_id, "text": text, "label": "x", **more}


def test_cases_are_sorted_by_the_bytes_of_their_ids(tmp_path):
    ids = ["b", "a", "é", "Z", "\U0001f642", "\uffee", "10", "9"]
    found = [row.id for row in _cases(tmp_path, [_row(name, name) for name in ids])]
    assert found == ["10", "9", "Z", "a", "b", "é", "\uffee", "\U0001f642"]


def test_equal_inputs_are_counted_in_the_order_of_ids(tmp_path):
    rows = _cases(tmp_path, [_row("c", "x"), _row("a", "x"), _row("b", "y"), _row("d", "x")])
    assert [(row.id, row.occurrence) for row in rows] == [("a", 0), ("b", 0), ("c", 1), ("d", 2)]


def test_equal_is_equal_as_json_and_not_as_written(tmp_path):
    inputs = {"a": {"k": 1, "l": 2}, "b": {"l": 2, "k": 1}, "c": {"k": 1.0, "l": 2}, "d": 1}
    rows = _cases(tmp_path, [_row(name, value) for name, value in inputs.items()])
    assert [row.occurrence for row in rows] == [0, 1, 2, 0]


def test_identities_are_those_of_the_input_and_of_the_whole_row(tmp_path):
    (case,) = _cases(tmp_path, [_row("a", "x", note=1)])
    assert case.input_hash == input_hash("x")
    assert case.case_hash == case_hash(_row("a", "x", note=1))


def test_a_list_of_paths_makes_an_object_keyed_by_the_paths(tmp_path):
    row = {"id": "a", "label": "x", "meta": {"lang": "de"}, "texts": ["p", "q"]}
    (case,) = _cases(tmp_path, [row], mapped='["meta.lang", "texts[1]"]')
    assert case.input == {"meta.lang": "de", "texts[1]": "q"}
    (alone,) = _cases(tmp_path, [row], mapped='["meta.lang"]')
    assert alone.input == {"meta.lang": "de"}


def test_null_and_false_are_inputs(tmp_path):
    assert [row.input for row in _cases(tmp_path, [_row("a", None), _row("b", False)])] == [None, False]


@pytest.mark.parametrize(("value", "meant"), [(1, "1"), (-7, "-7"), (2**53 - 1, str(2**53 - 1)), ("a b", "a b")])
def test_texts_and_whole_numbers_are_ids(tmp_path, value, meant):
    (case,) = _cases(tmp_path, [_row(value, "x")])
    assert case.id == meant


@pytest.mark.parametrize(
    "value",
    [
        *("", "a\u0000", "a\n", "\u202eab", "a\u2066", "a\u200d", "a\ufeff", "a\u2028", "e\u0301", "\u212b", "é" * 257),
        *(True, None, 1.5, [], {}, 2**53),
    ],
)
def test_what_cannot_be_told_apart_or_is_no_text_is_no_id(tmp_path, value):
    assert codes(_compiled(tmp_path, [_row(value, "x")])) == ["OLO307"]


def test_an_id_has_up_to_512_bytes(tmp_path):
    assert codes(_compiled(tmp_path, [_row("é" * 256, "x")])) == ["OLO611"]


@given(st.text(min_size=1, max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_an_id_that_is_taken_is_in_form_nfc_and_can_be_seen(tmp_path, text):
    compiled = _compiled(tmp_path, [_row(text, "x")])
    if compiled.plan is None:
        assert codes(compiled) in (["OLO307"], ["OLO302"])
    else:
        assert unicodedata.is_normalized("NFC", text)
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in text)


def test_eligibility_is_a_conjunction_of_memberships(tmp_path):
    rows = [_row("a", "1", n=1, lang="de"), _row("b", "2", n=2, lang="de"), _row("c", "3", n=1, lang="fr")]
    rows += [_row("d", "4", n=True, lang="de"), _row("e", "5", n="1", lang="de"), _row("f", "6", n=1.0, lang="de")]
    found = _cases(tmp_path, rows, more=', eligible { "n" = 1, "lang" = ["de", "en"] }')
    assert [row.id for row in found if row.eligible] == ["a", "f"]


def test_an_ineligible_case_stays_in_the_set_and_counts_nowhere(tmp_path):
    compiled = _compiled(
        tmp_path, [_row(f"c{n}", f"t{n}", on=n < 3) for n in range(9)], more=', eligible { "on" = true }'
    )
    entry = compiled.plan.case_set("tickets")
    assert (entry.n_total, entry.n_eligible) == (9, 3)
    assert compiled.plan.gates[0].decidability[0].n == 3


def test_slice_values_are_texts_of_scalars(tmp_path):
    rows = [_row("a", "1", k="x"), _row("b", "2", k=1), _row("c", "3", k=True), _row("d", "4", k=0.5)]
    found = _cases(tmp_path, rows, rest="slice k { by = case.k }\n")
    assert [row.slices["k"] for row in found] == ["x", "1", "true", "0.5"]


def test_case_id_input_and_expect_are_the_mapped_values(tmp_path):
    rows = [{"id": 1, "text": {"lang": "de"}, "label": "x", "meta": {"lang": "fr"}}]
    rest = "".join(
        f"slice s{place} {{ by = case.{path} }}\n"
        for place, path in enumerate(["id", "input.lang", "expect", "meta.lang", "text.lang"])
    )
    (case,) = _cases(tmp_path, rows, rest=rest)
    assert list(case.slices.values()) == ["1", "de", "x", "fr", "de"]


def test_a_case_without_a_key_may_stand_alone(tmp_path):
    rest = "cluster k { by = case.k, alone = true }\nmetric accuracy: proportion { of = exact.pass, cluster = k }\n"
    found = _cases(tmp_path, [_row("a", "1"), _row("b", "2", k="p"), _row("c", "3")], rest=rest)
    assert [row.clusters["k"] for row in found] == ["@=a", "p", "@=c"]


def test_several_fields_make_one_cluster_each_combination(tmp_path):
    rest = "cluster k { by = [case.k, case.l] }\nmetric accuracy: proportion { of = exact.pass, cluster = k }\n"
    rows = [_row("a", "1", k="p", l="q,r"), _row("b", "2", k="p,q", l="r"), _row("c", "3", k="p", l="q,r")]
    found = _compiled(tmp_path, rows, rest=rest)
    assert "OLO503" in codes(found)


def test_cases_of_one_input_share_their_clusters(tmp_path):
    rows = [_row("a", "1", k="p"), _row("b", "1", k="q"), _row("c", "2", k="q"), _row("d", "3", k="r")]
    found = _cases(tmp_path, rows, rest=BY_CLUSTER)
    assert [row.clusters for row in found] == [
        {"k": "p", SAME_INPUT: "a"},
        {"k": "p", SAME_INPUT: "a"},
        {"k": "p", SAME_INPUT: "c"},
        {"k": "r", SAME_INPUT: "d"},
    ]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("pq"), st.booleans()), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_the_order_of_rows_changes_neither_cases_nor_plan(tmp_path, drawn, random):
    rows = [_row(f"c{n}", text, k=k, on=on) for n, (text, k, on) in enumerate(drawn)]
    more = ', eligible { "on" = [true, false] }'
    first = _compiled(tmp_path, rows, rest=BY_CLUSTER, more=more)
    second = _compiled(tmp_path, random.sample(rows, len(rows)), rest=BY_CLUSTER, more=more)
    assert first.case_sets == second.case_sets
    assert first.plan.decision_hash == second.plan.decision_hash


def test_inline_cases_are_rows_like_others(tmp_path):
    text = "cases tickets: inline {{\n{}\n}}\ngate floor {{ require accuracy >= 10%, advisory = true }}"
    one = 'case "a" { input = { q = "x", n = [1, 0.5, true] }, expect = "y", lang = "de" }'
    compiled = compile_text(tmp_path, completed(text.format(one)))
    (case_set,) = compiled.case_sets
    (case,) = case_set.rows
    assert (case.id, case.input, case.expect) == ("a", {"q": "x", "n": [1, 0.5, True]}, "y")
    assert case.case_hash == case_hash({"id": "a", "input": case.input, "expect": "y", "lang": "de"})
