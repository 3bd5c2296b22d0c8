"""The workers of one run: fed in chunks, watched, replaced when they die or hang, and ended with the run.

How many: one at first. After GROWTH_S seconds in which all were busy and calls were left, one more for each further
processor; beyond that only where calls take longer than SLOW_CALL_S and the workers spent less than half of the time
on a processor, that is, wait for something: then their number doubles up to the spec's concurrency.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from oloproof.engine.backlog import Backlog
from oloproof.engine.calls import failure
from oloproof.engine.pace import Pace
from oloproof.engine.wire import READY, GarbledLine, chunk_line, decode_line, read_result, start_line
from oloproof.engine.work import AdapterCannotStart, AdapterSpec, Call, Outcome, Stop
from oloproof.engine.worker_process import WorkerProcess

#: Longest sleep without a look at the stop, at deadlines and at dead workers, in seconds.
TICK_S: Final = 0.1
#: How long all workers must have been busy before there are more of them, in seconds.
GROWTH_S: Final = 0.25
#: Calls quicker than this are bound by processors and pipes: more workers than processors would not help them.
SLOW_CALL_S: Final = 0.001
#: While calls are quick, results are gathered for this long before they are read: a tenth of the wake-ups.
_GATHER_S: Final = 0.002
#: A sleep that ends this much too late was not ours: the process was stopped, and no worker is to blame.
_STOPPED_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """n_cpus: processors to fill. grace_s: how long workers may take to end. start_s: to become ready."""

    n_cpus: int
    grace_s: float
    start_s: float


class Crew:
    """Runs one spec's calls in worker processes. hire: starts a process."""

    def __init__(
        self, spec: AdapterSpec, calls: Iterable[Call], *, hire: Callable[[], WorkerProcess], limits: Limits
    ) -> None:
        self._spec, self._hire_process, self._limits = spec, hire, limits
        self._backlog, self._pace = Backlog(calls), Pace()
        self._timeout_s = None if spec.timeout_ms is None else spec.timeout_ms / 1000
        self._most = max(1, spec.concurrency)
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._looked_s, self._looked_cpu_s = time.monotonic(), 0.0
        self._ticked_s = self._looked_s

    def run(self, stop: Stop) -> Iterator[Sequence[Outcome]]:
        """The outcomes, in batches as they come. Raises: AdapterCannotStart."""
        try:
            while not stop.is_requested and self._is_busy():
                if not self._workers:
                    self._hire()
                self._feed()
                if finished := self._step():
                    yield finished
                self._grow()
            if stop.is_requested:
                yield from self._drain()
            else:
                self._dismiss()
        finally:
            for worker in self._workers:
                worker.end()
            self._selector.close()

    def _is_busy(self) -> bool:
        return any(worker.held for worker in self._workers) or not self._backlog.is_empty

    def _hire(self) -> None:
        try:
            worker = self._hire_process()
        except OSError as error:
            if self._workers:
                self._most = len(self._workers)
                return
            raise AdapterCannotStart(self._spec.name, f"no process for it: {error}") from error
        self._workers.append(worker)
        self._selector.register(worker.results_fd, selectors.EVENT_READ, worker)
        worker.send(start_line(self._spec))
        self._looked_s, self._looked_cpu_s = time.monotonic(), self._cpu_s() or 0.0

    def _feed(self) -> None:
        for worker in self._workers:
            if worker.has_unsent:
                worker.flush()
            elif worker.is_ready and not worker.is_gone and self._pace.wants_more(len(worker.held)):
                calls = self._backlog.take(self._pace.size)
                if not calls:
                    continue
                if not worker.held:
                    worker.began_s = time.monotonic()
                line = chunk_line(calls)
                self._pace.note_chunk(len(calls), len(line))
                worker.held.extend(calls)
                worker.send(line)

    def _step(self) -> list[Outcome]:
        """Waits for something to happen and deals with it."""
        finished = self._read(self._wait(self._until_next_look()))
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.is_gone:
                finished += self._bury(worker)
            elif self._is_overdue(worker, now):
                finished += self._stop_overdue(worker)
        if now - self._ticked_s >= TICK_S:
            self._ticked_s = now
            for worker in [each for each in self._workers if each.has_died()]:
                # What it wrote before it died is read first: its process may have gone between two looks.
                finished += self._read([worker])
                finished += self._bury(worker)
        return finished

    def _until_next_look(self) -> float:
        if self._timeout_s is None:
            return TICK_S
        began = min((worker.began_s for worker in self._workers if worker.held), default=None)
        left = TICK_S if began is None else began + self._timeout_s - time.monotonic()
        return min(TICK_S, max(0.0, left))

    def _wait(self, timeout_s: float) -> list[WorkerProcess]:
        blocked = [worker for worker in self._workers if worker.has_unsent and not worker.is_gone]
        for worker in blocked:
            self._selector.register(worker.calls_fd, selectors.EVENT_WRITE, None)
        before = time.monotonic()
        events = self._selector.select(timeout_s)
        late_s = time.monotonic() - before - timeout_s
        for worker in blocked:
            self._selector.unregister(worker.calls_fd)
        if late_s > _STOPPED_S:
            for worker in self._workers:
                worker.began_s += late_s
        readable = [key.data for key, _ in events if key.data is not None]
        if readable and self._pace.is_fast:
            time.sleep(_GATHER_S)
        return readable

    def _read(self, workers: Iterable[WorkerProcess]) -> list[Outcome]:
        finished: list[Outcome] = []
        for worker in workers:
            try:
                # What came before a garbled line stays good: it is taken one by one.
                for line in worker.read_lines():
                    self._take(worker, line, finished)
            except GarbledLine:
                # User code wrote into the pipe: nothing more from there can be believed.
                worker.is_gone = True
        return finished

    def _take(self, worker: WorkerProcess, line: bytes, finished: list[Outcome]) -> None:
        if not worker.is_ready:
            self._greet(worker, line)
            return
        outcome = read_result(line)
        if not worker.held or worker.held[0].index != outcome.index:
            raise GarbledLine("a result that is not due")
        worker.held.popleft()
        worker.has_finished_any = True
        # The next call began when this result had been written, which is not later than now.
        worker.began_s = time.monotonic()
        self._pace.note_call(outcome.elapsed_ms / 1000)
        finished.append(outcome)

    def _greet(self, worker: WorkerProcess, line: bytes) -> None:
        told = decode_line(line)
        if told == READY:
            worker.is_ready = True
            self._looked_s = time.monotonic()
        else:
            reason = told.get("cannot_start") if isinstance(told, dict) else None
            self._lose(worker, str(reason))

    def _lose(self, worker: WorkerProcess, reason: str | None) -> None:
        """A worker that never came to a call: fatal if it was the only one, else the others go on without it."""
        status = self._remove(worker)
        if not any(each.is_ready for each in self._workers):
            raise AdapterCannotStart(
                self._spec.name, reason or f"its process ended before its first call ({_status_text(status)})"
            )
        self._most = max(1, len(self._workers))

    def _remove(self, worker: WorkerProcess) -> int:
        self._selector.unregister(worker.results_fd)
        self._workers.remove(worker)
        return worker.end()

    def _bury(self, worker: WorkerProcess) -> list[Outcome]:
        """After a death: the call it was in is missing, the others that it held are made by somebody else."""
        if worker not in self._workers:
            return []
        if not worker.held and not worker.has_finished_any:
            self._lose(worker, None)
            return []
        elapsed_ms = 1000 * (time.monotonic() - worker.began_s)
        status = self._remove(worker)
        reason = "worker_died" if self._spec.kind == "system" else "evaluator_died"
        return self._charge(worker, reason, f"its process ended ({_status_text(status)})", elapsed_ms)

    def _charge(self, worker: WorkerProcess, reason: str, detail: str, elapsed_ms: float) -> list[Outcome]:
        if not worker.held:
            return []
        call = worker.held.popleft()
        self._backlog.give_back(worker.held)
        worker.held.clear()
        if not self._backlog.is_empty:
            # Each replacement has cost a call, so there is an end to them.
            self._hire()
        return [Outcome(call.index, failure(reason, detail), round(elapsed_ms, 3))]

    def _is_overdue(self, worker: WorkerProcess, now: float) -> bool:
        if not worker.is_ready:
            return now - worker.began_s > self._limits.start_s
        return self._timeout_s is not None and bool(worker.held) and now - worker.began_s > self._timeout_s

    def _stop_overdue(self, worker: WorkerProcess) -> list[Outcome]:
        """Kills a worker whose call has not ended in time, unless its result lies there unread."""
        finished = self._read([worker])
        if finished or worker.is_gone or worker not in self._workers:
            return finished
        if not worker.is_ready:
            self._lose(worker, f"not ready within {self._limits.start_s:g} s")
            return []
        elapsed_ms = 1000 * (time.monotonic() - worker.began_s)
        self._remove(worker)
        reason = "timeout" if self._spec.kind == "system" else "evaluator_timeout"
        return self._charge(worker, reason, f"not ended within {self._spec.timeout_ms} ms", elapsed_ms)

    def _grow(self) -> None:
        now, n = time.monotonic(), len(self._workers)
        elapsed_s = now - self._looked_s
        if elapsed_s < GROWTH_S or n >= self._most:
            return
        if not all(worker.is_ready and worker.held for worker in self._workers) or self._backlog.is_empty:
            return
        cpu_s = self._cpu_s()
        used_s = None if cpu_s is None else cpu_s - self._looked_cpu_s
        self._looked_s, self._looked_cpu_s = now, cpu_s or 0.0
        if n < self._limits.n_cpus:
            self._hire()
        elif (self._pace.mean_s is None or self._pace.mean_s > SLOW_CALL_S) and (
            used_s is None or used_s < elapsed_s * n / 2
        ):
            for _ in range(min(n, self._most - n)):
                self._hire()

    def _cpu_s(self) -> float | None:
        used = [worker.cpu_s() for worker in self._workers]
        return None if None in used else sum(each for each in used if each is not None)

    def _drain(self) -> Iterator[Sequence[Outcome]]:
        """After a stop: what ends within the grace is given out, the rest is ended."""
        last = time.monotonic() + self._limits.grace_s
        while any(worker.held for worker in self._workers) and (left := last - time.monotonic()) > 0:
            if finished := self._read(self._wait(min(TICK_S, left))):
                yield finished
            for worker in [each for each in self._workers if each.is_gone]:
                self._remove(worker)

    def _dismiss(self) -> None:
        """After the last result: workers end by themselves within the grace, and are ended otherwise."""
        last = time.monotonic() + self._limits.grace_s
        for worker in list(self._workers):
            if worker.is_ready:
                worker.close_calls()
            else:
                self._remove(worker)
        while (left := last - time.monotonic()) > 0 and self._workers:
            self._read(self._wait(min(TICK_S, left)))
            for worker in [each for each in self._workers if each.has_died()]:
                self._remove(worker)


def _status_text(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"
