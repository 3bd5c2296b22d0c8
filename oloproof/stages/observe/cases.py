"""Case records from case rows, with commitments to what the cases hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring

from oloproof.canon.digests import hash_parts
from oloproof.canon.encoding import Json, encode, encode_plain
from oloproof.chain.commitment import JSON, TEXT
from oloproof.chain.link import RECORD_VERSION, Link
from oloproof.plan.cases import CaseRow, CaseSet
from oloproof.plan.codec import to_json
from oloproof.plan.plan import Plan
from oloproof.plan.salts import Salts
from oloproof.ports.store import Store, StoredFile
from oloproof.stages.observe.packing import Committed, Packed, chunks_with_packs, commit

_BOOLEANS = ("false", "true")


def write_cases(plan: Plan, case_sets: Sequence[CaseSet], *, store: Store, salts: Salts) -> StoredFile:
    """The stored case.jsonl of the plan's case sets; found again without encoding when it was written before.

    case_sets: all rows, those the plan was made from, whatever a filter will run.
    """
    key = cases_key(plan, salts)
    address = store.find_step(key)
    found = store.find_file(bytes.fromhex(address)) if isinstance(address, str) else None
    if found is not None:
        return found
    ordered = sorted(case_sets, key=lambda case_set: case_set.name.encode())
    packed = (item for case_set in ordered for item in _packed(case_set, salts))
    file = store.write_file(Link.CASE, chunks_with_packs(packed))
    store.bind_step(key, file.summary.sha256.hex())
    return file


def cases_key(plan: Plan, salts: Salts) -> bytes:
    """Key of the case file: the plan's entries (digests of content and design, and how rows are read) and the salts."""
    return hash_parts("olo-cases-step-v1", RECORD_VERSION, salts.fingerprint(), to_json(plan.cases))


def _packed(case_set: CaseSet, salts: Salts) -> Iterator[Packed]:
    own, of_input, of_expect = (
        salts.series("case", case_set.name, field=name) for name in ("record", "input", "expect")
    )
    for row in case_set.rows:
        digest, nth = row.input_hash, row.occurrence
        asked = commit(of_input(digest, nth, 0), *_content(row.input))
        due = None if row.expect is None else commit(of_expect(digest, nth, 0), *_content(row.expect))
        line = case_line(case_set.name, row, asked, due, own(digest, nth, 0).hex())
        # In the order of the fields' names: expect, input.
        if due is None:
            yield Packed(line, asked.entry, asked.index_text)
        else:
            yield Packed(line, due.entry + asked.entry, due.index_text + asked.index_text)


def _content(value: Json) -> tuple[bytes, str]:
    return (value.encode(), TEXT) if isinstance(value, str) else (encode(value), JSON)


def case_line(case_set: str, row: CaseRow, asked: Committed, due: Committed | None, salt: str) -> bytes:
    """The canonical line of chain.case.Case, written directly: a tenth of the time of building and encoding it."""
    return (
        f'{{"clusters":{_labels(row.clusters)},"eligible":{_BOOLEANS[row.eligible]},'
        f'"expect":{due.commitment if due else "null"},"id":{encode_basestring(row.id)},"input":{asked.commitment},'
        f'"link":"case","occurrence":{row.occurrence},"salt":"{salt}","set":{encode_basestring(case_set)},'
        f'"slices":{_labels(row.slices)},"v":{RECORD_VERSION},"weight":{row.weight}}}'
    ).encode()


def _labels(labels: dict[str, str]) -> str:
    return encode_plain(labels).decode() if labels else "{}"
