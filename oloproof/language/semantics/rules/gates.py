"""5xx and 6xx: metrics that mean what they say, gates that can decide."""

from oloproof.language.diagnostics import Rule, Severity

NOT_BOOLEAN = Rule("OLO501", "proportion-of-non-boolean")
METHOD_NOT_VALID = Rule("OLO502", "method-not-valid")
ESTIMAND = Rule("OLO503", "estimand-undeclared")
CLUSTER_IGNORED = Rule("OLO506", "cluster-ignored", Severity.WARNING)
CAP_EXCEEDED = Rule("OLO507", "cluster-above-max-size")
ERRORS_UNDER_MAXIMUM = Rule("OLO508", "errors-failed-under-maximum")
CANNOT_PASS = Rule("OLO601", "gate-cannot-pass")
CANNOT_PASS_ADVISORY = Rule("OLO611", "advisory-gate-cannot-pass", Severity.WARNING)
CANNOT_FAIL = Rule("OLO602", "gate-cannot-fail", Severity.WARNING)
THRESHOLD_RANGE = Rule("OLO603", "threshold-out-of-range")
TRIVIALLY_MET = Rule("OLO604", "gate-trivially-met", Severity.WARNING)
THRESHOLD_LITERAL = Rule("OLO605", "threshold-not-literal")
CONFIDENCE_RANGE = Rule("OLO606", "confidence-out-of-range")
NO_GATE = Rule("OLO607", "no-gate")
NO_CORRECTION = Rule("OLO609", "family-without-correction")
NO_REQUIRE = Rule("OLO610", "gate-requires-nothing")

RULES = (
    NOT_BOOLEAN,
    METHOD_NOT_VALID,
    ESTIMAND,
    CLUSTER_IGNORED,
    CAP_EXCEEDED,
    ERRORS_UNDER_MAXIMUM,
    CANNOT_PASS,
    CANNOT_FAIL,
    THRESHOLD_RANGE,
    TRIVIALLY_MET,
    THRESHOLD_LITERAL,
    CONFIDENCE_RANGE,
    NO_GATE,
    NO_CORRECTION,
    NO_REQUIRE,
    CANNOT_PASS_ADVISORY,
)
