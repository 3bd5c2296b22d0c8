"""Which calls are made, which are not, and what is recorded of them."""

import json
from dataclasses import replace

import pytest
import rfc8785
from fakes.fake_engine import FakeEngine, failed, reply
from fakes.memory_store import MemoryStore
from fakes.small_plans import case_set, echo, plan_of, spec_of, system, system_bench
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.adapters.store import SqliteStore
from oloproof.canon.digests import digest_of
from oloproof.canon.encoding import encode, parse
from oloproof.chain.link import Link
from oloproof.chain.observation import Observation
from oloproof.engine.work import AdapterCannotStart, Stop
from oloproof.plan.keys import case_seed, observation_key
from oloproof.plan.salts import Salts
from oloproof.ports.store import Result, StoreUnusable
from oloproof.stages.observe import ObserveOptions, SystemBench, SystemCounts, observe
from oloproof.stages.observe.executions import MAX_BLOCK, Course, blocks_of

SALTS = Salts(b"k" * 32)
ROWS = {f"c{number:03}": (f"text {number}", "en") for number in range(40)}


def observed(store, engine, cases=None, systems=None, **options: object):
    cases = [case_set(ROWS)] if cases is None else cases
    plan = plan_of(cases, systems or [system()])
    bench = system_bench(engine, stop=options.pop("stop", None), execution=options.pop("execution", "process"))
    return observe(plan, cases, store=store, salts=SALTS, bench=bench, options=ObserveOptions(**options))


def records(store, outcome):
    return [json.loads(line) for chunk in store.read_file(outcome.file.summary.sha256) for line in chunk.lines()]


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "store.sqlite")
    yield made
    made.close()


@pytest.fixture
def engine():
    return FakeEngine({"bot": echo})


def test_each_case_is_called_once_and_counted(store, engine):
    outcome = observed(store, engine)
    assert engine.n_calls == 40
    assert outcome.systems == {"bot": SystemCounts(planned=40, called=40, reused=0, answered=40, missing={})}
    assert outcome.is_complete
    assert [record["id"] for record in records(store, outcome)] == sorted(ROWS)


def test_an_unchanged_exec_makes_no_call_and_finds_the_file_at_once(store, engine):
    first, again = observed(store, engine), observed(store, engine)
    assert (engine.n_calls, again.file, again.is_linked) == (40, first.file, True)
    assert again.systems["bot"] == SystemCounts(planned=40, called=0, reused=40, answered=40, missing={})


def test_one_changed_case_is_one_call(store, engine):
    observed(store, engine)
    outcome = observed(store, engine, [case_set({**ROWS, "c007": ("changed", "en")})])
    assert [payload["id"] for payload in engine.calls["bot"][40:]] == ["c007"]
    assert (outcome.systems["bot"].called, outcome.systems["bot"].reused) == (1, 39)


def test_a_case_more_is_one_call_and_the_adapter_is_not_started_for_none(store, engine):
    observed(store, engine)
    observed(store, engine, [case_set({**ROWS, "c0071": ("new", "en")})])
    observed(store, engine, [case_set({case_id: row for case_id, row in ROWS.items() if case_id != "c003"})])
    assert (engine.n_calls, engine.starts) == (41, ["bot", "bot"])


@pytest.mark.parametrize("change", [{"concurrency": 64}, {"timeout_ms": 1}, {"name": "renamed", "variant": "renamed"}])
def test_name_timeout_and_concurrency_cost_no_call(store, engine, change):
    observed(store, engine)
    outcome = observed(store, engine, systems=[system(**change)])
    assert engine.n_calls == 40
    assert outcome.systems[change.get("variant", "bot")].answered == 40


def test_another_system_is_never_served_the_first_ones_answers(store):  # lm-evaluation-harness#4063; case C5
    engine = FakeEngine({"a": lambda _: reply("right"), "b": lambda _: reply("wrong")})
    a, b = system("a", options={"model": "a"}), system("b", options={"model": "b"})
    observed(store, engine, systems=[a])
    observed(store, engine, systems=[b])
    outcome = observed(store, engine, systems=[a, b])
    assert {name: len(made) for name, made in engine.calls.items()} == {"a": 40, "b": 40}
    assert [record["system"] for record in records(store, outcome)] == ["a", "b"] * 40


def test_any_changed_option_calls_that_system_again_and_no_other(store, engine):  # lm-evaluation-harness#3897
    engine.answers["other"] = echo
    systems = [system(), system("other", options={"stop": "."})]
    observed(store, engine, systems=systems)
    observed(store, engine, systems=[system(options={"max_tokens": 5}), systems[1]])
    assert {name: len(made) for name, made in engine.calls.items()} == {"bot": 80, "other": 40}


