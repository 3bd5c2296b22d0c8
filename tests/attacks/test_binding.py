"""Genuine bundles in the wrong place, and formats that only look like ours."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attacks.bundles import draft, write_honest
from attacks.checking import assert_refused, check, reseal
from attacks.recipes import B0, EASY, HONEST, NOW, B

from oloproof.errors import UsageError
from oloproof.plan.keys import subject_digest
from oloproof.stages.attest.verdict import FailureClass, Level, Standing

BINDING, UNSUPPORTED, MALFORMED = FailureClass.BINDING, FailureClass.UNSUPPORTED, FailureClass.MALFORMED

CANDIDATE = subject_digest(HONEST[B].plan.systems[0])


def test_the_right_pins_bind(bundle, trust):
    report = check(bundle, trust, expect_subject=CANDIDATE, expect_plan=HONEST[B].plan.plan_hash)
    assert report.exit_code == 0
    assert report.standing(Level.BINDING) is Standing.VERIFIED


@pytest.mark.parametrize("text", [CANDIDATE.removeprefix("sha256:"), f"candidate={CANDIDATE}"])
def test_a_subject_may_be_pinned_by_its_digits_or_with_its_name(bundle, trust, text):
    assert check(bundle, trust, expect_subject=text).exit_code == 0


@pytest.mark.parametrize("name", ["plan_hash", "decision_hash"])
def test_a_plan_may_be_pinned_by_either_hash(bundle, trust, name):
    assert check(bundle, trust, expect_plan=getattr(HONEST[B].plan, name)).exit_code == 0


def test_without_pins_binding_is_not_checked_and_not_required(bundle, trust):
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert report.standing(Level.BINDING) is Standing.NOT_CHECKED


def test_the_genuine_bundle_of_another_candidate_is_not_bound(tmp_path, trust):
    write_honest(tmp_path / "b0", B0)
    assert_refused(check(tmp_path / "b0", trust, expect_subject=CANDIDATE), BINDING)  # F01


def test_a_genuine_bundle_under_an_easier_suite_is_not_bound(tmp_path, trust):
    write_honest(tmp_path / "easy", EASY)
    report = check(tmp_path / "easy", trust, expect_subject=CANDIDATE, expect_plan=HONEST[B].plan.plan_hash)
    assert_refused(report, BINDING)  # F03


def test_a_subject_under_another_name_is_not_bound(bundle, trust):
    assert_refused(check(bundle, trust, expect_subject=f"older={CANDIDATE}"), BINDING)  # F20
    reseal(bundle, lambda statement: statement["subject"][0].update(name="older"))
    assert_refused(check(bundle, trust), BINDING)


def test_a_bundle_that_is_too_old_for_the_policy_is_not_bound(bundle, trust):
    trust.write_text(trust.read_text() + '[require]\nmax_age = "30d"\n')
    assert check(bundle, trust).exit_code == 0
    assert_refused(check(bundle, trust, now=NOW + timedelta(days=31)), BINDING)


@pytest.mark.parametrize("text", ["", "sha256:", "abc", "A" * 64, "sha256:" + "a" * 63, "sha512:" + "a" * 64])
def test_a_pin_that_nothing_could_meet_is_a_usage_error(bundle, trust, text):
    with pytest.raises(UsageError):
        check(bundle, trust, expect_subject=text)
    with pytest.raises(UsageError):
        check(bundle, trust, expect_plan=text)


def test_a_higher_minor_version_with_unknown_fields_verifies_with_notices(bundle, trust):
    def age(statement) -> None:
        statement["predicate"].update(format_version="1.7", weather="fine")
        statement["predicate"]["links"]["case"].update(colour="blue")
        statement["subject"][0]["digest"].update(gitCommit="0" * 40)

    reseal(bundle, age)  # F08
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert [name for name in ("weather", "colour", "gitCommit") if not any(name in n for n in report.notices)] == []


@pytest.mark.parametrize("version", ["2.0", "0.9", "10.0"])
def test_another_major_version_is_unsupported(bundle, trust, version):
    reseal(bundle, lambda statement: statement["predicate"].update(format_version=version))  # F11
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize("version", ["1", "1.", "v1.0", "1.0.0", "01.0", "1.00", 1.0, None, "1.0 "])
def test_a_version_in_another_spelling_is_malformed(bundle, trust, version):
    reseal(bundle, lambda statement: statement["predicate"].update(format_version=version))
    assert_refused(check(bundle, trust), MALFORMED)


def test_a_format_older_than_the_policy_takes_is_unsupported(bundle, trust):
    trust.write_text(trust.read_text() + '[require]\nmin_format = "1.1"\n')
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize("names", [[], ["gates"], None, "gates", ["run_state", "gates"], ["gates", "gates"]])
def test_a_critical_list_without_the_minimum_is_malformed(bundle, trust, names):
    reseal(bundle, lambda statement: statement["predicate"].update(critical=names))  # F10
    assert_refused(check(bundle, trust), MALFORMED)


def test_a_statement_without_critical_list_is_malformed(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"].pop("critical"))
    assert_refused(check(bundle, trust), MALFORMED)


def test_an_unknown_critical_name_is_unsupported(bundle, trust):
    def require(statement) -> None:
        critical = statement["predicate"]["critical"]
        statement["predicate"]["critical"] = sorted([*critical, "quantum"])

    reseal(bundle, require)
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("predicateType", "https://in-toto.io/attestation/eval-result/v0.1"),  # F16
        ("predicateType", "urn:oloproof:evaluation-decision:v2"),
        ("_type", "https://in-toto.io/Statement/v0.1"),
    ],
)
def test_another_kind_of_statement_is_unsupported(bundle, trust, name, value):
    reseal(bundle, lambda statement: statement.update({name: value}))
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize(
    "subject",
    [
        [],
        [{}],
        [{"name": "candidate"}],
        [{"name": "candidate", "digest": {}}],
        [{"name": "candidate", "digest": {"sha1": "0" * 40}}],
        [{"name": "candidate", "digest": {"sha256": "0" * 64}}] * 2,
        None,
        {},
    ],
)
def test_a_subject_without_digest_is_malformed(bundle, trust, subject):
    reseal(bundle, lambda statement: statement.update(subject=subject))  # F18
    assert_refused(check(bundle, trust), MALFORMED)


def test_another_environment_is_the_signers_word_and_changes_no_verdict(tmp_path, trust):
    made = draft()
    made.records[next(link for link in made.records if link == "evidence")][0]["platform"]["numpy"] = "1.26"  # F21
    assert check(made.write(tmp_path / "b"), trust).exit_code == 0


def test_an_environment_digest_that_is_not_the_evidence_records_breaks_integrity(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"].update(environment="sha256:" + "0" * 64))
    assert_refused(check(bundle, trust), FailureClass.INTEGRITY)


@pytest.mark.parametrize("decision", ["PASS", "ALLOW"])
def test_a_decision_that_is_not_the_required_one_is_not_accepted(bundle, trust, decision):
    report = check(bundle, trust, require_decision=decision)
    assert report.exit_code == FailureClass.NOT_ACCEPTED
    assert report.standing(Level.RECOMPUTE) is Standing.VERIFIED


def test_a_required_decision_that_is_none_is_a_usage_error(bundle, trust):
    with pytest.raises(UsageError):
        check(bundle, trust, require_decision="FINE")


def test_incomplete_speaks_before_not_accepted(bundle):
    assert check(bundle, None, require_decision="PASS").exit_code == FailureClass.INCOMPLETE
