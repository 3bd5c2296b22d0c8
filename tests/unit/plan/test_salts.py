"""Salts: the formula of the specification, whatever is prepared beforehand."""

import hmac

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canon.digests import SALT_BYTES, mac_parts
from oloproof.plan.salts import Salts

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
HASHES = st.binary(min_size=32, max_size=32)
SMALL = st.integers(0, 10**6)


@given(st.binary(max_size=150), NAMES, NAMES, HASHES, SMALL, NAMES, NAMES, NAMES, SMALL, SMALL, NAMES)
def test_a_salt_is_the_start_of_a_plain_hmac(  # noqa: PLR0917 -- the fields of the formula, in its order
    key, link, case_set, digest, occurrence, role, system, by, ordinal, repeat, field
):
    parts = [link, case_set, digest.hex(), occurrence, role, system, by, ordinal, repeat, field]
    wanted = hmac.new(key, b"olo-salt-v1\x00" + rfc8785.dumps(parts), "sha256").digest()[:SALT_BYTES]
    salts = Salts(key)
    found = salts.salt(
        link, case_set, digest, occurrence, field=field, role=role, system=system, by=by, ordinal=ordinal, repeat=repeat
    )
    assert found == wanted == mac_parts(key, "olo-salt-v1", *parts)[:SALT_BYTES]
    series = salts.series(link, case_set, field=field, role=role, system=system, by=by, ordinal=ordinal)
    assert series(digest, occurrence, repeat) == wanted


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 200])
def test_a_key_of_any_length_is_taken_as_hmac_takes_it(length):
    key = bytes(range(256))[:length]
    assert (
        Salts(key).salt("case", "s", b"", 0, field="record")
        == mac_parts(key, "olo-salt-v1", "case", "s", "", 0, "", "", "", 0, 0, "record")[:SALT_BYTES]
    )


def test_salts_of_other_places_are_other_salts():
    salts = Salts(b"key")
    base = {"link": "observation", "case_set": "s", "input_hash": b"\x00" * 32, "occurrence": 0, "field": "record"}
    changes = [
        {}, {"link": "case"}, {"case_set": "t"}, {"input_hash": b"\x01" * 32}, {"occurrence": 1}, {"field": "output"},
        {"role": "system"}, {"system": "a"}, {"by": "a"}, {"ordinal": 1}, {"repeat": 1},
    ]  # fmt: skip
    found = set()
    for change in changes:
        place = {**base, **change}
        found.add(salts.salt(*[place.pop(name) for name in ("link", "case_set", "input_hash", "occurrence")], **place))
    assert len(found) == len(changes)
    assert Salts(b"other").salt("observation", "s", b"\x00" * 32, 0, field="record") not in found
