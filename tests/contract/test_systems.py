"""What every system keeps, ours and outside ones."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plugin_types import SECRET, SYSTEMS, Subject

from oloproof.adapters.worker import WORKER_COMMAND, build_handler
from oloproof.chain.reasons import REASONS, About
from oloproof.engine.calls import make_handler
from oloproof.engine.local import LocalEngine
from oloproof.engine.work import AdapterSpec, Call, Stop
from oloproof.sdk import Failure, Reply, Request, RowKeyed, System

INPUTS = ["I want a refund", {"text": "refund"}, "", {"a": [1, None, 2.5, True]}, "é\u2028" * 50]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def spec_of(subject: Subject, folder, execution: str) -> AdapterSpec:
    subject.lay_out(folder)
    return AdapterSpec(
        kind="system",
        name="candidate",
        factory=subject.manifest.factory,
        model=subject.model,
        options=subject.options,
        suite_dir=str(folder),
        root=str(folder),
        execution=execution,
        timeout_ms=30_000,
        concurrency=2,
        secrets={"TOKEN": SECRET},
    )


def payload(index: int, value) -> dict:
    return {"id": f"c{index}", "input": value, "repeat": 0, "seed": None}


@pytest.mark.parametrize("subject", SYSTEMS, ids=str)
def test_it_is_a_system_and_what_its_capabilities_say(subject, tmp_path):
    started = subject.start(tmp_path)
    assert isinstance(started, System)
    assert isinstance(started, RowKeyed) == ("row_key" in subject.manifest.capabilities)


@pytest.mark.parametrize("subject", SYSTEMS, ids=str)
def test_equal_requests_have_equal_answers(subject, tmp_path):
    system = subject.start(tmp_path)
    for index, value in enumerate(INPUTS):
        request = Request(value, f"c{index}", 0, None)
        first = system.answer(request)
        assert isinstance(first, Reply | Failure)
        assert system.answer(request) == first


@pytest.mark.parametrize("subject", SYSTEMS, ids=str)
def test_an_answer_does_not_depend_on_the_id_without_the_capability(subject, tmp_path):
    system = subject.start(tmp_path)
    if not isinstance(system, RowKeyed):
        assert system.answer(Request("text", "a", 0, None)) == system.answer(Request("text", "b", 1, 7))


@pytest.mark.parametrize("subject", SYSTEMS, ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(value=json_values)
def test_whatever_the_input_the_body_is_an_answer_or_a_registered_reason(subject, tmp_path, value):
    body = make_handler(subject.start(tmp_path), spec_of(subject, tmp_path, "inline"))(payload(0, value))
    if "failure" in body:
        assert REASONS[body["failure"]].about is About.OBSERVATION
    else:
        assert type(body["output"]) in (str, dict)


@pytest.mark.parametrize("subject", SYSTEMS, ids=str)
def test_a_worker_and_this_process_give_the_same_bodies(subject, tmp_path):
    engine = LocalEngine(worker_command=WORKER_COMMAND, build_inline=build_handler, worker_stderr=subprocess.DEVNULL)
    bodies = []
    for execution in ("process", "inline"):
        calls = [Call(index, payload(index, value)) for index, value in enumerate(INPUTS)]
        batches = list(engine.run(spec_of(subject, tmp_path, execution), calls, Stop()))
        bodies.append({outcome.index: outcome.body for batch in batches for outcome in batch})
    assert bodies[0] == bodies[1]
    assert sorted(bodies[0]) == list(range(len(INPUTS)))
    assert SECRET.reveal() not in repr(bodies)
