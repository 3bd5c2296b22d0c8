"""Reading a record file once: the bytes that are parsed are the bytes that are hashed."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from typing import Final, Generic, TypeVar

from oloproof.canon.digests import BadDigest, bytes_of, leaf_hash, text_of
from oloproof.canon.encoding import MAX_LINE_BYTES, Json, NotCanonical, parse
from oloproof.canon.merkle import Frontier
from oloproof.chain.case import Case
from oloproof.chain.counts import IncoherentCounts
from oloproof.chain.decision import Decision
from oloproof.chain.diagnosis import Diagnosis
from oloproof.chain.evidence import Evidence
from oloproof.chain.fields import BadRecord
from oloproof.chain.inference import Inference
from oloproof.chain.link import Link
from oloproof.chain.measurement import Measurement
from oloproof.chain.observation import Observation
from oloproof.chain.reasons import UnknownReason
from oloproof.chain.recommendation import Recommendation
from oloproof.stages.attest import layout
from oloproof.stages.attest.files import Folder
from oloproof.stages.attest.statement import FileClaim
from oloproof.stages.attest.verdict import Failure, FailureClass, Level, Rejected

R = TypeVar("R")

#: Longest case id, in bytes of UTF-8.
MAX_ID_BYTES: Final = 512
_PIECE = 1 << 20
_SALT = re.compile(r"[0-9a-f]{32}\Z")
#: Characters that change the direction of text (Unicode Bidi_Control); no case id may hold one, nor a control.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Shape(Generic[R]):
    """How the records of one link are read, and what orders them in their file."""

    link: Link
    read: Callable[[Json], R]
    order: Callable[[R], object]


@dataclass(frozen=True, slots=True)
class Line(Generic[R]):
    """A record with its leaf hash and its number in the file, from 1."""

    record: R
    leaf: bytes
    number: int


class RecordFile(Generic[R]):
    """One record file on its way through the check; open_records makes it.

    take() gives record after record and, at the end, holds the file to what was signed of it; settle() does that
    alone where the taking was given up, so that a changed file is told from one that was signed as it is.
    """

    __slots__ = ("_claim", "_hash", "_is_ended", "_last", "_number", "_shape", "_size", "_stream", "_tree", "name")

    def __init__(self, stream: BufferedReader, shape: Shape[R], claim: FileClaim) -> None:
        self.name = layout.records(shape.link)
        self._stream, self._shape, self._claim = stream, shape, claim
        self._hash, self._tree = hashlib.sha256(), Frontier()
        self._size = self._number = 0
        self._last: object = None
        self._is_ended = False

    def take(self) -> Line[R] | None:
        """The next record, or None after the last one.

        Raises: Rejected: MALFORMED for a line that is no canonical record of this link, INTEGRITY for one out of order
        and for a file that differs from its claim.
        """
        if self._is_ended:
            return None
        line = self._stream.readline(MAX_LINE_BYTES + 2)
        self._hash.update(line)
        self._size += len(line)
        if not line:
            self._end()
            return None
        self._number += 1
        if self._size > self._claim.size:
            raise self.rejected(FailureClass.INTEGRITY, "the file is longer than what was signed")
        if not line.endswith(b"\n"):
            raise self.rejected(FailureClass.MALFORMED, f"no line of at most {MAX_LINE_BYTES} bytes that ends in LF")
        body = line[:-1]
        record = self._read(body)
        order = self._shape.order(record)
        if self._last is not None and not self._last < order:  # type: ignore[operator] # of one type and ordered
            raise self.rejected(FailureClass.INTEGRITY, "out of order, or a second one of its kind")
        self._last = order
        leaf = leaf_hash(body)
        self._tree.add(leaf)
        return Line(record, leaf, self._number)

    def __iter__(self) -> Iterator[Line[R]]:
        while (line := self.take()) is not None:
            yield line

    def rejected(self, failure_class: FailureClass, reason: str) -> Rejected:
        """The failure to raise about the record that was taken last."""
        return Rejected(failure_class, f"{self.name} line {self._number}", reason)

    def settle(self) -> Failure | None:
        """What is wrong with the file's bytes as a whole, whatever is wrong with single records."""
        while piece := self._stream.read(_PIECE):
            self._hash.update(piece)
            self._size += len(piece)
            if self._size > self._claim.size:
                break
        if self._size != self._claim.size or text_of(self._hash.digest()) != self._claim.sha256:
            reason = "its bytes are not those that were signed"
            return Failure(FailureClass.INTEGRITY, Level.INTEGRITY, self.name, reason)
        return None

    def _read(self, body: bytes) -> R:
        try:
            return self._shape.read(parse(body))
        except (NotCanonical, BadRecord, BadDigest, UnknownReason) as error:
            raise self.rejected(FailureClass.MALFORMED, str(error)) from error
        except IncoherentCounts as error:
            raise self.rejected(FailureClass.INTEGRITY, str(error)) from error

    def _end(self) -> None:
        self._is_ended = True
        sums = (
            ("number of records", self._number, self._claim.n),
            ("size", self._size, self._claim.size),
            ("sha256", text_of(self._hash.digest()), self._claim.sha256),
            ("Merkle root", text_of(self._tree.root()), self._claim.root),
        )
        for what, found, claimed in sums:
            if found != claimed:
                reason = f"its {what} is {found}; {claimed} was signed"
                raise Rejected(FailureClass.INTEGRITY, self.name, reason)


