"""Which process a run belongs to, and whether it still lives."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from oloproof.canon.encoding import encode_plain

#: Place of the start time among the fields behind the command name in /proc/PID/stat (proc(5), field 22).
_START_FIELD = 19


@dataclass(frozen=True, slots=True)
class Owner:
    """A process beyond its number, which is used again: with its start time and the boot it belongs to."""

    pid: int
    started: str
    boot: str

    def is_alive(self) -> bool:
        """False only where that very process is known to be gone."""
        return self.boot == _boot() and _started(self.pid) == self.started

    def text(self) -> str:
        """As the store keeps it."""
        return encode_plain([self.pid, self.started, self.boot]).decode()


def this_process() -> Owner:
    """The process that asks."""
    return Owner(os.getpid(), _started(os.getpid()), _boot())


def parse(text: str) -> Owner:
    """What text() wrote; a process that never was for any other text."""
    try:
        pid, started, boot = json.loads(text)
        return Owner(int(pid), str(started), str(boot))
    except (ValueError, TypeError):
        return Owner(0, "", "")


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def _started(pid: int) -> str:
    """Start time of a live process in clock ticks since boot, `gone`, or `alive` where there is no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_START_FIELD]
    except (OSError, IndexError):
        return "gone" if Path("/proc/self/stat").exists() else _signalled(pid)


def _signalled(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return "gone"
    except OSError:
        return "alive"
    return "alive"
