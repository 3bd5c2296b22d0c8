"""A valid signature does not make a wrong decision right. Everything here is signed by the trusted key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from attacks.bundles import draft
from attacks.checking import assert_refused, check, reseal
from attacks.recipes import hashed

from oloproof.chain.link import Link
from oloproof.plan.keys import design_digest
from oloproof.stages.attest.verdict import FailureClass, Level, Standing

MALFORMED, MISMATCH = FailureClass.MALFORMED, FailureClass.MISMATCH


def _cell(made, link) -> dict[str, Any]:
    """The record of the cell of `min-exact`."""
    return next(item for item in made.records[link] if item["cell"][0] == "min-exact")


def _pass(made) -> None:
    """Everything as if the gate had passed."""
    _cell(made, Link.DECISION).update(state="PASS", reasons=["lower_reaches_threshold"])
    recommendation = made.records[Link.RECOMMENDATION][0]
    recommendation.update(action="ALLOW", next_steps=[])
    for item in recommendation["because"]:
        item.update(state="PASS" if item["gate"] == "min-exact" else item["state"], action="ALLOW")


def _nudge(made) -> None:
    """Lower bound over the threshold by a little, and all that follows from it."""
    _cell(made, Link.INFERENCE)["lower"] = 0.900001
    _pass(made)


@pytest.mark.parametrize(
    "change",
    [
        _pass,  # E01, E03
        _nudge,  # E06
        lambda made: _cell(made, Link.DECISION).update(state="PASS"),
        lambda made: _cell(made, Link.DECISION).update(reasons=["lower_reaches_threshold"]),
        lambda made: _cell(made, Link.DECISION).update(threshold="0.8"),  # E08
        lambda made: _cell(made, Link.DECISION).update(threshold="0.90"),
        lambda made: _cell(made, Link.DECISION).update(op="<="),
        lambda made: _cell(made, Link.INFERENCE).update(lower=0.0),
        lambda made: _cell(made, Link.INFERENCE).update(upper=1.5),  # E05
        lambda made: _cell(made, Link.INFERENCE).update(upper=None),
        lambda made: _cell(made, Link.INFERENCE).update(estimate=1.0),
        lambda made: _cell(made, Link.INFERENCE).update(bound_alpha="0.05"),  # E10
        lambda made: _cell(made, Link.INFERENCE).update(confidence="0.9"),
        lambda made: _cell(made, Link.INFERENCE)["method"].update(id="wilson"),
        lambda made: _cell(made, Link.INFERENCE)["method"].update(guarantee="approximate"),
        lambda made: _cell(made, Link.INFERENCE)["certificate"].update(k=39, m=0),
        lambda made: _cell(made, Link.INFERENCE)["certificate"].update(threshold="0.8"),
        lambda made: _cell(made, Link.INFERENCE).update(certificate=None),
        lambda made: _cell(made, Link.INFERENCE).update(seed="sha256:" + "7" * 64),  # E11
        lambda made: _cell(made, Link.INFERENCE).update(key="sha256:" + "7" * 64),
        lambda made: _cell(made, Link.INFERENCE).update(clusters=40),
        lambda made: _cell(made, Link.INFERENCE)["counts"].update(missing=0, observed=40),
        lambda made: _cell(made, Link.INFERENCE).update(assumptions=[]),
        lambda made: made.records[Link.DIAGNOSIS][0]["counts"].update(failed=0),
        lambda made: made.records[Link.DIAGNOSIS][0].update(cases=[]),
        lambda made: made.records[Link.RECOMMENDATION][0].update(action="ALLOW"),
        lambda made: made.records[Link.RECOMMENDATION][0].update(next_steps=[]),
        lambda made: made.records[Link.RECOMMENDATION][0]["because"][0].update(advisory=False),
        lambda made: made.records[Link.RECOMMENDATION][0]["because"].pop(),
        lambda made: made.records[Link.RECOMMENDATION][0]["because"].reverse(),
    ],
)
def test_a_conclusion_that_does_not_follow_is_a_mismatch(tmp_path, trust, change):
    made = draft()
    change(made)
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


def test_an_extra_gate_that_the_plan_does_not_have_is_a_mismatch(tmp_path, trust):
    made = draft()
    for link in (Link.INFERENCE, Link.DECISION):
        extra = dict(_cell(made, link))
        extra["cell"] = ["zzz", *extra["cell"][1:]]
        if link is Link.DECISION:
            extra.update(gate="zzz", state="PASS")
        made.records[link].append(extra)
    made.records[Link.RECOMMENDATION][0]["because"].append(
        {"action": "ALLOW", "advisory": False, "gate": "zzz", "state": "PASS"}
    )
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)  # E15


@pytest.mark.parametrize("state", ["Pass", "PASSED", "PASS ", "pass", "", None, 1])
@pytest.mark.parametrize("where", ["record", "statement"])
def test_a_state_that_does_not_exist_is_malformed(tmp_path, trust, where, state):
    made = draft()
    if where == "record":
        made.records[Link.DECISION][0]["state"] = state  # E16
    else:
        made.edit = lambda statement: statement["predicate"]["gates"][0].update(state=state)
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize(("lower", "upper"), [(0.99, 0.8), (1.0, 0.0)])
def test_bounds_that_are_swapped_are_malformed(tmp_path, trust, lower, upper):
    made = draft()
    _cell(made, Link.INFERENCE).update(lower=lower, upper=upper)  # E05
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p["gates"][1].update(state="PASS"),  # E13
        lambda p: p["recommendation"].update(action="ALLOW"),
        lambda p: p["recommendation"]["because"][1].update(state="PASS"),
        lambda p: p["recommendation"].update(next_steps=[]),
        lambda p: p["gates"].pop(),
        lambda p: p["gates"].reverse(),
        lambda p: p["gates"].append({**p["gates"][1], "id": "zzz"}),  # E15
        lambda p: p["gates"][1].update(advisory=True),
        lambda p: p["gates"][1]["requires"].pop(),
        lambda p: p["gates"][1]["requires"][0].update(lower=0.95),
        lambda p: p["gates"][1]["requires"][0].update(threshold="0.8"),
        lambda p: p["gates"][1]["requires"][0].update(state="PASS"),
        lambda p: p["gates"][1]["requires"][0]["counts"].update(missing=0, observed=40),
        lambda p: p.update(run_state="PARTIAL"),
        lambda p: p.update(run_state="RUN_ERROR"),
    ],
)
def test_a_statement_that_says_otherwise_than_its_records_is_a_mismatch(bundle, trust, change):
    reseal(bundle, lambda statement: change(statement["predicate"]))
    assert_refused(check(bundle, trust), MISMATCH)


def test_a_run_state_that_does_not_exist_is_malformed(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"].update(run_state="DONE"))
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize(
    "change",
    [
        lambda case: case["clusters"].update(author="author-99"),  # E18
        lambda case: case["slices"].update(language="en"),
        lambda case: case.update(weight=2),
        lambda case: case.update(occurrence=1),
    ],
)
def test_a_design_that_is_not_the_plans_is_a_mismatch(tmp_path, trust, change):
    made = draft()
    change(made.records[Link.CASE][3])
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


def test_a_case_made_ineligible_has_an_observation_that_nobody_asked_for(tmp_path, trust):
    made = draft()
    made.records[Link.CASE][3]["eligible"] = False
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), FailureClass.INTEGRITY)


def test_a_case_made_ineligible_without_a_trace_is_a_mismatch_with_the_plans_design(tmp_path, trust):
    made = draft()
    exclude(made, 3)
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


def exclude(made, number: int) -> None:
    """Takes a case out of the records as if it had never been run."""
    case = made.records[Link.CASE][number]
    case["eligible"] = False
    answered = [item["id"] for item in made.records[Link.OBSERVATION] if item["output"] is not None]
    packed = zip(answered, made.contents[Link.OBSERVATION], strict=True)
    made.contents[Link.OBSERVATION] = [entry for name, entry in packed if name != case["id"]]
    for link in (Link.OBSERVATION, Link.MEASUREMENT):
        made.records[link] = [item for item in made.records[link] if item["id"] != case["id"]]


def test_a_failed_case_made_ineligible_in_records_and_plan_is_another_plan(tmp_path, trust):
    made = draft()
    exclude(made, 7)
    rows = [
        [c["id"], c["occurrence"], c["clusters"], c["slices"], c["weight"], c["eligible"]]
        for c in made.records[Link.CASE]
    ]
    entry = replace(made.plan.cases[0], design=design_digest(rows), n_eligible=39)
    honest = made.plan.plan_hash
    made.plan = hashed(replace(made.plan, cases=(entry,)))
    made.conclude()
    folder = made.write(tmp_path / "b")
    assert check(folder, trust).exit_code == 0, "nothing in the bundle alone can tell: the pin does"
    assert_refused(check(folder, trust, expect_plan=honest), FailureClass.BINDING)


def test_a_number_that_differs_in_its_last_digits_is_equal_within_the_tolerance(tmp_path, trust):
    made = draft()
    record = _cell(made, Link.INFERENCE)
    record["lower"] *= 1 + 1e-12
    report = check(made.write(tmp_path / "b"), trust)
    assert report.exit_code == 0
    assert any("1 numbers are equal within" in notice for notice in report.notices)


def test_a_lower_level_does_not_recompute_and_says_so(tmp_path, trust):
    made = draft()
    _pass(made)
    report = check(made.write(tmp_path / "b"), trust, level=Level.SIGNATURE)
    assert report.exit_code == 0
    assert report.standing(Level.RECOMPUTE) is Standing.NOT_CHECKED


def test_a_lower_level_than_the_policys_is_not_enough(tmp_path, trust):
    made = draft()
    _pass(made)
    trust.write_text(trust.read_text() + '[require]\nlevel = "recompute"\n')
    assert_refused(check(made.write(tmp_path / "b"), trust, level=Level.STRUCTURE), MISMATCH)


@pytest.mark.parametrize("level", [Level.RESCORE, Level.REEXECUTE])
def test_a_level_that_cannot_be_reached_is_incomplete(bundle, trust, level):
    report = check(bundle, trust, level=level)
    assert report.exit_code == FailureClass.INCOMPLETE
    assert report.standing(level) is Standing.NOT_POSSIBLE
