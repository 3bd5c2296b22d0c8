"""Identities, keys and seeds: what makes two executions the same, and what does not."""

import hashlib
from dataclasses import fields, replace

import pytest
import rfc8785
from fakes.small_plans import case_set, evaluator, plan_of, system
from hypothesis import given
from hypothesis import strategies as st
from laws.builders import gate, metric, plan

from oloproof.canon.digests import digest_of
from oloproof.canon.encoding import NotCanonical, encode
from oloproof.plan import keys
from oloproof.plan.codec import BadPlan, to_json
from oloproof.plan.plan import PLAN_FORMAT, Limits, RequireEntry, SystemEntry

OTHER = digest_of("test", "other")


def plain(domain: str, *parts: object):
    return hashlib.sha256(domain.encode() + b"\x00" + rfc8785.dumps(list(parts)))


def small_plan():
    made = plan_of([case_set({"a": ("x", "y"), "b": ("x", "z")})], [system()], [evaluator()])
    return signed(replace(made, gates=(gate(),), metrics=(metric(),)))


def signed(made):
    """The plan with its hashes."""
    decided = replace(made, decision_hash=keys.decision_hash(made))
    return replace(decided, plan_hash=keys.plan_hash(decided))


def test_the_formulas_are_those_of_the_specification():
    digest = plain("olo-input-v1", {"q": "x"}).digest()
    assert keys.input_hash({"q": "x"}) == digest
    assert keys.case_hash({"id": "a"}) == plain("olo-case-v1", {"id": "a"}).digest()
    seed = plain("olo-seed-v1", 7, digest.hex(), 1, 2).digest()
    assert keys.case_seed(7, digest, 1, 2) == int.from_bytes(seed[:8], "big")
    assert (
        keys.measurement_key(identity="i", output_digest="o", read=[1])
        == plain("olo-measurement-v1", "i", "o", [1]).digest()
    )
    assert keys.ids_digest(["a", "b"]) == "sha256:" + plain("olo-ids-v1", ["a", "b"]).hexdigest()
    assert keys.content_digest([digest]) == "sha256:" + plain("olo-content-v1", [digest.hex()]).hexdigest()
    assert keys.design_digest([["a", 0]]) == "sha256:" + plain("olo-design-v1", [["a", 0]]).hexdigest()
    assert keys.subject_digest(system()) == "sha256:" + hashlib.sha256(rfc8785.dumps(to_json(system()))).hexdigest()


@given(st.lists(st.tuples(st.text(max_size=4), st.integers(0, 3), st.booleans()), max_size=4), st.text(max_size=4))
def test_an_inference_key_is_the_hash_of_one_array(rows, cell):
    lines = [["cases", name, repeat, {"pass": right}] for name, repeat, right in rows]
    found = keys.inference_key("sha256:d", [cell, 0], [encode(line) for line in lines])
    assert found == "sha256:" + plain("olo-inference-v1", "sha256:d", [cell, 0], lines).hexdigest()
    assert keys.resampling_seed(found) == "sha256:" + plain("olo-resample-v1", found).hexdigest()


def key_of(**changes: object):
    row = case_set({"a": ("x", "y")}).rows[0]
    row = replace(row, **{name: changes.pop(name) for name in ("id", "occurrence", "input_hash") if name in changes})
    given_ = {"identity": "i", "repeat": 0, "seed": None, "extra": None, **changes}
    return keys.observation_key(row=row, **given_)


def test_an_observation_key_is_the_hash_of_one_array():
    digest = keys.input_hash("x").hex()
    assert key_of() == plain("olo-observation-v1", ["system", "i", digest, 0, 0, None, None]).digest()
    assert (
        key_of(seed=2**64 - 1, extra="e")
        == plain("olo-observation-v1", ["system", "i", digest, 0, 0, str(2**64 - 1), "e"]).digest()
    )


@pytest.mark.parametrize(
    "change",
    [{"identity": "j"}, {"repeat": 1}, {"seed": 0}, {"extra": ""}, {"occurrence": 1}, {"input_hash": b"\x01" * 32}],
)
def test_what_determines_an_answer_is_in_its_key(change):
    assert key_of(**change) != key_of()


def test_the_name_of_a_case_is_not_in_the_key_of_its_answer():
    assert key_of(id="renamed") == key_of()


def test_nothing_of_a_systems_entry_but_its_identity_can_reach_a_key():
    """The deny-list by construction: keys take the identity, and the identity is made before these fields are."""
    assert set(keys.observation_key.__annotations__) == {"identity", "row", "repeat", "seed", "extra", "return"}
    assert {"name", "variant", "timeout_ms", "concurrency", "repeats"} <= {field.name for field in fields(SystemEntry)}


@given(st.integers(0, 2**32), st.binary(min_size=32, max_size=32), st.integers(0, 9), st.integers(0, 9))
def test_a_seed_is_of_64_bits_and_of_its_place_alone(suite_seed, digest, occurrence, repeat):
    seed = keys.case_seed(suite_seed, digest, occurrence, repeat)
    assert 0 <= seed < 2**64
    others = {
        keys.case_seed(suite_seed + 1, digest, occurrence, repeat),
        keys.case_seed(suite_seed, digest, occurrence + 1, repeat),
        keys.case_seed(suite_seed, digest, occurrence, repeat + 1),
    }
    assert seed not in others
    assert len(others) == 3


