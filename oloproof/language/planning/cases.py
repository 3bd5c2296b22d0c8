"""Rows to cases: fields mapped, identities taken, clusters united, slices read; every bad row reported."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from oloproof.canon.encoding import MAX_INTEGER, Json, NotCanonical, encode
from oloproof.language.diagnostics import Rule
from oloproof.language.planning.grouping import unite
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import data
from oloproof.language.semantics.suite import CasePath, CaseSetDef, ClusterDef, RowMapping, SliceDef
from oloproof.language.source import Span
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.keys import case_hash, input_hash
from oloproof.sdk.paths import ABSENT, FieldRef, MaybeJson, look_up
from oloproof.sdk.records import Row, RowFault

#: Places that one finding names; the rest are counted.
SHOWN_PLACES: Final = 5
#: Longest case id, in UTF-8 bytes (specs/bundle-v1.md).
MAX_ID_BYTES: Final = 512
_WHOLE: Final = {name: FieldRef(name, (name,)) for name in ("id", "input", "expect")}


@dataclass(slots=True)
class _Draft:
    """One row as it is read, before occurrences and united clusters are known. place: where it stands in its source."""

    id: str
    place: str
    input: Json
    expect: Json
    input_hash: bytes
    case_hash: bytes
    clusters: dict[str, str]
    slices: dict[str, str]
    eligible: bool


@dataclass(slots=True)
class _Faults:
    """What is wrong by rule and row, so that a thousand bad rows make one finding each."""

    places: dict[Rule, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def add(self, rule: Rule, place: str, what: str) -> None:
        self.places[rule][place].append(what)


def build_case_set(
    definition: CaseSetDef,
    rows: Iterable[Row | RowFault],
    clusters: Sequence[ClusterDef],
    slices: Sequence[SliceDef],
    findings: Findings,
) -> CaseSet | None:
    """The cases of a set, sorted by the bytes of their ids; None where no row is usable or any is not.

    clusters: those that a gated metric on this set uses. slices: all; one that no row of the set has is left out.
    """
    faults = _Faults()
    drafts: dict[str, _Draft] = {}
    n_rows = 0
    for row in rows:
        n_rows += 1
        if isinstance(row, RowFault):
            faults.add(data.MALFORMED_ROW, f"line {row.number}", row.problem)
            continue
        draft = _read_row(definition, row, clusters, slices, faults)
        if draft is None:
            continue
        if draft.id in drafts:
            faults.add(data.DUPLICATE_CASE, draft.place, f"{draft.id!r} is the id of {drafts[draft.id].place} already")
            continue
        drafts[draft.id] = draft
    _report(definition, faults, n_rows, findings)
    if not n_rows:
        findings.add(
            data.NO_CASES,
            f"cases `{definition.name}` has no rows",
            _place_in_text(definition),
            help="nothing can be decided on no cases: add some",
        )
    if faults.places.keys() - {data.EXPECT_ABSENT} or not drafts:
        return None
    ordered = [drafts[key] for key in sorted(drafts, key=str.encode)]
    _check_slices(definition, ordered, slices, findings)
    return CaseSet(definition.name, _finish(definition, ordered, findings))


def _read_row(
    definition: CaseSetDef, row: Row, clusters: Sequence[ClusterDef], slices: Sequence[SliceDef], faults: _Faults
) -> _Draft | None:
    fields = dict(row.fields)
    place = _place(row)
    raw_id = _mapped(definition.id, "id", fields)
    value = _mapped(definition.input, "input", fields)
    expect = _mapped(definition.expect, "expect", fields) if _has_expect(definition) else None
    if raw_id is ABSENT:
        faults.add(data.FIELD_ABSENT, place, f"no {_absent(definition.id, 'id', fields)}")
    case_id = None if raw_id is ABSENT else _case_id(raw_id, place, faults)
    if value is ABSENT:
        faults.add(data.FIELD_ABSENT, place, f"no {_absent(definition.input, 'input', fields)}")
        return None
    if case_id is None:
        return None
    if _has_expect(definition) and (expect is ABSENT or expect is None):
        is_null = expect is None
        what = "the expectation is null" if is_null else f"no {_absent(definition.expect, 'expect', fields)}"
        faults.add(data.EXPECT_ABSENT, place, what)
    expected = None if expect is ABSENT else expect
    try:
        hashes = input_hash(value), case_hash(fields)
        encode(expected)
    except NotCanonical as error:
        faults.add(data.UNCARRIABLE, place, _why_not_carried(fields, error))
        return None
    roots = {"id": case_id, "input": value, "expect": expected, "row": fields}
    return _Draft(
        id=case_id,
        place=place,
        input=value,
        expect=expected,
        input_hash=hashes[0],
        case_hash=hashes[1],
        clusters={
            item.name: label for item in clusters if (label := _cluster_label(item, roots, place, faults)) is not None
        },
        slices={item.name: text for item in slices if (text := _scalar_text(_value_at(item.by, roots))) is not None},
        eligible=all(_is_member(definition, index, fields, place, faults) for index in range(len(definition.eligible))),
    )


def _why_not_carried(fields: dict[str, Json], error: NotCanonical) -> str:
    """What is wrong, by the row's own field where the row itself is at fault."""
    try:
        encode(fields)
    except NotCanonical as own:
        return str(own)
    return str(error)


