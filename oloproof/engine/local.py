"""The engine of one machine: calls in this process, or in worker processes that can be killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from oloproof.engine.backlog import Backlog
from oloproof.engine.calls import Handler
from oloproof.engine.crew import Crew, Limits
from oloproof.engine.threads import Threads, run_directly
from oloproof.engine.work import AdapterSpec, Call, Outcome, Stop
from oloproof.engine.worker_process import WorkerProcess

#: How long workers may take to end after a stop or after the last call, in seconds.
GRACE_S: Final = 1.0
#: How long a worker may take until it is ready: importing its code and loading a local model, in seconds.
START_S: Final = 600.0


class LocalEngine:
    """Runs calls here.

    worker_command: starts a worker; three descriptors (calls, results, lifeline) are appended to it.
    build_inline: builds an adapter in this process and gives its handler; may raise AdapterCannotStart.
    n_cpus: processors to fill, all by default. worker_stderr: where workers print, a descriptor or
    subprocess.DEVNULL; this process's own stderr by default.
    """

    def __init__(
        self,
        *,
        worker_command: Sequence[str],
        build_inline: Callable[[AdapterSpec], Handler],
        n_cpus: int | None = None,
        grace_s: float = GRACE_S,
        start_s: float = START_S,
        worker_stderr: int | None = None,
    ) -> None:
        self._worker_command, self._build_inline = tuple(worker_command), build_inline
        self._limits = Limits(n_cpus or _usable_cpus(), grace_s, start_s)
        self._worker_stderr = worker_stderr

    def run(self, spec: AdapterSpec, calls: Iterable[Call], stop: Stop) -> Iterator[Sequence[Outcome]]:
        """The outcomes of all calls, as work.Engine says; nothing is started where there are no calls."""
        backlog = Backlog(calls)
        if stop.is_requested or backlog.is_empty:
            return
        drawn = _draw(backlog)
        if spec.execution == "process":
            yield from Crew(spec, drawn, hire=self._hire, limits=self._limits).run(stop)
            return
        handler = self._build_inline(spec)
        if spec.timeout_ms is None:
            yield from run_directly(handler, drawn, stop)
        else:
            yield from Threads(handler, spec, drawn).run(stop, grace_s=self._limits.grace_s)

    def _hire(self) -> WorkerProcess:
        return WorkerProcess(self._worker_command, stderr=self._worker_stderr)


def _draw(backlog: Backlog) -> Iterator[Call]:
    while taken := backlog.take(1):
        yield taken[0]


def _usable_cpus() -> int:
    """Processors that this process may run on, where the platform tells; else all of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
