"""Which evaluations are done, which are not, and what is recorded of them."""

import json
import math

import pytest
import rfc8785
from fakes.fake_engine import FakeEngine, failed, reply, verdict
from fakes.memory_store import MemoryStore
from fakes.small_plans import (
    case_set,
    echo,
    equals,
    evaluator,
    evaluator_bench,
    plan_of,
    system,
    system_bench,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.adapters.store import SqliteStore
from oloproof.canon.digests import leaf_hash, text_of
from oloproof.canon.encoding import encode, parse
from oloproof.chain.fields import BadRecord
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement
from oloproof.engine.work import Stop
from oloproof.plan.keys import measurement_key
from oloproof.plan.salts import Salts
from oloproof.stages.measure import EvaluatorCounts, measure
from oloproof.stages.measure import measuring as measuring_module
from oloproof.stages.measure.evaluations import Course
from oloproof.stages.measure.reading import read_observed
from oloproof.stages.observe import ObserveOptions, observe

SALTS = Salts(b"k" * 32)
ROWS = {f"c{number:03}": (f"text {number}", f"text {number}") for number in range(40)}


class Bench:
    """Observes and measures with one store and one engine."""

    def __init__(self, store, engine) -> None:
        self.store, self.engine = store, engine

    def run(self, cases=None, systems=None, evaluators=None, **options: object):
        cases = [case_set(ROWS)] if cases is None else cases
        plan = plan_of(cases, systems or [system()], [evaluator()] if evaluators is None else evaluators)
        filters = ObserveOptions(only=options.pop("only", None))
        self.observed = observe(
            plan, cases, store=self.store, salts=SALTS, bench=system_bench(self.engine), options=filters
        )
        bench = evaluator_bench(self.engine, **options)
        self.measured = measure(plan, cases, self.observed.file, store=self.store, salts=SALTS, bench=bench)
        return self.measured

    def records(self, link="measured"):
        file = getattr(self, link).file
        return [json.loads(line) for chunk in self.store.read_file(file.summary.sha256) for line in chunk.lines()]

    def calls(self, name):
        return len(self.engine.calls.get(name, []))


@pytest.fixture(params=["memory", "sqlite"])
def bench(request, tmp_path):
    store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "store.sqlite")
    yield Bench(store, FakeEngine({"bot": echo, "match": equals}))
    store.close()


def test_each_answer_is_evaluated_and_refers_to_its_observation(bench):
    measured = bench.run()
    assert measured.evaluators == {"match": EvaluatorCounts(40, 40, 0, 40, {})}
    leaves = [
        text_of(leaf_hash(line))
        for chunk in bench.store.read_file(bench.observed.file.summary.sha256)
        for line in chunk.lines()
    ]
    assert [record["observations"] for record in bench.records()] == [[leaf] for leaf in leaves]
    assert {str(record["outputs"]) for record in bench.records()} == {"{'pass': True}"}


def test_an_unchanged_exec_evaluates_nothing_and_finds_the_file_at_once(bench):
    first = bench.run()
    again = bench.run()
    assert (bench.calls("match"), again.file, again.is_linked) == (40, first.file, True)
    assert again.evaluators["match"] == EvaluatorCounts(40, 0, 40, 40, {})


def test_an_edited_evaluator_measures_anew_and_no_system_is_called(bench):  # deepeval#3047; case C6
    bench.run()
    bench.engine.answers["match"] = lambda _: verdict(**{"pass": False})
    measured = bench.run(evaluators=[evaluator(options={"code": "edited"})])
    assert (bench.calls("bot"), bench.calls("match"), measured.evaluators["match"].called) == (40, 80, 40)
    assert {record["outputs"]["pass"] for record in bench.records()} == {False}


def test_an_equal_answer_from_a_new_system_needs_no_new_evaluation(bench):
    bench.run()
    bench.run(systems=[system(options={"model": "new"})])
    assert (bench.calls("bot"), bench.calls("match")) == (80, 40)


def test_one_changed_case_is_one_evaluation(bench):
    bench.run()
    measured = bench.run([case_set({**ROWS, "c007": ("changed", "other")})])
    assert (bench.calls("bot"), bench.calls("match")) == (41, 41)
    assert (measured.evaluators["match"].called, measured.evaluators["match"].reused) == (1, 39)


