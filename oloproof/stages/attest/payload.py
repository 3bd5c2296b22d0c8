"""Reading the payload of an envelope whose signature was checked before: bytes to a decision statement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from oloproof.canon.encoding import NotCanonical, parse_whole
from oloproof.chain.cell import Cell
from oloproof.chain.counts import Counts, IncoherentCounts
from oloproof.chain.decision import DecisionState
from oloproof.chain.fields import BadRecord
from oloproof.chain.link import PACKED, Link
from oloproof.chain.reasons import UnknownReason
from oloproof.chain.recommendation import Action, Because, NextStep, Recommendation
from oloproof.chain.run_state import RunState
from oloproof.stages.attest.envelope import PAYLOAD_TYPE, Envelope
from oloproof.stages.attest.reading import Reading
from oloproof.stages.attest.statement import (
    CRITICAL,
    DECISION_TYPE,
    STATEMENT_TYPE,
    TREE,
    DecisionStatement,
    FileClaim,
    GateClaim,
    PlanClaim,
    Producer,
    RequireClaim,
)
from oloproof.stages.attest.verdict import FailureClass, Rejected, Subject

#: Major of the format that is read; a higher minor may add fields that are not critical.
MAJOR: Final = 1
#: Names that this version understands where a statement calls them critical.
UNDERSTOOD: Final = frozenset(
    (*CRITICAL, "claimed_signed_at", "critical", "environment", "format_version", "plan_statement", "previous")
)
_VERSION = re.compile(r"(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\Z")
_HEX = re.compile(r"[0-9a-f]{1,256}\Z")
_SHA256_HEX = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Read:
    """A decision statement with its format version [major, minor] and what was ignored on the way."""

    statement: DecisionStatement
    version: tuple[int, int]
    notices: tuple[str, ...]


def read_decision(envelope: Envelope, place: str) -> Read:
    """The decision statement in an envelope.

    Raises: Rejected: UNSUPPORTED for another kind, major or critical name; MALFORMED.
    """
    notices: list[str] = []
    subjects, predicate = open_statement(envelope, place, kind=DECISION_TYPE, notices=notices)
    version = take_version(predicate)
    check_critical(predicate, minimum=CRITICAL, understood=UNDERSTOOD)
    redactions = predicate.take_object("redactions")
    withheld = redactions.take_object("withheld")
    for link in Link:
        if link not in PACKED and withheld.has(link.value):
            raise Rejected(FailureClass.INTEGRITY, withheld.place, f"{link} records can never be withheld")
    statement = DecisionStatement(
        subjects=subjects,
        plan=_plan(predicate.take_object("plan")),
        links=_links(predicate.take_object("links")),
        gates=tuple(_gate(item) for item in predicate.take_objects("gates")),
        recommendation=_recommendation(predicate.take_object("recommendation")),
        run_state=_run_state(predicate),
        withheld={link: withheld.take_count(link.value) for link in PACKED},
        redaction_policy=redactions.take("policy", str),
        environment=predicate.take_digest("environment"),
        producer=take_producer(predicate),
        claimed_signed_at=predicate.take_time("claimed_signed_at"),
        previous=predicate.take_optional_digest("previous"),
        plan_statement=predicate.take_optional_digest("plan_statement"),
    )
    for reading in (withheld, redactions, predicate):
        reading.done()
    return Read(statement, version, tuple(notices))


def open_statement(
    envelope: Envelope, place: str, *, kind: str, notices: list[str]
) -> tuple[tuple[Subject, ...], Reading]:
    """The subjects and the predicate of an in-toto statement of one predicate type.

    Raises: Rejected: UNSUPPORTED for another payload type, statement type or predicate type; MALFORMED.
    """
    if envelope.payload_type != PAYLOAD_TYPE:
        raise Rejected(FailureClass.UNSUPPORTED, place, f"payload type {envelope.payload_type[:80]!r}")
    try:
        value = parse_whole(envelope.payload)
    except NotCanonical as error:
        raise Rejected(FailureClass.MALFORMED, f"{place} payload", str(error)) from error
    statement = Reading(f"{place} payload", value, notices)
    for name, wanted in (("_type", STATEMENT_TYPE), ("predicateType", kind)):
        found = statement.take(name, str)
        if found != wanted:
            raise Rejected(FailureClass.UNSUPPORTED, place, f"{name} {found[:80]!r}; {wanted} is due")
    subjects = tuple(_subject(item) for item in statement.take_objects("subject"))
    if not subjects or len({item.name for item in subjects}) != len(subjects):
        raise statement.malformed("subject must name at least one system, and each once")
    predicate = statement.take_object("predicate")
    statement.done()
    return subjects, predicate


def take_version(predicate: Reading) -> tuple[int, int]:
    """The format version. Raises: Rejected: UNSUPPORTED for another major, MALFORMED."""
    text = predicate.take("format_version", str)
    found = _VERSION.match(text)
    if not found:
        raise predicate.malformed("format_version must be MAJOR.MINOR")
    major, minor = int(found[1]), int(found[2])
    if major != MAJOR:
        raise Rejected(FailureClass.UNSUPPORTED, predicate.place, f"format version {text}; this version reads {MAJOR}")
    return major, minor


def check_critical(predicate: Reading, *, minimum: Iterable[str], understood: frozenset[str]) -> None:
    """Holds the statement to the names that may never be ignored.

    Raises: Rejected: UNSUPPORTED for a name that is not understood, MALFORMED where one of the minimum is absent.
    """
    names = predicate.take_names("critical")
    absent = sorted(set(minimum) - set(names))
    if absent:
        raise predicate.malformed(f"critical must name {', '.join(absent)}")
    unknown = sorted(set(names) - understood)
    if unknown:
        raise Rejected(FailureClass.UNSUPPORTED, predicate.place, f"critical names the unknown {unknown[0][:80]!r}")


def take_producer(predicate: Reading) -> Producer:
    """The tool that made a statement."""
    reading = predicate.take_object("producer")
    found = Producer(reading.take("name", str), reading.take("version", str), reading.take_digest("code"))
    reading.done()
    return found


def _subject(reading: Reading) -> Subject:
    name, digests = reading.take("name", str), reading.take("digest", dict)
    if not digests or "sha256" not in digests:
        raise reading.malformed("digest must have sha256")
    for algorithm, value in digests.items():
        if not isinstance(value, str) or not _HEX.match(value):
            raise reading.malformed(f"digest {algorithm[:80]!r} must be lower-case hexadecimal digits")
    if not _SHA256_HEX.match(digests["sha256"]):
        raise reading.malformed("digest sha256 must be 64 lower-case hexadecimal digits")
    reading.done()
    return Subject(name, digests)


def _plan(reading: Reading) -> PlanClaim:
    found = PlanClaim(
        digest=reading.take_digest("digest"),
        size=reading.take_count("bytes"),
        decision_hash=reading.take_digest("decision_hash"),
        plan_hash=reading.take_digest("plan_hash"),
        n_cases=reading.take_count("case_count"),
        cases_root=reading.take_digest("cases_root"),
    )
    reading.done()
    return found


def _links(reading: Reading) -> dict[Link, FileClaim]:
    found = {link: _file(reading.take_object(link.value)) for link in Link}
    reading.done()
    return found


def _file(reading: Reading) -> FileClaim:
    tree = reading.take("tree", str)
    if tree != TREE:
        raise Rejected(FailureClass.UNSUPPORTED, reading.place, f"tree {tree[:80]!r}; {TREE} is due")
    found = FileClaim(
        n=reading.take_count("count"),
        size=reading.take_count("bytes"),
        sha256=reading.take_digest("sha256"),
        root=reading.take_digest("merkle_root"),
    )
    reading.done()
    return found


def _gate(reading: Reading) -> GateClaim:
    found = GateClaim(
        id=reading.take("id", str),
        advisory=reading.take("advisory", bool),
        state=_state(reading),
        requires=tuple(_require(item) for item in reading.take_objects("requires")),
    )
    reading.done()
    return found


def _require(reading: Reading) -> RequireClaim:
    op = reading.take("op", str)
    if op not in (">=", "<="):
        raise reading.malformed(f"op {op[:80]!r}")
    try:
        found = RequireClaim(
            cell=Cell.from_json(reading.take("cell", list)),
            metric=reading.take("metric", str),
            op=">=" if op == ">=" else "<=",
            threshold=reading.take("threshold", str),
            counts=Counts.from_json(reading.take("counts", dict)),
            lower=reading.take_number("lower"),
            upper=reading.take_number("upper"),
            state=_state(reading),
        )
    except BadRecord as error:
        raise reading.malformed(str(error)) from error
    except IncoherentCounts as error:
        raise Rejected(FailureClass.INTEGRITY, reading.place, str(error)) from error
    reading.done()
    return found


def _recommendation(reading: Reading) -> Recommendation:
    action = reading.take("action", str)
    if action not in Action.__members__:
        raise reading.malformed(f"action {action[:80]!r}")
    because, steps = reading.take("because", list), reading.take("next_steps", list)
    try:
        found = Recommendation(
            Action(action),
            tuple(Because.from_json(item) for item in because),
            tuple(NextStep.from_json(item) for item in steps),
        )
    except (BadRecord, UnknownReason) as error:
        raise reading.malformed(str(error)) from error
    reading.done()
    return found


def _run_state(reading: Reading) -> RunState:
    state = reading.take("run_state", str)
    if state not in RunState.__members__:
        raise reading.malformed(f"run_state {state[:80]!r}")
    return RunState(state)


def _state(reading: Reading) -> DecisionState:
    state = reading.take("state", str)
    if state not in DecisionState.__members__:
        raise reading.malformed(f"state {state[:80]!r}")
    return DecisionState(state)
