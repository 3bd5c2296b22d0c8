"""The registry of reasons is closed: the code uses what is registered, and specs/chain.md lists it."""

import re

import pytest

from oloproof.chain.reasons import REASONS, About, UnknownReason, is_retriable, reason_of

SOURCES = ("oloproof", "plugins/builtin")
#: Registered for what the first slice does not reach yet, or for outside code alone; specs/chain.md says of each why.
RESERVED = {"error_counts_as_failed", "out_of_range"}
#: Where the stages write a reason as a literal.
GIVEN = re.compile(
    r"(?:reasons?=\(?|_Fate\(\"\w+\", |Ruling\(DecisionState\.\w+, |failure\(|_Unfit\(|_Ended\(RunState\.\w+, )"
    r"\"([a-z_]+)\""
)


def words_of(checkout):
    words = set()
    for folder in SOURCES:
        for path in (checkout / folder).rglob("*.py"):
            if path.name != "reasons.py":
                words |= set(re.findall(r'"([a-z][a-z_]+)"', path.read_text(encoding="utf-8")))
    return words


def table_of(checkout):
    """code → (about, retriable, meaning) of the table in specs/chain.md."""
    text = (checkout / "specs" / "chain.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| ([a-z]+) \| (yes|no) \| (.+) \|$", text, re.MULTILINE)
    assert len({row[0] for row in rows}) == len(rows)
    return {code: (about, retriable == "yes", meaning) for code, about, retriable, meaning in rows}


def test_the_specification_lists_exactly_the_registry(checkout):
    assert table_of(checkout) == {
        code: (reason.about.value, reason.retriable, reason.meaning) for code, reason in REASONS.items()
    }


def test_every_registered_code_is_used_or_reserved(checkout):
    words = words_of(checkout)
    unused = {code for code in REASONS if code not in words}
    assert unused <= RESERVED
    assert set(REASONS) >= RESERVED


def test_every_code_that_the_stages_give_as_a_reason_is_registered(checkout):
    for folder in ("decide.py", "diagnose.py", "infer", "measure", "observe"):
        path = checkout / "oloproof" / "stages" / folder
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for code in GIVEN.findall(file.read_text(encoding="utf-8")):
                assert code in REASONS, (file.name, code)


@pytest.mark.parametrize("code", sorted(REASONS))
def test_a_code_is_lower_snake_and_says_what_it_means(code):
    reason = reason_of(code)
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
    assert reason.code == code
    assert reason.meaning
    assert "|" not in reason.meaning


def test_only_what_was_called_can_be_tried_again():
    assert {reason.about for reason in REASONS.values() if reason.retriable} == {About.OBSERVATION, About.MEASUREMENT}


@pytest.mark.parametrize("code", ["timeout", "unavailable", "worker_died", "system_error"])
def test_a_failure_that_may_pass_is_retriable(code):
    assert is_retriable(code)


@pytest.mark.parametrize("code", ["null_output", "not_recorded", "refused", "expect_missing", None])
def test_what_would_end_the_same_again_is_not(code):
    assert not is_retriable(code)


@pytest.mark.parametrize("code", ["", "Timeout", "timeout ", "because", "__class__"])
def test_another_code_is_unknown(code):
    with pytest.raises(UnknownReason):
        reason_of(code)
    with pytest.raises(UnknownReason):
        is_retriable(code)
