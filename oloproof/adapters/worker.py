"""Builds adapters from their specs, in the core's process or as a worker that the engine has started."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from oloproof.adapters.plugins import load
from oloproof.canon.encoding import Json
from oloproof.engine.calls import Handler, make_handler, raised
from oloproof.engine.redaction import redact_text, spellings_of
from oloproof.engine.wire import READY, encode_line, read_chunk, read_start, result_line
from oloproof.engine.work import AdapterCannotStart, AdapterSpec
from oloproof.sdk.options import Context, Options, Secret, build_options
from oloproof.sdk.records import Permanent, Refused, Transient

#: Starts a worker. Not with -m, which imports runpy, and with -P, since the working directory is not where our code is.
#: Collecting garbage while nothing but modules is made would be a tenth of the start-up.
WORKER_COMMAND: Final = (
    sys.executable,
    "-P",
    "-c",
    "import gc; gc.disable(); from oloproof.adapters.worker import main; main()",
)

#: Linux's fcntl command that picks the signal of an asynchronous descriptor; Python names it only from 3.13 on.
_F_SETSIG: Final = 10
#: Longest reason for a failed start that is told, in characters.
_MAX_REASON: Final = 2000


def start_adapter(
    name: str,
    *,
    factory: str,
    model: str,
    options: Mapping[str, Json],
    context: Context,
    secrets: Mapping[str, Secret],
) -> object:
    """A system, evaluator or source, built. Raises: AdapterCannotStart, whose reason holds no secret."""
    try:
        options_model, build = load(model), load(factory)
        if not (isinstance(options_model, type) and issubclass(options_model, Options)) or not callable(build):
            raise TypeError(f"{model} is no Options model, or {factory} cannot be called")  # noqa: TRY301 -- told below
        found: object = build(build_options(options_model, options, secrets), context)
    except BaseException as error:  # noqa: BLE001 -- around plugin code, which may raise anything while it is imported
        # A plugin's own word for "this cannot work" needs no class name before it.
        words = str(error) if isinstance(error, Permanent | Refused | Transient) else f"{type(error).__name__}: {error}"
        told = redact_text(words, spellings_of(secrets.values()))
        raise AdapterCannotStart(name, told[:_MAX_REASON]) from None
    return found


def build_adapter(spec: AdapterSpec) -> object:
    """The adapter of a spec. Raises: AdapterCannotStart."""
    return start_adapter(
        spec.name,
        factory=spec.factory,
        model=spec.model,
        options=spec.options,
        context=Context(Path(spec.suite_dir), Path(spec.root)),
        secrets=spec.secrets,
    )


def build_handler(spec: AdapterSpec) -> Handler:
    """The handler of a spec, for LocalEngine's build_inline. Raises: AdapterCannotStart."""
    return make_handler(build_adapter(spec), spec)


def main() -> None:
    """Runs as a worker. The last three arguments: descriptors of calls, results and lifeline."""
    calls, results, lifeline = map(int, sys.argv[-3:])
    gc.freeze()
    gc.enable()
    for descriptor in (calls, results, lifeline):
        os.set_inheritable(descriptor, False)
    _hang_on(lifeline)
    # Whatever user code prints goes where errors go: nothing that anybody parses.
    os.dup2(2, 1)
    with open(calls, "rb", closefd=False) as lines:
        spec = read_start(lines.readline())
        try:
            handler = build_handler(spec)
        except AdapterCannotStart as error:
            _write(results, encode_line({"cannot_start": error.reason}))
            return
        _write(results, encode_line(READY))
        clock, own = time.perf_counter, os.getpid()
        for line in lines:
            for index, payload in read_chunk(line):
                began = clock()
                try:
                    body = handler(payload)
                except KeyboardInterrupt as error:
                    # Workers are in a session of their own, where no terminal sends this: the plugin raised it.
                    body = raised(error, spec.kind, spellings_of(spec.secrets.values()))
                elapsed_ms = round(1000 * (clock() - began), 3)
                if os.getpid() != own:
                    # User code forked and let the child come back here: only one of the two answers.
                    os._exit(0)
                _write(results, result_line(index, elapsed_ms, body))


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _hang_on(lifeline: int) -> None:
    """Ends this process and its whole group when the other end of the lifeline closes, whatever user code does then.

    On Linux the kernel sends SIGKILL itself, so that code which holds the GIL ends too. Unlike PR_SET_PDEATHSIG this
    does not depend on the life of the thread that started us, and it reaches what user code forked.
    """
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, _F_SETSIG, signal.SIGKILL)
        os.set_blocking(lifeline, False)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
        try:
            gone = os.read(lifeline, 1) == b""
        except BlockingIOError:
            gone = False
        if gone:
            os._exit(1)
    else:
        threading.Thread(target=_wait_for_end, args=(lifeline,), daemon=True).start()


def _wait_for_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)
