"""What the engine is asked to run and what comes back: plain data, so that any process can do it.

A call's payload and an outcome's body are JSON objects:
system    payload {"id", "input", "repeat", "seed"}       body {"output", "served_model", "usage"} or a failure
evaluator payload {"expect", "input", "output"}           body {"outputs", "reason"} or a failure
failure   body {"detail", "failure"}, where `failure` is a reason code
`reason` of a body with outputs is a registered code; an outside evaluator's own words stand in `detail` beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from oloproof.canon.encoding import Json
from oloproof.errors import OloproofError
from oloproof.sdk.options import Secret


@dataclass(frozen=True, slots=True)
class AdapterSpec:
    """Everything that starts an adapter.

    name: as the suite calls it. factory, model: `module:Class` of the adapter and of its options. options: JSON values
    as in the plan; a secret is {"secret": NAME} and its value is in secrets. timeout_ms: of one call, None for no
    bound. concurrency: most calls at once. outputs: of an evaluator, as its manifest declares them; any other name
    or type in a verdict is `evaluator_output`.
    """

    kind: Literal["system", "evaluator"]
    name: str
    factory: str
    model: str
    options: Mapping[str, Json]
    suite_dir: str
    root: str
    execution: Literal["inline", "process"]
    timeout_ms: int | None
    concurrency: int
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    outputs: Mapping[str, Literal["bool", "real", "text"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One call. index: the caller's own number for it, unique within a run of the engine."""

    index: int
    payload: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave: always a body, whatever happened. elapsed_ms: from its start to its end, volatile."""

    index: int
    body: Mapping[str, Json]
    elapsed_ms: float


class AdapterCannotStart(OloproofError):
    """The adapter could not be built: nothing was called, and the run is RUN_ERROR."""

    exit_code = 5

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name} cannot be started: {reason}")


@dataclass(slots=True)
class Stop:
    """Set from a signal handler or by a limit: the engine admits nothing more and comes to an end."""

    signal: int | None = None

    @property
    def is_requested(self) -> bool:
        """True once somebody asked."""
        return self.signal is not None


class Engine(Protocol):
    """Runs calls. Outcomes come in batches as they finish, in any order, each index exactly once unless stopped."""

    def run(self, spec: AdapterSpec, calls: Iterable[Call], stop: Stop) -> Iterator[Sequence[Outcome]]:
        """The outcomes of all calls.

        Raises: AdapterCannotStart before any call was made, or when a worker that had to be replaced cannot be
        started again; what has finished until then was given out.
        """