def test_a_system_that_changes_what_it_was_given_changes_nothing(store):  # litellm#7316
    cases = [case_set({"a": ({"messages": ["hello"]}, "x")})]

    def greedy(payload) -> dict:
        payload["input"]["messages"].append("more")
        return reply(str(len(payload["input"]["messages"])))

    engine = FakeEngine({"bot": greedy})
    observed(store, engine, cases, systems=[system(repeats=2)])
    observed(store, engine, cases, systems=[system(repeats=2)], fresh=True)
    assert cases[0].rows[0].input == {"messages": ["hello"]}
    assert engine.n_calls == 4
    again = observed(store, engine, cases, systems=[system(repeats=3)])
    assert (engine.n_calls, again.systems["bot"].reused) == (5, 2)


def test_repeats_are_executions_of_their_own_in_their_order(store):  # promptfoo#360; case C7
    count = iter(range(1000))
    engine = FakeEngine({"bot": lambda _: reply(str(next(count)))}, shuffle=3)
    cases, systems = [case_set({"a": ("1", "1"), "b": ("2", "2")})], [system(repeats=5)]
    first = observed(store, engine, cases, systems)
    again = observed(store, engine, cases, systems)
    assert (engine.n_calls, again.file) == (10, first.file)
    found = records(store, first)
    assert [(record["id"], record["repeat"]) for record in found] == [(c, r) for c in "ab" for r in range(5)]
    assert len({record["output"]["commitment"] for record in found}) == 10


def test_equal_inputs_get_executions_of_their_own(store, engine):
    outcome = observed(store, engine, [case_set({"a": ("same", "x"), "b": ("same", "x")})])
    assert (engine.n_calls, outcome.systems["bot"].called) == (2, 2)


def test_an_equal_execution_in_another_set_is_shared(store, engine):
    cases = [case_set({"a": ("same", "x")}, "one"), case_set({"b": ("same", "x")}, "two")]
    outcome = observed(store, engine, cases)
    assert engine.n_calls == 1
    assert outcome.systems["bot"] == SystemCounts(planned=2, called=1, reused=1, answered=2, missing={})


def test_what_may_end_otherwise_is_asked_again_and_nothing_else_is(store):  # promptfoo#5849
    endings = {"c001": "timeout", "c002": "refused", "c003": "worker_died"}
    engine = FakeEngine(
        {"bot": lambda p: failed(endings[p["id"]], "words") if p["id"] in endings else reply(p["input"])}
    )
    first = observed(store, engine)
    assert first.systems["bot"].missing == {"refused": 1, "timeout": 1, "worker_died": 1}
    endings.clear()
    second = observed(store, engine)
    assert [payload["id"] for payload in engine.calls["bot"][40:]] == ["c001", "c003"]
    assert second.systems["bot"] == SystemCounts(planned=40, called=2, reused=38, answered=39, missing={"refused": 1})
    third = observed(store, engine)
    assert (engine.n_calls, third.is_linked) == (42, True)


def test_keep_missing_serves_what_failed(store):
    engine = FakeEngine({"bot": lambda _: failed("timeout")})
    observed(store, engine)
    outcome = observed(store, engine, keep_missing=True)
    assert (engine.n_calls, outcome.systems["bot"].missing) == (40, {"timeout": 40})


def test_fresh_asks_everything_again_and_the_new_answers_stay(store):
    answer = ["old"]
    engine = FakeEngine({"bot": lambda _: reply(answer[0])})
    first = observed(store, engine)
    answer[0] = "new"
    second = observed(store, engine, fresh=True)
    assert (engine.n_calls, second.systems["bot"].called) == (80, 40)
    assert second.file != first.file
    assert observed(store, engine).file == second.file


@pytest.mark.parametrize("execution", ["process", "inline"])
def test_a_stopped_exec_keeps_what_finished_and_the_next_makes_the_rest(store, execution):  # promptfoo#7606
    engine = FakeEngine({"bot": echo}, batch=1)
    engine.stop_after = 25
    outcome = observed(store, engine, stop=Stop(), execution=execution)
    assert (outcome.file, outcome.is_complete, outcome.systems["bot"].called) == (None, False, 25)
    engine.stop_after = None
    whole = observed(store, engine, execution=execution)
    assert (engine.n_calls, whole.systems["bot"].reused, whole.is_complete) == (40, 25, True)
    calm = MemoryStore()
    assert observed(calm, FakeEngine({"bot": echo})).file == whole.file


