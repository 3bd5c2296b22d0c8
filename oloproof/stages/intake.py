"""How results of calls reach the store: block by block, nothing called twice, nothing acknowledged lost.

The floor below the stages that call something (observe, measure); it knows neither systems nor evaluators.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

from oloproof.canon.encoding import Json
from oloproof.chain.link import Link
from oloproof.chain.reasons import REASONS
from oloproof.engine.work import AdapterSpec, Call, Engine, Outcome, Stop
from oloproof.ports.store import Result, Store

#: Longest detail of a failure that is kept beside its result, in characters.
MAX_DETAIL = 2000

_FAILURE, _FAILURE_END = b'{"failure":"', b'"}'


class Progress(NamedTuple):
    """How far a system variant or an evaluator is: settled executions (called or reused) of those planned, if known."""

    name: str
    settled: int
    planned: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """Executions looked up together and stored together. payload: of the execution with that number in keys."""

    keys: Sequence[bytes]
    payload: Callable[[int], Mapping[str, Json]]


class Desk(NamedTuple):
    """Where calls go and how their results are taken.

    settle: the body to store for what the engine gave. serves: which stored results make a call needless.
    holds: results wait in memory until their block is whole, since losing one costs next to nothing.
    """

    engine: Engine
    spec: AdapterSpec
    stop: Stop
    settle: Callable[[Mapping[str, Json]], bytes]
    serves: Literal["all", "settled", "none"]
    holds: bool


def failure(code: str) -> bytes:
    """The stored body of a missing result."""
    return _FAILURE + code.encode() + _FAILURE_END


def failure_in(body: bytes) -> str | None:
    """The reason code of a stored missing result; None for every other result."""
    return body[len(_FAILURE) : -len(_FAILURE_END)].decode(errors="replace") if body.startswith(_FAILURE) else None


@dataclass(slots=True)
class _Open:
    """A block some of whose calls are out. held: results that are not acknowledged yet."""

    left: int
    results: list[Result] = field(default_factory=list)
    held: list[Result] = field(default_factory=list)


class Intake:
    """Takes the results of one link and scope into the store.

    called, reused: executions so far. endings: reason code, or None for an answer → how many; a result shared with a
    call that is still out is not among them. details: the first failure's own words by reason, of calls made now.
    """

    def __init__(self, store: Store, link: Link, scope: str, desk: Desk) -> None:
        self._store, self._link, self._scope, self._desk = store, link, scope, desk
        self._out: dict[int, tuple[bytes, _Open]] = {}
        self._open: dict[int, _Open] = {}
        self._asked: set[bytes] = set()
        self._is_exhausted = False
        self.called = self.reused = 0
        self.endings: Counter[str | None] = Counter()
        self.details: dict[str, str] = {}

    @property
    def is_done(self) -> bool:
        """True once every execution was served or called."""
        return self._is_exhausted and not self._out

    def run(self, blocks: Iterable[Block]) -> Iterator[None]:
        """Serves what is stored and calls the rest; control comes back after each batch of results.

        The engine is not started where everything is stored. Raises: AdapterCannotStart, StoreUnusable.
        """
        calls = self._calls(blocks)
        first = next(calls, None)
        if first is None:
            return
        outcomes = self._desk.engine.run(self._desk.spec, chain((first,), calls), self._desk.stop)
        try:
            for batch in outcomes:
                self._take(batch)
                yield
        finally:
            if isinstance(outcomes, Generator):
                outcomes.close()
        held = [result for open_ in self._open.values() for result in open_.held]
        if held:
            self._store.append(self._link, self._scope, held)

    def _calls(self, blocks: Iterable[Block]) -> Iterator[Call]:
        index = 0
        for block in blocks:
            missing = self._missing(block.keys)
            if not missing:
                continue
            open_ = _Open(len(missing))
            self._open[id(open_)] = open_
            for number in missing:
                self._out[index] = block.keys[number], open_
                yield Call(index, block.payload(number))
                index += 1
        self._is_exhausted = True

    def _missing(self, keys: Sequence[bytes]) -> list[int]:
        """The numbers of the executions that must be called; an execution that is out already is not called twice."""
        if self._desk.serves == "none":
            found: list[Result | None] = [None] * len(keys)
        else:
            found = self._store.lookup(self._link, self._scope, keys)
        missing = []
        for number, result in enumerate(found):
            if result is not None and self._is_served(ending := failure_in(result.body)):
                self.endings[ending] += 1
            elif keys[number] not in self._asked:
                self._asked.add(keys[number])
                missing.append(number)
        self.reused += len(keys) - len(missing)
        return missing

    def _is_served(self, ending: str | None) -> bool:
        if ending is None:
            return True
        reason = REASONS.get(ending)
        return reason is not None and (self._desk.serves == "all" or not reason.retriable)

    def _take(self, batch: Sequence[Outcome]) -> None:
        whole, journaled = list[_Open](), list[Result]()
        touched = dict[int, _Open]()
        for outcome in batch:
            key, open_ = self._out.pop(outcome.index)
            result = Result(key, self._desk.settle(outcome.body), _volatile(outcome))
            self.endings[ending := failure_in(result.body)] += 1
            if ending is not None and (detail := outcome.body.get("detail")):
                self.details.setdefault(ending, str(detail)[:MAX_DETAIL])
            open_.results.append(result)
            open_.held.append(result)
            open_.left -= 1
            touched[id(open_)] = open_
        self.called += len(batch)
        for open_ in touched.values():
            if not open_.left:
                whole.append(open_)
            elif not self._desk.holds:
                journaled += open_.held
                open_.held = []
        if journaled:
            self._store.append(self._link, self._scope, journaled)
        for open_ in whole:
            del self._open[id(open_)]
            self._store.seal(self._link, self._scope, open_.results)
            self._asked.difference_update(result.key for result in open_.results)


def _volatile(outcome: Outcome) -> bytes:
    """What is kept beside a result: how long it took, and the words of a failure."""
    detail = outcome.body.get("detail")
    words = f',"detail":{json.dumps(str(detail)[:MAX_DETAIL])}' if detail else ""
    return f'{{"elapsed_ms":{outcome.elapsed_ms:.3f}{words}}}'.encode()
