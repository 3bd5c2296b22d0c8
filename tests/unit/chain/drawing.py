"""Records of every link, drawn by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from oloproof.canon.digests import digest_of
from oloproof.chain.case import Case
from oloproof.chain.cell import Cell
from oloproof.chain.commitment import JSON, TEXT, Commitment
from oloproof.chain.counts import Counts
from oloproof.chain.decision import Decision, DecisionState
from oloproof.chain.diagnosis import KINDS, Diagnosis, Factor
from oloproof.chain.evidence import Evidence
from oloproof.chain.inference import GUARANTEES, Certificate, Inference, Method
from oloproof.chain.measurement import Measurement
from oloproof.chain.observation import Observation
from oloproof.chain.reasons import REASONS
from oloproof.chain.recommendation import Action, Because, NextStep, Recommendation

TEXTS = st.text(max_size=6)
COUNTS = st.integers(0, 2**53 - 1)
DIGESTS = st.text(max_size=3).map(lambda text: digest_of("test", text))
SALTS = st.binary(min_size=16, max_size=16).map(bytes.hex)
CODES = st.sampled_from(sorted(REASONS))
CODE_LISTS = st.lists(CODES, max_size=2).map(tuple)
LABELS = st.dictionaries(TEXTS, TEXTS, max_size=3)
SHARES = st.floats(0, 1)
NUMBERS = st.floats(-1e9, 1e9)
JSON_OBJECTS = st.dictionaries(TEXTS, st.none() | TEXTS | COUNTS | st.lists(TEXTS, max_size=2), max_size=3)

COMMITMENTS = st.builds(Commitment, DIGESTS, COUNTS, st.sampled_from([TEXT, JSON]))
CELLS = st.one_of(
    st.builds(Cell, TEXTS, COUNTS, TEXTS, st.none(), st.none()), st.builds(Cell, TEXTS, COUNTS, TEXTS, TEXTS, TEXTS)
)
CASES = st.builds(
    Case, TEXTS, TEXTS, COUNTS, LABELS, LABELS, COUNTS, st.booleans(), COMMITMENTS, st.none() | COMMITMENTS, SALTS
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    judge = draw(st.none() | TEXTS)
    reason = draw(st.none() | CODES)
    return Observation(
        role="system" if judge is None else "judge",
        case_set=draw(TEXTS),
        id=draw(TEXTS),
        system=draw(TEXTS),
        judge=judge,
        ordinal=draw(COUNTS),
        repeat=draw(COUNTS),
        identity=draw(DIGESTS),
        reason=reason,
        output=None if reason else draw(COMMITMENTS),
        usage=draw(st.none() | st.dictionaries(TEXTS, COUNTS, max_size=2)),
        served_model=draw(st.none() | TEXTS),
        salt=draw(SALTS),
    )


OUTPUTS = st.dictionaries(TEXTS, st.booleans() | st.integers(-99, 99) | NUMBERS | TEXTS, max_size=3)
MEASUREMENTS = st.builds(
    Measurement,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    COUNTS,
    DIGESTS,
    st.lists(DIGESTS, max_size=2).map(tuple),
    OUTPUTS,
    st.none() | CODES,
    SALTS,
) | st.builds(
    Measurement,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    COUNTS,
    DIGESTS,
    st.lists(DIGESTS, max_size=2).map(tuple),
    st.none(),
    CODES,
    SALTS,
)


@st.composite
def counts(draw: st.DrawFn) -> Counts:
    observed, missing, more = draw(st.tuples(*[st.integers(0, 10**9)] * 3))
    return Counts(observed + missing + more, observed + missing, observed, missing)


@st.composite
def certificates(draw: st.DrawFn) -> Certificate:
    right, missing, wrong = draw(st.tuples(*[st.integers(0, 10**9)] * 3))
    return Certificate(right, right + missing + wrong, missing, draw(TEXTS), draw(TEXTS))


@st.composite
def inferences(draw: st.DrawFn) -> Inference:
    lower, upper = sorted(draw(st.tuples(SHARES, SHARES)))
    return Inference(
        cell=draw(CELLS),
        metric=draw(TEXTS),
        method=draw(st.none() | st.builds(Method, TEXTS, COUNTS, st.sampled_from(GUARANTEES))),
        assumptions=draw(st.lists(TEXTS, max_size=2).map(tuple)),
        confidence=draw(TEXTS),
        bound_alpha=draw(TEXTS),
        counts=draw(counts()),
        n_clusters=draw(st.none() | COUNTS),
        lower=draw(st.sampled_from([None, lower])),
        upper=draw(st.sampled_from([None, upper])),
        estimate=draw(st.none() | SHARES),
        estimate_low=draw(st.none() | SHARES),
        estimate_high=draw(st.none() | SHARES),
        certificate=draw(st.none() | certificates()),
        declined=draw(st.booleans()),
        reasons=draw(CODE_LISTS),
        key=draw(DIGESTS),
        seed=draw(st.none() | DIGESTS),
    )


@st.composite
def diagnoses(draw: st.DrawFn) -> Diagnosis:
    failed, more = draw(st.tuples(*[st.integers(0, 10**9)] * 2))
    factor = draw(st.builds(Factor, st.sampled_from(KINDS), TEXTS, TEXTS, TEXTS, TEXTS, TEXTS))
    texts = draw(st.lists(TEXTS, max_size=3).map(tuple))
    return Diagnosis(
        factor, failed, failed + more, draw(SHARES), draw(SHARES), draw(TEXTS), draw(TEXTS), draw(COUNTS), texts
    )


DECISIONS = st.builds(Decision, CELLS, st.sampled_from([">=", "<="]), TEXTS, st.sampled_from(DecisionState), CODE_LISTS)
BECAUSE = st.builds(Because, TEXTS, st.sampled_from(DecisionState), st.booleans(), st.sampled_from(Action))
RECOMMENDATIONS = st.builds(
    Recommendation,
    st.sampled_from(Action),
    st.lists(BECAUSE, max_size=3).map(tuple),
    st.lists(st.builds(NextStep, st.none() | CELLS, CODES), max_size=2).map(tuple),
)
EVIDENCE = st.builds(
    Evidence,
    JSON_OBJECTS,
    st.lists(JSON_OBJECTS, max_size=2).map(tuple),
    JSON_OBJECTS,
    JSON_OBJECTS,
    JSON_OBJECTS,
    JSON_OBJECTS,
)

#: Every record type with its strategy.
RECORDS = {
    Case: CASES,
    Observation: observations(),
    Measurement: MEASUREMENTS,
    Inference: inferences(),
    Diagnosis: diagnoses(),
    Decision: DECISIONS,
    Recommendation: RECOMMENDATIONS,
    Evidence: EVIDENCE,
}
#: The records that stand inside others.
PARTS = {Commitment: COMMITMENTS, Counts: counts(), Certificate: certificates(), Because: BECAUSE}