@contextmanager
def open_records(folder: Folder, shape: Shape[R], claim: FileClaim) -> Iterator[RecordFile[R]]:
    """A record file, opened. Raises: Rejected (INTEGRITY) where its size is not the signed one, before any is read."""
    name = layout.records(shape.link)
    with folder.open(name) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size != claim.size:
            raise Rejected(FailureClass.INTEGRITY, name, f"{size} bytes; {claim.size} were signed")
        yield RecordFile(stream, shape, claim)


def _read_case(value: Json) -> Case:
    case = Case.from_json(value)
    _check_salt(Link.CASE, case.salt)
    if not _is_plain_id(case.id):
        raise BadRecord(Link.CASE, "an id is NFC text of 1 to 512 bytes without control or direction characters")
    return case


def _read_observation(value: Json) -> Observation:
    observation = Observation.from_json(value)
    _check_salt(Link.OBSERVATION, observation.salt)
    return observation


def _read_measurement(value: Json) -> Measurement:
    measurement = Measurement.from_json(value)
    _check_salt(Link.MEASUREMENT, measurement.salt)
    for leaf in measurement.observations:
        bytes_of(leaf)
    return measurement


def _check_salt(link: Link, salt: str) -> None:
    if not _SALT.match(salt):
        raise BadRecord(link, "salt must be 32 lower-case hexadecimal digits")


def _is_plain_id(text: str) -> bool:
    return (
        1 <= len(text.encode()) <= MAX_ID_BYTES
        and unicodedata.is_normalized("NFC", text)
        and not _BIDI.intersection(text)
        and not any(unicodedata.category(character) == "Cc" for character in text)
    )


# Strings compare by code points, which is the order of their UTF-8 bytes.
CASES: Final = Shape(Link.CASE, _read_case, lambda case: (case.case_set, case.id))
OBSERVATIONS: Final = Shape(
    Link.OBSERVATION,
    _read_observation,
    lambda item: (item.role, item.case_set, item.id, item.system, item.judge or "", item.ordinal, item.repeat),
)
MEASUREMENTS: Final = Shape(
    Link.MEASUREMENT,
    _read_measurement,
    lambda item: (item.case_set, item.id, item.system, item.evaluator, item.repeat),
)
INFERENCES: Final = Shape(Link.INFERENCE, Inference.from_json, lambda item: item.cell.sort_key())
DIAGNOSES: Final = Shape(Link.DIAGNOSIS, Diagnosis.from_json, lambda item: item.factor.sort_key())
DECISIONS: Final = Shape(
    Link.DECISION, Decision.from_json, lambda item: (item.cell.gate.encode(), item.cell.sort_key())
)
RECOMMENDATIONS: Final = Shape(Link.RECOMMENDATION, Recommendation.from_json, lambda _: 0)
EVIDENCES: Final = Shape(Link.EVIDENCE, Evidence.from_json, lambda _: 0)
