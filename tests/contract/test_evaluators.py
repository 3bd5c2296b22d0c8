"""What every evaluator keeps, ours and outside ones."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plugin_types import EVALUATORS, SECRET, Subject

from oloproof.chain.reasons import REASONS, About
from oloproof.engine.calls import make_handler
from oloproof.engine.work import AdapterSpec
from oloproof.sdk import Case, Evaluator

texts = st.text(max_size=20) | st.sampled_from(["7", "-1,234.5", "a 1 b 2", " x ", "X", "1e5"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("label") | texts, inner, max_size=3),
    max_leaves=6,
)
outputs = texts | st.dictionaries(st.just("label") | texts, json_values, max_size=3)


def handler_of(subject: Subject, folder):
    spec = AdapterSpec(
        kind="evaluator",
        name="check",
        factory=subject.manifest.factory,
        model=subject.model,
        options=subject.options,
        suite_dir=str(folder),
        root=str(folder),
        execution="inline",
        timeout_ms=None,
        concurrency=1,
        secrets={"TOKEN": SECRET},
        outputs=subject.manifest.outputs,
    )
    return make_handler(subject.start(folder), spec)


def body_of(subject: Subject, folder, output, expect) -> dict:
    return handler_of(subject, folder)({"id": "c", "input": None, "expect": expect, "output": output})


@pytest.mark.parametrize("subject", EVALUATORS, ids=str)
def test_it_is_an_evaluator(subject, tmp_path):
    assert isinstance(subject.start(tmp_path), Evaluator)


@pytest.mark.parametrize("subject", EVALUATORS, ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(output=outputs, expect=json_values)
def test_whatever_it_is_given_the_body_holds_declared_outputs_or_a_reason_of_its_own(subject, tmp_path, output, expect):
    body = body_of(subject, tmp_path, output, expect)
    if "failure" in body:
        # Its own words, not an error that the core had to put into words for it.
        assert body["failure"] in ("expect_missing", "expect_type")
    else:
        assert set(body["outputs"]) <= set(subject.manifest.outputs)
        assert body["reason"] is None or REASONS[body["reason"]].about is About.MEASUREMENT


@pytest.mark.parametrize("subject", EVALUATORS, ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(output=outputs, expect=json_values)
def test_equal_arguments_have_equal_verdicts_and_are_left_as_they_are(subject, tmp_path, output, expect):
    evaluator = subject.start(tmp_path)
    before = repr((output, expect))
    assert evaluator.evaluate(Case(None, expect), output) == evaluator.evaluate(Case(None, expect), output)
    assert repr((output, expect)) == before


@pytest.mark.parametrize("subject", EVALUATORS, ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(output=outputs, expect=json_values)
def test_a_pass_has_no_reason_and_a_wrong_answer_has_one(subject, tmp_path, output, expect):
    body = body_of(subject, tmp_path, output, expect)
    if "outputs" in body:
        assert body["outputs"]["pass"] == (body["reason"] is None)


@pytest.mark.parametrize("subject", EVALUATORS, ids=str)
def test_a_case_that_says_not_what_is_expected_is_missing(subject, tmp_path):
    assert body_of(subject, tmp_path, "text", None)["failure"] == "expect_missing"
