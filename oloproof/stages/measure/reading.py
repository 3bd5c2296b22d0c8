"""The stored observations, each with its case's row and its answer's content, row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from typing import NamedTuple, NoReturn

from oloproof.canon.digests import SALT_BYTES
from oloproof.canon.encoding import parse
from oloproof.canon.lines import Chunk
from oloproof.chain.commitment import TEXT
from oloproof.chain.fields import BadRecord
from oloproof.chain.link import Link
from oloproof.chain.observation import Observation
from oloproof.plan.cases import CaseRow, CaseSet

_STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_ANY = rb'(?:null|"[^"\\]*(?:\\.[^"\\]*)*")'
#: A canonical observation line up to its system, in a quarter of the time of parsing it.
_LINE = re.compile(
    rb'\{"id":' + _STRING + rb',"identity":"[^"]*","judge":' + _ANY + rb',"link":"observation","ordinal":\d+,'
    rb'"output":(?:null|\{"commitment":"[^"]*","media_type":"([^"]*)","size":(\d+)\}),'
    rb'"reason":(?:null|"([a-z_]+)"),"repeat":(\d+),"role":"([a-z]+)","salt":"[^"]*","served_model":' + _ANY + rb","
    rb'"set":' + _STRING + rb',"status":"[a-z]+","system":' + _STRING + rb","
)
_TEXT = TEXT.encode()


class Observed(NamedTuple):
    """An observation of a system. leaf: its leaf hash. reason: why there is no answer, and then there is no content.

    digest: of the answer's content and media type, without its salt: equal answers have equal digests.
    """

    case_set: str
    row: CaseRow
    system: str
    repeat: int
    leaf: bytes
    reason: str | None
    content: bytes
    is_text: bool
    digest: str


def read_observed(chunks: Iterable[Chunk], case_sets: Sequence[CaseSet]) -> Iterator[list[Observed]]:
    """All systems' observations in file order, in lists that never part the observations of one case.

    Raises: BadRecord for an observation of a case that no set has.
    """
    rows = _Rows(case_sets)
    held: list[Observed] = []
    for chunk in chunks:
        held += _in_chunk(chunk, rows)
        if held and held[0].row is not held[-1].row:
            whole = next(n for n in range(len(held), 0, -1) if held[n - 1].row is not held[-1].row)
            yield held[:whole]
            held = held[whole:]
    if held:
        yield held


def _in_chunk(chunk: Chunk, rows: _Rows) -> Iterator[Observed]:
    start = 0
    for number, line in enumerate(chunk.lines()):
        found = _LINE.match(line) or _other_line(line)
        case_id, media_type, size, reason, repeat, role, case_set, system = found.groups()
        content, digest = b"", ""
        if size is not None:
            end = start + SALT_BYTES + int(size)
            content, start = chunk.pack[start + SALT_BYTES : end], end
            digest = f"{media_type.decode()} {sha256(content).hexdigest()}"
        if role == b"system":
            name = _name(case_set)
            yield Observed(
                name,
                rows.find(name, _value(case_id)),
                _name(system),
                int(repeat),
                chunk.leaf(number),
                None if reason is None else reason.decode(),
                content,
                media_type == _TEXT,
                digest,
            )


def _other_line(line: bytes) -> NoReturn:
    Observation.from_json(parse(line))  # says what is wrong
    raise BadRecord(Link.OBSERVATION, f"{line[:80]!r} is no line of this version")


def _value(text: bytes) -> str:
    """The string that is written so in JSON."""
    return text.decode() if b"\\" not in text else str(json.loads(b'"' + text + b'"'))


_name = lru_cache(maxsize=256)(_value)


class _Rows:
    """The rows in file order, found by walking along, since observations come in the same order."""

    def __init__(self, case_sets: Sequence[CaseSet]) -> None:
        ordered = sorted(case_sets, key=lambda case_set: case_set.name.encode())
        self._left = chain.from_iterable(((case_set.name, row) for row in case_set.rows) for case_set in ordered)
        self._here: tuple[str, CaseRow] | None = next(self._left, None)

    def find(self, case_set: str, case_id: str) -> CaseRow:
        """The row of the next observation."""
        while self._here is not None:
            name, row = self._here
            if row.id == case_id and name == case_set:
                return row
            self._here = next(self._left, None)
        raise BadRecord(Link.OBSERVATION, f"the plan's sets have no case {case_id[:80]!r} at this place")
