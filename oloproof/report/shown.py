"""Runs and records as they were asked for, one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Protocol

from oloproof.canon.encoding import Json
from oloproof.chain.link import Link
from oloproof.ports.store import RunRow
from oloproof.report.diagnostics import escape

FORMAT_VERSION = 1


class _Shown(Protocol):
    @property
    def link(self) -> Link: ...
    @property
    def record(self) -> Mapping[str, Json]: ...
    @property
    def contents(self) -> Mapping[str, Json]: ...


def records_text(found: Iterable[_Shown]) -> str:
    """One record a line, and under it the contents that it commits to."""
    lines = []
    for item in found:
        lines.append(escape(json.dumps(item.record, ensure_ascii=False, sort_keys=True)))
        lines.extend(
            f"  {name}: {escape(json.dumps(value, ensure_ascii=False))}" for name, value in item.contents.items()
        )
    return "".join(f"{line}\n" for line in lines)


def records_json(found: Iterable[_Shown]) -> dict[str, Json]:
    """The same for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "records": [{"contents": dict(item.contents), "record": dict(item.record)} for item in found],
    }


def runs_text(runs: Iterable[RunRow]) -> str:
    """One run a line."""
    lines = [
        f"{run.id}  {run.started_at}  {run.state or 'RUNNING':<10}  {escape(run.suite)}  {_reason(run)}".rstrip()
        for run in runs
    ]
    return "".join(f"{line}\n" for line in lines) or "no runs yet\n"


def _reason(run: RunRow) -> str:
    reason = run.detail.get("reason")
    return escape(str(reason)) if reason else ""


def runs_json(runs: Iterable[RunRow]) -> dict[str, Json]:
    """The same for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "runs": [
            {
                "detail": dict(run.detail),
                "ended_at": run.ended_at,
                "id": run.id,
                "plan_hash": run.plan_hash,
                "run_state": run.state,
                "started_at": run.started_at,
                "suite": run.suite,
            }
            for run in runs
        ],
    }
