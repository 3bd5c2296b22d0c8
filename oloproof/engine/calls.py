"""One call to plugin code: whatever the plugin does, a body comes back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Final, Literal, TypeAlias

from oloproof.canon.encoding import MAX_INTEGER, Json
from oloproof.chain.reasons import REASONS, About
from oloproof.engine.plain_json import NotPlainJson, TooLarge, to_plain
from oloproof.engine.redaction import redact, redact_text, spellings_of
from oloproof.engine.work import AdapterSpec
from oloproof.errors import OloproofError
from oloproof.sdk.protocols import Evaluator, System
from oloproof.sdk.records import Case, Failure, Refused, Reply, Request, Transient, Verdict

#: One call: a payload in, a body out (work.py says what they hold).
Handler: TypeAlias = Callable[[Mapping[str, Json]], Mapping[str, Json]]
Spellings: TypeAlias = tuple[tuple[str, str], ...]
OutputType: TypeAlias = Literal["bool", "real", "text"]

#: Longest `detail` of a failure, in characters.
MAX_DETAIL: Final = 500


def make_handler(adapter: object, spec: AdapterSpec) -> Handler:
    """The handler around a built adapter; only KeyboardInterrupt passes through it, since it may be a person's."""
    spellings = spellings_of(spec.secrets.values())
    if spec.kind == "system":
        return _system_handler(adapter, spellings)  # type: ignore[arg-type]  # a plugin's word is checked per call
    return _evaluator_handler(adapter, spec.outputs, spellings)  # type: ignore[arg-type]  # as above


def failure(reason: str, detail: str, spellings: Spellings = ()) -> Mapping[str, Json]:
    """The body of a call that gave nothing."""
    # Redacted before it is cut: a cut could leave half of a value that nothing recognises any more.
    shown = redact_text(detail, spellings)[:MAX_DETAIL]
    return {"detail": shown.encode("utf-8", "replace").decode(), "failure": reason}


def raised(error: BaseException, kind: Literal["system", "evaluator"], spellings: Spellings = ()) -> Mapping[str, Json]:
    """The body of a call that raised."""
    if kind == "evaluator":
        return failure("evaluator_error", _told(error), spellings)
    match error:
        case SystemExit():
            return failure("system_exit", f"the system called for the end of the process ({_told(error)})", spellings)
        case Transient():
            return failure("unavailable", _told(error), spellings)
        case Refused():
            return failure("refused", _told(error), spellings)
        case _:
            return failure("system_error", _told(error), spellings)


