"""Contents that are left out, and what can never be."""

from __future__ import annotations

import pytest
from attacks.bundles import draft
from attacks.checking import assert_refused, check
from attacks.recipes import HONEST, B

from oloproof.chain.link import Link
from oloproof.stages.attest.verdict import FailureClass, Level, Standing

INTEGRITY = FailureClass.INTEGRITY


def _withhold(made, link, at, *, counted=1) -> None:
    del made.contents[link][at]
    made.edit = lambda statement: statement["predicate"]["redactions"]["withheld"].update({link.value: counted})


@pytest.mark.parametrize("at", [0, 5, -1])
@pytest.mark.parametrize("link", [Link.CASE, Link.OBSERVATION])
def test_a_withheld_content_that_is_counted_verifies(tmp_path, trust, link, at):
    made = draft()
    _withhold(made, link, at)  # G01
    report = check(made.write(tmp_path / "b"), trust)
    assert report.exit_code == 0
    assert report.standing(Level.RESCORE) is Standing.NOT_POSSIBLE


def test_all_contents_may_be_withheld_and_the_decision_still_recomputes(tmp_path, trust):
    made = draft()
    n_case, n_observation = len(made.contents[Link.CASE]), len(made.contents[Link.OBSERVATION])
    made.contents = {Link.CASE: [], Link.OBSERVATION: []}
    counts = {"case": n_case, "observation": n_observation}
    made.edit = lambda statement: statement["predicate"]["redactions"].update(withheld=counts)
    assert check(made.write(tmp_path / "b"), trust).exit_code == 0


@pytest.mark.parametrize("counted", [0, 2])
def test_a_withheld_content_that_is_not_counted_breaks_integrity(tmp_path, trust, counted):
    made = draft()
    _withhold(made, Link.CASE, 0, counted=counted)
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_forged_content_in_the_place_of_a_withheld_one_breaks_integrity(tmp_path, trust):
    made = draft()
    _withhold(made, Link.OBSERVATION, 5)
    made.contents[Link.OBSERVATION].insert(5, b"\x00" * 16 + b"a better answer")  # G03
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


@pytest.mark.parametrize("link", ["measurement", "decision", "inference"])
def test_records_can_never_be_withheld(tmp_path, trust, link):
    made = draft()
    made.edit = lambda statement: statement["predicate"]["redactions"]["withheld"].update({link: 1})  # G08
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_an_edited_content_breaks_integrity_though_signed(tmp_path, trust):
    made = draft()
    made.contents[Link.OBSERVATION][7] = made.contents[Link.OBSERVATION][7][:16] + b"answer 7"  # E21
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_every_content_and_record_has_a_salt_of_its_own():
    honest = HONEST[B]
    salts = [entry[:16] for entries in honest.contents.values() for entry in entries]  # G05
    salts += [
        bytes.fromhex(record.salt) for record in (*honest.cases, *honest.observations, *honest.measurements)
    ]  # G06
    assert len(set(salts)) == len(salts)
