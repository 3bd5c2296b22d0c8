"""A compiled plan against its suite as it is now: where they differ, nothing is run (exit code 7)."""

from __future__ import annotations

import json
import os.path
from pathlib import Path

from oloproof.app.compile import Compiled, plan_bytes, read_bytes
from oloproof.app.places import Places, places_of
from oloproof.canon.digests import BadDigest
from oloproof.canon.encoding import Json, NotCanonical, encode
from oloproof.errors import OloproofError, UsageError
from oloproof.plan.codec import BadPlan, to_json
from oloproof.plan.keys import read_plan
from oloproof.plan.plan import Plan

#: Version of the side file that says where a plan came from.
_MAP_VERSION = 1


class NotAPlan(UsageError):
    """The file that was given is no compiled plan."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}; run `oloproof compile` to make a plan")


class Drift(OloproofError):
    """Suite, data, code or plugins have changed since the plan was compiled."""

    exit_code = 7

    def __init__(self, plan: Path, changes: tuple[str, ...]) -> None:
        self.plan, self.changes = plan, changes
        lines = "".join(f"\n  {change}" for change in changes)
        super().__init__(f"{plan}: changed since it was compiled:{lines}\nrun `oloproof compile` again to accept this")


def write_plan(path: Path, plan: Plan, places: Places, compiled: Compiled) -> None:
    """Writes plan.json and beside it NAME.map.json, which says where it came from and is not hashed."""
    side: Json = {
        "digests": dict(compiled.digests),
        "suite": _relative(places.suite, path.absolute().parent),
        "v": _MAP_VERSION,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in ((path, plan_bytes(plan)), (map_of(path), encode(side))):
            fresh = target.with_name(f".{target.name}.new")
            fresh.write_bytes(data)
            fresh.replace(target)
    except OSError as error:
        raise UsageError(f"{path}: the plan cannot be written: {error.strerror or error}") from error


def map_of(plan: Path) -> Path:
    """The side file of a plan."""
    return plan.with_name(f"{plan.name.removesuffix('.json').removesuffix('.plan')}.map.json")


def load_plan(path: Path) -> tuple[Plan, Places]:
    """A compiled plan and the places of the suite it came from. Raises: NotAPlan, UnreadableFile."""
    try:
        plan = read_plan(read_bytes(path))
    except (NotCanonical, BadPlan, BadDigest) as error:
        raise NotAPlan(path, str(error)) from error
    return plan, places_of(_suite_of(path))


def _suite_of(path: Path) -> Path:
    side = map_of(path)
    try:
        found = json.loads(read_bytes(side))
        return Path(path.absolute().parent, found["suite"]).resolve()
    except (OSError, ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
        raise NotAPlan(path, f"its side file {side.name} is not there or cannot be read") from error


def _relative(suite: Path, start: Path) -> str:
    # pathlib has no relative path with `..` before Python 3.12.
    return Path(os.path.relpath(suite, start)).as_posix()


def check_drift(path: Path, plan: Plan, now: Plan) -> None:
    """Raises Drift, naming every part of the plan that differs, unless the hashes agree."""
    if plan.plan_hash == now.plan_hash:
        return
    changes: list[str] = []
    _compare(to_json(plan), to_json(now), "", changes)
    raise Drift(path, tuple(changes[:20]))


def _compare(old: Json, new: Json, place: str, changes: list[str]) -> None:
    """The leaves that differ, by path; lists of named entries are matched by name."""
    if place.endswith(("decision_hash", "plan_hash", "identity", "decidability")) or old == new:
        return
    if isinstance(old, list) and isinstance(new, list) and _are_named(old) and _are_named(new):
        old, new = {_name_of(item): item for item in old}, {_name_of(item): item for item in new}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        old, new = {f"[{k}]": item for k, item in enumerate(old)}, {f"[{k}]": item for k, item in enumerate(new)}
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            where = f"{place}{'' if key.startswith('[') else '.'}{key}" if place else key
            if key not in old:
                changes.append(f"{where}: added")
            elif key not in new:
                changes.append(f"{where}: removed")
            else:
                _compare(old[key], new[key], where, changes)
    else:
        changes.append(f"{place}: {_short(old)} is now {_short(new)}")


def _are_named(items: list[Json]) -> bool:
    return bool(items) and all(isinstance(item, dict) and ("name" in item or "type" in item) for item in items)


def _name_of(item: Json) -> str:
    """What an entry of the plan is known by: its name, or for a plugin its kind and type."""
    assert isinstance(item, dict)  # _are_named
    return str(item["name"]) if "name" in item else f"{item['kind']} {item['type']}"


def _short(value: Json) -> str:
    text = encode(value).decode()
    return text if len(text) <= 48 else f"{text[:45]}..."  # noqa: PLR2004 -- what fits on a line
