"""Records, their sums, and what refers to what; most are signed again by the trusted key."""

from __future__ import annotations

from typing import Any

import pytest
from attacks.bundles import draft, write_files
from attacks.checking import assert_refused, check, edit, reseal
from attacks.recipes import K1

from oloproof.canon.digests import leaf_hash, sha256, text_of
from oloproof.canon.encoding import encode
from oloproof.chain.link import PACKED, Link
from oloproof.stages.attest import layout
from oloproof.stages.attest.verdict import FailureClass

MALFORMED, INTEGRITY, MISMATCH = FailureClass.MALFORMED, FailureClass.INTEGRITY, FailureClass.MISMATCH


@pytest.mark.parametrize("link", list(Link))
def test_a_changed_record_breaks_integrity(bundle, trust, link):
    edit(bundle, layout.records(link), lambda data: data.replace(b'"v":1', b'"v":2', 1))  # D01
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize("link", list(Link))
def test_a_changed_record_breaks_integrity_even_where_it_is_no_json_any_more(bundle, trust, link):
    edit(bundle, layout.records(link), lambda data: data.replace(b'"v":1', b'"v":}', 1))
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize("link", [Link.CASE, Link.OBSERVATION, Link.MEASUREMENT, Link.INFERENCE, Link.DECISION])
@pytest.mark.parametrize("signed_again", [False, True])
def test_swapped_records_break_integrity(tmp_path, trust, link, signed_again):
    made = draft()
    folder = made.write(tmp_path / "b")
    records = made.records[link]
    records[0], records[1] = records[1], records[0]  # D05
    if signed_again:
        folder = made.write(tmp_path / "again")
    else:
        (folder / layout.records(link)).write_bytes(made.body(link))
    assert_refused(check(folder, trust), INTEGRITY)


@pytest.mark.parametrize("link", [Link.CASE, Link.OBSERVATION, Link.MEASUREMENT])
@pytest.mark.parametrize("at", [0, 20, -1])
def test_a_deleted_record_breaks_integrity_though_signed(tmp_path, trust, link, at):
    made = draft()
    del made.records[link][at]  # D06
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


@pytest.mark.parametrize("link", [Link.INFERENCE, Link.DIAGNOSIS, Link.DECISION])
def test_a_deleted_conclusion_is_a_mismatch_though_signed(tmp_path, trust, link):
    made = draft()
    del made.records[link][0]
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


def test_a_deleted_case_breaks_integrity_though_all_that_follows_is_made_anew(tmp_path, trust):
    made = draft()
    for link in (Link.CASE, Link.OBSERVATION, Link.MEASUREMENT):
        made.records[link] = [item for item in made.records[link] if item["id"] != "case-07"]
    del made.contents[Link.CASE][14:16]
    del made.contents[Link.OBSERVATION][7]
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_a_record_that_stands_twice_breaks_integrity(tmp_path, trust):
    made = draft()
    made.records[Link.MEASUREMENT].insert(1, dict(made.records[Link.MEASUREMENT][0]))
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_an_interior_node_is_no_leaf(tmp_path, trust):
    made = draft()
    lines = made.body(Link.MEASUREMENT).splitlines()
    node = leaf_hash(lines[0]) + leaf_hash(lines[1])
    folder = made.write(tmp_path / "b")
    data = b"\n".join([node, *lines[2:]]) + b"\n"
    (folder / "records" / "measurement.jsonl").write_bytes(data)
    sums = {"bytes": len(data), "sha256": text_of(sha256(data)), "count": len(lines) - 1}
    reseal(folder, lambda statement: statement["predicate"]["links"]["measurement"].update(sums))  # D08
    assert check(folder, trust).exit_code in (MALFORMED, INTEGRITY)


@pytest.mark.parametrize("value", [-1, 40.5, True, "40"])
def test_a_tree_of_an_impossible_size_is_malformed(tmp_path, trust, value):
    made = draft()

    def resize(statement) -> None:
        statement["predicate"]["links"]["case"]["count"] = value

    made.edit = resize
    files = made.files()
    assert_refused(check(write_files(tmp_path / "b", files), trust), MALFORMED)  # D10