def test_answers_are_acknowledged_as_they_come(engine):
    store, seen = MemoryStore(), []

    def counting(payload) -> dict:
        seen.append(len(store.results))
        return echo(payload)

    engine.answers["bot"], engine.batch = counting, 1
    observed(store, engine)
    assert seen == list(range(40))


def test_a_long_answer_is_kept_to_the_last_byte(store):  # inspect_ai#4539
    long = 'é\n"\\' * 5000
    engine = FakeEngine({"bot": lambda p: reply({"text": long, "id": p["id"]})}, batch=1)
    engine.stop_after = 3
    observed(store, engine, stop=Stop())
    engine.stop_after = None
    outcome = observed(store, engine)
    (chunk,) = store.read_file(outcome.file.summary.sha256)
    size = records(store, outcome)[0]["output"]["size"]
    assert json.loads(chunk.pack[16 : 16 + size]) == {"text": long, "id": "c000"}


def test_a_filter_runs_some_and_is_never_complete(store, engine):
    outcome = observed(store, engine, only=frozenset({"c005", "c001", "nobody"}))
    assert [payload["id"] for payload in engine.calls["bot"]] == ["c001", "c005"]
    assert (outcome.is_complete, outcome.file.summary.n) == (False, 2)
    limited = observed(store, engine, limit=3)
    assert (engine.n_calls, limited.is_complete, limited.file.summary.n) == (4, False, 3)
    assert observed(store, engine).is_complete
    assert engine.n_calls == 40


def test_an_adapter_that_cannot_start_is_said_to_be_so(store, engine):
    engine.broken["bot"] = "no such module"
    with pytest.raises(AdapterCannotStart, match="no such module"):
        observed(store, engine)


def test_progress_ends_at_what_was_planned(store, engine):
    told = []
    engine.batch = 16
    observed(store, engine, on_progress=told.append)
    assert [progress.settled for progress in told] == [16, 32, 40, 40]
    assert {(progress.name, progress.planned) for progress in told} == {("bot", 40)}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (reply(None), "null_output"),
        ({}, "null_output"),
        (reply(5), "output_type"),
        (reply(["list"]), "output_type"),
        (reply({"score": float("nan")}), "output_not_json"),
        (reply({"n": 2**60}), "output_not_json"),
        (reply({"n": 2.0**60}), "output_not_json"),
        (reply({"bytes": b"x"}), "output_not_json"),
        (reply("\ud800"), "output_not_json"),
        (reply({"\udc00": 1}), "output_not_json"),
        (reply("x" * (5 << 20)), "output_too_large"),
        (failed("refused"), "refused"),
        (failed("no_such_reason"), "system_error"),
        (failed("different"), "system_error"),
        ({"failure": ["unhashable"]}, "system_error"),
    ],
)
def test_an_unfit_answer_is_missing_with_its_reason(store, body, reason):
    outcome = observed(store, FakeEngine({"bot": lambda _: body}), [case_set({"a": ("x", "y")})])
    assert outcome.systems["bot"].missing == {reason: 1}
    assert records(store, outcome)[0]["status"] == "missing"


def test_a_deep_or_endless_answer_is_missing(store):
    deep: dict = {}
    deep["self"] = deep
    outcome = observed(store, FakeEngine({"bot": lambda _: reply(deep)}), [case_set({"a": ("x", "y")})])
    assert outcome.systems["bot"].missing == {"output_not_json": 1}


@pytest.mark.parametrize(
    ("usage", "model", "kept"),
    [
        ({"input_tokens": 3}, "m-1", ({"input_tokens": 3}, "m-1")),
        ({"input_tokens": -1}, "m\n", (None, None)),
        ({"cost": 0.5}, 7, (None, None)),
        ("many", "\ud800", (None, None)),
    ],
)
def test_odd_bookkeeping_does_not_lose_an_answer(store, usage, model, kept):
    engine = FakeEngine({"bot": lambda _: {"output": "x", "usage": usage, "served_model": model}})
    (record,) = records(store, observed(store, engine, [case_set({"a": ("x", "y")})]))
    assert (record["usage"], record["served_model"]) == kept
    assert record["status"] == "ok"


def test_what_is_beside_an_answer_is_in_no_record(store):
    engine = FakeEngine({"bot": lambda _: failed("timeout", "secret words")})
    outcome = observed(store, engine, [case_set({"a": ("x", "y")})])
    assert b"secret" not in b"".join(chunk.body for chunk in store.read_file(outcome.file.summary.sha256))


