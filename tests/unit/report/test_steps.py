"""Reasons as sentences."""

from __future__ import annotations

import pytest

from oloproof.chain.reasons import REASONS, About
from oloproof.chain.recommendation import NextStep
from oloproof.report.steps import STEPS, step_texts

#: Reasons of a PASS: nothing is to be done about them.
GOOD = {"lower_reaches_threshold", "upper_within_threshold"}


def test_every_reason_that_keeps_a_cell_from_passing_has_words():
    needed = {code for code, reason in REASONS.items() if reason.about in (About.INFERENCE, About.DECISION)} - GOOD
    assert needed <= set(STEPS)


@pytest.mark.parametrize("code", sorted(STEPS))
def test_every_step_is_about_a_registered_reason(code: str):
    assert code in REASONS


def test_a_step_about_the_run_names_no_cell():
    (text,) = step_texts([NextStep(None, "missing_widens")], {})
    assert text.startswith("missing cases widen")
