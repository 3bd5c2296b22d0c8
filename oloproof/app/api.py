"""The Python API: the same use cases as the command line, with paths for arguments and records for results."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from oloproof.app.compile import Compiled, compile_suite
from oloproof.app.execute import Given, execute
from oloproof.app.places import find_suite, places_of, shown
from oloproof.app.verify import verify_bundle
from oloproof.app.wiring.light import compiler
from oloproof.engine.work import Stop
from oloproof.errors import OloproofError, UsageError
from oloproof.language.diagnostics import Diagnostic
from oloproof.plan.plan import Plan
from oloproof.report.diagnostics import render_concise
from oloproof.report.run import Run
from oloproof.stages.attest.verdict import Level, Report

#: Where the suites of the plans lie that this process compiled, by plan_hash: a plan alone does not say.
_SUITES: dict[str, Path] = {}


class CompileError(OloproofError):
    """A suite with errors; diagnostics has all of them."""

    exit_code = 1

    def __init__(self, compiled: Compiled) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = compiled.diagnostics
        super().__init__(render_concise(compiled.sources, compiled.diagnostics).rstrip())


class PlanOfUnknownSuite(UsageError):
    """A plan alone does not say where its suite lies."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        super().__init__(f"where the suite {plan.suite.name} lies is not known; give its path or the plan's file")


def compile_path(path: str | PathLike[str]) -> Plan:
    """See oloproof.compile."""
    cwd = Path.cwd()
    places = places_of(find_suite(Path(path), cwd))
    compiled = compile_suite(places, compiler(), display=shown(places.suite, cwd))
    if compiled.plan is None:
        raise CompileError(compiled)
    _SUITES[compiled.plan.plan_hash] = places.suite
    return compiled.plan


def execute_path(
    plan_or_path: Plan | str | PathLike[str],
    *,
    store: str | PathLike[str] | None,
    key: str | PathLike[str] | None,
) -> Run:
    """See oloproof.execute."""
    if isinstance(plan_or_path, Plan):
        return _execute_plan(plan_or_path, store=store, key=key)
    return _execute(Path(plan_or_path), None, store=store, key=key)


def _execute_plan(plan: Plan, *, store: str | PathLike[str] | None, key: str | PathLike[str] | None) -> Run:
    """A plan that compile_path gave in this process; its suite must still be what it was compiled from."""
    suite = _SUITES.get(plan.plan_hash)
    if suite is None:
        raise PlanOfUnknownSuite(plan)
    return _execute(suite, plan, store=store, key=key)


def _execute(
    target: Path, plan: Plan | None, *, store: str | PathLike[str] | None, key: str | PathLike[str] | None
) -> Run:
    given = Given(
        target=target,
        cwd=Path.cwd(),
        environ=os.environ,
        store=None if store is None else Path(store),
        key=None if key is None else Path(key),
    )
    done = execute(given, Stop(), plan=plan)
    if done.run is None:
        raise CompileError(done.compiled)
    return done.run


def verify_path(bundle: str | PathLike[str], *, trust: str | PathLike[str] | None, level: str) -> Report:
    """See oloproof.verify."""
    if level not in list(Level):
        raise UsageError(f"{level!r} is no level; one of {', '.join(Level)}")
    return verify_bundle(
        Path(bundle),
        trust=None if trust is None else Path(trust),
        level=Level(level),
        environ=os.environ,
        now=datetime.now(UTC),
    )