def _has_expect(definition: CaseSetDef) -> bool:
    return definition.expect is not None or definition.id is None


def _mapped(mapping: RowMapping | None, name: str, fields: dict[str, Json]) -> MaybeJson:
    """The value that a mapping finds, ABSENT where a path finds nothing; without one the row's own field."""
    if mapping is None:
        return look_up(fields, _WHOLE[name])
    if not mapping.is_object:
        return look_up(fields, mapping.paths[0][1])
    found: dict[str, Json] = {}
    for text, ref in mapping.paths:
        value = look_up(fields, ref)
        if value is ABSENT:
            return ABSENT
        found[text] = value
    return found


def _absent(mapping: RowMapping | None, name: str, fields: dict[str, Json]) -> str:
    """The paths of a mapping that find nothing in a row."""
    if mapping is None:
        return f"`{name}`"
    return ", no ".join(f"`{text}`" for text, ref in mapping.paths if look_up(fields, ref) is ABSENT)


def _case_id(value: object, place: str, faults: _Faults) -> str | None:
    """Text as it is, integers as their decimal text; nothing else is an id."""
    if isinstance(value, int) and not isinstance(value, bool):
        if abs(value) <= MAX_INTEGER:
            return str(value)
        faults.add(data.BAD_CASE_ID, place, "the id is a number beyond 2^53; write it as a string")
        return None
    if not isinstance(value, str):
        what = _JSON_NAMES.get(type(value), "an object")
        faults.add(data.BAD_CASE_ID, place, f"the id is {what}; a string or a whole number is due")
        return None
    problem = _id_problem(value)
    if problem is not None:
        faults.add(data.BAD_CASE_ID, place, problem)
        return None
    return value


_JSON_NAMES: Final = {type(None): "null", bool: "a boolean", float: "a number with a fraction", list: "a list"}


def _id_problem(value: str) -> str | None:
    try:
        n_bytes = len(value.encode())
    except UnicodeEncodeError:
        return "the id holds a lone surrogate"
    if not 1 <= n_bytes <= MAX_ID_BYTES:
        return f"the id has {n_bytes} bytes; from 1 to {MAX_ID_BYTES} are allowed"
    if value.isascii() and value.isprintable():
        return None
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in value):
        return f"the id {value!r} holds a control or direction character"
    if not unicodedata.is_normalized("NFC", value):
        return f"the id {value!r} is not in Unicode form NFC"
    return None


def _value_at(path: CasePath, roots: dict[str, Json]) -> object:
    value = roots[path.root]
    return value if path.ref is None else look_up(value, path.ref)


def _scalar_text(value: object) -> str | None:
    """A field's value as a label: text as it is, other scalars as their JSON text; nothing else is one."""
    match value:
        case str():
            return value
        case bool() | int() | float():
            return encode(value).decode()
        case _:
            return None


def _cluster_label(item: ClusterDef, roots: dict[str, Json], place: str, faults: _Faults) -> str | None:
    labels = [_scalar_text(_value_at(path, roots)) for path in item.by]
    known = [label for label in labels if label is not None]
    if len(known) == len(labels):
        text = known[0] if len(known) == 1 else encode(known).decode()
        return f"@{text}" if text.startswith("@") else text
    if item.alone:
        # No row's own label begins so: one that begins with @ has another @ put before it.
        return f"@={roots['id']}"
    absent = ", ".join(f"`case.{path.text}`" for path, label in zip(item.by, labels, strict=True) if label is None)
    faults.add(data.CLUSTER_KEY_ABSENT, place, f"no text, number or boolean at {absent} for cluster `{item.name}`")
    return None


def _is_member(definition: CaseSetDef, index: int, fields: dict[str, Json], place: str, faults: _Faults) -> bool:
    line = definition.eligible[index]
    value = look_up(fields, line.ref)
    if value is ABSENT:
        faults.add(data.ELIGIBLE_FIELD_ABSENT, place, f"no `{line.text}`")
        return False
    # Equal as canonical JSON: 1 is 1.0 and not true.
    return encode(value) in {encode(wanted) for wanted in line.values}


def _place(row: Row) -> str:
    return f"line {row.number}" if row.number else f"case {row.fields.get('id')!r}"


