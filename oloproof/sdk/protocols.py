"""What a plugin's class must offer. Each is built as Class(options, context) in the process that will run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from oloproof.canon.encoding import Json
from oloproof.sdk.records import Case, Failure, Reply, Request, Row, RowFault, Verdict


@runtime_checkable
class System(Protocol):
    """An AI system under evaluation."""

    def answer(self, request: Request) -> Reply | Failure:
        """The system's answer. It may raise Transient, Permanent or Refused; any other error is `system_error`."""


@runtime_checkable
class RowKeyed(Protocol):
    """A system whose answer depends on the case beyond its input (capability `row_key`)."""

    def row_key(self, case_id: str) -> str:
        """A digest of whatever else the answer for this case depends on; equal keys mean equal answers."""


@runtime_checkable
class Evaluator(Protocol):
    """A rule that measures an answer."""

    def evaluate(self, case: Case, output: Json) -> Verdict | Failure:
        """The verdict on a string or dictionary, or why there is none. Pure: equal arguments, equal verdict."""


@runtime_checkable
class Source(Protocol):
    """Where cases come from."""

    def rows(self) -> Iterator[Row | RowFault]:
        """Every row in file order, and a fault for each place that holds none; never stops at the first."""
