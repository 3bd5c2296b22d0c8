"""The links of the chain: their names, their files and the order of records in a file."""

from __future__ import annotations

from enum import StrEnum

#: Version of the record shapes below; a change of any of them is a new format of specs/chain.md.
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
