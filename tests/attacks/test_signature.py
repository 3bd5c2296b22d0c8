"""The envelope, its signatures, and who may sign what and when."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attacks.bundles import draft, write_honest
from attacks.checking import NOWHERE, assert_refused, check, edit_envelope, reseal, trust_text
from attacks.recipes import B0, HONEST, K1, K2, K3, K4, NOW, B, signer

from oloproof.adapters.trust import enter_own_key
from oloproof.app.verify import verify_bundle
from oloproof.canon.encoding import encode
from oloproof.errors import UsageError
from oloproof.stages.attest.envelope import pre_authentication, seal
from oloproof.stages.attest.verdict import FailureClass, Level, Standing

MALFORMED, UNTRUSTED, UNSUPPORTED = FailureClass.MALFORMED, FailureClass.UNTRUSTED, FailureClass.UNSUPPORTED
#: The order of the group, little-endian additions to S make malleable twins.
L = 2**252 + 27742317777372353535851937790883648493


def _signature(envelope) -> dict[str, Any]:
    return envelope["signatures"][0]


def _payload(envelope) -> bytes:
    return base64.b64decode(envelope["payload"])


def _text(data) -> str:
    return base64.b64encode(data).decode()


def _flip(envelope, at) -> None:
    data = bytearray(_payload(envelope))
    data[at] ^= 1
    envelope["payload"] = _text(bytes(data))


@pytest.mark.parametrize("at", range(0, 4000, 97))
def test_one_changed_payload_byte_is_untrusted(bundle, trust, at):
    edit_envelope(bundle, lambda envelope: _flip(envelope, at))  # C01, D03
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_a_plan_statement_in_place_of_the_decision_is_unsupported(bundle, trust):
    (bundle / "evidence.dsse.json").write_bytes((bundle / "attestations" / "plan.dsse.json").read_bytes())  # C03
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize("kind", ["text/plain", "application/vnd.in-tötö+json", "application/VND.in-toto+json", ""])
def test_another_payload_type_is_never_read(bundle, trust, kind):
    edit_envelope(bundle, lambda envelope: envelope.update(payloadType=kind))  # C03, C35
    assert_refused(check(bundle, trust), UNTRUSTED)
    assert_refused(check(bundle, None), UNSUPPORTED)


def test_another_payload_type_is_unsupported_though_signed(bundle, trust):
    def resign(envelope) -> None:
        envelope["payloadType"] = "text/plain"
        _signature(envelope)["sig"] = _text(K1.sign(pre_authentication("text/plain", _payload(envelope))))

    edit_envelope(bundle, resign)
    assert_refused(check(bundle, trust), UNSUPPORTED)


@pytest.mark.parametrize("value", [None, {}, "x", 1, [None], [[]], [{"keyid": K1.keyid}], [{"sig": 1}], [{}] * 17])
def test_signatures_of_another_shape_are_malformed(bundle, trust, value):
    edit_envelope(bundle, lambda envelope: envelope.update(signatures=value))  # C05
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("name", ["payload", "payloadType", "signatures"])
def test_an_envelope_without_one_of_its_fields_is_malformed(bundle, trust, name):
    edit_envelope(bundle, lambda envelope: envelope.pop(name))
    assert_refused(check(bundle, trust), MALFORMED)


def test_no_signature_is_untrusted(bundle, trust):
    edit_envelope(bundle, lambda envelope: envelope.update(signatures=[]))
    assert_refused(check(bundle, trust), UNTRUSTED)


@pytest.mark.parametrize("signature", ["", "AA==", _text(b"\x00" * 64), _text(b"\xff" * 64), _text(b"\x00" * 65)])
def test_a_signature_of_nothing_is_untrusted(bundle, trust, signature):
    edit_envelope(bundle, lambda envelope: _signature(envelope).update(sig=signature))  # C06
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_the_attackers_key_is_untrusted_whatever_it_calls_itself(tmp_path, trust):
    write_honest(tmp_path / "b", key=K2)  # C08
    assert_refused(check(tmp_path / "b", trust), UNTRUSTED)
    edit_envelope(tmp_path / "b", lambda envelope: _signature(envelope).update(keyid=K1.keyid))
    assert_refused(check(tmp_path / "b", trust), UNTRUSTED)


def test_a_keyid_that_is_there_must_be_its_keys(bundle, trust):
    edit_envelope(bundle, lambda envelope: _signature(envelope).update(keyid=K2.keyid))
    assert_refused(check(bundle, trust), UNTRUSTED)


@pytest.mark.parametrize("keyid", [None, ""])
def test_a_signature_without_keyid_is_accepted(bundle, trust, keyid):
    edit_envelope(bundle, lambda envelope: _signature(envelope).update(keyid=keyid))
    assert check(bundle, trust).exit_code == 0


def test_one_signature_listed_twice_counts_once(bundle, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(trust_text(K1, K2, more="[require]\nrunner = 2\n"))
    edit_envelope(bundle, lambda envelope: envelope["signatures"].append(_signature(envelope)))  # C10
    assert_refused(check(bundle, path), UNTRUSTED)


def test_two_principals_with_two_keys_reach_a_threshold_of_two(bundle, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(trust_text(K1, K2, more="[require]\nrunner = 2\n"))

    def sign_again(envelope) -> None:
        message = pre_authentication(envelope["payloadType"], _payload(envelope))
        envelope["signatures"].append({"keyid": K2.keyid, "sig": _text(K2.sign(message))})

    for name in ("evidence.dsse.json",):
        edit_envelope(bundle, sign_again, name)
    # The plan statement has one signature only, and is held to the same policy.
    assert_refused(check(bundle, path), UNTRUSTED)


def test_two_keys_of_one_person_do_not_reach_a_threshold_of_two(bundle, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(trust_text(K1, K2).replace("release-ci-1", "release-ci-0") + "[require]\nrunner = 2\n")
    with pytest.raises(UsageError, match="2 with the role runner"):  # C11
        check(bundle, path)


def test_one_key_under_two_names_is_a_bad_trust_file(bundle, tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(trust_text(K1, K1, more="[require]\nrunner = 2\n"))
    with pytest.raises(UsageError, match="stands twice"):  # C11
        check(bundle, path)


def test_the_url_safe_alphabet_is_accepted(bundle, trust):
    def url_safe(envelope) -> None:
        for holder, name in ((envelope, "payload"), (_signature(envelope), "sig")):
            holder[name] = holder[name].replace("+", "-").replace("/", "_")

    edit_envelope(bundle, url_safe)  # C13
    assert check(bundle, trust).exit_code == 0


@pytest.mark.parametrize("change", ["no padding", "pad bits", "white space", "junk", "two alphabets", "more padding"])
@pytest.mark.parametrize("where", ["payload", "sig"])
def test_any_other_base64_is_malformed(bundle, trust, change, where):
    def respell(envelope) -> None:
        holder = envelope if where == "payload" else _signature(envelope)
        # One byte more or less gives a text that ends in padding.
        text = _text(base64.b64decode(holder[where]) + b"\x00" * (1 if where == "payload" else 0))
        text = text if text.endswith("=") else _text(base64.b64decode(text) + b"\x00")
        stem = text.rstrip("=")
        holder[where] = {
            "no padding": stem,  # C15
            "pad bits": stem[:-1] + chr(ord(stem[-1]) + 1) + text[len(stem) :],  # C16
            "white space": text[:8] + "\n" + text[8:],
            "junk": text[:8] + "!" + text[8:],
            "two alphabets": "+_/-" + text,
            "more padding": text + "====",
        }[change]

    edit_envelope(bundle, respell)
    assert_refused(check(bundle, trust), MALFORMED)


def test_a_malleable_twin_of_a_signature_is_untrusted(bundle, trust):
    def twin(envelope) -> None:
        data = base64.b64decode(_signature(envelope)["sig"])
        s = int.from_bytes(data[32:], "little") + L
        _signature(envelope)["sig"] = _text(data[:32] + s.to_bytes(32, "little"))

    edit_envelope(bundle, twin)  # C18
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_an_hmac_under_the_public_key_is_untrusted(bundle, trust):
    def confuse(envelope) -> None:
        message = pre_authentication(envelope["payloadType"], _payload(envelope))
        raw = base64.b64decode(K1.public_key.split()[1])[-32:]
        mac = hmac.digest(raw, message, hashlib.sha512)
        _signature(envelope).update(sig=_text(mac), alg="HS512")

    edit_envelope(bundle, confuse)  # C20
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_an_algorithm_field_changes_nothing(bundle, trust):
    edit_envelope(bundle, lambda envelope: _signature(envelope).update(alg="none"))  # C21
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert any("'alg'" in notice for notice in report.notices)
    edit_envelope(bundle, lambda envelope: _signature(envelope).update(sig=""))
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_a_signature_over_the_bare_payload_is_untrusted(bundle, trust):
    edit_envelope(bundle, lambda e: _signature(e).update(sig=_text(K1.sign(_payload(e)))))  # C23
    assert_refused(check(bundle, trust), UNTRUSTED)


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (K3, 'retired_at = "2026-01-10T11:30:00Z"'),  # C25: the claimed time lies before it
        (K4, 'revoked_at = "2026-01-10T11:30:00Z"\nrevoked_reason = "compromise"'),
        (K4, "revoked_at = 2030-01-01T00:00:00Z"),
        (K3, 'valid_from = "2026-01-10T11:30:00Z"'),
    ],
)
def test_a_key_that_does_not_stand_is_untrusted_whatever_the_signer_says_of_when(tmp_path, key, line):
    write_honest(tmp_path / "b", key=key)
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K1, key, more=line + "\n"))
    assert_refused(check(tmp_path / "b", path), UNTRUSTED)


def test_a_key_that_will_retire_still_counts(tmp_path):
    write_honest(tmp_path / "b", key=K3)
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K3, more='retired_at = "2027-01-01T00:00:00Z"\n'))
    assert check(tmp_path / "b", path).exit_code == 0


@pytest.mark.parametrize("now", [NOW - timedelta(days=1), NOW.replace(year=2016)])
def test_a_claimed_time_in_the_future_is_untrusted(bundle, trust, now):
    assert_refused(check(bundle, trust, now=now), UNTRUSTED)  # C30


def test_a_clock_that_is_a_little_behind_is_forgiven(bundle, trust):
    now = datetime(2026, 1, 10, 10, 57, tzinfo=UTC)
    assert check(bundle, trust, now=now).exit_code == 0


def test_without_any_trust_the_check_is_incomplete(bundle):
    report = check(bundle, None)  # C31
    assert report.exit_code == FailureClass.INCOMPLETE
    assert report.standing(Level.SIGNATURE) is Standing.NOT_CHECKED
    assert report.standing(Level.RECOMPUTE) is Standing.VERIFIED
    assert report.signers == ()


def test_a_key_has_no_role_for_another_plan(bundle, tmp_path):
    path = tmp_path / "scoped.toml"
    path.write_text(trust_text(K1, more=f'plans = ["{HONEST[B0].plan.plan_hash}"]\n'))
    assert_refused(check(bundle, path), UNTRUSTED)  # C33
    path.write_text(trust_text(K1, more=f'plans = ["{HONEST[B].plan.plan_hash}"]\n'))
    assert check(bundle, path).exit_code == 0


def test_two_envelopes_in_one_file_are_malformed(bundle, trust):
    path = bundle / "evidence.dsse.json"
    path.write_bytes(path.read_bytes() + b"\n" + path.read_bytes() + b"\n")  # C36
    assert_refused(check(bundle, trust), MALFORMED)


def test_ones_own_key_verifies_ones_own_bundle_and_says_so(tmp_path, bundle):
    enter_own_key(tmp_path / "config", K1.public_key)
    environ = {"OLOPROOF_CONFIG_DIR": str(tmp_path / "config")}
    report = verify_bundle(bundle, environ=environ, now=NOW)
    assert report.exit_code == 0
    assert report.signers[0].is_own
    signature = next(item for item in report.levels if item.level is Level.SIGNATURE)
    assert signature.reason == "signed by your own key"


def test_a_named_trust_file_replaces_ones_own(tmp_path, bundle):
    enter_own_key(tmp_path / "config", K1.public_key)
    path = tmp_path / "other.toml"
    path.write_text(trust_text(K2))
    environ = {"OLOPROOF_CONFIG_DIR": str(tmp_path / "config")}
    assert verify_bundle(bundle, trust=path, environ=environ, now=NOW).exit_code == FailureClass.UNTRUSTED


@pytest.mark.parametrize("line", ["timestamp = true", "log = true"])
def test_a_policy_that_asks_for_more_than_can_be_checked_is_not_met(bundle, tmp_path, line):
    path = tmp_path / "strict.toml"
    path.write_text(trust_text(K1, more=f"[require]\n{line}\n"))
    report = check(bundle, path)
    assert report.exit_code == FailureClass.INCOMPLETE
    assert report.standing(Level.SIGNATURE) is Standing.NOT_POSSIBLE


def test_a_plan_statement_by_another_key_is_untrusted(bundle, trust):
    path = bundle / "attestations" / "plan.dsse.json"
    envelope = json.loads(path.read_bytes())
    forged = seal(_payload(envelope), signer(9))
    path.write_bytes(forged)
    digest = "sha256:" + hashlib.sha256(forged).hexdigest()
    reseal(bundle, lambda statement: statement["predicate"].update(plan_statement=digest))
    assert_refused(check(bundle, trust), UNTRUSTED)


def test_a_plan_statement_of_another_plan_is_not_bound(tmp_path, trust):
    made, other = draft(B), draft(B0)
    files = made.files()
    sealed = other.files()["attestations/plan.dsse.json"]
    digest = "sha256:" + hashlib.sha256(sealed).hexdigest()
    made.edit = lambda statement: statement["predicate"].update(plan_statement=digest)
    folder = made.write(tmp_path / "b")
    (folder / "attestations" / "plan.dsse.json").write_bytes(sealed)
    assert files["plan.json"] != other.files()["plan.json"]
    assert_refused(check(folder, trust), FailureClass.BINDING)


def test_a_plan_statement_from_after_the_decision_is_not_bound(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"].update(claimed_signed_at="2026-01-10T09:00:00Z"))
    assert_refused(check(bundle, trust), FailureClass.BINDING)


def test_a_plan_statement_that_is_hidden_is_missed(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"].update(plan_statement=None))
    assert_refused(check(bundle, trust), FailureClass.INTEGRITY)


def test_a_bundle_without_plan_statement_verifies(tmp_path, trust):
    made = draft()
    made.has_plan_statement = False
    assert check(made.write(tmp_path / "b"), trust).exit_code == 0


def test_no_configuration_at_all_is_no_trust(bundle):
    assert verify_bundle(bundle, environ=NOWHERE, now=NOW).exit_code == FailureClass.INCOMPLETE


def test_envelopes_are_canonical_themselves(bundle, trust):
    path = bundle / "evidence.dsse.json"
    path.write_text(json.dumps(json.loads(path.read_bytes())))
    assert_refused(check(bundle, trust), MALFORMED)
    assert encode(json.loads(path.read_bytes()))