def test_the_file_of_another_link_breaks_integrity(bundle, trust):
    (bundle / "records" / "decision.jsonl").write_bytes((bundle / "records" / "inference.jsonl").read_bytes())  # D11
    assert_refused(check(bundle, trust), INTEGRITY)


def test_the_records_of_another_link_are_malformed_though_signed(tmp_path, trust):
    made = draft()
    made.lines[Link.DECISION] = made.body(Link.INFERENCE)
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize("field", ["count", "bytes"])
def test_a_wrong_sum_breaks_integrity_though_signed(bundle, trust, field):
    def change(statement) -> None:
        statement["predicate"]["links"]["observation"][field] += 1  # D13

    reseal(bundle, change)
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize("link", [item.value for item in Link])
@pytest.mark.parametrize("field", ["sha256", "merkle_root"])
def test_a_wrong_digest_of_a_file_breaks_integrity_though_signed(bundle, trust, field, link):
    reseal(bundle, lambda statement: statement["predicate"]["links"][link].update({field: "sha256:" + "0" * 64}))
    assert_refused(check(bundle, trust), INTEGRITY)


def test_a_file_of_no_records_with_a_count_breaks_integrity(tmp_path, trust):
    made = draft()
    made.lines[Link.DIAGNOSIS] = b""
    made.edit = lambda statement: statement["predicate"]["links"]["diagnosis"].update(count=7)  # D13
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_one_wrong_digest_beside_a_right_one_breaks_integrity(bundle, trust):
    reseal(bundle, lambda statement: statement["subject"][0]["digest"].update(sha512="0" * 128))  # D15
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda text: "0x" + text,
        lambda text: text[:-1],
        lambda text: text + "0",
        lambda _: "",
        lambda t: t[7:],
    ],
)
@pytest.mark.parametrize("where", ["links", "plan", "environment"])
def test_a_digest_in_another_spelling_is_malformed(bundle, trust, change, where):
    def respell(statement) -> None:
        predicate = statement["predicate"]
        holder, name = {
            "links": (predicate["links"]["case"], "sha256"),
            "plan": (predicate["plan"], "digest"),
            "environment": (predicate, "environment"),
        }[where]
        holder[name] = change(holder[name])  # D16

    reseal(bundle, respell)
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("digest", ["A" * 64, "a" * 63, "0x" + "a" * 62])
def test_a_subject_digest_in_another_spelling_is_malformed(bundle, trust, digest):
    reseal(bundle, lambda statement: statement["subject"][0].update(digest={"sha256": digest}))
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("where", ["sha256", "merkle_root"])
def test_another_hash_is_unsupported(bundle, trust, where):
    reseal(bundle, lambda statement: statement["predicate"]["links"]["case"].update({where: "sha512:" + "0" * 128}))
    assert_refused(check(bundle, trust), FailureClass.UNSUPPORTED)


