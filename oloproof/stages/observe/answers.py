"""A system's answer from the engine to the store and back: systems are strangers, so it is checked here again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import NamedTuple

from oloproof.canon.encoding import MAX_INTEGER, Json, NotCanonical, encode
from oloproof.chain.commitment import JSON, TEXT
from oloproof.chain.reasons import REASONS, About
from oloproof.engine.plain_json import MAX_ANSWER_BYTES
from oloproof.ports.store import StoreUnusable
from oloproof.stages.intake import failure, failure_in

_HEAD = b'{"output":'
_PLAIN_TAIL = b',"served_model":null,"usage":null}'


class Answer(NamedTuple):
    """A stored answer. reason: why there is none, and then content is empty. served_model, usage: canonical JSON."""

    reason: str | None
    content: bytes
    media_type: str
    served_model: str
    usage: str


def settle(body: Mapping[str, Json]) -> bytes:
    """The body to store: canonical JSON of the engine's body without `detail`, or of a failure."""
    if "failure" in body:
        return failure(_known_reason(body["failure"]))
    output, served_model, usage = body.get("output"), body.get("served_model"), body.get("usage")
    try:
        text = _text(output)
    except _Unfit as unfit:
        return failure(unfit.code)
    if served_model is None and usage is None:
        return _HEAD + text + _PLAIN_TAIL
    rest = encode({"served_model": _model(served_model), "usage": _usage(usage)})
    return _HEAD + text + b"," + rest[1:]


def read(body: bytes) -> Answer:
    """The answer in a stored body. Raises: StoreUnusable for a body that settle cannot have written."""
    reason = failure_in(body)
    if reason is not None:
        return Answer(reason, b"", TEXT, "null", "null")
    try:
        if body.endswith(_PLAIN_TAIL) and body.startswith(_HEAD):
            text, served_model, usage = body[len(_HEAD) : -len(_PLAIN_TAIL)], "null", "null"
            if not text.startswith(b'"'):
                return Answer(None, text, JSON, served_model, usage)
            content = text[1:-1] if b"\\" not in text else json.loads(text).encode()
            return Answer(None, content, TEXT, served_model, usage)
        value = json.loads(body)
        served_model, usage = (encode(value[name]).decode() for name in ("served_model", "usage"))
        output = value["output"]
        if isinstance(output, str):
            return Answer(None, output.encode(), TEXT, served_model, usage)
        return Answer(None, encode(output), JSON, served_model, usage)
    except (ValueError, KeyError, TypeError, AttributeError, NotCanonical) as error:
        raise StoreUnusable("of this suite", f"it holds a result that oloproof never wrote: {body[:40]!r}") from error


class _Unfit(Exception):
    """An output that is no answer; code: the reason."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def _text(output: Json) -> bytes:
    """The output's canonical JSON, encoded on its own so that it may be as deep as any other content."""
    if output is None:
        raise _Unfit("null_output")
    try:
        match output:
            case str():
                text = encode_basestring(output).encode()
            case dict():
                text = encode(output)
            case _:
                raise _Unfit("output_type")
    except (NotCanonical, UnicodeEncodeError) as error:
        raise _Unfit("output_not_json") from error
    if len(text) > MAX_ANSWER_BYTES:
        raise _Unfit("output_too_large")
    return text


def _known_reason(code: Json) -> str:
    reason = REASONS.get(code) if isinstance(code, str) else None
    return reason.code if reason is not None and reason.about is About.OBSERVATION else "system_error"


def _model(name: Json) -> str | None:
    """The model's name if it is one; a lone surrogate has no place in a record."""
    return name if isinstance(name, str) and name.isprintable() else None


def _usage(usage: Json) -> dict[str, Json] | None:
    """The counts if all are counts: an answer is not lost for odd bookkeeping."""
    if not isinstance(usage, dict):
        return None
    sound = all(name.isprintable() and type(n) is int and 0 <= n <= MAX_INTEGER for name, n in usage.items())
    return dict(usage) if sound else None
