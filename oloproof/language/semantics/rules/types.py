"""2xx: types of values, units, and the plugins that give types."""

from oloproof.language.diagnostics import Rule, Severity

WRONG_TYPE = Rule("OLO201", "wrong-type")
WRONG_UNIT = Rule("OLO202", "wrong-unit")
NOT_ONE_OF = Rule("OLO203", "not-one-of")
OUT_OF_RANGE = Rule("OLO204", "value-out-of-range")
UNKNOWN_TYPE = Rule("OLO205", "unknown-type")
MAJOR_NOT_AVAILABLE = Rule("OLO206", "major-not-available")
PLUGIN_BROKEN_UNUSED = Rule("OLO210", "broken-plugin-unused", Severity.WARNING)
PLUGIN_BROKEN = Rule("OLO211", "broken-plugin")
BAD_PATH = Rule("OLO212", "malformed-path")
TARGET = Rule("OLO213", "unusable-target")
OPTION_REFUSED = Rule("OLO214", "option-refused")
BAD_CALL = Rule("OLO215", "unknown-function")
SECRET_LITERAL = Rule("OLO701", "literal-secret")

RULES = (
    WRONG_TYPE,
    WRONG_UNIT,
    NOT_ONE_OF,
    OUT_OF_RANGE,
    UNKNOWN_TYPE,
    MAJOR_NOT_AVAILABLE,
    PLUGIN_BROKEN_UNUSED,
    PLUGIN_BROKEN,
    BAD_PATH,
    TARGET,
    OPTION_REFUSED,
    BAD_CALL,
    SECRET_LITERAL,
)
