"""Identities, keys and seeds (specs/chain.md): what makes two executions the same, written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oloproof.canon.digests import DigestText, digest_of, hash_parts, sha256, text_of
from oloproof.canon.encoding import Json, encode, encode_plain, parse_whole
from oloproof.plan.cases import CaseRow
from oloproof.plan.codec import BadPlan, from_json, to_json
from oloproof.plan.plan import PLAN_FORMAT, CaseSetEntry, Plan, SystemEntry

#: A plan larger than this is refused unread.
MAX_PLAN_BYTES = 64 << 20


def input_hash(value: Json) -> bytes:
    """Digest of exactly what a system receives."""
    return hash_parts("olo-input-v1", value)


def case_hash(row: Json) -> bytes:
    """Digest of a whole row, with the fields that nothing reads."""
    return hash_parts("olo-case-v1", row)


def case_seed(suite_seed: int, input_digest: bytes, occurrence: int, repeat: int) -> int:
    """The seed of one execution, 64 bits; independent of order, worker and time."""
    digest = hash_parts("olo-seed-v1", suite_seed, input_digest.hex(), occurrence, repeat)
    return int.from_bytes(digest[:8], "big")


def observation_key(*, identity: str, row: CaseRow, repeat: int, seed: int | None, extra: str | None) -> bytes:
    """Cache key of one execution.

    seed: only where the adapter takes one. extra: what else it reads per case (a recorded row's digest, the case id).
    """
    return hash_parts(
        "olo-observation-v1",
        ["system", identity, row.input_hash.hex(), row.occurrence, repeat, None if seed is None else str(seed), extra],
    )


def measurement_key(*, identity: str, output_digest: str, read: Json) -> bytes:
    """Cache key of one evaluation: the evaluator, the answer's content and the case fields that it reads.

    The answer's own digest, not its observation's: an equal answer from a new execution needs no new evaluation.
    """
    return hash_parts("olo-measurement-v1", identity, output_digest, read)


def inference_key(decision_hash: str, cell: Json, rows: Sequence[bytes]) -> DigestText:
    """Key of one cell's inference; needs no salt, so it can be recomputed from a bundle.

    rows: the canonical bytes of [set, id, repeat, outputs or reason], sorted by (set, id, repeat).
    """
    head = encode_plain([decision_hash, cell])
    message = b"olo-inference-v1\x00" + head[:-1] + b",[" + b",".join(rows) + b"]]"
    return text_of(sha256(message))


def resampling_seed(key: DigestText) -> DigestText:
    """Seed of any resampling for that inference."""
    return digest_of("olo-resample-v1", key)


def ids_digest(ids: Iterable[str]) -> DigestText:
    """Digest of the sorted ids of a case set."""
    return digest_of("olo-ids-v1", list(ids))


def content_digest(case_hashes: Iterable[bytes]) -> DigestText:
    """Digest of the rows' contents, in id order."""
    return digest_of("olo-content-v1", [digest.hex() for digest in case_hashes])


def design_digest(rows: Iterable[Json]) -> DigestText:
    """Digest of what inference reads of the cases: [id, occurrence, clusters, slices, weight, eligible] in id order.

    It stands in the plan, so that nobody can regroup, drop or re-weigh cases behind the plan's back.
    """
    return digest_of("olo-design-v1", list(rows))


def subject_digest(system: SystemEntry) -> DigestText:
    """The subject of a bundle: sha256 over the JCS of the plan's entry of the system variant."""
    return text_of(sha256(encode(to_json(system))))


def decision_hash(plan: Plan) -> DigestText:
    """Digest of all that decides: cases, clusters, slices, evaluators, metrics, gates, policy, seed, population.

    Where data lie is left out (their content and how a row is read are in), and so is decidability, which follows.
    """
    gates = [{k: v for k, v in _object(to_json(gate)).items() if k != "decidability"} for gate in plan.gates]
    return digest_of(
        "olo-decision-v1",
        {
            "cases": [_decisive(entry) for entry in plan.cases],
            "clusters": to_json(plan.clusters),
            "evaluators": [[entry.name, entry.identity] for entry in plan.evaluators],
            "gates": gates,
            "judges": list(plan.judges),
            "metrics": to_json(plan.metrics),
            "policy": to_json(plan.policy),
            "population": plan.suite.population,
            "seed": plan.suite.seed,
            "slices": to_json(plan.slices),
        },
    )


def _decisive(entry: CaseSetEntry) -> list[Json]:
    return [entry.name, entry.n_total, entry.n_eligible, entry.ids, entry.content, entry.design, entry.mapping]


def plan_hash(plan: Plan) -> DigestText:
    """Digest of all that runs: the plan without its two hash fields."""
    body = {k: v for k, v in _object(to_json(plan)).items() if k not in ("decision_hash", "plan_hash")}
    return digest_of("olo-plan-v1", body)


def read_plan(data: bytes) -> Plan:
    """A plan from its canonical bytes; its hashes must be those of its content.

    Raises: NotCanonical, BadPlan.
    """
    if len(data) > MAX_PLAN_BYTES:
        raise BadPlan(f"{len(data)} bytes; the limit is {MAX_PLAN_BYTES}")
    value = parse_whole(data)
    # First, so that a later format is told as such and not by whichever field it added.
    stated = value.get("format") if isinstance(value, dict) else PLAN_FORMAT
    if type(stated) is not int or stated != PLAN_FORMAT:
        raise BadPlan(f"format {str(stated)[:80]}; this version reads {PLAN_FORMAT}", field="format")
    plan = from_json(Plan, value)
    if plan.decision_hash != decision_hash(plan) or plan.plan_hash != plan_hash(plan):
        raise BadPlan("its hashes are not those of its content")
    return plan


def _object(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)  # to_json of a record
    return value
