"""Trust files: what is read from them, and the own key's way into the own one."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta

import pytest
from attacks.checking import trust_text
from attacks.recipes import K1, K2, NOW

from oloproof.adapters.ed25519 import BadKey
from oloproof.adapters.trust import BadTrust, enter_own_key, load_trust
from oloproof.stages.attest.verdict import Level


def test_a_whole_trust_file_is_read(tmp_path):
    path = tmp_path / "trust.toml"
    more = (
        f'plans = ["sha256:{"a" * 64}"]\nvalid_from = "2026-01-01T00:00:00+01:00"\nretired_at = 2027-01-01T00:00:00Z\n'
        '[require]\nrunner = 1\nlevel = "integrity"\nmin_format = "1.0"\nmax_age = "12h"\ntimestamp = false\n'
    )
    path.write_text(trust_text(K2, K1, more=more))
    policy = load_trust(path, now=NOW)
    key = policy.keys[1]
    assert (key.principal, key.keyid, key.roles) == ("release-ci-1", K1.keyid, ("runner",))
    assert key.plans == ("sha256:" + "a" * 64,)
    assert key.valid_from == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert key.retired_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert policy.require.level is Level.INTEGRITY
    assert policy.require.max_age == timedelta(hours=12)
    assert policy.is_own is False


def test_defaults_ask_for_one_runner_and_nothing_else(tmp_path):
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K1))
    require = load_trust(path, now=NOW).require
    assert (require.n_runners, require.n_approvers, require.level, require.max_age) == (1, 0, None, None)


@pytest.mark.parametrize("value", ["[]", '"x"', "1", "{}", "[1]", "[[1]]"])
def test_a_signer_of_another_shape_is_refused(tmp_path, value):
    path = tmp_path / "trust.toml"
    path.write_text(f"version = 1\nsigner = {value}\n")
    with pytest.raises(BadTrust):
        load_trust(path, now=NOW)


def test_the_own_key_is_entered_once(tmp_path):
    assert enter_own_key(tmp_path / "config", K1.public_key) is True
    first = (tmp_path / "config" / "trust.toml").read_bytes()
    assert enter_own_key(tmp_path / "config", K1.public_key) is False
    assert (tmp_path / "config" / "trust.toml").read_bytes() == first
    assert stat.S_IMODE((tmp_path / "config").stat().st_mode) == 0o700
    assert [item.name for item in (tmp_path / "config").iterdir()] == ["trust.toml"]
    policy = load_trust(tmp_path / "config" / "trust.toml", now=NOW, is_own=True)
    assert [(key.principal, key.keyid) for key in policy.keys] == [("self", K1.keyid)]


def test_what_a_person_wrote_into_the_own_file_stays(tmp_path):
    path = tmp_path / "trust.toml"
    text = "# mine\n" + trust_text(K2, more='# and this\n[require]\nlevel = "integrity"')
    path.write_text(text)
    enter_own_key(tmp_path, K1.public_key)
    assert path.read_text().startswith(text)
    policy = load_trust(path, now=NOW)
    assert [key.keyid for key in policy.keys] == [K2.keyid, K1.keyid]
    assert policy.require.level is Level.INTEGRITY


def test_a_key_that_a_person_revoked_is_not_entered_again(tmp_path):
    path = tmp_path / "trust.toml"
    path.write_text(trust_text(K2, K1, more='revoked_at = "2026-01-01T00:00:00Z"\n'))
    assert enter_own_key(tmp_path, K1.public_key) is False


def test_a_broken_own_file_is_not_written_over(tmp_path):
    path = tmp_path / "trust.toml"
    path.write_text("version = ")
    with pytest.raises(BadTrust):
        enter_own_key(tmp_path, K1.public_key)
    assert path.read_text() == "version = "


def test_what_is_no_key_is_not_entered(tmp_path):
    with pytest.raises(BadKey):
        enter_own_key(tmp_path, 'ssh-ed25519 AAAA"\nroles = ["approver"]')
    assert list(tmp_path.iterdir()) == []
