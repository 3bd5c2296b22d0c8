"""The only door for plugins: what an outside system, evaluator or source imports of oloproof.

Everything in __all__ is a promise within one major of SDK_VERSION; nothing else of oloproof is.
"""

from oloproof.canon.encoding import Json
from oloproof.sdk.manifest import SDK_VERSION, Kind, Manifest
from oloproof.sdk.options import Context, DataFile, Duration, FieldPath, InlineCases, Options, Secret, Target, option
from oloproof.sdk.paths import ABSENT, Absent, BadPath, FieldRef, MaybeJson, look_up, parse_path
from oloproof.sdk.protocols import Evaluator, RowKeyed, Source, System
from oloproof.sdk.records import Case, Failure, Permanent, Refused, Reply, Request, Row, RowFault, Transient, Verdict

__all__ = [
    "ABSENT",
    "SDK_VERSION",
    "Absent",
    "BadPath",
    "Case",
    "Context",
    "DataFile",
    "Duration",
    "Evaluator",
    "Failure",
    "FieldPath",
    "FieldRef",
    "InlineCases",
    "Json",
    "Kind",
    "Manifest",
    "MaybeJson",
    "Options",
    "Permanent",
    "Refused",
    "Reply",
    "Request",
    "Row",
    "RowFault",
    "RowKeyed",
    "Secret",
    "Source",
    "System",
    "Target",
    "Transient",
    "Verdict",
    "look_up",
    "option",
    "parse_path",
]
