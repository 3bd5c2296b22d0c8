import math

import pytest

from oloproof.chain.reasons import REASONS
from oloproof.engine.calls import MAX_DETAIL, make_handler
from oloproof.engine.work import AdapterSpec
from oloproof.sdk import Failure, Refused, Reply, Secret, Transient, Verdict

SYSTEM_PAYLOAD = {"id": "c", "input": "x", "repeat": 0, "seed": None}
EVALUATOR_PAYLOAD = {"id": "c", "input": "x", "expect": "y", "output": "z"}


class Saying:
    """A system and an evaluator that returns, or raises, what it was given."""

    def __init__(self, said) -> None:
        self.said = said

    def answer(self, _request):
        if isinstance(self.said, BaseException):
            raise self.said
        return self.said

    def evaluate(self, _case, _output):
        return self.answer(None)


def spec(kind: str) -> AdapterSpec:
    return AdapterSpec(
        kind=kind, name="x", factory="a:B", model="a:C", options={}, suite_dir="/", root="/", execution="inline",
        timeout_ms=None, concurrency=1, secrets={"TOKEN": Secret("TOKEN", "hunter22")},
        outputs={"pass": "bool", "score": "real", "label": "text"},
    )  # fmt: skip


def system_body(said):
    return make_handler(Saying(said), spec("system"))(SYSTEM_PAYLOAD)


def evaluator_body(said):
    return make_handler(Saying(said), spec("evaluator"))(EVALUATOR_PAYLOAD)


def test_an_answer_is_its_output_usage_and_model():
    assert system_body(Reply({"a": (1, 2.0)}, {"tokens": 3}, "m")) == {
        "output": {"a": [1, 2]},
        "usage": {"tokens": 3},
        "served_model": "m",
    }


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Reply(None), "null_output"),
        (Reply(True), "output_type"),
        (Reply({"a": math.nan}), "output_not_json"),
        (Reply("a", {"tokens": -1}), "system_error"),
        (Reply("a", {"tokens": 1.5}), "system_error"),
        (Reply("a", None, 7), "system_error"),
        ("a", "system_error"),
        (None, "system_error"),
        (Failure("not_recorded"), "not_recorded"),
        (Failure("different"), "system_error"),
        (Failure("made_up"), "system_error"),
        (Failure(None), "system_error"),
        (Transient("x"), "unavailable"),
        (Refused("x"), "refused"),
        (ValueError("x"), "system_error"),
        (SystemExit(1), "system_exit"),
        (MemoryError(), "system_error"),
    ],
)
def test_whatever_a_system_says_has_a_registered_reason(said, reason):
    assert system_body(said)["failure"] == reason
    assert reason in REASONS


def test_an_interrupt_passes_since_it_may_be_a_persons():
    with pytest.raises(KeyboardInterrupt):
        system_body(KeyboardInterrupt())


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Verdict({}), "evaluator_output"),
        (Verdict({"other": True}), "evaluator_output"),
        (Verdict({"pass": 1}), "evaluator_output"),
        (Verdict({"score": True}), "evaluator_output"),
        (Verdict({"score": "1"}), "evaluator_output"),
        (Verdict({"score": 2**60}), "evaluator_output"),
        (Verdict({"label": "\ud800"}), "evaluator_output"),
        (Verdict({"score": math.inf}), "non_finite"),
        (Verdict({"pass": True, "score": math.nan}), "non_finite"),
        (Verdict(None), "evaluator_output"),
        (True, "evaluator_output"),
        (Failure("expect_missing"), "expect_missing"),
        (Failure("timeout"), "evaluator_error"),
        (SystemExit(1), "evaluator_error"),
        (Transient("x"), "evaluator_error"),
    ],
)
def test_whatever_an_evaluator_says_has_a_registered_reason(said, reason):
    assert evaluator_body(said)["failure"] == reason
    assert reason in REASONS


def test_a_verdict_is_its_outputs_and_a_registered_reason():
    assert evaluator_body(Verdict({"pass": False, "score": 2.0}, "different")) == {
        "outputs": {"pass": False, "score": 2},
        "reason": "different",
    }


def test_a_reason_in_an_evaluators_own_words_stands_beside_the_registered_one():
    body = evaluator_body(Verdict({"pass": False}, "too polite"))
    assert (body["reason"], body["detail"]) == ("plugin_reason", "too polite")


def test_a_detail_is_redacted_before_it_is_cut():
    told = "x" * (MAX_DETAIL - 12 - len("ValueError: ")) + "hunter22" + "y" * 600
    detail = system_body(ValueError(told))["detail"]
    assert len(detail) == MAX_DETAIL
    assert "hunter" not in detail


def test_an_error_whose_text_raises_is_told_by_its_type():
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert system_body(Mute())["detail"] == "Mute"
