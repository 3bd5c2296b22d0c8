"""An engine for tests: answers at once, in this process, with batches and an order that the test decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random

from oloproof.canon.encoding import Json
from oloproof.engine.work import AdapterCannotStart, AdapterSpec, Call, Outcome, Stop

Answer = Callable[[Mapping[str, Json]], Mapping[str, Json]]


def reply(output: Json, *, usage: Json = None, served_model: str | None = None) -> dict[str, Json]:
    """A system's body."""
    return {"output": output, "served_model": served_model, "usage": usage}


def verdict(*, reason: str | None = None, **outputs: Json) -> dict[str, Json]:
    """An evaluator's body."""
    return {"outputs": outputs, "reason": reason}


def failed(code: str, detail: str = "") -> dict[str, Json]:
    """A failure's body."""
    return {"detail": detail, "failure": code}


class FakeEngine:
    """calls: every payload that was answered, by adapter name. starts: adapters in the order they were started."""

    def __init__(self, answers: Mapping[str, Answer], *, batch: int = 64, shuffle: int | None = None) -> None:
        self.answers, self.batch = dict(answers), batch
        self.calls: dict[str, list[Mapping[str, Json]]] = {}
        self.starts: list[str] = []
        self.stop_after: int | None = None
        self.broken: dict[str, str] = {}
        self._random = None if shuffle is None else Random(shuffle)  # noqa: S311 -- an order for tests

    def run(self, spec: AdapterSpec, calls: Iterable[Call], stop: Stop) -> Iterator[Sequence[Outcome]]:
        if spec.name in self.broken:
            raise AdapterCannotStart(spec.name, self.broken[spec.name])
        self.starts.append(spec.name)
        made = self.calls.setdefault(spec.name, [])
        answer = self.answers[spec.name]
        source = iter(calls)
        while not stop.is_requested and (batch := list(islice(source, self.batch))):
            outcomes = []
            for call in batch:
                if self.stop_after is not None and len(made) >= self.stop_after:
                    stop.signal = 2
                    break
                made.append(call.payload)
                outcomes.append(Outcome(call.index, answer(call.payload), 1.5))
            if self._random:
                self._random.shuffle(outcomes)
            if outcomes:
                yield outcomes

    @property
    def n_calls(self) -> int:
        return sum(map(len, self.calls.values()))
