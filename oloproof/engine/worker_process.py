"""One worker process: its pipes, the calls that it holds, and its end together with all that it started."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from oloproof.engine.work import Call

#: Numerical libraries would start a thread for each core in each worker, and their sums could depend on how many.
SINGLE_THREADED: Final = {"MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
#: Wanted size of the pipe for results: a worker that waits for its reader wastes the time of a call.
_PIPE_BYTES: Final = 1 << 20
_READ_BYTES: Final = 1 << 18


class WorkerProcess:
    """A started worker. Reading and writing never block; held calls are in the order in which they are made."""

    def __init__(self, command: Sequence[str], *, stderr: int | None) -> None:
        calls_read, self._calls = os.pipe()
        self._results, results_write = os.pipe()
        # Nothing is ever written here: its end tells the worker, and all that it started, that we are gone.
        lifeline_read, self._lifeline = os.pipe()
        theirs = (calls_read, results_write, lifeline_read)
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- our own command, given by the composition root
                [*command, *map(str, theirs)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=theirs,
                env=_environment(os.environ),
                start_new_session=True,
            )
        except OSError:
            for descriptor in (self._calls, self._results, self._lifeline):
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        os.set_blocking(self._calls, False)
        os.set_blocking(self._results, False)
        _widen(self._results)
        self.is_ready = False
        self.has_finished_any = False
        self.is_gone = False
        self.held: deque[Call] = deque()
        self.began_s = time.monotonic()
        self._unsent = bytearray()
        self._unread = bytearray()

    @property
    def results_fd(self) -> int:
        """Where its results can be waited for."""
        return self._results

    @property
    def calls_fd(self) -> int:
        """Where room for more can be waited for, while has_unsent."""
        return self._calls

    @property
    def has_unsent(self) -> bool:
        """True while bytes wait for room in the pipe."""
        return bool(self._unsent)

    def send(self, line: bytes) -> None:
        """Queues a line and sends what fits."""
        self._unsent += line
        self.flush()

    def flush(self) -> None:
        """Sends what fits. A worker that has gone is noticed where its results are read."""
        while self._unsent:
            try:
                sent = os.write(self._calls, self._unsent[:_READ_BYTES])
            except BlockingIOError:
                return
            except OSError:
                self._unsent.clear()
                return
            del self._unsent[:sent]

    def read_lines(self) -> list[bytes]:
        """The whole lines that have come; sets is_gone at the end of the pipe."""
        parts: list[bytes] = []
        while True:
            try:
                part = os.read(self._results, _READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                part = b""
            if not part:
                self.is_gone = True
                break
            parts.append(part)
            if len(part) < _READ_BYTES:
                break
        return self._split(parts)

    def _split(self, parts: list[bytes]) -> list[bytes]:
        if not any(b"\n" in part for part in parts):
            for part in parts:
                self._unread += part
            return []
        lines = (bytes(self._unread) + b"".join(parts)).split(b"\n")
        self._unread = bytearray(lines.pop())
        return lines

    def has_died(self) -> bool:
        """True once the process has ended, although something that it started may hold its pipes open.

        It is not reaped here, so that its number stays its own until end() has signalled the group.
        """
        if self.is_gone:
            return True
        with contextlib.suppress(ChildProcessError):
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, options) is not None
        return True

    def cpu_s(self) -> float | None:
        """CPU seconds that it has used so far, or None where the platform does not tell."""
        if sys.platform != "linux":
            return None
        # The clock of another process: its number inverted, above the three bits that say "of a process, scheduled".
        with contextlib.suppress(OSError):
            return time.clock_gettime(~self._process.pid << 3 | 2)
        return None

    def close_calls(self) -> None:
        """Tells it that no more calls come: it ends by itself when it has made those that it holds."""
        if self._calls >= 0:
            os.close(self._calls)
            self._calls = -1

    def end(self) -> int:
        """Ends it and its whole process group at once; gives its exit status, negative for a signal."""
        self.is_gone = True
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self.close_calls()
        for descriptor in (self._results, self._lifeline):
            if descriptor >= 0:
                os.close(descriptor)
        self._results = self._lifeline = -1
        return self._process.returncode


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    return SINGLE_THREADED | dict(ours)


def _widen(descriptor: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
