"""What coordinator and worker say to each other: one JSON text a line, over pipes that user code does not know.

to the worker    the start line (start_line), then chunks: [[index, payload], ...]
from the worker  {"ready": true} or {"cannot_start": reason}, then [index, elapsed_ms, body] after each single call
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from oloproof.canon.encoding import Json
from oloproof.engine.work import AdapterSpec, Call, Outcome
from oloproof.errors import OloproofError
from oloproof.sdk.options import Secret

# Encoders are bound here once: user code may replace what the json module offers later.
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode

READY: Final = {"ready": True}


class GarbledLine(OloproofError):
    """Bytes on a worker's pipe that are none of its messages: somebody else wrote there."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"a worker's pipe holds what is no message: {reason}")


def encode_line(message: object) -> bytes:
    """One message with its LF."""
    return _encode(message).encode() + b"\n"


def decode_line(line: bytes) -> Any:  # noqa: ANN401 -- JSON
    """The message. Raises: GarbledLine."""
    try:
        return _decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise GarbledLine(type(error).__name__) from error


def start_line(spec: AdapterSpec) -> bytes:
    """The first line for a worker. The secrets' values travel here and nowhere else: no argument, no environment."""
    return encode_line(
        {
            "factory": spec.factory,
            "kind": spec.kind,
            "model": spec.model,
            "name": spec.name,
            "options": spec.options,
            "outputs": dict(spec.outputs),
            "root": spec.root,
            "secrets": {name: secret.reveal() for name, secret in spec.secrets.items()},
            "suite_dir": spec.suite_dir,
        }
    )


def read_start(line: bytes) -> AdapterSpec:
    """What start_line wrote; limits stay with the coordinator. Raises: GarbledLine, KeyError."""
    told = decode_line(line)
    return AdapterSpec(
        kind=told["kind"],
        name=told["name"],
        factory=told["factory"],
        model=told["model"],
        options=told["options"],
        suite_dir=told["suite_dir"],
        root=told["root"],
        execution="process",
        timeout_ms=None,
        concurrency=1,
        secrets={name: Secret(name, value) for name, value in told["secrets"].items()},
        outputs=told["outputs"],
    )


def chunk_line(calls: Sequence[Call]) -> bytes:
    """A chunk of calls, in the order in which the worker makes them."""
    return encode_line([[call.index, call.payload] for call in calls])


def read_chunk(line: bytes) -> list[tuple[int, Mapping[str, Json]]]:
    """What chunk_line wrote. Raises: GarbledLine."""
    return cast("list[tuple[int, Mapping[str, Json]]]", decode_line(line))


def result_line(index: int, elapsed_ms: float, body: Mapping[str, Json]) -> bytes:
    """One finished call."""
    return encode_line([index, elapsed_ms, body])


def read_result(line: bytes) -> Outcome:
    """What result_line wrote. Raises: GarbledLine."""
    match decode_line(line):
        case [int() as index, int() | float() as elapsed_ms, dict() as body]:
            return Outcome(index, body, elapsed_ms)
        case _:
            raise GarbledLine("a result is due")
