"""3xx: the rows that a suite names."""

from oloproof.language.diagnostics import Rule, Severity

UNREADABLE = Rule("OLO301", "unreadable-data")
MALFORMED_ROW = Rule("OLO302", "malformed-row")
DUPLICATE_CASE = Rule("OLO303", "duplicate-case-id")
FIELD_ABSENT = Rule("OLO304", "field-absent")
CLUSTER_KEY_ABSENT = Rule("OLO305", "cluster-key-absent")
NO_CASES = Rule("OLO306", "no-cases")
BAD_CASE_ID = Rule("OLO307", "unusable-case-id")
UNCARRIABLE = Rule("OLO308", "value-json-cannot-carry")
DOMINANT_CLUSTER = Rule("OLO310", "dominant-cluster", Severity.WARNING)
IDENTICAL_INPUTS = Rule("OLO311", "identical-inputs", Severity.WARNING)
EXPECT_ABSENT = Rule("OLO312", "expectation-absent", Severity.WARNING)
SLICE_KEY_ABSENT = Rule("OLO313", "slice-does-not-cover")
SLICE_VALUE_UNUSED = Rule("OLO314", "slice-value-never-occurs")
SLICE_TOO_SMALL = Rule("OLO315", "slice-too-small")
ELIGIBLE_FIELD_ABSENT = Rule("OLO316", "eligibility-field-absent")
NONE_ELIGIBLE = Rule("OLO317", "nothing-eligible")

RULES = (
    UNREADABLE,
    MALFORMED_ROW,
    DUPLICATE_CASE,
    FIELD_ABSENT,
    CLUSTER_KEY_ABSENT,
    NO_CASES,
    BAD_CASE_ID,
    UNCARRIABLE,
    DOMINANT_CLUSTER,
    IDENTICAL_INPUTS,
    EXPECT_ABSENT,
    SLICE_KEY_ABSENT,
    SLICE_VALUE_UNUSED,
    SLICE_TOO_SMALL,
    ELIGIBLE_FIELD_ABSENT,
    NONE_ELIGIBLE,
)
