"""The two statements that are signed: the plan before the first observation, and the decision after the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from oloproof.canon.digests import DigestText, digest_of, sha256, text_of
from oloproof.canon.encoding import Json, encode
from oloproof.chain.cell import Cell
from oloproof.chain.counts import Counts
from oloproof.chain.decision import Decision, DecisionState
from oloproof.chain.evidence import Evidence
from oloproof.chain.inference import Inference
from oloproof.chain.link import PACKED, Link
from oloproof.chain.recommendation import Because, Recommendation
from oloproof.chain.run_state import RunState
from oloproof.plan.keys import subject_digest
from oloproof.plan.plan import Plan
from oloproof.ports.store import StoredFile
from oloproof.stages.attest.verdict import Subject

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
DECISION_TYPE: Final = "urn:oloproof:evaluation-decision:v1"
PLAN_TYPE: Final = "urn:oloproof:evaluation-plan:v1"
FORMAT_VERSION: Final = "1.0"
#: How the Merkle root of a record file is made (specs/bundle-v1.md, "Sums").
TREE: Final = "rfc6962-sha256"
#: What a reader of a decision must understand, or refuse the bundle; a statement that names less is malformed.
CRITICAL: Final = ("gates", "links", "plan", "recommendation", "redactions", "run_state")
#: The same for a plan statement.
PLAN_CRITICAL: Final = ("cases", "gates", "plan")


@dataclass(frozen=True, slots=True)
class Producer:
    """The tool that made a statement. code: digest over its modules."""

    name: str
    version: str
    code: DigestText

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {"code": self.code, "name": self.name, "version": self.version}


@dataclass(frozen=True, slots=True)
class FileClaim:
    """What is signed of one record file."""

    n: int
    size: int
    sha256: DigestText
    root: DigestText

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "bytes": self.size,
            "count": self.n,
            "merkle_root": self.root,
            "sha256": self.sha256,
            "tree": TREE,
        }

    @classmethod
    def of(cls, file: StoredFile) -> FileClaim:
        """The claim that a stored file's sums make."""
        sums = file.summary
        return cls(sums.n, sums.size, text_of(sums.sha256), text_of(sums.root))


@dataclass(frozen=True, slots=True)
class PlanClaim:
    """What is signed of plan.json, and how many cases it has. digest: of the file's bytes."""

    digest: DigestText
    size: int
    decision_hash: DigestText
    plan_hash: DigestText
    n_cases: int
    cases_root: DigestText

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "bytes": self.size,
            "case_count": self.n_cases,
            "cases_root": self.cases_root,
            "decision_hash": self.decision_hash,
            "digest": self.digest,
            "plan_hash": self.plan_hash,
        }


@dataclass(frozen=True, slots=True)
class RequireClaim:
    """One cell of a gate, as the statement repeats it from the records."""

    cell: Cell
    metric: str
    op: Literal[">=", "<="]
    threshold: str
    counts: Counts
    lower: float | None
    upper: float | None
    state: DecisionState

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "cell": self.cell.to_json(),
            "counts": self.counts.to_json(),
            "lower": self.lower,
            "metric": self.metric,
            "op": self.op,
            "state": self.state,
            "threshold": self.threshold,
            "upper": self.upper,
        }


@dataclass(frozen=True, slots=True)
class GateClaim:
    """One gate; requires: its cells in the order of the decision records."""

    id: str
    advisory: bool
    state: DecisionState
    requires: tuple[RequireClaim, ...]

    def to_json(self) -> dict[str, Json]:
        """Its canonical object."""
        return {
            "advisory": self.advisory,
            "id": self.id,
            "requires": [item.to_json() for item in self.requires],
            "state": self.state,
        }


