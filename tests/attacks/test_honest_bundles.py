"""Positive controls: what must verify."""

from __future__ import annotations

from attacks.bundles import draft, write_honest
from attacks.checking import check
from attacks.recipes import B0

from oloproof.chain.decision import DecisionState
from oloproof.stages.attest.verdict import Level, Standing


def test_the_honest_bundle_verifies_at_recompute(bundle, trust):
    report = check(bundle, trust)
    assert report.failures == ()
    assert report.exit_code == 0
    assert report.standing(Level.RECOMPUTE) is Standing.VERIFIED
    assert {item.gate: item.state for item in report.states}["min-exact"] is DecisionState.INSUFFICIENT_EVIDENCE


def test_the_writer_and_the_draft_of_the_attacks_give_the_same_bytes(bundle):
    files = draft().files()
    found = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    assert found == files


def test_an_older_passing_bundle_verifies_and_is_accepted(tmp_path, trust):
    write_honest(tmp_path / "older", B0)
    assert check(tmp_path / "older", trust, require_decision="PASS").exit_code == 0
