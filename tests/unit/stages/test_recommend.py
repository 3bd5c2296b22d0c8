"""Recommendations: what the policy makes of the gates' states."""

from dataclasses import replace

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from laws.builders import FAIL, INSUFFICIENT, PASS, REVIEW, by_cluster, clustered, gate, given, outcomes, plan

from oloproof.chain.decision import DecisionState
from oloproof.chain.recommendation import Action
from oloproof.plan.cells import WrongCells
from oloproof.plan.plan import RequireEntry
from oloproof.stages.decide import decide
from oloproof.stages.infer import infer
from oloproof.stages.recommend import action_for, recommend


def recommended(of, run):
    inferences = infer(of, run.cases, run.measurements)
    return recommend(of, decide(of, inferences), inferences)


def warned(of, state):
    return replace(of, policy=replace(of.policy, warn_on=(state,)))


@drawn(st.sampled_from(DecisionState), st.sets(st.sampled_from(DecisionState)), st.booleans())
def test_only_pass_allows(state, warn_on, advisory):
    action = action_for(state, warn_on=[item.value for item in warn_on], advisory=advisory)
    assert (action is Action.ALLOW) == (state is PASS)
    if state is not PASS:
        assert action is (Action.WARN if advisory or state in warn_on else Action.BLOCK)


@pytest.mark.parametrize(("right", "action"), [(100, Action.ALLOW), (90, Action.BLOCK), (50, Action.BLOCK)])
def test_every_state_but_pass_blocks(right, action):
    assert recommended(plan(), given(outcomes(right=right, wrong=100 - right))).action is action


def test_a_state_that_the_policy_names_warns():
    undecided = given(outcomes(right=90, wrong=10))
    assert recommended(warned(plan(), "INSUFFICIENT_EVIDENCE"), undecided).action is Action.WARN
    assert recommended(warned(plan(), "FAIL"), undecided).action is Action.BLOCK


def test_an_advisory_gate_warns_at_most():
    run = given(outcomes(right=50, wrong=50))
    found = recommended(plan(gate("0.9", name="a", advisory=True), gate("0.1", name="b")), run)
    assert found.action is Action.WARN
    assert [(item.gate, item.state, item.action) for item in found.because] == [
        ("a", FAIL, Action.WARN),
        ("b", PASS, Action.ALLOW),
    ]


def test_the_worst_gate_decides():
    run = given(outcomes(right=90, wrong=10))
    of = warned(plan(gate("0.1", name="a"), gate("0.9", name="b"), gate("0.99", name="c")), "INSUFFICIENT_EVIDENCE")
    found = recommended(of, run)
    assert [item.action for item in found.because] == [Action.ALLOW, Action.WARN, Action.BLOCK]
    assert found.action is Action.BLOCK


def test_a_gates_state_is_that_of_its_worst_line():
    lines = (RequireEntry("right", ">=", "0.5"), RequireEntry("right", ">=", "0.9"), RequireEntry("right", ">=", "0.6"))
    found = recommended(plan(gate(requires=lines)), given(outcomes(right=90, wrong=10)))
    assert [item.state for item in found.because] == [INSUFFICIENT]


def test_a_cell_for_a_person_blocks_by_name():
    run = clustered([True] * 30, [True] * 20, [True] * 20)
    found = recommended(plan(metrics=[by_cluster()]), run)
    assert (found.because[0].state, found.action) == (REVIEW, Action.BLOCK)
    assert found.next_steps[0].reason == "estimand_undeclared"


def test_what_passes_needs_no_step():
    assert recommended(plan(), given(outcomes(right=100))).next_steps == ()


def test_missing_cases_of_an_undecided_cell_are_named():
    found = recommended(plan(), given(outcomes(right=90, missing=10)))
    assert [(step.cell and step.cell.gate, step.reason) for step in found.next_steps] == [
        ("good", "threshold_inside_interval"),
        (None, "missing_widens"),
    ]


def test_an_undecided_clustered_cell_has_its_step():
    found = recommended(plan(metrics=[by_cluster()]), clustered(*[[True] * 10] * 20))
    assert found.next_steps[0].reason == "threshold_inside_interval"


def test_a_step_names_its_slice():
    run = given(outcomes(right=40, wrong=10))
    cases = tuple(replace(item, slices={"language": "de"}) for item in run.cases)
    of = plan(gate(across="language"), slices={"language": ("de",)})
    cell = recommended(of, replace(run, cases=cases)).next_steps[0].cell
    assert (cell.slice, cell.slice_value) == ("language", "de")


@pytest.mark.parametrize("n", [0, 2])
def test_a_gate_does_not_pass_on_a_part_of_its_cells(n):
    lines = (RequireEntry("right", ">=", "0.5"), RequireEntry("right", ">=", "0.9"), RequireEntry("right", ">=", "0.6"))
    of = plan(gate(requires=lines))
    run = given(outcomes(right=90, wrong=10))
    inferences = infer(of, run.cases, run.measurements)
    with pytest.raises(WrongCells):
        recommend(of, decide(of, inferences)[:n], inferences)
