import threading
import time

import pytest

from oloproof.engine.backlog import Backlog
from oloproof.engine.local import LocalEngine
from oloproof.engine.pace import MAX_CHUNK, Pace
from oloproof.engine.work import AdapterSpec, Call, Stop


def spec(*, timeout_ms: int | None, concurrency: int = 1) -> AdapterSpec:
    return AdapterSpec(
        kind="system", name="x", factory="a:B", model="a:C", options={}, suite_dir="/", root="/", execution="inline",
        timeout_ms=timeout_ms, concurrency=concurrency,
    )  # fmt: skip


def engine(handler) -> LocalEngine:
    return LocalEngine(worker_command=("false",), build_inline=lambda _spec: handler)


def calls(n: int):
    return (Call(index, {"input": index}) for index in range(n))


def bodies(handler, n: int, **limits: int | None) -> dict:
    found = [outcome for batch in engine(handler).run(spec(**limits), calls(n), Stop()) for outcome in batch]
    assert len({outcome.index for outcome in found}) == len(found)
    return {outcome.index: outcome.body for outcome in found}


def echo(payload):
    return {"output": payload["input"]}


@pytest.mark.parametrize(
    "limits", [{"timeout_ms": None}, {"timeout_ms": 60_000}, {"timeout_ms": 60_000, "concurrency": 8}]
)
def test_every_call_has_one_outcome_in_this_process(limits):
    assert bodies(echo, 2000, **limits) == {index: {"output": index} for index in range(2000)}


def test_calls_without_a_timeout_are_made_in_the_callers_thread():
    found = bodies(lambda _payload: {"thread": threading.get_ident()}, 3, timeout_ms=None)
    assert {body["thread"] for body in found.values()} == {threading.get_ident()}


def test_calls_that_wait_are_made_by_as_many_threads_as_may_be():
    barrier = threading.Barrier(4)

    def wait(_payload) -> dict:
        return {"output": barrier.wait(timeout=20)}

    assert sorted(body["output"] for body in bodies(wait, 4, timeout_ms=60_000, concurrency=4).values()) == [0, 1, 2, 3]


def test_a_call_that_hangs_in_a_thread_is_given_up_and_the_others_are_made():
    released = threading.Event()

    def hang(payload) -> dict:
        if payload["input"] == 1:
            released.wait(timeout=20)
        return echo(payload)

    found = bodies(hang, 4, timeout_ms=200)
    released.set()
    assert found[1]["failure"] == "timeout"
    assert [found[index]["output"] for index in (0, 2, 3)] == [0, 2, 3]


def test_an_interrupt_in_a_thread_is_the_plugins_own():
    def interrupt(_payload) -> None:
        raise KeyboardInterrupt

    assert bodies(interrupt, 1, timeout_ms=60_000)[0]["failure"] == "system_error"


@pytest.mark.parametrize("timeout_ms", [None, 60_000])
def test_a_stop_admits_nothing_more(timeout_ms):
    stop = Stop()
    made = []

    def handler(payload) -> dict:
        made.append(payload["input"])
        stop.signal = 2
        time.sleep(0.001)
        return echo(payload)

    found = [o for batch in engine(handler).run(spec(timeout_ms=timeout_ms), calls(1000), stop) for o in batch]
    assert sorted(outcome.index for outcome in found) == sorted(made)
    assert len(made) < 1000


def test_nothing_is_started_where_there_are_no_calls():
    def build(_spec) -> None:
        raise AssertionError

    idle = LocalEngine(worker_command=("false",), build_inline=build)
    assert list(idle.run(spec(timeout_ms=None), [], Stop())) == []


def test_returned_calls_are_taken_before_the_others_and_in_their_order():
    backlog = Backlog(calls(5))
    first = backlog.take(3)
    backlog.give_back(first[1:])
    assert [call.index for call in backlog.take(10)] == [1, 2, 3, 4]
    assert backlog.is_empty


def test_chunks_grow_while_calls_are_quick_and_are_single_while_they_are_slow():
    pace = Pace()
    assert pace.size == 1
    sizes = []
    for _ in range(8):
        pace.note_chunk(pace.size, 100 * pace.size)
        for _ in range(10):
            pace.note_call(0.00001)
        sizes.append(pace.size)
    assert sizes[:3] == [4, 16, 64]
    assert sizes[-1] == MAX_CHUNK
    for _ in range(50):
        pace.note_call(1.0)
    assert pace.size == 1
    assert not pace.wants_more(1)


def test_chunks_of_large_payloads_stay_small():
    pace = Pace()
    pace.note_call(0.00001)
    pace.note_chunk(1, 1 << 19)
    assert pace.size == 2
