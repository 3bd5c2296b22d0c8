"""Calls in this process: at once in the caller's thread, or in threads where calls may wait and have a timeout."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Final

from oloproof.engine.backlog import Backlog
from oloproof.engine.calls import Handler, failure, raised
from oloproof.engine.redaction import spellings_of
from oloproof.engine.work import AdapterSpec, Call, Outcome, Stop

#: Calls between two batches, and between two looks at the stop.
BATCH: Final = 256
#: Calls that wait for each thread; so many that a thread seldom waits for the coordinator.
_QUEUED: Final = 32
#: A sleep so long without any outcome means that all threads are waiting for something: one more is started.
_GROWTH_S: Final = 0.02


def run_directly(handler: Handler, calls: Iterable[Call], stop: Stop) -> Iterator[Sequence[Outcome]]:
    """Outcomes in the order of the calls, made one after the other in the caller's own thread."""
    batch: list[Outcome] = []
    clock = time.perf_counter
    for call in calls:
        if stop.is_requested:
            break
        began = clock()
        body = handler(call.payload)
        batch.append(Outcome(call.index, body, 1000 * (clock() - began)))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class _Seat:
    """A thread that takes calls until there are none. current: the call it is in and when that began."""

    def __init__(
        self,
        handler: Handler,
        spec: AdapterSpec,
        waiting: SimpleQueue[Call | None],
        done: SimpleQueue[Outcome],
    ) -> None:
        self.current: tuple[Call, float] | None = None
        self.is_abandoned = False
        self._handler, self._spec, self._waiting, self._done = handler, spec, waiting, done
        threading.Thread(target=self._work, name="oloproof-call", daemon=True).start()

    def _work(self) -> None:
        while not self.is_abandoned and (call := self._waiting.get()) is not None:
            began_s = time.monotonic()
            self.current = (call, began_s)
            try:
                body = self._handler(call.payload)
            except KeyboardInterrupt as error:
                # A person's arrives in the main thread only: this one is the plugin's own.
                body = raised(error, self._spec.kind, spellings_of(self._spec.secrets.values()))
            self._done.put(Outcome(call.index, body, 1000 * (time.monotonic() - began_s)))
            self.current = None


class Threads:
    """Runs calls in up to `concurrency` threads. A call that takes too long is given up, and its thread left behind."""

    def __init__(self, handler: Handler, spec: AdapterSpec, calls: Iterable[Call]) -> None:
        self._handler, self._backlog = handler, Backlog(calls)
        self._most = max(1, spec.concurrency)
        self._timeout_ms, self._spec = spec.timeout_ms, spec
        self._waiting: SimpleQueue[Call | None] = SimpleQueue()
        self._done: SimpleQueue[Outcome] = SimpleQueue()
        self._seats: list[_Seat] = []
        self._n_open = 0
        self._given_up: set[int] = set()

    def run(self, stop: Stop, *, grace_s: float) -> Iterator[Sequence[Outcome]]:
        """The outcomes as they come; after a stop, those that come within the grace."""
        try:
            while not stop.is_requested and (self._n_open or not self._backlog.is_empty):
                self._feed()
                if finished := self._gather(_GROWTH_S) + self._give_up_overdue():
                    yield finished
            if stop.is_requested:
                self._withdraw()
                last = time.monotonic() + grace_s
                while self._n_open and (left := last - time.monotonic()) > 0:
                    if finished := self._gather(left):
                        yield finished
        finally:
            self._withdraw()
            for seat in self._seats:
                seat.is_abandoned = True
                self._waiting.put(None)

    def _feed(self) -> None:
        room = _QUEUED * max(1, len(self._seats)) - self._n_open
        if room > 0 and (calls := self._backlog.take(room)):
            self._n_open += len(calls)
            for call in calls:
                self._waiting.put(call)
        if not self._seats and self._n_open:
            self._seat()

    def _seat(self) -> None:
        self._seats.append(_Seat(self._handler, self._spec, self._waiting, self._done))

    def _gather(self, timeout_s: float) -> list[Outcome]:
        finished: list[Outcome] = []
        try:
            finished.append(self._done.get(timeout=timeout_s))
            while len(finished) < BATCH:
                finished.append(self._done.get_nowait())
        except Empty:
            if not finished and len(self._seats) < min(self._most, self._n_open):
                self._seat()
        counted = [outcome for outcome in finished if outcome.index not in self._given_up]
        self._n_open -= len(counted)
        return counted

    def _give_up_overdue(self) -> list[Outcome]:
        if self._timeout_ms is None:
            return []
        given_up: list[Outcome] = []
        now = time.monotonic()
        for seat in list(self._seats):
            current = seat.current
            if current is None or 1000 * (now - current[1]) <= self._timeout_ms:
                continue
            call, began_s = current
            seat.is_abandoned = True
            self._seats.remove(seat)
            self._given_up.add(call.index)
            self._n_open -= 1
            reason = "timeout" if self._spec.kind == "system" else "evaluator_timeout"
            body = failure(reason, f"not ended within {self._timeout_ms} ms")
            given_up.append(Outcome(call.index, body, 1000 * (now - began_s)))
        return given_up

    def _withdraw(self) -> None:
        """Takes back what no thread has begun."""
        try:
            while self._waiting.get_nowait() is not None:
                self._n_open -= 1
        except Empty:
            pass