def test_another_tree_is_unsupported(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"]["links"]["case"].update(tree="blake3"))
    assert_refused(check(bundle, trust), FailureClass.UNSUPPORTED)


def _measurement(made, number) -> dict[str, Any]:
    return made.records[Link.MEASUREMENT][number]


@pytest.mark.parametrize(
    "change",
    [
        lambda made: _measurement(made, 4).update(observations=["sha256:" + "0" * 64]),  # D18
        lambda made: _measurement(made, 4).update(observations=_measurement(made, 3)["observations"]),
        lambda made: _measurement(made, 4).update(observations=[]),
        lambda made: _measurement(made, 4).update(observations=_measurement(made, 4)["observations"] * 2),
        lambda made: _measurement(made, 4).update(digest="sha256:" + "d" * 64),  # D21
        lambda made: _measurement(made, 4).update(repeat=1),
        lambda made: _measurement(made, 4).update(system="older"),
        lambda made: _measurement(made, 4).update(evaluator="lenient"),
        lambda made: _measurement(made, 4).update(outputs={"pass": 1}),
        lambda made: _measurement(made, 4).update(outputs={"score": True}),
        lambda made: _measurement(made, 4).update(outputs={}),
        lambda made: _measurement(made, 11).update(outputs={"pass": True}, reason=None, status="observed"),
        lambda made: _measurement(made, 11).update(reason="null_output"),
        lambda made: made.records[Link.OBSERVATION][4].update(identity="sha256:" + "e" * 64),
        lambda made: made.records[Link.OBSERVATION][4].update(repeat=1),
        lambda made: made.records[Link.OBSERVATION][4].update(system="older"),
        lambda made: made.records[Link.OBSERVATION][4].update(ordinal=1),
        lambda made: made.records[Link.OBSERVATION][0].update(role="judge", judge="j"),
        lambda made: made.records[Link.OBSERVATION][4].update(id="case-99"),
        lambda made: made.records[Link.CASE][4].update(clusters={"editor": "x"}),
        lambda made: made.records[Link.CASE][4].update(slices={"language": "fr"}),
        lambda made: made.records[Link.CASE][4].update(slices={"tongue": "de"}),
        lambda made: made.records[Link.CASE][39].update(set="zzz"),
        lambda made: made.records[Link.CASE][4].update(id="case-040"),
    ],
)
def test_a_reference_that_does_not_hold_breaks_integrity_though_signed(tmp_path, trust, change):
    made = draft()
    change(made)
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_an_observed_answer_cannot_be_hidden_as_missing_by_a_reason_of_the_system(tmp_path, trust):
    made = draft()
    _measurement(made, 7).update(outputs=None, reason="timeout", status="missing")
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


def test_counts_that_do_not_add_up_break_integrity(tmp_path, trust):
    made = draft()
    made.records[Link.INFERENCE][0]["counts"]["missing"] += 1  # D20
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


def test_a_reason_that_the_record_cannot_have_is_a_mismatch(tmp_path, trust):
    made = draft()
    made.records[Link.OBSERVATION][11]["reason"] = "filtered"  # D23
    made.records[Link.MEASUREMENT][11]["reason"] = "filtered"
    made.relink()
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), MISMATCH)


@pytest.mark.parametrize("salt", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32])
@pytest.mark.parametrize("link", [Link.CASE, Link.OBSERVATION, Link.MEASUREMENT])
def test_a_salt_in_another_spelling_is_malformed(tmp_path, trust, link, salt):
    made = draft()
    made.records[link][0]["salt"] = salt
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize("link", PACKED)
def test_a_pack_with_the_size_of_another_content_breaks_integrity(tmp_path, trust, link):
    made = draft()
    field = "input" if link is Link.CASE else "output"
    made.records[link][0][field]["size"] += 1
    made.relink()
    made.conclude()
    assert_refused(check(made.write(tmp_path / "b"), trust), INTEGRITY)


@pytest.mark.parametrize("size", [b"18446744073709551616", b"9007199254740992", b"0", b"-1", b"1e9", b"010"])
def test_an_entry_of_an_impossible_size_is_refused_before_it_is_read(bundle, trust, size):
    edit(bundle, "blobs/case.index", lambda data: data[:65] + size + data[data.index(b"\n") :])  # H03
    assert check(bundle, trust).exit_code in (MALFORMED, INTEGRITY)


def test_plan_and_links_must_speak_of_the_same_cases(bundle, trust):
    reseal(bundle, lambda statement: statement["predicate"]["plan"].update(case_count=41))
    assert_refused(check(bundle, trust), INTEGRITY)


@pytest.mark.parametrize("name", ["plan_hash", "decision_hash", "digest", "cases_root"])
def test_another_digest_of_the_plan_breaks_integrity(bundle, trust, name):
    reseal(bundle, lambda statement: statement["predicate"]["plan"].update({name: "sha256:" + "0" * 64}))
    assert_refused(check(bundle, trust), INTEGRITY)


def test_every_draft_is_signed_by_the_trusted_key():
    assert draft().key is K1
    assert encode(draft().records[Link.CASE][0])
