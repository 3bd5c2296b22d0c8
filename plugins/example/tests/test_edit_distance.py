from pathlib import Path

import pytest
from oloproof.sdk import Case, Context, Failure, Verdict

from oloproof_example.edit_distance import EditDistance, distance_between
from oloproof_example.manifests import EditDistanceOptions

CONTEXT = Context(Path("/"), Path("/"))


def verdict_on(output, expect, **options):
    return EditDistance(EditDistanceOptions(**options), CONTEXT).evaluate(Case(None, expect), output)


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("same", "same", 0)],
)
def test_the_distance_is_levenshteins_in_both_directions(left, right, distance):
    assert distance_between(left, right) == distance_between(right, left) == distance


def test_an_answer_within_at_most_passes_and_tells_its_distance():
    assert verdict_on("colour", "color", at_most=1) == Verdict({"pass": True, "distance": 1}, None)


def test_an_answer_beyond_at_most_is_wrong_with_the_reason():
    assert verdict_on("colour", "color") == Verdict({"pass": False, "distance": 1}, "different")


def test_an_answer_without_the_field_is_wrong_and_has_no_distance():
    assert verdict_on({"a": "x"}, "x", field="b") == Verdict({"pass": False}, "no_field")


def test_a_case_without_expectation_is_missing():
    assert verdict_on("x", None) == Failure("expect_missing")
