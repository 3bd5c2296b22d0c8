"""Signals of the process: the first asks a run to stop, the second ends it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from oloproof.engine.work import Stop

#: Hanging up counts as a request to end.
_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """While it lasts, SIGINT, SIGTERM and SIGHUP set stop; a second one ends the process at once.

    Results are acknowledged as they come, so that ending at once loses what is in flight and nothing else. Outside
    the main thread signals cannot be taken, and nothing happens.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(number: int, _frame: FrameType | None) -> None:
        if stop.is_requested:
            os._exit(128 + number)
        stop.signal = signal.SIGTERM if number == getattr(signal, "SIGHUP", None) else number

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
