"""Records: written and read back strictly, with the exact fields and types of their link."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.chain.drawing import CASES, CELLS, PARTS, RECORDS, SALTS

from oloproof.canon.digests import BadDigest, digest_of
from oloproof.canon.encoding import encode, parse
from oloproof.chain.case import Case
from oloproof.chain.cell import Cell
from oloproof.chain.commitment import Commitment
from oloproof.chain.counts import Counts, IncoherentCounts
from oloproof.chain.decision import Decision
from oloproof.chain.diagnosis import Diagnosis, Factor
from oloproof.chain.fields import BadRecord
from oloproof.chain.inference import Certificate, Inference, Method
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.chain.measurement import Measurement
from oloproof.chain.observation import Observation
from oloproof.chain.reasons import UnknownReason
from oloproof.chain.recommendation import Because, Recommendation

ALL = {**RECORDS, **PARTS}
every_record = pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
everything = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
REFUSALS = (BadRecord, BadDigest, IncoherentCounts, UnknownReason)


def example_of(kind):
    """One record of a kind, always the same."""
    found = []

    @settings(max_examples=1, database=None)
    @given(ALL[kind])
    def draw(record: object) -> None:
        found.append(record)

    draw()
    return found[0]


def json_of(record):
    """Its JSON as a reader gets it."""
    return parse(encode(record.to_json()))


@everything
@settings(max_examples=60)
@given(st.data())
def test_a_record_is_read_back_from_its_line(kind, data):
    record = data.draw(ALL[kind])
    again = kind.from_json(json_of(record))
    assert again == record
    assert encode(again.to_json()) == encode(record.to_json())


@every_record
def test_a_record_names_its_link_and_version(kind):
    value = json_of(example_of(kind))
    assert (value["link"], value["v"]) == (kind.__name__.lower(), RECORD_VERSION)
    for change in ({"link": "other"}, {"v": RECORD_VERSION + 1}, {"v": True}, {"v": str(RECORD_VERSION)}):
        with pytest.raises(BadRecord):
            kind.from_json({**value, **change})


@everything
def test_an_unknown_field_is_refused(kind):
    with pytest.raises(BadRecord, match="unknown field 'extra'"):
        kind.from_json({**json_of(example_of(kind)), "extra": None})


@everything
def test_an_absent_field_is_refused(kind):
    value = json_of(example_of(kind))
    for name in value:
        with pytest.raises(BadRecord, match=f"{name} is absent"):
            kind.from_json({key: item for key, item in value.items() if key != name})


@everything
@settings(max_examples=60)
@given(st.data())
def test_a_field_of_another_type_is_refused(kind, data):
    value = json_of(data.draw(ALL[kind]))
    name = data.draw(st.sampled_from(sorted(value)))
    if value[name] is None or name == "outputs":
        return
    wrong = data.draw(
        st.sampled_from([item for item in (True, 1, "x", [1], {"x": [1]}) if not fits(value[name], item)])
    )
    with pytest.raises(REFUSALS):
        kind.from_json({**value, name: wrong})


def fits(value, other):
    numbers = (int, float)
    if type(value) in numbers and type(other) in numbers:
        return True
    return type(value) is type(other)


@everything
@pytest.mark.parametrize("value", [None, [], "x", 1, True, {}])
def test_what_is_no_object_of_fields_is_refused(kind, value):
    with pytest.raises(BadRecord):
        kind.from_json(value)


@everything
@pytest.mark.parametrize("wrong", [True, 6.0, "6", -1, None])
def test_a_count_is_a_whole_number_and_nothing_like_one(kind, wrong):
    counts = {
        Case: ("occurrence", "weight"),
        Observation: ("ordinal", "repeat"),
        Measurement: ("repeat",),
        Diagnosis: ("searched",),
        Commitment: ("size",),
        Counts: ("total", "eligible", "observed", "missing"),
        Certificate: ("k", "n", "m"),
    }
    for name in counts.get(kind, ()):
        with pytest.raises(REFUSALS):
            kind.from_json({**json_of(example_of(kind)), name: wrong})


def test_the_clusters_of_an_inference_are_a_count_or_null():
    value = json_of(example_of(Inference))
    for wrong in (True, -1, 2.0, "2"):
        with pytest.raises(BadRecord):
            Inference.from_json({**value, "clusters": wrong})


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        (Decision, "state", "Pass"),
        (Decision, "state", "PASSED"),
        (Decision, "state", "PASS "),
        (Decision, "state", "pass"),
        (Decision, "state", "__class__"),
        (Decision, "op", ">"),
        (Decision, "op", "=="),
        (Recommendation, "action", "allow"),
        (Recommendation, "action", "PASS"),
        (Because, "state", "ALLOW"),
        (Because, "action", "PASS"),
        (Observation, "role", "System"),
        (Observation, "role", ""),
        (Observation, "status", "OK"),
        (Measurement, "status", "ok"),
        (Commitment, "media_type", "text/html"),
        (Certificate, "kind", "normal"),
    ],
)
def test_a_word_outside_its_closed_set_is_refused(kind, field, wrong):
    with pytest.raises(BadRecord):
        kind.from_json({**json_of(example_of(kind)), field: wrong})


@pytest.mark.parametrize("wrong", ["Proved", "", "exact"])
def test_a_guarantee_is_one_of_four(wrong):
    with pytest.raises(BadRecord):
        Method("m", 1, wrong)


@pytest.mark.parametrize("wrong", ["other", "Reason", ""])
def test_a_factor_groups_by_one_of_three(wrong):
    with pytest.raises(BadRecord):
        Factor(wrong, "", "", "", "", "")


@pytest.mark.parametrize("kind", [Case, Observation, Measurement])
@pytest.mark.parametrize("wrong", ["", "0" * 31, "0" * 33, "0" * 31 + "g", "A" * 32, "0" * 32 + "\n", "\u0660" * 32])
def test_a_salt_is_32_lower_case_hexadecimal_digits(kind, wrong):
    with pytest.raises(BadRecord, match="salt"):
        kind.from_json({**json_of(example_of(kind)), "salt": wrong})


@given(CASES, SALTS)
def test_every_salt_of_16_bytes_is_one(case, salt):
    assert replace(case, salt=salt).salt == salt


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (Observation, "identity"),
        (Measurement, "digest"),
        (Inference, "key"),
        (Inference, "seed"),
        (Commitment, "commitment"),
    ],
)
@pytest.mark.parametrize("wrong", ["", "sha256:00", "sha512:" + "0" * 64, "sha256:" + "0" * 64 + "\n"])
def test_a_digest_is_a_digest(kind, field, wrong):
    with pytest.raises(BadDigest):
        kind.from_json({**json_of(example_of(kind)), field: wrong})


@pytest.mark.parametrize("numbers", [(10, 9, 9, 1), (9, 10, 9, 1), (10, 10, 11, -1), (10, 10, -1, 11), (0, 0, 0, 1)])
def test_counts_that_do_not_add_up_are_refused(numbers):
    with pytest.raises(IncoherentCounts):
        Counts(*numbers)


@given(st.tuples(*[st.integers(-1, 4)] * 4))
def test_counts_exist_exactly_where_total_is_at_least_eligible_and_that_observed_and_missing(numbers):
    total, eligible, observed, missing = numbers
    holds = total >= eligible == observed + missing and observed >= 0 and missing >= 0
    try:
        Counts(*numbers)
    except IncoherentCounts:
        assert not holds
    else:
        assert holds


@pytest.mark.parametrize("wrong", [(-1, 5, 0), (3, 5, 3), (3, 5, -1), (6, 5, 0)])
def test_a_certificate_holds_at_most_its_cases(wrong):
    with pytest.raises(BadRecord):
        Certificate(*wrong, "0.9", "0.025")


def test_an_output_and_a_reason_exclude_each_other_in_an_observation():
    value = json_of(example_of(Observation))
    commitment = json_of(example_of(Commitment))
    for change in (
        {"output": None, "reason": None, "status": "ok"},
        {"output": commitment, "reason": "timeout", "status": "missing"},
    ):
        with pytest.raises(BadRecord):
            Observation.from_json({**value, **change})


def test_a_status_that_contradicts_its_record_is_refused():
    value = json_of(example_of(Observation))
    with pytest.raises(BadRecord, match="status"):
        Observation.from_json({**value, "status": "missing" if value["status"] == "ok" else "ok"})
    value = json_of(example_of(Measurement))
    with pytest.raises(BadRecord, match="status"):
        Measurement.from_json({**value, "status": "missing" if value["status"] == "observed" else "observed"})


def test_a_judge_is_named_exactly_in_judges_observations():
    value = json_of(example_of(Observation))
    for change in ({"role": "judge", "judge": None}, {"role": "system", "judge": "j"}):
        with pytest.raises(BadRecord):
            Observation.from_json({**value, **change})


def test_a_measurement_has_outputs_or_the_reason_why_not():
    value = json_of(example_of(Measurement))
    with pytest.raises(BadRecord):
        Measurement.from_json({**value, "outputs": None, "reason": None, "status": "missing"})


@pytest.mark.parametrize("wrong", [None, [], {}, [1]])
def test_an_output_is_a_verdict_a_number_or_a_text(wrong):
    value = json_of(example_of(Measurement))
    with pytest.raises(BadRecord):
        Measurement.from_json({**value, "outputs": {"pass": wrong}, "status": "observed"})


@pytest.mark.parametrize("wrong", [True, -1, 1.5, "1", None])
def test_usage_holds_counts_only(wrong):
    with pytest.raises(BadRecord):
        Observation.from_json({**json_of(example_of(Observation)), "usage": {"tokens": wrong}})


@pytest.mark.parametrize("field", ["clusters", "slices"])
@pytest.mark.parametrize("wrong", [None, 1, True, ["a"]])
def test_labels_are_text(field, wrong):
    with pytest.raises(BadRecord):
        Case.from_json({**json_of(example_of(Case)), field: {"a": wrong}})


@pytest.mark.parametrize("bounds", [(0.6, 0.5), (float("nan"), None), (None, float("inf"))])
def test_bounds_are_finite_and_in_order(bounds):
    with pytest.raises(BadRecord):
        replace(example_of(Inference), lower=bounds[0], upper=bounds[1])


@pytest.mark.parametrize("kind", [Inference, Decision])
def test_an_unknown_reason_is_refused(kind):
    with pytest.raises(UnknownReason):
        kind.from_json({**json_of(example_of(kind)), "reasons": ["because"]})


def test_a_decision_stands_under_the_gate_of_its_cell():
    value = json_of(example_of(Decision))
    with pytest.raises(BadRecord, match="gate"):
        Decision.from_json({**value, "gate": value["gate"] + "x"})


@pytest.mark.parametrize(
    "wrong",
    [
        ["g", 0, "s", None], ["g", 0, "s", None, None, None], ["g", True, "s", None, None], ["g", -1, "s", None, None],
        ["g", "0", "s", None, None], ["g", 0, "s", "x", None], ["g", 0, "s", None, "x"], ["g", 0.0, "s", None, None],
        [1, 0, "s", None, None], "g", {}, None,
    ],
)  # fmt: skip
def test_a_cell_is_an_array_of_five(wrong):
    with pytest.raises(BadRecord):
        Cell.from_json(wrong)


@given(CELLS, CELLS)
def test_cells_sort_by_the_bytes_of_their_arrays(one, other):
    assert (one.sort_key() < other.sort_key()) == (encode(one.to_json()) < encode(other.to_json()))
    assert Cell.from_json(json_of(one)) == one
    assert Cell(*one.to_key()) == one


def test_a_rate_has_both_bounds():
    value = json_of(example_of(Diagnosis))
    for name in ("lower", "upper"):
        with pytest.raises(BadRecord):
            Diagnosis.from_json({**value, name: None})


def test_a_group_holds_its_failures():
    with pytest.raises(BadRecord):
        replace(example_of(Diagnosis), n_failed=3, n_group=2)


def test_links_are_the_eight_records():
    assert [kind.__name__.lower() for kind in RECORDS] == [link.value for link in Link]


def test_an_unknown_field_is_named_in_short():
    with pytest.raises(BadRecord) as caught:
        Counts.from_json({**json_of(example_of(Counts)), "x" * 5000: 1})
    assert len(str(caught.value)) < 200


def test_the_digest_that_tests_use_is_one():
    assert digest_of("test", "").startswith("sha256:")