def test_equal_answers_to_equal_questions_are_evaluated_once(bench):
    measured = bench.run([case_set({f"c{n:02}": ("same", "same") for n in range(30)})])
    assert (bench.calls("bot"), bench.calls("match")) == (30, 1)
    assert measured.evaluators["match"] == EvaluatorCounts(30, 1, 29, 30, {})


@pytest.mark.parametrize(("reads", "n_calls"), [(("expect",), 1), (("input",), 2), (("expect", "input"), 2), ((), 1)])
def test_what_an_evaluator_does_not_read_needs_no_new_evaluation(bench, reads, n_calls):
    bench.engine.answers["bot"] = lambda _: reply("always")
    bench.run([case_set({"a": ("1", "x"), "b": ("2", "x")})], evaluators=[evaluator(reads=reads)])
    assert bench.calls("match") == n_calls
    payload = bench.engine.calls["match"][0]
    wanted = {"expect": "x" if "expect" in reads else None, "input": "1" if "input" in reads else None}
    assert payload == {"output": "always", **wanted}


def test_a_text_and_an_object_that_look_alike_are_different_answers(bench):
    answers = {"1": reply('{"a":1}'), "2": reply({"a": 1})}
    bench.engine.answers["bot"] = lambda payload: answers[payload["input"]]
    bench.run([case_set({"a": ("1", "x"), "b": ("2", "x")})])
    assert [payload["output"] for payload in bench.engine.calls["match"]] == ['{"a":1}', {"a": 1}]


def test_a_missing_observation_is_a_missing_measurement_for_the_same_reason_without_a_call(bench):
    bench.engine.answers["bot"] = lambda p: failed("refused") if p["id"] in ("c001", "c002") else echo(p)
    measured = bench.run()
    assert measured.evaluators["match"] == EvaluatorCounts(40, 38, 0, 38, {"refused": 2})
    record = bench.records()[1]
    assert (record["status"], record["reason"], record["outputs"]) == ("missing", "refused", None)
    assert len(record["observations"]) == 1


def test_a_reason_may_stand_beside_outputs(bench):
    bench.run([case_set({"a": ("x", "y")})])
    (record,) = bench.records()
    assert (record["status"], record["outputs"], record["reason"]) == ("observed", {"pass": False}, "different")


@pytest.mark.parametrize(
    ("outputs", "body", "reason"),
    [
        ({"score": "real"}, verdict(score=math.nan), "non_finite"),  # adk-python#1281
        ({"score": "real"}, verdict(score=-math.inf), "non_finite"),
        ({"score": "real"}, verdict(score=True), "evaluator_output"),
        ({"score": "real"}, verdict(score="1"), "evaluator_output"),
        ({"score": "real"}, verdict(score=2**53), "evaluator_output"),
        ({"score": "real"}, verdict(score=2.0**53), "evaluator_output"),
        ({"score": "real"}, verdict(score=None), "evaluator_output"),
        ({"pass": "bool"}, verdict(**{"pass": 1}), "evaluator_output"),
        ({"pass": "bool"}, verdict(), "evaluator_output"),
        ({"pass": "bool"}, verdict(other=True), "evaluator_output"),
        ({"pass": "bool"}, verdict(**{"pass": True, "more": 1}), "evaluator_output"),
        ({"pass": "bool"}, {"outputs": None, "reason": None}, "evaluator_output"),
        ({"pass": "bool"}, {}, "evaluator_output"),
        ({"label": "text"}, verdict(label=b"x"), "evaluator_output"),
        ({"label": "text"}, verdict(label="\ud800"), "evaluator_output"),
        ({"pass": "bool"}, failed("expect_missing"), "expect_missing"),
        ({"pass": "bool"}, failed("timeout"), "evaluator_error"),
        ({"pass": "bool"}, failed("nonsense"), "evaluator_error"),
    ],
)
def test_a_verdict_that_is_not_what_was_declared_is_missing(bench, outputs, body, reason):
    bench.engine.answers["match"] = lambda _: body
    measured = bench.run([case_set({"a": ("x", "y")})], evaluators=[evaluator(outputs=outputs)])
    assert measured.evaluators["match"].missing == {reason: 1}


