"""Case records: their lines, their packs, and when they are written at all."""

import hashlib
import hmac
import json

import rfc8785
from fakes.memory_store import MemoryStore
from fakes.small_plans import case_set, plan_of, system
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.canon.digests import leaf_hash, mac_parts
from oloproof.canon.encoding import encode, parse
from oloproof.chain.case import Case
from oloproof.plan.salts import Salts
from oloproof.stages.observe import write_cases

KEY = b"k" * 32
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-(2**52), 2**52) | st.sampled_from([1e22, -1e300, 5e-324])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
ids = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


def written(cases, store=None, key=KEY):
    store = store or MemoryStore()
    file = write_cases(plan_of(cases, [system()]), cases, store=store, salts=Salts(key))
    return list(store.read_file(file.summary.sha256))


@given(
    link=texts,
    name=texts,
    digest=st.binary(min_size=32, max_size=32),
    nth=st.integers(0, 9),
    rest=st.fixed_dictionaries(
        {"role": texts, "system": texts, "by": texts, "ordinal": st.integers(0, 9), "repeat": st.integers(0, 9)}
    ),
    field=texts,
)
def test_a_salt_is_the_formula_of_the_specification(*, link, name, digest, nth, rest, field):
    parts = [
        link,
        name,
        digest.hex(),
        nth,
        *(rest[part] for part in ("role", "system", "by", "ordinal", "repeat")),
        field,
    ]
    expected = hmac.new(KEY, b"olo-salt-v1\x00" + rfc8785.dumps(parts), hashlib.sha256).digest()[:16]
    made = Salts(KEY).salt(link, name, digest, nth, field=field, **rest)
    assert made == expected == mac_parts(KEY, "olo-salt-v1", *parts)[:16]


@given(st.binary(max_size=200))
def test_a_salt_key_may_have_any_length(key):
    parts = ["case", "s", "00", 0, "", "", "", 0, 0, "input"]
    assert Salts(key).salt("case", "s", b"\x00", 0, field="input") == mac_parts(key, "olo-salt-v1", *parts)[:16]


@settings(deadline=None)
@given(st.dictionaries(ids, st.tuples(values, values), min_size=1, max_size=5), ids)
def test_every_line_is_the_canonical_form_of_its_record(rows, name):
    cases = case_set(rows, name)
    (chunk,) = written([cases])
    lines = chunk.lines()
    for line, row in zip(lines, cases.rows, strict=True):
        assert encode(Case.from_json(parse(line)).to_json()) == line == rfc8785.dumps(json.loads(line))
        assert json.loads(line)["id"] == row.id
    assert chunk.leaves == b"".join(map(leaf_hash, lines))


@settings(deadline=None)
@given(st.dictionaries(ids, st.tuples(values, values), min_size=1, max_size=5))
def test_the_pack_holds_what_the_lines_commit_to_in_their_order(rows):
    cases = case_set(rows)
    (chunk,) = written([cases])
    start, index = 0, b""
    for line, row in zip(chunk.lines(), cases.rows, strict=True):
        record = json.loads(line)
        for field in ("expect", "input"):
            content, commitment = getattr(row, field), record[field]
            if commitment is None:
                assert field == "expect"
                assert content is None
                continue
            end = start + 16 + commitment["size"]
            entry, start = chunk.pack[start:end], end
            digest = hashlib.sha256(entry).hexdigest()
            index += f"{digest} {len(entry)}\n".encode()
            assert commitment["commitment"] == f"sha256:{digest}"
            assert entry[16:] == (content.encode() if isinstance(content, str) else rfc8785.dumps(content))
            assert commitment["media_type"].startswith("text/" if isinstance(content, str) else "application/json")
    assert (start, index) == (len(chunk.pack), chunk.index)


def test_cases_are_sorted_by_the_bytes_of_set_and_id_however_they_come():
    one, two = case_set({"ä": ("1", "1"), "z": ("2", "2"), "Z": ("3", "3")}, "b"), case_set({"x": ("1", "1")}, "B")
    assert written([one, two]) == written([two, one])
    order = [(record["set"], record["id"]) for record in map(json.loads, written([one, two])[0].lines())]
    assert order == [("B", "x"), ("b", "Z"), ("b", "z"), ("b", "ä")]


def test_equal_inputs_have_salts_of_their_own():
    chunk = written([case_set({"a": ("same", "x"), "b": ("same", "x")})])[0]
    first, second = map(json.loads, chunk.lines())
    assert (first["occurrence"], second["occurrence"]) == (0, 1)
    assert first["input"]["commitment"] != second["input"]["commitment"]


def test_cases_written_before_are_found_without_encoding_them():
    cases, store = [case_set({"a": ("x", "y")})], MemoryStore()
    file = write_cases(plan_of(cases, [system()]), cases, store=store, salts=Salts(KEY))
    store.write_file = None  # any writing would raise
    assert write_cases(plan_of(cases, [system("other")]), cases, store=store, salts=Salts(KEY)) == file


def test_another_salt_key_writes_another_file():
    cases, store = [case_set({"a": ("x", "y")})], MemoryStore()
    assert written(cases, store) != written(cases, store, b"other")


def test_a_forgotten_file_is_written_again():
    cases, store = [case_set({"a": ("x", "y")})], MemoryStore()
    before = written(cases, store)
    store.files.clear()
    assert written(cases, store) == before
