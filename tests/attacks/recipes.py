"""Honest runs, always alike: their plans, their records, and the keys that sign them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oloproof.adapters.ed25519 import FileSigner
from oloproof.canon.digests import DigestText, leaf_hash, sha256, text_of
from oloproof.canon.encoding import encode
from oloproof.chain.case import Case
from oloproof.chain.commitment import TEXT, Commitment
from oloproof.chain.evidence import Evidence
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement
from oloproof.chain.observation import Observation
from oloproof.plan import plan as p
from oloproof.plan.keys import decision_hash, design_digest, ids_digest, plan_hash
from oloproof.plan.salts import Salts
from oloproof.stages.attest.statement import Outcome, Producer
from oloproof.stages.decide import decide
from oloproof.stages.diagnose import diagnose
from oloproof.stages.infer import infer
from oloproof.stages.recommend import recommend

NOW = datetime(2026, 1, 10, 12, 0, 0, tzinfo=UTC)
SIGNED_AT = "2026-01-10T11:00:00Z"
PLANNED_AT = "2026-01-10T10:00:00Z"


def signer(seed: int) -> FileSigner:
    """A key that every run of the tests makes alike."""
    return FileSigner(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


#: K1 is trusted; K2 is the attacker's; K3 is retired; K4 is revoked.
K1, K2, K3, K4 = signer(1), signer(2), signer(3), signer(4)

PRODUCER = Producer("oloproof", "0.1.0", DigestText("sha256:" + "c" * 64))
SALTS = Salts(b"\x07" * 32)
N_CASES = 40
_CODE = DigestText("sha256:" + "a" * 64)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One honest bundle. failing, silent: numbers of the cases that fail, and that get no answer in time."""

    n_cases: int = N_CASES
    variant: str = "candidate"
    threshold: str = "0.9"
    failing: tuple[int, ...] = (7,)
    silent: tuple[int, ...] = (11,)


#: B: the candidate C1, INSUFFICIENT_EVIDENCE. B0: an older candidate, PASS. EASY: C1 under an easier bar, PASS.
B = Recipe()
B0 = Recipe(variant="older", failing=(), silent=())
EASY = Recipe(threshold="0.5")
#: Many cases, for what must not grow with them.
LARGE = Recipe(n_cases=3000, failing=(7, 99))


def make_plan(recipe: Recipe) -> p.Plan:
    """The plan of a recipe, with its hashes."""
    rows = [_design(number) for number in range(recipe.n_cases)]
    metric = p.MetricEntry("exact", "proportion", "match", "pass", None, None, None, False, None, "missing")
    plan = p.Plan(
        format=p.PLAN_FORMAT,
        edition=1,
        suite=p.SuiteEntry("texts", 7, "superpopulation", None),
        inputs=p.Inputs({}, {}, ()),
        plugins=(),
        cases=(
            p.CaseSetEntry(
                name="texts",
                type="inline",
                major=1,
                options={},
                data=(),
                n_total=recipe.n_cases,
                n_eligible=recipe.n_cases,
                ids=ids_digest(row[0] for row in rows),
                content=_CODE,
                design=design_digest(rows),
            ),
        ),
        clusters=(p.ClusterEntry("author", ("case.author",), alone=False),),
        slices=(p.SliceEntry("language", "case.language", ("de", "en"), 1),),
        systems=(
            p.SystemEntry(
                name=recipe.variant,
                variant=recipe.variant,
                type="replay",
                major=1,
                options={"path": "answers.jsonl"},
                data=(),
                code=None,
                takes_seed=False,
                timeout_ms=1000,
                concurrency=1,
                repeats=1,
                identity=text_of(sha256(recipe.variant.encode())),
            ),
        ),
        evaluators=(p.EvaluatorEntry("match", "exact_match", 1, {}, (), {"pass": "bool"}, ("expect",), None, _CODE),),
        judges=(),
        metrics=(metric,),
        gates=(
            p.GateEntry(
                name="by-language",
                requires=(p.RequireEntry("exact", ">=", "0.5"),),
                systems=(recipe.variant,),
                cases="texts",
                across="language",
                correction="bonferroni",
                confidence="0.95",
                advisory=True,
                decidability=(),
            ),
            p.GateEntry(
                name="min-exact",
                requires=(p.RequireEntry("exact", ">=", recipe.threshold),),
                systems=(recipe.variant,),
                cases="texts",
                across=None,
                correction="none",
                confidence="0.95",
                advisory=False,
                decidability=(),
            ),
        ),
        policy=p.PolicyEntry("0.95", "conjectured", ()),
        limits=p.Limits(None, None),
        steps=(
            p.StepEntry("observe", "texts", recipe.variant, None),
            p.StepEntry("measure", "texts", recipe.variant, "match"),
        ),
        decision_hash=_CODE,
        plan_hash=_CODE,
    )
    return hashed(plan)


