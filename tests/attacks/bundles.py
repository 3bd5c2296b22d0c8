"""Bundles made by hand and always alike: honest ones, and the drafts that attacks change and sign again."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from attacks.recipes import HONEST, K1, PLANNED_AT, PRODUCER, SIGNED_AT, B, Recipe
from fakes.memory_store import MemoryStore

from oloproof.adapters.ed25519 import FileSigner
from oloproof.canon.digests import leaf_hash, sha256, text_of
from oloproof.canon.encoding import Json, encode, parse, parse_whole
from oloproof.canon.lines import Chunk, Summary, chunks_of
from oloproof.canon.merkle import merkle_root
from oloproof.chain.case import Case
from oloproof.chain.link import PACKED, Link
from oloproof.chain.measurement import Measurement
from oloproof.plan import plan as p
from oloproof.plan.codec import to_json
from oloproof.ports.store import StoredFile
from oloproof.stages.attest import layout
from oloproof.stages.attest.bundle import Contents, Written, write_bundle
from oloproof.stages.attest.envelope import seal
from oloproof.stages.attest.statement import decision_statement, plan_payload
from oloproof.stages.decide import decide
from oloproof.stages.diagnose import diagnose
from oloproof.stages.infer import infer
from oloproof.stages.recommend import recommend

Object = dict[str, Any]


class HasJson(Protocol):
    """Any record."""

    def to_json(self) -> dict[str, Json]: ...


@dataclass(slots=True)
class Draft:
    """A bundle before it is written: every record as JSON, every content as bytes, open to any change.

    lines: record files given as bytes instead. edit: changes the statement before it is signed. extra: more files.
    """

    plan: p.Plan
    records: dict[Link, list[Object]]
    contents: dict[Link, list[bytes]]
    lines: dict[Link, bytes]
    edit: Callable[[Object], None] | None = None
    plan_bytes: bytes | None = None
    has_plan_statement: bool = True
    key: FileSigner = K1

    def conclude(self) -> None:
        """Makes everything after the measurements anew, as a dishonest signer would."""
        cases = [Case.from_json(item) for item in self.records[Link.CASE]]
        measurements = [Measurement.from_json(item) for item in self.records[Link.MEASUREMENT]]
        inferences = infer(self.plan, cases, measurements)
        decisions = decide(self.plan, inferences)
        self.records[Link.INFERENCE] = [_json(item) for item in inferences]
        self.records[Link.DIAGNOSIS] = [_json(item) for item in diagnose(self.plan, cases, measurements)]
        self.records[Link.DECISION] = [_json(item) for item in decisions]
        self.records[Link.RECOMMENDATION] = [_json(recommend(self.plan, decisions, inferences))]

    def relink(self) -> None:
        """Lets every measurement name the leaf of the observation in its place again."""
        leaves = {
            (item["set"], item["id"], item["system"], item["repeat"]): text_of(leaf_hash(encode(item)))
            for item in self.records[Link.OBSERVATION]
        }
        for item in self.records[Link.MEASUREMENT]:
            place = (item["set"], item["id"], item["system"], item["repeat"])
            item["observations"] = [leaves[place]] if place in leaves else item["observations"]

    def files(self) -> dict[str, bytes]:
        """All files by name, signed."""
        plan_bytes = encode(to_json(self.plan)) if self.plan_bytes is None else self.plan_bytes
        bodies = {link: self.body(link) for link in Link}
        files = {layout.PLAN: plan_bytes, **{layout.records(link): body for link, body in bodies.items()}}
        for link in PACKED:
            files[layout.pack(link)] = b"".join(self.contents[link])
            files[layout.index(link)] = b"".join(
                f"{sha256(entry).hex()} {len(entry)}\n".encode() for entry in self.contents[link]
            )
        if self.has_plan_statement:
            payload = plan_payload(self.plan, plan_bytes=plan_bytes, producer=PRODUCER, claimed_signed_at=PLANNED_AT)
            files[layout.PLAN_STATEMENT] = seal(payload, self.key)
        payload = self._payload(plan_bytes, bodies, files.get(layout.PLAN_STATEMENT))
        return {layout.ENVELOPE: seal(payload, self.key), **files}

    def body(self, link: Link) -> bytes:
        """The bytes of one record file."""
        return self.lines.get(link, b"".join(encode(item) + b"\n" for item in self.records[link]))

    def _payload(self, plan_bytes: bytes, bodies: Mapping[Link, bytes], plan_envelope: bytes | None) -> bytes:
        sums = {link: StoredFile(link, summary_of(body)) for link, body in bodies.items()}
        statement = decision_statement(
            self.plan,
            plan_bytes=plan_bytes,
            files=sums,
            outcome=HONEST[B].outcome,
            producer=PRODUCER,
            claimed_signed_at=SIGNED_AT,
            plan_envelope=plan_envelope,
        )
        value: Any = parse_whole(statement.payload())
        predicate = value["predicate"]
        predicate["environment"] = _environment(self.records[Link.EVIDENCE])
        self._repeat_records(predicate)
        if self.edit is not None:
            self.edit(value)
        return encode(value)

    def _repeat_records(self, predicate: Object) -> None:
        recommendation = self.records[Link.RECOMMENDATION][0]
        predicate["recommendation"] = {name: recommendation[name] for name in ("action", "because", "next_steps")}
        inferred = {encode(item["cell"]): item for item in self.records[Link.INFERENCE]}
        predicate["gates"] = [
            {
                "advisory": because["advisory"],
                "id": because["gate"],
                "requires": [
                    {
                        **{name: item[name] for name in ("cell", "op", "state", "threshold")},
                        **{
                            name: inferred[encode(item["cell"])][name]
                            for name in ("counts", "lower", "metric", "upper")
                        },
                    }
                    for item in self.records[Link.DECISION]
                    if item["gate"] == because["gate"] and encode(item["cell"]) in inferred
                ],
                "state": because["state"],
            }
            for because in recommendation["because"]
        ]

    def write(self, folder: Path) -> Path:
        """The bundle on disk."""
        return write_files(folder, self.files())


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A directory of these files."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def summary_of(body: bytes) -> Summary:
    """The sums of a record file's bytes."""
    lines = body.split(b"\n")[:-1] if body.endswith(b"\n") else body.split(b"\n")
    return Summary(
        len(lines) if body else 0, len(body), sha256(body), merkle_root(map(leaf_hash, lines if body else []))
    )


