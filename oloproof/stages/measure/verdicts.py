"""An evaluator's verdict from the engine to the store and back: checked against what its manifest declares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from typing import NamedTuple

from oloproof.canon.encoding import Json, NotCanonical, encode
from oloproof.chain.reasons import REASONS, About
from oloproof.stages.intake import failure, failure_in

_HEAD, _REASON = b'{"outputs":', b',"reason":'


class Stored(NamedTuple):
    """A stored verdict in canonical JSON: outputs (`null` for missing) and reason (`null` or a code in quotes)."""

    outputs: str
    reason: str


def settle(outputs: Sequence[tuple[str, str]], body: Mapping[str, Json]) -> bytes:
    """The body to store. outputs: the declared (name, type), sorted; types are `bool`, `real`, `text`.

    A verdict may leave out numbers and texts that it does not have; its booleans are what metrics count.
    """
    if "failure" in body:
        return failure(_known_reason(body["failure"], "evaluator_error"))
    found = body.get("outputs")
    if not isinstance(found, dict) or not found.keys() <= {name for name, _ in outputs}:
        return failure("evaluator_output")
    texts = []
    for name, kind in outputs:
        if name not in found and kind != "bool":
            continue
        try:
            texts.append(f'"{name}":{_text(kind, found.get(name))}')
        except _Unfit as unfit:
            return failure(unfit.code)
    reason = body.get("reason")
    code = "null" if reason is None else f'"{_known_reason(reason, "plugin_reason")}"'
    return f'{{"outputs":{{{",".join(texts)}}},"reason":{code}}}'.encode()


@lru_cache(maxsize=1024)
def read(body: bytes) -> Stored:
    """The verdict in a stored body."""
    reason = failure_in(body)
    if reason is not None:
        return Stored("null", f'"{reason}"')
    head, _, tail = body.rpartition(_REASON)  # a reason code holds no quotes, so this is the last one
    return Stored(head[len(_HEAD) :].decode(), tail[:-1].decode())


class _Unfit(Exception):
    """An output that is not what was declared; code: the reason."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def _text(kind: str, value: Json) -> str:
    """Canonical JSON of one output of that type."""
    if kind == "bool" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "text" and isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _Unfit("evaluator_output")
        return encode_basestring(value)
    if kind == "real" and (type(value) is int or type(value) is float):
        return _real(value)
    raise _Unfit("evaluator_output")


def _real(value: float) -> str:
    if type(value) is float and not math.isfinite(value):
        raise _Unfit("non_finite")
    try:
        return encode(value).decode()
    except NotCanonical as error:  # a number beyond 2^53
        raise _Unfit("evaluator_output") from error


def _known_reason(code: Json, otherwise: str) -> str:
    reason = REASONS.get(code) if isinstance(code, str) else None
    return reason.code if reason is not None and reason.about is About.MEASUREMENT else otherwise
