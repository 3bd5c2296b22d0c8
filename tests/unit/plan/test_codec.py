"""Plans as JSON and back: the exact keys and types that their annotations name."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Literal

import pytest
from fakes.small_plans import case_set, evaluator, plan_of, system
from hypothesis import given
from hypothesis import strategies as st
from laws.builders import by_cluster, gate, plan

from oloproof.canon.digests import DigestText, digest_of
from oloproof.canon.encoding import Json, encode, parse, parse_whole
from oloproof.plan.codec import BadPlan, from_json, to_json
from oloproof.plan.plan import CodeEntry, Decidability, Plan

DIGEST = digest_of("test", "digest")


def whole_plan():
    """A plan in which every optional part is there."""
    code = CodeEntry("3.11", {"a": DIGEST}, {"numpy": "2.0 " + DIGEST}, {"data.txt": DIGEST}, ("b",))
    made = plan(
        gate(decidability=(Decidability(0, None, None, "case", 3, (1, 3), None, True, False, 36),)),
        metrics=[by_cluster()],
    )
    more = plan_of(
        [case_set({"a": ("x", "y")})], [system(options={"depth": [1, {"x": None}]}, code=code)], [evaluator()]
    )
    return replace(made, cases=more.cases, systems=more.systems)


def test_a_plan_is_read_back():
    made = whole_plan()
    assert from_json(Plan, parse_whole(encode(to_json(made)))) == made


def places(value, path=()):
    """Every place in a JSON value: the path to it."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def with_change(value, path, change):
    """The value with what lies at a path exchanged."""
    if not path:
        return change(value)
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = with_change(value[path[0]], path[1:], change)
    return copied


WHOLE = parse_whole(encode(to_json(whole_plan())))
#: Objects whose keys are names and not fields, and values that may be any JSON.
FREE = {"mapping", "options", "params", "modules", "distributions", "files", "outputs", "env"}


def extended(value):
    return {**value, "extra": 1}


def shortened(value):
    return dict(list(value.items())[1:])


def is_free(path):
    return bool(FREE & set(path))


@pytest.mark.parametrize("path", [path for path in places(WHOLE) if not is_free(path)], ids=str)
def test_an_object_has_exactly_its_fields(path):
    found = WHOLE
    for key in path:
        found = found[key]
    if isinstance(found, dict):
        for change, why in ((extended, "unknown field 'extra'"), (shortened, "is absent")):
            with pytest.raises(BadPlan, match=why):
                from_json(Plan, with_change(WHOLE, path, change))


@pytest.mark.parametrize("path", [path for path in places(WHOLE) if not is_free(path)], ids=str)
def test_a_field_of_another_type_is_refused(path):
    found = WHOLE
    for key in path:
        found = found[key]
    if found is None:
        return
    for wrong in (True, 1, 1.5, "x", [[]], {"x": []}):
        if type(wrong) is not type(found):
            with pytest.raises(BadPlan):
                from_json(Plan, with_change(WHOLE, path, lambda _, wrong=wrong: wrong))


@pytest.mark.parametrize("wrong", ["", "sha256:00", DIGEST.upper(), DIGEST + "\n", None, 1])
def test_a_digest_is_a_digest(wrong):
    with pytest.raises(BadPlan, match=r"digest|str"):
        from_json(Plan, {**WHOLE, "plan_hash": wrong})


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    count: int
    flag: bool
    word: Literal["a", "b"]
    number: Literal[1]
    digest: DigestText | None
    texts: tuple[str, ...]
    free: Json


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[Part, ...]
    by_name: dict[str, Part]
    maybe: tuple[int, ...] | None


PARTS = st.builds(
    Part,
    st.text(max_size=3),
    st.integers(-9, 9),
    st.booleans(),
    st.sampled_from(["a", "b"]),
    st.just(1),
    st.sampled_from([None, DIGEST]),
    st.lists(st.text(max_size=2), max_size=2).map(tuple),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=2), lambda inner: st.lists(inner, max_size=2), max_leaves=3
    ),
)
WHOLES = st.builds(
    Whole,
    st.lists(PARTS, max_size=2).map(tuple),
    st.dictionaries(st.text(max_size=2), PARTS, max_size=2),
    st.none() | st.lists(st.integers(0, 9), max_size=2).map(tuple),
)


@given(WHOLES)
def test_reading_gives_back_what_was_written(value):
    assert from_json(Whole, parse(encode(to_json(value)))) == value


def test_keys_are_the_names_of_fields():
    assert set(to_json(Part("", 0, False, "a", 1, None, (), None))) == {field.name for field in fields(Part)}


PART = {"name": "n", "count": 1, "flag": True, "word": "a", "number": 1, "digest": None, "texts": [], "free": None}


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("name", 1), ("name", None), ("count", True), ("count", 1.0), ("count", "1"), ("flag", 1), ("flag", "true"),
        ("word", "c"), ("word", None), ("word", ["a"]), ("number", True), ("number", 1.0), ("number", 2),
        ("digest", "x"), ("digest", 1), ("texts", "ab"), ("texts", [1]), ("texts", {"0": "a"}), ("texts", None),
    ],
)  # fmt: skip
def test_nothing_is_coerced(field, wrong):
    with pytest.raises(BadPlan, match=field):
        from_json(Part, {**PART, field: wrong})


def test_the_first_field_that_does_not_fit_is_named_by_its_path():
    with pytest.raises(BadPlan) as caught:
        from_json(Whole, {"parts": [PART, {**PART, "count": "1"}], "by_name": {}, "maybe": None})
    assert caught.value.field == "parts[1].count"


def records_in(value):
    """The types of all records in a value."""
    if is_dataclass(value):
        yield type(value)
        for field in fields(value):
            yield from records_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from records_in(item)


@pytest.mark.parametrize("kind", sorted(set(records_in(whole_plan())), key=lambda kind: kind.__name__))
def test_every_part_of_a_plan_is_a_frozen_record(kind):
    assert kind.__dataclass_params__.frozen
    assert hasattr(kind, "__slots__")