def hashed(plan: p.Plan) -> p.Plan:
    """The plan with the hashes of its content."""
    plan = replace(plan, decision_hash=decision_hash(plan))
    return replace(plan, plan_hash=plan_hash(plan))


def _design(number: int) -> list[Any]:
    language = "de" if number % 3 == 0 else "en"
    return [
        f"case-{number:02}" if number < N_CASES else f"more-{number:06}",
        0,
        {"author": f"author-{number % 10}"},
        {"language": language},
        1,
        True,
    ]


def _entry(link: str, number: int, field: str, content: str) -> tuple[bytes, Commitment]:
    key = sha256(f"input {number}".encode())
    salt = SALTS.salt(link, "texts", key, 0, field=field)
    data = salt + content.encode()
    return data, Commitment(text_of(sha256(data)), len(content.encode()), TEXT)


@dataclass(frozen=True, slots=True)
class Honest:
    """The records of an honest run."""

    plan: p.Plan
    cases: tuple[Case, ...]
    observations: tuple[Observation, ...]
    measurements: tuple[Measurement, ...]
    outcome: Outcome
    diagnoses: tuple[Any, ...]
    contents: Mapping[Link, tuple[bytes, ...]]


def make_honest(recipe: Recipe) -> Honest:
    """Everything that a run of this recipe would leave."""
    plan = make_plan(recipe)
    cases, observations, measurements = [], [], []
    contents: dict[Link, list[bytes]] = {Link.CASE: [], Link.OBSERVATION: []}
    for number in range(recipe.n_cases):
        key = sha256(f"input {number}".encode())
        name, occurrence, clusters, slices, weight, eligible = _design(number)
        expect_entry, expect = _entry("case", number, "expect", f"answer {number}")
        input_entry, given = _entry("case", number, "input", f"question {number}")
        contents[Link.CASE] += [expect_entry, input_entry]
        salt = SALTS.salt("case", "texts", key, 0, field="record").hex()
        cases.append(Case("texts", name, occurrence, clusters, slices, weight, eligible, given, expect, salt))
        is_silent, is_wrong = number in recipe.silent, number in recipe.failing
        output_entry, output = _entry("observation", number, "output", "nonsense" if is_wrong else f"answer {number}")
        if not is_silent:
            contents[Link.OBSERVATION].append(output_entry)
        observation = Observation(
            role="system",
            case_set="texts",
            id=name,
            system=recipe.variant,
            judge=None,
            ordinal=0,
            repeat=0,
            identity=plan.systems[0].identity,
            reason="timeout" if is_silent else None,
            output=None if is_silent else output,
            usage=None,
            served_model=None,
            salt=SALTS.salt("observation", "texts", key, 0, field="record", system=recipe.variant).hex(),
        )
        observations.append(observation)
        measurements.append(
            Measurement(
                case_set="texts",
                id=name,
                system=recipe.variant,
                evaluator="match",
                repeat=0,
                digest=plan.evaluators[0].identity,
                observations=(text_of(leaf_hash(encode(observation.to_json()))),),
                outputs=None if is_silent else {"pass": not is_wrong},
                reason="timeout" if is_silent else ("different" if is_wrong else None),
                salt=SALTS.salt("measurement", "texts", key, 0, field="record", by="match").hex(),
            )
        )
    inferences = infer(plan, cases, measurements)
    decisions = decide(plan, inferences)
    evidence = Evidence(
        tool=PRODUCER.to_json(),
        plugins=(),
        sources={"suite.olo": _CODE},
        platform={"numpy": "2.4.6", "python": "3.11"},
        redaction={"policy": "none"},
        looks={},
    )
    outcome = Outcome(inferences, decisions, recommend(plan, decisions, inferences), evidence)
    found = diagnose(plan, cases, measurements)
    packed = {link: tuple(entries) for link, entries in contents.items()}
    return Honest(plan, tuple(cases), tuple(observations), tuple(measurements), outcome, found, packed)


HONEST = {recipe: make_honest(recipe) for recipe in (B, B0, EASY, LARGE)}