@dataclass(frozen=True, slots=True)
class DecisionStatement:
    """What `evidence.dsse.json` signs. Time, `previous` and the key are all that differs between equal bundles.

    withheld: contents left out, by link. previous: digest of the envelope of the last bundle of this suite, or None.
    plan_statement: digest of the envelope of the plan statement in this bundle, or None.
    """

    subjects: tuple[Subject, ...]
    plan: PlanClaim
    links: Mapping[Link, FileClaim]
    gates: tuple[GateClaim, ...]
    recommendation: Recommendation
    run_state: RunState
    withheld: Mapping[Link, int]
    redaction_policy: str
    environment: DigestText
    producer: Producer
    claimed_signed_at: str
    previous: DigestText | None
    plan_statement: DigestText | None

    def payload(self) -> bytes:
        """The canonical bytes that are signed."""
        return encode(
            {
                "_type": STATEMENT_TYPE,
                "predicate": {
                    "claimed_signed_at": self.claimed_signed_at,
                    "critical": list(CRITICAL),
                    "environment": self.environment,
                    "format_version": FORMAT_VERSION,
                    "gates": [gate.to_json() for gate in self.gates],
                    "links": {link.value: claim.to_json() for link, claim in self.links.items()},
                    "plan": self.plan.to_json(),
                    "plan_statement": self.plan_statement,
                    "previous": self.previous,
                    "producer": self.producer.to_json(),
                    "recommendation": {
                        "action": self.recommendation.action,
                        "because": [item.to_json() for item in self.recommendation.because],
                        "next_steps": [item.to_json() for item in self.recommendation.next_steps],
                    },
                    "redactions": {
                        "policy": self.redaction_policy,
                        "withheld": {link.value: n for link, n in self.withheld.items()},
                    },
                    "run_state": self.run_state,
                },
                "predicateType": DECISION_TYPE,
                "subject": [{"digest": dict(item.digests), "name": item.name} for item in self.subjects],
            }
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records that a decision statement repeats, all of a COMPLETE run."""

    inferences: tuple[Inference, ...]
    decisions: tuple[Decision, ...]
    recommendation: Recommendation
    evidence: Evidence


def decision_statement(  # noqa: PLR0913 -- everything that is signed, each by its name
    plan: Plan,
    *,
    plan_bytes: bytes,
    files: Mapping[Link, StoredFile],
    outcome: Outcome,
    producer: Producer,
    claimed_signed_at: str,
    plan_envelope: bytes | None,
) -> DecisionStatement:
    """The statement over a COMPLETE run. claimed_signed_at: RFC 3339 in UTC, whole seconds and `Z`."""
    cases = files[Link.CASE].summary
    return DecisionStatement(
        subjects=subjects_of(plan),
        plan=PlanClaim(
            digest=text_of(sha256(plan_bytes)),
            size=len(plan_bytes),
            decision_hash=plan.decision_hash,
            plan_hash=plan.plan_hash,
            n_cases=cases.n,
            cases_root=text_of(cases.root),
        ),
        links={link: FileClaim.of(files[link]) for link in Link},
        gates=claim_gates(outcome.recommendation.because, outcome.decisions, outcome.inferences),
        recommendation=outcome.recommendation,
        run_state=RunState.COMPLETE,
        withheld=dict.fromkeys(PACKED, 0),
        redaction_policy="none",
        environment=environment_digest(outcome.evidence),
        producer=producer,
        claimed_signed_at=claimed_signed_at,
        previous=None,
        plan_statement=None if plan_envelope is None else text_of(sha256(plan_envelope)),
    )


def plan_payload(plan: Plan, *, plan_bytes: bytes, producer: Producer, claimed_signed_at: str) -> bytes:
    """The canonical bytes of the plan statement, to be signed before the first observation."""
    return encode(
        {
            "_type": STATEMENT_TYPE,
            "predicate": {
                **plan_facts(plan, plan_bytes),
                "claimed_signed_at": claimed_signed_at,
                "critical": list(PLAN_CRITICAL),
                "format_version": FORMAT_VERSION,
                "producer": producer.to_json(),
            },
            "predicateType": PLAN_TYPE,
            "subject": [{"digest": dict(item.digests), "name": item.name} for item in subjects_of(plan)],
        }
    )


def plan_facts(plan: Plan, plan_bytes: bytes) -> dict[str, Json]:
    """What a plan statement says that follows from the plan alone."""
    return {
        "cases": [
            {
                "content": entry.content,
                "count": entry.n_total,
                "design": entry.design,
                "eligible": entry.n_eligible,
                "ids": entry.ids,
                "set": entry.name,
            }
            for entry in plan.cases
        ],
        "evaluators": {entry.name: entry.identity for entry in plan.evaluators},
        "gates": [
            {
                "advisory": gate.advisory,
                "confidence": gate.confidence,
                "id": gate.name,
                "requires": [
                    {"metric": item.metric, "op": item.op, "threshold": item.threshold} for item in gate.requires
                ],
            }
            for gate in plan.gates
        ],
        "plan": {
            "bytes": len(plan_bytes),
            "decision_hash": plan.decision_hash,
            "digest": text_of(sha256(plan_bytes)),
            "plan_hash": plan.plan_hash,
        },
        "seed": plan.suite.seed,
    }


def subjects_of(plan: Plan) -> tuple[Subject, ...]:
    """The plan's system variants, each with the digest of its entry."""
    return tuple(
        Subject(entry.variant, {"sha256": subject_digest(entry).removeprefix("sha256:")}) for entry in plan.systems
    )


def claim_gates(
    because: Iterable[Because], decisions: Iterable[Decision], inferences: Iterable[Inference]
) -> tuple[GateClaim, ...]:
    """The gates as a statement repeats them from the records; one for each `because`."""
    inferred = {item.cell: item for item in inferences}
    requires: dict[str, list[RequireClaim]] = {}
    for item in decisions:
        found = inferred[item.cell]
        requires.setdefault(item.cell.gate, []).append(
            RequireClaim(
                cell=item.cell,
                metric=found.metric,
                op=item.op,
                threshold=item.threshold,
                counts=found.counts,
                lower=found.lower,
                upper=found.upper,
                state=item.state,
            )
        )
    return tuple(
        GateClaim(item.gate, item.advisory, item.state, tuple(requires.get(item.gate, ()))) for item in because
    )


def environment_digest(evidence: Evidence) -> DigestText:
    """Digest of the platform that the evidence record claims."""
    return digest_of("olo-environment-v1", evidence.platform)
