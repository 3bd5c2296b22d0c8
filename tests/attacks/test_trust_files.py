"""Trust files that would let anybody in, or nobody."""

from __future__ import annotations

import pytest
from attacks.checking import check, trust_text
from attacks.recipes import K1

from oloproof.adapters.ed25519 import ssh_text
from oloproof.errors import UsageError


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version = 1\n",
        "version = 2\n" + trust_text(K1).removeprefix("version = 1\n"),
        trust_text(K1) + 'unknown = "x"\n',
        trust_text(K1).replace("runner", "owner"),
        trust_text(K1).replace('"runner"', ""),
        trust_text(K1, more="[require]\nrunner = 0\n"),
        trust_text(K1, more="[require]\napprover = 1\n"),
        trust_text(K1, more='[require]\nlevel = "all"\n'),
        trust_text(K1, more='[require]\nmax_age = "soon"\n'),
        trust_text(K1, more='plans = ["all"]\n'),
        trust_text(K1, more='retired_at = "2020-01-01T00:00:00Z"\n'),
        trust_text(K1, more='retired_at = "2020-01-01T00:00:00"\n'),
        trust_text(K1) + "[[tsa]]\n",
        "\x00",
        trust_text(K1).replace("ssh-ed25519", "ssh-rsa"),
        trust_text(K1).replace('"ssh-ed25519 ', '"ssh-ed25519  '),
    ],
)
def test_a_bad_trust_file_is_a_usage_error(bundle, tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError):  # C31
        check(bundle, path)


def test_a_trust_file_that_is_not_there_is_a_usage_error(bundle, tmp_path):
    with pytest.raises(UsageError):
        check(bundle, tmp_path / "nothing.toml")


SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    # second spellings
    "0100000000000000000000000000000000000000000000000000000000000080",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_key_under_which_anybody_can_sign_is_no_key(bundle, tmp_path, point):
    path = tmp_path / "weak.toml"
    path.write_text(trust_text(K1).replace(K1.public_key, ssh_text(bytes.fromhex(point))))
    with pytest.raises(UsageError, match=r"small order|second spelling"):
        check(bundle, path)