_MESSAGES: Final = {
    data.MALFORMED_ROW: "{k} of {n} rows of cases `{name}` cannot be read",
    data.DUPLICATE_CASE: "{k} of {n} rows of cases `{name}` repeat an id",
    data.FIELD_ABSENT: "{k} of {n} rows of cases `{name}` lack a field that the suite names",
    data.BAD_CASE_ID: "{k} of {n} rows of cases `{name}` have an id that cannot be used",
    data.UNCARRIABLE: "{k} of {n} rows of cases `{name}` hold a value that canonical JSON cannot carry",
    data.CLUSTER_KEY_ABSENT: "{k} of {n} rows of cases `{name}` lack their cluster key",
    data.ELIGIBLE_FIELD_ABSENT: "{k} of {n} rows of cases `{name}` lack a field of the eligibility rule",
    data.EXPECT_ABSENT: "{k} of {n} rows of cases `{name}` do not say what is expected: they count as missing",
}
_WAYS_OUT: Final = {
    data.MALFORMED_ROW: "a row is one JSON object on one line; mend the rows or take them out",
    data.FIELD_ABSENT: "correct the path in the suite, or fill the field in",
    data.BAD_CASE_ID: "an id is a text in Unicode form NFC that can be seen, or a whole number",
    data.ELIGIBLE_FIELD_ABSENT: "fill the field in: whether a case counts must be known before anything runs",
    data.EXPECT_ABSENT: "fill the expectation in, or take the rows out",
    data.DUPLICATE_CASE: "give every case an id of its own; for repeated trials set `repeats` on the system",
    data.CLUSTER_KEY_ABSENT: "fill the field in, or set `alone = true` on the cluster if such a case stands alone",
    data.UNCARRIABLE: "write large integers and special numbers as strings",
}


def _report(definition: CaseSetDef, faults: _Faults, n_rows: int, findings: Findings) -> None:
    span = _place_in_text(definition)
    for rule, by_place in faults.places.items():
        places = [f"{place}: {'; '.join(whats)}" for place, whats in by_place.items()]
        shown = tuple(places[:SHOWN_PLACES])
        more = (f"and {len(places) - SHOWN_PLACES} more",) if len(places) > SHOWN_PLACES else ()
        message = _MESSAGES[rule].format(k=len(places), n=n_rows, name=definition.name)
        findings.add(rule, message, span, notes=shown + more, help=_WAYS_OUT.get(rule))


def _place_in_text(definition: CaseSetDef) -> Span:
    """Where a finding about rows points to: the file's path, else the block."""
    return definition.source.option_spans.get("path", definition.source.span)


def _check_slices(
    definition: CaseSetDef, drafts: Sequence[_Draft], slices: Sequence[SliceDef], findings: Findings
) -> None:
    """A slice covers a set wholly or not at all, and only with values that it declares."""
    for item in slices:
        without = [draft.id for draft in drafts if item.name not in draft.slices]
        if without and len(without) < len(drafts):
            findings.add(
                data.SLICE_KEY_ABSENT,
                f"{len(without)} of {len(drafts)} cases of `{definition.name}` have no text, number or boolean at "
                f"`case.{item.by.text}` for slice `{item.name}`",
                item.span,
                notes=tuple(f"case {name!r}" for name in without[:SHOWN_PLACES]),
                help="a slice covers all cases of a set or none: fill the field in",
            )
        if item.values is not None:
            strays = sorted({draft.slices[item.name] for draft in drafts if item.name in draft.slices} - {*item.values})
            if strays:
                findings.add(
                    data.SLICE_KEY_ABSENT,
                    f"slice `{item.name}` does not list {', '.join(map(repr, strays[:SHOWN_PLACES]))}, which occur",
                    item.span,
                    help="list every value that occurs, or leave `values` out",
                )


def _finish(definition: CaseSetDef, drafts: Sequence[_Draft], findings: Findings) -> tuple[CaseRow, ...]:
    """Occurrences counted in id order, clusters united over identical inputs."""
    if not any(draft.eligible for draft in drafts):
        findings.add(
            data.NONE_ELIGIBLE,
            f"none of the {len(drafts)} cases of `{definition.name}` is eligible",
            definition.eligible[0].span if definition.eligible else definition.source.span,
            help="compare the values in `eligible` with those in the data",
        )
    groups: dict[bytes, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        groups[draft.input_hash].append(index)
    repeated = [members for members in groups.values() if len(members) > 1]
    occurrences = {index: k for members in groups.values() for k, index in enumerate(members)}
    if repeated:
        findings.add(
            data.IDENTICAL_INPUTS,
            f"{sum(map(len, repeated))} cases of `{definition.name}` share {len(repeated)} "
            f"{'input' if len(repeated) == 1 else 'inputs'}: equal inputs are no independent evidence, so each group "
            "counts as one cluster",
            _place_in_text(definition),
            notes=tuple(
                f"cases {', '.join(repr(drafts[index].id) for index in members[:3])}"
                for members in repeated[:SHOWN_PLACES]
            ),
            help="take copies out; for repeated trials of one case set `repeats` on the system",
        )
    clusters = unite([draft.clusters for draft in drafts], [draft.id for draft in drafts], repeated)
    return tuple(
        CaseRow(
            id=draft.id,
            input=draft.input,
            expect=draft.expect,
            input_hash=draft.input_hash,
            case_hash=draft.case_hash,
            occurrence=occurrences[index],
            clusters=clusters[index],
            slices=draft.slices,
            weight=1,
            eligible=draft.eligible,
        )
        for index, draft in enumerate(drafts)
    )
