"""From what a caller names (a suite, a folder, a plan) to a finished run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from oloproof.app.compile import Compiled, compile_suite
from oloproof.app.drift import check_drift, load_plan
from oloproof.app.exec import Choices, execute_plan
from oloproof.app.places import Places, find_suite, places_of, shown
from oloproof.app.wiring.light import compiler
from oloproof.app.wiring.run import bench, provenance, recall, tool_digest
from oloproof.engine.work import Stop
from oloproof.errors import UsageError
from oloproof.plan.plan import Plan
from oloproof.report.run import Run
from oloproof.stages.attest.bundle import check_place

_PLAN_SUFFIX: Final = ".json"


class NoPlan(UsageError):
    """Nothing was named and nothing is compiled."""

    def __init__(self, plan: Path) -> None:
        self.plan = plan
        super().__init__(f"{plan}: no plan yet; run `oloproof compile` first, or `oloproof exec SUITE`")


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller says: the thing to run, and where to keep what."""

    target: Path | None
    cwd: Path
    environ: Mapping[str, str]
    store: Path | None = None
    key: Path | None = None
    bundle: Path | None = None
    choices: Choices = field(default_factory=Choices)


@dataclass(frozen=True, slots=True)
class Executed:
    """A run, or the compilation that could not become one. compiled holds the warnings of both."""

    run: Run | None
    compiled: Compiled
    places: Places


def execute(
    given: Given,
    stop: Stop,
    *,
    plan: Plan | None = None,
    on_compiled: Callable[[Compiled], None] | None = None,
) -> Executed:
    """Compiles, checks for drift where a plan was named, and runs.

    plan: what the target must still compile to, where the caller has it. on_compiled: called with what compiling found,
    before anything is run.
    """
    plan_path, named, places = _named(given)
    named = named or plan
    store = places.store(given.store, given.environ)
    compile_with = compiler(recall=recall(store), tool=tool_digest)
    compiled = compile_suite(places, compile_with, display=shown(places.suite, given.cwd))
    if on_compiled is not None:
        on_compiled(compiled)
    if compiled.plan is None:
        return Executed(None, compiled, places)
    if named is not None:
        check_drift(plan_path or places.suite, named, compiled.plan)
    target = places if given.bundle is None else places.with_bundle(given.bundle.absolute())
    check_place(target.bundle)
    with bench(
        compiled.plan,
        places,
        store=store,
        key=given.key,
        environ=given.environ,
        stop=stop,
    ) as opened:
        if compiled.memo is not None:
            opened.store.bind_step(compiled.memo.key, compiled.memo.plan)
        run = execute_plan(
            compiled.plan,
            compiled.case_sets,
            target=target,
            bench=opened,
            provenance=provenance(compiled.digests),
            choices=given.choices,
        )
    return Executed(run, compiled, places)


def _named(given: Given) -> tuple[Path | None, Plan | None, Places]:
    """The plan that was named (its path and content), and the places of its suite."""
    target = given.target
    if target is not None and target.suffix == _PLAN_SUFFIX:
        return target, *load_plan(target)
    places = places_of(find_suite(target, given.cwd))
    if target is not None:
        return None, None, places
    if not places.plan.exists():
        raise NoPlan(places.plan)
    return places.plan, *load_plan(places.plan)