def test_seeds_do_not_depend_on_the_order_of_cases_or_on_other_cases():
    rows = {f"c{n}": (n, None) for n in range(20)}
    all_of_them = {row.id: keys.case_seed(1, row.input_hash, row.occurrence, 0) for row in case_set(rows).rows}
    few = dict(list(rows.items())[::-3])
    assert {row.id: keys.case_seed(1, row.input_hash, row.occurrence, 0) for row in case_set(few).rows} == {
        name: all_of_them[name] for name in few
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: replace(plan, gates=(replace(plan.gates[0], requires=(RequireEntry("right", ">=", "0.85"),)),)),
        lambda plan: replace(plan, gates=(replace(plan.gates[0], confidence="0.9"),)),
        lambda plan: replace(plan, gates=(replace(plan.gates[0], advisory=True),)),
        lambda plan: replace(plan, gates=()),
        lambda plan: replace(plan, metrics=(replace(plan.metrics[0], errors="failed"),)),
        lambda plan: replace(plan, metrics=(replace(plan.metrics[0], weight_by="cluster"),)),
        lambda plan: replace(plan, policy=replace(plan.policy, warn_on=("FAIL",))),
        lambda plan: replace(plan, suite=replace(plan.suite, seed=8)),
        lambda plan: replace(plan, suite=replace(plan.suite, population="superpopulation")),
        lambda plan: replace(plan, evaluators=(replace(plan.evaluators[0], identity=OTHER),)),
        lambda plan: replace(plan, cases=(replace(plan.cases[0], ids=OTHER),)),
        lambda plan: replace(plan, cases=(replace(plan.cases[0], content=OTHER),)),
        lambda plan: replace(plan, cases=(replace(plan.cases[0], design=OTHER),)),
        lambda plan: replace(plan, cases=(replace(plan.cases[0], n_eligible=1),)),
    ],
)
def test_what_decides_is_in_both_hashes(change):
    one, other = small_plan(), signed(change(small_plan()))
    assert one.decision_hash != other.decision_hash
    assert one.plan_hash != other.plan_hash


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: replace(plan, systems=(replace(plan.systems[0], repeats=2),)),
        lambda plan: replace(plan, systems=(replace(plan.systems[0], timeout_ms=1),)),
        lambda plan: replace(plan, systems=(replace(plan.systems[0], identity=OTHER),)),
        lambda plan: replace(plan, limits=Limits(1, None)),
        lambda plan: replace(plan, suite=replace(plan.suite, owner="someone")),
        lambda plan: replace(plan, suite=replace(plan.suite, name="other")),
        lambda plan: replace(plan, cases=(replace(plan.cases[0], options={"path": "b.jsonl"}),)),
    ],
)
def test_what_only_runs_is_in_the_plans_hash_alone(change):
    one, other = small_plan(), signed(change(small_plan()))
    assert one.decision_hash == other.decision_hash
    assert one.plan_hash != other.plan_hash


def test_neither_hash_covers_the_two_hashes():
    made = small_plan()
    forged = replace(made, decision_hash=OTHER, plan_hash=OTHER)
    assert (keys.decision_hash(forged), keys.plan_hash(replace(forged, decision_hash=OTHER))) == (
        made.decision_hash,
        made.plan_hash,
    )


def test_a_plan_is_read_from_its_canonical_bytes():
    made = small_plan()
    assert keys.read_plan(encode(to_json(made))) == made


def test_a_plan_whose_hashes_are_not_its_own_is_refused():
    made = small_plan()
    for wrong in (
        replace(made, plan_hash=OTHER),
        replace(made, decision_hash=OTHER),
        replace(made, gates=(gate("0.1"),)),
    ):
        with pytest.raises(BadPlan, match="hashes"):
            keys.read_plan(encode(to_json(wrong)))


@pytest.mark.parametrize("stated", [PLAN_FORMAT + 1, 0, str(PLAN_FORMAT), True, None, float(PLAN_FORMAT) + 0.5])
def test_a_plan_of_another_format_is_refused_as_such(stated):
    value = {**to_json(small_plan()), "format": stated, "a_field_of_that_format": 1}
    with pytest.raises(BadPlan, match="this version reads 1"):
        keys.read_plan(encode(value))


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"{", b"\xff"])
def test_what_is_no_plan_is_refused(data):
    with pytest.raises((BadPlan, NotCanonical)):
        keys.read_plan(data)


def test_a_plan_in_another_spelling_is_refused():
    with pytest.raises(NotCanonical):
        keys.read_plan(encode(to_json(small_plan())) + b"\n")


def test_a_plan_beyond_its_size_is_refused_unread(monkeypatch):
    monkeypatch.setattr(keys, "MAX_PLAN_BYTES", 100)
    with pytest.raises(BadPlan, match="limit is 100"):
        keys.read_plan(encode(to_json(small_plan())))


def test_the_test_plan_has_cells():
    assert plan().gates
