"""From stored measurements to stored decisions: the pure half of a run, served from the store where nothing changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from oloproof.canon.digests import DigestText, bytes_of, hash_parts, text_of
from oloproof.canon.encoding import Json, encode
from oloproof.canon.lines import chunks_of
from oloproof.chain.case import Case
from oloproof.chain.decision import Decision
from oloproof.chain.diagnosis import Diagnosis
from oloproof.chain.inference import Inference
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement
from oloproof.chain.recommendation import Recommendation
from oloproof.plan.plan import Plan
from oloproof.ports.store import Store, StoredFile
from oloproof.report.run import Outcome

_T = TypeVar("_T")

#: The links that this half makes, in the order of the chain.
SETTLED = (Link.INFERENCE, Link.DIAGNOSIS, Link.DECISION, Link.RECOMMENDATION)


@dataclass(frozen=True, slots=True)
class Settled:
    """The records from inference on, and the stored files that hold them. is_linked: found, not computed."""

    outcome: Outcome
    files: dict[Link, StoredFile]
    is_linked: bool


def settle(plan: Plan, cases: StoredFile, measurements: StoredFile, store: Store, *, tool: DigestText) -> Settled:
    """Inference, diagnosis, decision and recommendation over stored records.

    The same records under the same decision_hash have the same outcome by the same code, so it is computed once; a
    threshold that is edited gives another decision_hash. tool: digest of the code that computes.
    """
    read: list[Json] = [text_of(cases.summary.sha256), text_of(measurements.summary.sha256)]
    key = hash_parts("olo-settle-v1", tool, plan.decision_hash, read)
    found = _find(key, store)
    if found is not None:
        return Settled(_outcome(found, store), found, is_linked=True)
    outcome = _compute(plan, cases, measurements, store)
    files = {
        Link.INFERENCE: write_records(Link.INFERENCE, outcome.inferences, store),
        Link.DIAGNOSIS: write_records(Link.DIAGNOSIS, outcome.diagnoses, store),
        Link.DECISION: write_records(Link.DECISION, outcome.decisions, store),
        Link.RECOMMENDATION: write_records(Link.RECOMMENDATION, [outcome.recommendation], store),
    }
    store.bind_step(key, {link.value: text_of(file.summary.sha256) for link, file in files.items()})
    return Settled(outcome, files, is_linked=False)


def _find(key: bytes, store: Store) -> dict[Link, StoredFile] | None:
    bound = store.find_step(key)
    if not isinstance(bound, dict):
        return None
    files: dict[Link, StoredFile] = {}
    for link in SETTLED:
        address = bound.get(link.value)
        file = store.find_file(bytes_of(address)) if isinstance(address, str) else None
        if file is None:
            return None
        files[link] = file
    return files


def _compute(plan: Plan, cases: StoredFile, measurements: StoredFile, store: Store) -> Outcome:
    # Late, since an unchanged run serves its stored outcome and then needs no numpy (0.1 s).
    from oloproof.stages.decide import decide  # noqa: PLC0415 -- as said above
    from oloproof.stages.diagnose import diagnose  # noqa: PLC0415 -- as said above
    from oloproof.stages.infer import infer  # noqa: PLC0415 -- as said above
    from oloproof.stages.recommend import recommend  # noqa: PLC0415 -- as said above

    known = tuple(read_records(cases, Case.from_json, store))
    measured = tuple(read_records(measurements, Measurement.from_json, store))
    inferences = infer(plan, known, measured)
    decisions = decide(plan, inferences)
    return Outcome(
        inferences=inferences,
        diagnoses=diagnose(plan, known, measured),
        decisions=decisions,
        recommendation=recommend(plan, decisions, inferences),
    )


def _outcome(files: dict[Link, StoredFile], store: Store) -> Outcome:
    (recommendation,) = read_records(files[Link.RECOMMENDATION], Recommendation.from_json, store)
    return Outcome(
        inferences=tuple(read_records(files[Link.INFERENCE], Inference.from_json, store)),
        diagnoses=tuple(read_records(files[Link.DIAGNOSIS], Diagnosis.from_json, store)),
        decisions=tuple(read_records(files[Link.DECISION], Decision.from_json, store)),
        recommendation=recommendation,
    )


class _Record(Protocol):
    """What every link's record can do."""

    def to_json(self) -> dict[str, Json]: ...


def write_records(link: Link, records: Iterable[_Record], store: Store) -> StoredFile:
    """Stores the canonical lines of records that are in file order."""
    return store.write_file(link, chunks_of(encode(record.to_json()) for record in records))


def read_records(file: StoredFile, read: Callable[[Json], _T], store: Store) -> Iterator[_T]:
    """The records of a stored file, in file order. Its lines are our own and held to their hashes by the store."""
    for chunk in store.read_file(file.summary.sha256):
        for line in chunk.lines():
            yield read(json.loads(line))
