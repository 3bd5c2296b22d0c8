"""JSON as parsers differ on it, in the envelope, the statement, the plan and the records."""

from __future__ import annotations

import base64
import json

import pytest
from attacks.bundles import draft
from attacks.checking import assert_refused, check, edit, reseal
from shared_data import shared

from oloproof.canon.encoding import NotCanonical, encode, parse
from oloproof.chain.link import Link
from oloproof.stages.attest.envelope import seal
from oloproof.stages.attest.verdict import FailureClass

MALFORMED, INTEGRITY, MISMATCH = FailureClass.MALFORMED, FailureClass.INTEGRITY, FailureClass.MISMATCH

#: Changes to canonical text of an object that ends in `}`, by the row that they are of.
TEXTS = {
    "B01 duplicate key": lambda data: b'{"payload":"",' + data[1:],
    "B05 NaN": lambda data: data[:-1] + b',"x":NaN}',
    "B05 Infinity": lambda data: data[:-1] + b',"x":Infinity}',
    "B05 -Infinity": lambda data: data[:-1] + b',"x":-Infinity}',
    "B06 2^53": lambda data: data[:-1] + b',"x":9007199254740992}',
    "B06 5000 digits": lambda data: data[:-1] + b',"x":' + b"9" * 5000 + b"}",
    "B10 lone surrogate": lambda data: data[:-1] + b',"x":"\\ud800"}',
    "B13 byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "B15 depth 100000": lambda data: data[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "B15 depth 500": lambda data: data[:-1] + b',"x":' + b"[" * 500 + b"]" * 500 + b"}",
    "B18 trailing value": lambda data: data + b"{}",
    "B18 leading space": lambda data: b" " + data,
    "B18 trailing line feed": lambda data: data + b"\n",
    "invalid UTF-8": lambda data: data[:-1] + b',"x":"\xff"}',
    "pretty printed": lambda data: json.dumps(json.loads(data), indent=1).encode(),
    "escaped letter": lambda data: data.replace(b'e":', b'\\u0065":').replace(b'v":', b'\\u0076":'),
    "number 1.0": lambda data: data[:-1] + b',"x":1.0}',
    "minus zero": lambda data: data[:-1] + b',"x":-0}',
    "empty": lambda _: b"",
    "no object": lambda _: b"[]",
}


@pytest.mark.parametrize("row", TEXTS)
def test_an_envelope_in_any_other_text_is_malformed(bundle, trust, row):
    edit(bundle, "evidence.dsse.json", TEXTS[row])
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("row", TEXTS)
def test_a_statement_in_any_other_text_is_malformed_though_signed(bundle, trust, row):
    made = draft()
    files = made.files()
    payload = _payload(files["evidence.dsse.json"])
    (bundle / "evidence.dsse.json").write_bytes(seal(TEXTS[row](payload), made.key))
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("row", TEXTS)
def test_a_plan_in_any_other_text_is_malformed_though_signed(tmp_path, trust, row):
    made = draft()
    made.plan_bytes = TEXTS[row](made.files()["plan.json"])
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize("link", list(Link))
@pytest.mark.parametrize("row", TEXTS)
def test_a_record_in_any_other_text_is_malformed_though_signed(tmp_path, trust, row, link):
    made = draft()
    first, *rest = made.body(link).splitlines(keepends=True)
    made.lines[link] = TEXTS[row](first[:-1]) + b"\n" + b"".join(rest)
    report = check(made.write(tmp_path / "b"), trust)  # B03 among them
    # Text with line feeds makes more lines, and files whose length the plan fixes are too long before they are read.
    assert report.exit_code in ({13, 14, 17} if "line feed" in row or "pretty" in row else {13})
    assert report.exit_code


@pytest.mark.parametrize("value", [6.5, "6", True, -1, None, [6]])
def test_a_count_of_another_type_is_malformed(tmp_path, trust, value):
    made = draft()
    made.records[Link.INFERENCE][0]["counts"]["total"] = value  # B08
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


@pytest.mark.parametrize("value", [6.5, "6", True, -1, None, [6]])
def test_a_count_of_another_type_in_the_statement_is_malformed(bundle, trust, value):
    reseal(bundle, lambda statement: statement["predicate"]["links"]["case"].update(count=value))
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize(
    "name",
    ["e\u0301", "a\u0000b", "a\nb", "\u202eabc", "a\u200eb", "", "x" * 513, "a\u0085b"],
)
def test_a_case_id_that_looks_like_another_is_malformed(tmp_path, trust, name):
    made = draft()
    made.records[Link.CASE][0]["id"] = name  # B11
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


def test_a_line_of_many_megabytes_is_refused_before_it_is_parsed(tmp_path, trust):
    made = draft()
    first, *rest = made.body(Link.CASE).splitlines(keepends=True)
    made.lines[Link.CASE] = first[:-2] + b',"x":"' + b"a" * (50 << 20) + b'"}\n' + b"".join(rest)
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)  # B16


def test_an_envelope_of_many_megabytes_is_refused_unread(bundle, trust):
    edit(bundle, "evidence.dsse.json", lambda data: data[:-1] + b',"x":"' + b"a" * (50 << 20) + b'"}')
    assert_refused(check(bundle, trust), MALFORMED)


@pytest.mark.parametrize("key", ["__proto__", "constructor", "__class__", "$ref"])
def test_a_strange_key_in_the_predicate_is_ignored_with_a_notice(bundle, trust, key):
    reseal(bundle, lambda statement: statement["predicate"].update({key: "file:///etc/passwd"}))  # B20
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert any(key in notice for notice in report.notices)


@pytest.mark.parametrize("key", ["__proto__", "constructor", "__class__", "$ref"])
def test_a_strange_key_in_a_record_is_malformed(tmp_path, trust, key):
    made = draft()
    made.records[Link.EVIDENCE][0][key] = "http://example.com"
    assert_refused(check(made.write(tmp_path / "b"), trust), MALFORMED)


def test_free_text_comes_back_as_it_is_for_the_report_to_escape(bundle, trust):
    text = "\x1b[2J::set-output name=x::y <script>"
    reseal(bundle, lambda statement: statement["predicate"]["producer"].update({text: text}))  # B21
    report = check(bundle, trust)
    assert report.exit_code == 0
    assert any(repr(text[:80]) in notice for notice in report.notices)


def test_every_must_reject_file_of_the_json_test_suite_is_refused():
    files = sorted(shared("vectors", "jsontestsuite", "test_parsing").glob("n_*.json"))
    assert len(files) == 188
    for path in files:
        with pytest.raises(NotCanonical):
            parse(path.read_bytes())


def _payload(envelope: bytes) -> bytes:
    return base64.b64decode(json.loads(envelope)["payload"])


def test_the_helper_gives_canonical_text():
    assert encode(json.loads(_payload(draft().files()["evidence.dsse.json"])))