def test_a_result_that_nobody_of_ours_wrote_is_refused(store, engine):
    cases, entry = case_set({"a": ("x", "y")}), system()
    key = observation_key(identity=entry.identity, row=cases.rows[0], repeat=0, seed=None, extra=None)
    store.seal(Link.OBSERVATION, entry.identity, [Result(key, b"cos\nsystem\n(S'echo pickled'\ntR.")])
    with pytest.raises(StoreUnusable, match="never wrote"):
        observed(store, engine, [cases])


class ByCase:
    def row_key(self, case_id: str) -> str:
        if case_id == "broken":
            raise ValueError("no such row")
        return f"row of {case_id}"


@given(st.booleans(), st.booleans(), st.integers(0, 3), st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_keys_are_those_of_the_plan(takes_seed, by_case, repeat, text):
    rows = case_set({"a": (text, text), "b": (text, text), text: ({"x": text}, None)}).rows
    entry = system(takes_seed=takes_seed)
    course = Course(entry, "cases", rows, len(rows), 11, ByCase() if by_case else None)
    assert course.keys(rows, repeat) == [
        observation_key(
            identity=entry.identity,
            row=row,
            repeat=repeat,
            seed=case_seed(11, row.input_hash, row.occurrence, repeat) if takes_seed else None,
            extra=f"row of {row.id}" if by_case and row.id != "broken" else None,
        )
        for row in rows
    ]


def test_the_seed_counts_only_for_systems_that_take_it(store, engine):
    cases = [case_set(ROWS)]
    plain, seeded = system(), system("seeded", takes_seed=True, identity=digest_of("test", "seeded"))
    engine.answers["seeded"] = lambda payload: reply(str(payload["seed"]))
    for seed in (1, 2):
        plan = plan_of(cases, [plain, seeded], seed=seed)
        observe(plan, cases, store=store, salts=SALTS, bench=system_bench(engine))
    assert {name: len(made) for name, made in engine.calls.items()} == {"bot": 40, "seeded": 80}
    assert engine.calls["bot"][0]["seed"] is None
    assert isinstance(engine.calls["seeded"][0]["seed"], int)


def test_a_recording_that_breaks_is_an_adapter_that_cannot_start(store, engine):
    cases = [case_set({"broken": ("x", "y")})]
    bench = SystemBench(engine, spec_of, lambda _: ByCase(), Stop())
    with pytest.raises(AdapterCannotStart, match="no such row"):
        observe(plan_of(cases, [system()]), cases, store=store, salts=SALTS, bench=bench)


names = st.text("abz", min_size=1, max_size=3)
outputs = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.dictionaries(names, st.tuples(st.text(max_size=4), st.just("e")), min_size=1, max_size=12),
    answers=st.lists(outputs, min_size=1, max_size=6),
    repeats=st.integers(1, 3),
    batch=st.integers(1, 7),
    shuffle=st.integers(0, 5),
)
def test_no_order_of_cases_systems_or_outcomes_changes_a_byte(rows, answers, repeats, batch, shuffle):
    one = case_set(rows, "one")
    two = case_set({case_id: (given_ + "!", due) for case_id, (given_, due) in rows.items()}, "two")
    systems = [system("b", repeats=repeats), system("a", options={"x": 1})]

    def answer(payload) -> dict:
        return reply(answers[hash((payload["input"], payload["repeat"])) % len(answers)], usage={"n": 1})

    calm, wild = MemoryStore(), MemoryStore()
    first = observed(calm, FakeEngine({"a": answer, "b": answer}), [one, two], systems)
    second = observed(
        wild, FakeEngine({"a": answer, "b": answer}, batch=batch, shuffle=shuffle), [two, one], systems[::-1]
    )
    assert first.file == second.file
    assert list(calm.read_file(first.file.summary.sha256)) == list(wild.read_file(second.file.summary.sha256))
    lines = [line for chunk in calm.read_file(first.file.summary.sha256) for line in chunk.lines()]
    for line in lines:
        assert encode(Observation.from_json(parse(line)).to_json()) == line == rfc8785.dumps(json.loads(line))
    order = [(r["set"].encode(), r["id"].encode(), r["system"].encode(), r["repeat"]) for r in map(json.loads, lines)]
    assert order == sorted(order)


def test_blocks_end_where_the_content_says_and_never_grow_too_long():
    rows = case_set({f"{number:05}": (str(number), None) for number in range(3000)}).rows
    blocks = list(blocks_of(rows))
    assert [row for block in blocks for row in block] == list(rows)
    assert all(not int.from_bytes(block[-1].case_hash[-2:], "big") % 1024 for block in blocks[:-1])
    endless = [replace(rows[0], case_hash=b"\x01" * 32)] * (MAX_BLOCK + 1)
    assert list(map(len, blocks_of(endless))) == [MAX_BLOCK, 1]
    assert list(blocks_of([])) == []