def test_one_bad_score_leaves_the_others_alone(bench):  # case C10
    bench.engine.answers["match"] = lambda p: verdict(score=math.nan if p["expect"] == "text 3" else 1)
    measured = bench.run(
        [case_set({case_id: ROWS[case_id] for case_id in sorted(ROWS)[:5]})],
        evaluators=[evaluator(outputs={"score": "real"})],
    )
    assert measured.evaluators["match"] == EvaluatorCounts(5, 5, 0, 4, {"non_finite": 1})


def test_a_reason_in_an_evaluators_own_words_is_named_as_such(bench):
    bench.engine.answers["match"] = lambda _: verdict(**{"pass": False}, reason="too rude")
    bench.run([case_set({"a": ("x", "y")})])
    assert bench.records()[0]["reason"] == "plugin_reason"


def test_an_evaluation_that_may_end_otherwise_is_done_again(bench):
    bench.engine.answers["match"] = lambda p: failed("evaluator_timeout") if p["output"] == "text 4" else equals(p)
    bench.run()
    kept = bench.run(keep_missing=True)
    assert (bench.calls("match"), kept.evaluators["match"].missing) == (40, {"evaluator_timeout": 1})
    bench.engine.answers["match"] = equals
    again = bench.run()
    assert (bench.calls("match"), again.evaluators["match"]) == (41, EvaluatorCounts(40, 1, 39, 40, {}))


def test_a_stopped_exec_keeps_what_finished(bench):
    bench.engine.batch = 1
    bench.run(evaluators=[])
    bench.engine.answers["bot"], bench.engine.stop_after = echo, None
    bench.engine.answers["match"] = equals
    stop = Stop()

    def stopping(payload) -> dict:
        stop.signal = 2 if payload["output"] == "text 9" else None
        return equals(payload)

    bench.engine.answers["match"] = stopping
    stopped = bench.run(stop=stop)
    assert (stopped.file, stopped.is_complete, stopped.evaluators["match"].called) == (None, False, 10)
    bench.engine.answers["match"] = equals
    whole = bench.run()
    assert (whole.evaluators["match"].called, whole.evaluators["match"].reused) == (30, 10)


def test_a_filtered_observation_is_measured_as_far_as_it_goes(bench):
    measured = bench.run(only=frozenset({"c003", "c030"}))
    assert [record["id"] for record in bench.records()] == ["c003", "c030"]
    assert measured.evaluators["match"].planned == 2


def test_an_evaluator_measures_only_the_systems_of_its_steps(bench):
    bench.engine.answers.update(a=echo, b=echo)
    cases = [case_set({"x": ("1", "1")})]
    systems = [system("a", options={"m": 1}), system("b", options={"m": 2})]
    plan = plan_of(cases, systems, [evaluator()])
    steps = tuple(step for step in plan.steps if step.kind == "observe" or step.system == "b")
    plan = type(plan)(**{name: steps if name == "steps" else getattr(plan, name) for name in plan.__slots__})
    seen = observe(plan, cases, store=bench.store, salts=SALTS, bench=system_bench(bench.engine))
    found = measure(plan, cases, seen.file, store=bench.store, salts=SALTS, bench=evaluator_bench(bench.engine))
    (chunk,) = bench.store.read_file(found.file.summary.sha256)
    assert [json.loads(line)["system"] for line in chunk.lines()] == ["b"]


def test_a_plan_without_evaluators_measures_nothing(bench):
    measured = bench.run(evaluators=[])
    assert (measured.evaluators, measured.file.summary.n, measured.is_complete) == ({}, 0, True)


def test_observations_of_other_cases_are_refused(bench):
    bench.run()
    plan, cases = plan_of([case_set({"a": ("1", "1")})], [system()], [evaluator()]), [case_set({"a": ("1", "1")})]
    with pytest.raises(BadRecord, match="c000"):
        measure(plan, cases, bench.observed.file, store=bench.store, salts=SALTS, bench=evaluator_bench(bench.engine))


