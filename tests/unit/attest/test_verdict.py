"""Small parts of the check, each by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canon.digests import digest_of
from oloproof.stages.attest.closure import ListDigest
from oloproof.stages.attest.reading import Reading, parse_time
from oloproof.stages.attest.tally import Tally
from oloproof.stages.attest.verdict import LEVEL_OF, PRECEDENCE, Failure, FailureClass, Level, Rejected, Standing


@given(st.lists(st.one_of(st.text(st.characters(codec="utf-8")), st.lists(st.integers(-5, 5)))))
def test_a_list_digest_is_the_digest_of_the_list(items):
    found = ListDigest("olo-x-v1")
    for item in items:
        found.add(item)
    assert found.digest() == digest_of("olo-x-v1", items)


@pytest.mark.parametrize("first", list(FailureClass))
@pytest.mark.parametrize("second", list(FailureClass))
def test_the_exit_code_is_the_first_failing_class_in_the_stated_order(first, second):
    order = (13, 19, 15, 14, 16, 17, 18, 20)
    tally = Tally(required=Level.RECOMPUTE, needs_binding=False)
    tally.fail(Failure(item, LEVEL_OF.get(item), "x", "x") for item in (first, second))
    report = tally.report()
    expected = min((first, second), key=order.index)
    if expected is FailureClass.NOT_ACCEPTED:
        expected = FailureClass.INCOMPLETE  # nothing was settled, and that speaks first
    assert report.exit_code == expected
    assert tuple(map(int, PRECEDENCE)) == order


def test_nothing_above_a_failed_level_is_called_verified():
    tally = Tally(required=Level.RECOMPUTE, needs_binding=True)
    for level in Level:
        tally.settle(level, Standing.VERIFIED, "x")
    tally.fail([Failure(FailureClass.INTEGRITY, Level.INTEGRITY, "x", "y")])
    standings = [tally.report().standing(level) for level in Level][:5]
    assert [item.value for item in standings] == ["verified", "failed", "not checked", "not checked", "not checked"]


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00",
        "2026-01-31 12:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-01-31T24:00:00Z",
        "",
        "2026-01-31T12:00:00+00:00",
        "2026-01-31T12:00:00Z\n",
    ],
)
def test_a_time_in_another_spelling_is_no_time(text):
    assert parse_time(text) is None


def test_unknown_fields_are_noted_and_known_ones_held_to_their_type():
    notices: list[str] = []
    reading = Reading("x", {"a": 1, "b": 2}, notices)
    assert reading.take_count("a") == 1
    with pytest.raises(Rejected, match="must be str"):
        reading.take("b", str)
    reading = Reading("x", {"z": 1}, notices)
    reading.done()
    assert notices == ["x: ignored the unknown field 'z'"]
