"""1xx: kinds, names, attributes and how often each may stand."""

from oloproof.language.diagnostics import Rule, Severity

UNKNOWN_KIND = Rule("OLO101", "unknown-kind")
UNKNOWN_NAME = Rule("OLO102", "unknown-name")
WRONG_KIND = Rule("OLO103", "wrong-kind-of-name")
DUPLICATE_NAME = Rule("OLO104", "duplicate-name")
UNUSED = Rule("OLO105", "unused", Severity.WARNING)
UNKNOWN_ATTRIBUTE = Rule("OLO106", "unknown-attribute")
MISSING_ATTRIBUTE = Rule("OLO107", "missing-attribute")
BAD_HEADER = Rule("OLO108", "malformed-declaration")
NOT_AVAILABLE = Rule("OLO109", "not-available")
SUITE_COUNT = Rule("OLO110", "one-suite")
AMBIGUOUS = Rule("OLO111", "ambiguous-choice")
BAD_FILE_PATH = Rule("OLO112", "unusable-path")
SET_TWICE = Rule("OLO121", "attribute-set-twice")
PLACEHOLDER = Rule("OLO132", "literal-placeholder")

RULES = (
    UNKNOWN_KIND,
    UNKNOWN_NAME,
    WRONG_KIND,
    DUPLICATE_NAME,
    UNUSED,
    UNKNOWN_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    BAD_HEADER,
    NOT_AVAILABLE,
    SUITE_COUNT,
    AMBIGUOUS,
    BAD_FILE_PATH,
    SET_TWICE,
    PLACEHOLDER,
)
