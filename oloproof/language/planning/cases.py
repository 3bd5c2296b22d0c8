"""Rows to cases: fields mapped, identities taken, clusters united, slices read; every bad row reported."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from oloproof.canon.encoding import Json, NotCanonical, encode
from oloproof.language.diagnostics import Rule
from oloproof.language.planning.grouping import unite
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import data
from oloproof.language.semantics.suite import CasePath, CaseSetDef, ClusterDef, RowMapping, SliceDef
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.keys import case_hash, input_hash
from oloproof.sdk.paths import ABSENT, FieldRef, MaybeJson, look_up
from oloproof.sdk.records import Row, RowFault

#: Places that one finding names; the rest are counted.
SHOWN_PLACES: Final = 5
#: Longest case id, in UTF-8 bytes (EVIDENCE §2.2).
MAX_ID_BYTES: Final = 512
_WHOLE: Final = {name: FieldRef(name, (name,)) for name in ("id", "input", "expect")}


@dataclass(slots=True)
class _Draft:
    """One row as it is read, before occurrences and united clusters are known."""

    id: str
    input: Json
    expect: Json
    input_hash: bytes
    case_hash: bytes
    clusters: dict[str, str]
    slices: dict[str, str]
    eligible: bool


@dataclass(slots=True)
class _Faults:
    """Bad places by rule, so that a thousand bad rows make one finding each."""

    places: dict[Rule, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, rule: Rule, place: str) -> None:
        self.places[rule].append(place)


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
            faults.add(data.MALFORMED_ROW, f"line {row.number}: {row.problem}")
            continue
        draft = _read_row(definition, row, clusters, slices, faults)
        if draft is None:
            continue
        if draft.id in drafts:
            faults.add(data.DUPLICATE_CASE, f"{_place(row)}: {draft.id!r} stands twice")
            continue
        drafts[draft.id] = draft
    _report(definition, faults, n_rows, findings)
    if not n_rows:
        findings.add(data.NO_CASES, f"cases `{definition.name}` has no rows", definition.source.span)
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
    case_id = _case_id(raw_id, place, faults)
    if value is ABSENT:
        faults.add(data.FIELD_ABSENT, f"{place}: no {_wanted(definition.input, 'input')}")
        return None
    if case_id is None:
        return None
    if _has_expect(definition) and (expect is ABSENT or expect is None):
        faults.add(data.EXPECT_ABSENT, f"{place}: case {case_id!r}")
    expected = None if expect is ABSENT else expect
    try:
        hashes = input_hash(value), case_hash(fields)
        encode(expected)
    except NotCanonical as error:
        faults.add(data.UNCARRIABLE, f"{place}: {error}")
        return None
    roots = {"id": case_id, "input": value, "expect": expected, "row": fields}
    return _Draft(
        id=case_id,
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


def _wanted(mapping: RowMapping | None, name: str) -> str:
    return name if mapping is None else " or ".join(f"`{text}`" for text, _ in mapping.paths)


def _case_id(value: object, place: str, faults: _Faults) -> str | None:
    """Text as it is, integers as their decimal text; nothing else is an id (RECORDS §2)."""
    if value is ABSENT:
        faults.add(data.FIELD_ABSENT, f"{place}: no id")
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        faults.add(data.BAD_CASE_ID, f"{place}: an id is a string or a whole number, not {type(value).__name__}")
        return None
    problem = _id_problem(value)
    if problem is not None:
        faults.add(data.BAD_CASE_ID, f"{place}: {problem}")
        return None
    return value


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
        return known[0] if len(known) == 1 else encode(known).decode()
    if item.alone:
        return f"@{roots['id']}"
    absent = ", ".join(path.text for path, label in zip(item.by, labels, strict=True) if label is None)
    faults.add(data.CLUSTER_KEY_ABSENT, f"{place}: no usable `{absent}` for cluster `{item.name}`")
    return None


def _is_member(definition: CaseSetDef, index: int, fields: dict[str, Json], place: str, faults: _Faults) -> bool:
    line = definition.eligible[index]
    value = look_up(fields, line.ref)
    if value is ABSENT:
        faults.add(data.ELIGIBLE_FIELD_ABSENT, f"{place}: no `{line.text}`")
        return False
    return any(value == wanted and type(value) is type(wanted) for wanted in line.values)


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
    data.DUPLICATE_CASE: "give every case an id of its own; for repeated trials set `repeats` on the system",
    data.CLUSTER_KEY_ABSENT: "fill the field in, or set `alone = true` on the cluster if such a case stands alone",
    data.UNCARRIABLE: "write large integers and special numbers as strings",
}


def _report(definition: CaseSetDef, faults: _Faults, n_rows: int, findings: Findings) -> None:
    span = definition.source.option_spans.get("path", definition.source.span)
    for rule, places in faults.places.items():
        shown = tuple(places[:SHOWN_PLACES])
        more = (f"and {len(places) - SHOWN_PLACES} more",) if len(places) > SHOWN_PLACES else ()
        message = _MESSAGES[rule].format(k=len(places), n=n_rows, name=definition.name)
        findings.add(rule, message, span, notes=shown + more, help=_WAYS_OUT.get(rule))


def _check_slices(
    definition: CaseSetDef, drafts: Sequence[_Draft], slices: Sequence[SliceDef], findings: Findings
) -> None:
    """A slice covers a set wholly or not at all, and only with values that it declares."""
    for item in slices:
        without = [draft.id for draft in drafts if item.name not in draft.slices]
        if without and len(without) < len(drafts):
            findings.add(
                data.SLICE_KEY_ABSENT,
                f"{len(without)} of {len(drafts)} cases of `{definition.name}` have no `{item.by.text}` for slice "
                f"`{item.name}`",
                item.span,
                notes=tuple(f"case {name!r}" for name in without[:SHOWN_PLACES]),
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
        findings.add(data.NONE_ELIGIBLE, f"no case of `{definition.name}` is eligible", definition.source.span)
    groups: dict[bytes, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        groups[draft.input_hash].append(index)
    repeated = [members for members in groups.values() if len(members) > 1]
    occurrences = {index: k for members in groups.values() for k, index in enumerate(members)}
    if repeated:
        findings.add(
            data.IDENTICAL_INPUTS,
            f"{sum(map(len, repeated))} cases of `{definition.name}` share {len(repeated)} inputs: equal inputs are no "
            "independent evidence, so each group counts as one cluster",
            definition.source.span,
            notes=tuple(
                f"cases {', '.join(repr(drafts[index].id) for index in members[:3])}"
                for members in repeated[:SHOWN_PLACES]
            ),
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