def _environment(evidence: list[Object]) -> str:
    platform = encode([evidence[0]["platform"]])
    return "sha256:" + hashlib.sha256(b"olo-environment-v1\x00" + platform).hexdigest()


def _json(record: HasJson) -> Object:
    value: Any = parse(encode(record.to_json()))
    return dict(value)


def draft(recipe: Recipe = B) -> Draft:
    """A fresh draft of an honest bundle."""
    honest = HONEST[recipe]
    records: dict[Link, Iterable[Any]] = {
        Link.CASE: honest.cases,
        Link.OBSERVATION: honest.observations,
        Link.MEASUREMENT: honest.measurements,
        Link.INFERENCE: honest.outcome.inferences,
        Link.DIAGNOSIS: honest.diagnoses,
        Link.DECISION: honest.outcome.decisions,
        Link.RECOMMENDATION: [honest.outcome.recommendation],
        Link.EVIDENCE: [honest.outcome.evidence],
    }
    return Draft(
        plan=honest.plan,
        records={link: [copy.deepcopy(_json(item)) for item in items] for link, items in records.items()},
        contents={link: list(entries) for link, entries in honest.contents.items()},
        lines={},
    )


def write_honest(
    target: Path, recipe: Recipe = B, *, key: FileSigner = K1, signed_at: str = SIGNED_AT, archive: Path | None = None
) -> Written:
    """An honest bundle, by the product's own writer."""
    honest, made, store = HONEST[recipe], draft(recipe), MemoryStore()
    files = {link: store.write_file(link, _chunks(made, link)) for link in Link}
    plan_bytes = encode(to_json(honest.plan))
    sealed = seal(
        plan_payload(honest.plan, plan_bytes=plan_bytes, producer=PRODUCER, claimed_signed_at=PLANNED_AT), key
    )
    statement = decision_statement(
        honest.plan,
        plan_bytes=plan_bytes,
        files=files,
        outcome=honest.outcome,
        producer=PRODUCER,
        claimed_signed_at=signed_at,
        plan_envelope=sealed,
    )
    return write_bundle(
        target,
        Contents(plan_bytes, sealed, files),
        store=store,
        statement=statement,
        signer=key,
        archive=archive or target.parent / ".oloproof" / "bundles",
    )


def _chunks(made: Draft, link: Link) -> Iterator[Chunk]:
    lines = [encode(item) for item in made.records[link]]
    for chunk in chunks_of(lines):
        if link in PACKED:
            # How contents are spread over chunks is the store's affair: here the first chunk has them all.
            entries, made.contents[link] = made.contents[link], []
            index = b"".join(f"{sha256(entry).hex()} {len(entry)}\n".encode() for entry in entries)
            yield replace(chunk, pack=b"".join(entries), index=index)
        else:
            yield chunk