def _told(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 -- a plugin's __str__ is plugin code too
        return type(error).__name__


class _Unfit(OloproofError):
    """What a plugin returned cannot be taken: the reason code and a detail for a person."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}")


def _system_handler(adapter: System, spellings: Spellings) -> Handler:
    def handle(payload: Mapping[str, Json]) -> Mapping[str, Json]:
        try:
            request = Request(payload["input"], payload["id"], payload["repeat"], payload["seed"])  # type: ignore[arg-type]  # our own payload
            reply: object = adapter.answer(request)
            if isinstance(reply, Failure):
                return _own_failure(reply, About.OBSERVATION, "system_error", spellings)
            return _answer_body(reply, spellings)
        except KeyboardInterrupt:
            raise
        except _Unfit as error:
            return failure(error.code, error.detail, spellings)
        except BaseException as error:  # noqa: BLE001 -- around plugin code: the run goes on
            return raised(error, "system", spellings)

    return handle


def _answer_body(reply: object, spellings: Spellings) -> Mapping[str, Json]:
    if not isinstance(reply, Reply):
        raise _Unfit("system_error", f"the adapter returned a {type(reply).__name__}, not a Reply or a Failure")
    if reply.output is None:
        raise _Unfit("null_output", "")
    if type(reply.output) is not str and type(reply.output) is not dict:
        raise _Unfit("output_type", f"a {type(reply.output).__name__}; a string or a dictionary is due")
    if not _is_usage(reply.usage) or type(reply.served_model) not in (str, NoneType):
        raise _Unfit("system_error", "usage must map names to counts, and served_model be a string or None")
    try:
        body = {
            "output": to_plain(reply.output),
            "served_model": None if reply.served_model is None else to_plain(reply.served_model),
            "usage": None if reply.usage is None else to_plain(reply.usage),
        }
    except NotPlainJson as error:
        raise _Unfit("output_not_json", error.reason) from error
    except TooLarge as error:
        raise _Unfit("output_too_large", str(error)) from error
    return {name: redact(value, spellings) for name, value in body.items()} if spellings else body


def _is_usage(usage: object) -> bool:
    if usage is None:
        return True
    return type(usage) is dict and all(
        type(name) is str and type(n) is int and 0 <= n <= MAX_INTEGER for name, n in usage.items()
    )


def _own_failure(told: Failure, about: About, otherwise: str, spellings: Spellings) -> Mapping[str, Json]:
    """A plugin's own failure; a code that the registry does not hold for this link becomes the general one."""
    known = REASONS.get(told.reason) if type(told.reason) is str else None
    if known is not None and known.about is about:
        return failure(known.code, str(told.detail), spellings)
    return failure(otherwise, f"{told.reason!s}: {told.detail!s}", spellings)


def _evaluator_handler(adapter: Evaluator, declared: Mapping[str, OutputType], spellings: Spellings) -> Handler:
    def handle(payload: Mapping[str, Json]) -> Mapping[str, Json]:
        try:
            case = Case(payload["input"], payload["expect"])
            verdict: object = adapter.evaluate(case, payload["output"])
            if isinstance(verdict, Failure):
                return _own_failure(verdict, About.MEASUREMENT, "evaluator_error", spellings)
            return _verdict_body(verdict, declared, spellings)
        except KeyboardInterrupt:
            raise
        except _Unfit as error:
            return failure(error.code, error.detail, spellings)
        except BaseException as error:  # noqa: BLE001 -- around plugin code: the run goes on
            return raised(error, "evaluator", spellings)

    return handle


def _verdict_body(verdict: object, declared: Mapping[str, OutputType], spellings: Spellings) -> Mapping[str, Json]:
    if not isinstance(verdict, Verdict):
        raise _Unfit("evaluator_output", f"a {type(verdict).__name__}; a Verdict or a Failure is due")
    if not verdict.outputs:
        raise _Unfit("evaluator_output", "a verdict without any output")
    outputs: dict[str, Json] = {}
    for name, value in verdict.outputs.items():
        kind = declared.get(name) if type(name) is str else None
        if kind is None:
            raise _Unfit("evaluator_output", f"an output {name!r} is not declared"[:MAX_DETAIL])
        if kind == "real" and type(value) is float and not math.isfinite(value):
            raise _Unfit("non_finite", f"{name} is {value}")
        if type(value) not in _TYPES[kind]:
            raise _Unfit("evaluator_output", f"{name} is a {type(value).__name__}; it is declared as {kind}")
        try:
            plain = to_plain(value)
        except (NotPlainJson, TooLarge) as error:
            raise _Unfit("evaluator_output", f"{name}: {error}") from error
        outputs[name] = redact(plain, spellings) if kind == "text" else plain
    return _with_reason(outputs, verdict.reason, spellings)


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {"bool": (bool,), "real": (int, float), "text": (str,)}


def _with_reason(outputs: dict[str, Json], reason: object, spellings: Spellings) -> Mapping[str, Json]:
    if reason is None:
        return {"outputs": outputs, "reason": None}
    known = REASONS.get(reason) if type(reason) is str else None
    if known is not None and known.about is About.MEASUREMENT:
        return {"outputs": outputs, "reason": known.code}
    detail = failure("plugin_reason", str(reason), spellings)["detail"]
    return {"detail": detail, "outputs": outputs, "reason": "plugin_reason"}
