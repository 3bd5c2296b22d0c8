"""The links of the chain by name, and which of them commit to packed contents."""

from __future__ import annotations

from enum import StrEnum

#: Version of the record shapes of this package; a change of any of them is a new format of specs/chain.md.
RECORD_VERSION = 1


class Link(StrEnum):
    """One kind of record; the value is its `link` field and names its file in a bundle."""

    CASE = "case"
    OBSERVATION = "observation"
    MEASUREMENT = "measurement"
    INFERENCE = "inference"
    DIAGNOSIS = "diagnosis"
    DECISION = "decision"
    RECOMMENDATION = "recommendation"
    EVIDENCE = "evidence"


#: Links whose records refer to contents kept in a blob pack of their own.
PACKED = (Link.CASE, Link.OBSERVATION)
