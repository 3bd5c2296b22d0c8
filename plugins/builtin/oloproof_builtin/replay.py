"""The system `replay`: answers that were recorded, looked up by the case's id."""

from __future__ import annotations

import hashlib
import json
from typing import BinaryIO, NamedTuple

from oloproof.sdk import (
    ABSENT,
    Context,
    Failure,
    FieldRef,
    Json,
    MaybeJson,
    Permanent,
    Reply,
    Request,
    RowFault,
    look_up,
    parse_path,
)
from oloproof_builtin.json_lines import read_line, read_lines
from oloproof_builtin.manifests import ReplayOptions


class _Place(NamedTuple):
    """Where a row's bytes are, and the digest of its content."""

    number: int
    offset: int
    size: int
    digest: bytes


class Replay:
    """Holds where each row is and not the rows, so that a recording of any length fits.

    Raises Permanent for a recording that cannot be trusted: a line that is no object, a row without an id, an id twice.
    """

    def __init__(self, options: ReplayOptions, context: Context) -> None:
        self._name = options.path
        self._id, self._output = parse_path(options.id), parse_path(options.output)
        self._error = parse_path(options.error) if options.error else None
        self._latency = parse_path(options.latency) if options.latency else None
        self._path = context.suite_dir / options.path
        with self._path.open("rb") as file:
            self._places = self._index(file)

    def answer(self, request: Request) -> Reply | Failure:
        """The recorded answer, or why there is none."""
        place = self._places.get(request.id)
        if place is None:
            return Failure("not_recorded", f"{self._name} has no row with the id {request.id}")
        fields = self._read(place)
        error = None if self._error is None else look_up(fields, self._error)
        if error not in (None, ABSENT, False, ""):
            return Failure("recorded_error", error if isinstance(error, str) else json.dumps(error))
        output = look_up(fields, self._output)
        if output is ABSENT or output is None:
            return Failure("null_output", f"{self._name}:{place.number}: nothing at {self._output.text}")
        return Reply(output)

    def row_key(self, case_id: str) -> str:
        """Digest of the row's content, whatever its spacing and the order of its keys; `none` without a row."""
        place = self._places.get(case_id)
        return "none" if place is None else f"sha256:{place.digest.hex()}"

    def _index(self, file: BinaryIO) -> dict[str, _Place]:
        places: dict[str, _Place] = {}
        for content, offset, size in read_lines(file):
            if isinstance(content, RowFault):
                raise Permanent(f"{self._name}:{content.number}: {content.problem}")
            where = f"{self._name}:{content.number}"
            case_id = _id_of(content.fields, self._id, where)
            if case_id in places:
                raise Permanent(f"{where}: the id {case_id!r} stands in line {places[case_id].number} already")
            self._check_latency(content.fields, where)
            places[case_id] = _Place(content.number, offset, size, _digest(content.fields))
        return places

    def _check_latency(self, fields: Json, where: str) -> None:
        value = None if self._latency is None else look_up(fields, self._latency)
        if value is None or value is ABSENT:
            return
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise Permanent(f"{where}: the latency must be a number of seconds, 0 or more")

    def _read(self, place: _Place) -> Json:
        with self._path.open("rb") as file:
            file.seek(place.offset)
            data = file.read(place.size)
        row = read_line(data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n"), place.number)
        if isinstance(row, RowFault) or _digest(row.fields) != place.digest:
            raise Permanent(f"{self._name}:{place.number}: changed while it was in use")
        return row.fields


def _id_of(fields: Json, path: FieldRef, where: str) -> str:
    value: MaybeJson = look_up(fields, path)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Permanent(f"{where}: no id at {path.text}; a string or an integer is due")
    return value


def _digest(fields: Json) -> bytes:
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