def test_a_file_too_large_to_be_kept_is_streamed_to_the_same_records(bench, monkeypatch):
    kept = bench.run()
    monkeypatch.setattr(measuring_module, "KEPT_BYTES", 0)
    other = Bench(MemoryStore(), bench.engine)
    assert other.run().file == kept.file


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.dictionaries(texts.filter(bool), st.tuples(values, values), min_size=1, max_size=8),
    label=texts,
    score=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60),
    repeats=st.integers(1, 3),
    batch=st.integers(1, 5),
    shuffle=st.integers(0, 5),
)
def test_no_order_changes_a_byte_and_every_line_is_canonical(*, rows, label, score, repeats, batch, shuffle):
    cases = [case_set(rows, "ö"), case_set(rows, "b")]
    systems = [system("s2", repeats=repeats), system("s1", options={"x": 1})]
    evaluators = [
        evaluator("z", outputs={"pass": "bool", "label": "text", "score": "real"}),
        evaluator("e", outputs={"score": "real"}, reads=("expect", "input"), options={"y": 1}),
    ]
    answers = {
        "s1": lambda p: reply({"in": p["input"]}),
        "s2": lambda p: reply(f"{p['repeat']}" + label),
        "z": lambda p: verdict(**{"label": label, "pass": bool(p["expect"]), "score": score}, reason="different"),
        "e": lambda _: verdict(score=score) if rows else failed("evaluator_error"),
    }
    calm, wild = (
        Bench(MemoryStore(), FakeEngine(answers)),
        Bench(MemoryStore(), FakeEngine(answers, batch=batch, shuffle=shuffle)),
    )
    first, second = calm.run(cases, systems, evaluators), wild.run(cases[::-1], systems[::-1], evaluators[::-1])
    assert first.file == second.file
    lines = [line for one in calm.store.read_file(first.file.summary.sha256) for line in one.lines()]
    for line in lines:
        assert encode(Measurement.from_json(parse(line)).to_json()) == line == rfc8785.dumps(json.loads(line))
    order = [
        (*(r[name].encode() for name in ("set", "id", "system", "evaluator")), r["repeat"])
        for r in map(json.loads, lines)
    ]
    assert order == sorted(order)
    assert len(lines) == 2 * len(cases) * len(rows) * (repeats + 1)


@settings(deadline=None)
@given(st.dictionaries(texts.filter(bool), st.tuples(values, values), min_size=1, max_size=5), st.booleans())
def test_keys_are_those_of_the_plan(rows, as_text):
    bench = Bench(MemoryStore(), FakeEngine({"bot": lambda p: reply(str(p["input"]) if as_text else {"x": 1})}))
    cases = [case_set(rows)]
    bench.engine.answers["match"] = equals
    bench.run(cases)
    chunks = bench.store.read_file(bench.observed.file.summary.sha256)
    observed = [one for block in read_observed(chunks, cases) for one in block]
    for reads in ((), ("expect",), ("input",), ("expect", "input")):
        entry = evaluator(reads=reads)
        wanted = [
            measurement_key(
                identity=entry.identity,
                output_digest=one.digest,
                read={name: getattr(one.row, name) for name in reads},
            )
            for one in observed
        ]
        assert Course(entry, frozenset()).keys(observed) == wanted


def test_a_damaged_verdict_is_evaluated_again(tmp_path):
    path = tmp_path / "store.sqlite"
    with SqliteStore(path) as store:
        first = Bench(store, FakeEngine({"bot": echo, "match": equals})).run()
    data = path.read_bytes()
    path.write_bytes(
        data.replace(b'{"outputs":{"pass":true},"reason":null}', b'{"outputs":{"pass":false},"reason":nul}', 1)
    )
    with SqliteStore(path) as store:
        assert store.lookup(Link.MEASUREMENT, evaluator().identity, [b"x" * 32]) == [None]
        store.find_step = lambda _: None
        bench = Bench(store, FakeEngine({"bot": echo, "match": equals}))
        again = bench.run()
    assert bench.calls("match") in {1, 39}  # the last case of a file is a block of its own
    assert (bench.calls("bot"), again.file) == (0, first.file)
