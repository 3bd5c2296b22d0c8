"""A signer who writes any value anywhere and signs it: refused or reported, never an error of ours."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from attacks.bundles import draft
from attacks.checking import check

from oloproof.canon.encoding import NotCanonical, encode
from oloproof.plan.codec import BadPlan, from_json, to_json
from oloproof.plan.keys import decision_hash, plan_hash
from oloproof.plan.plan import Plan
from oloproof.stages.attest.verdict import Report

VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**53 - 1,
    0.5,
    1e308,
    "",
    "x",
    "0",
    "1",
    "-1",
    "1e9",
    "NaN",
    "Infinity",
    "0.99999999999999999999999999999",
    "٣",
    "\u202e",
    [],
    {},
    [[]],
    ["de"],
    {"a": 1},
    "sha256:" + "0" * 64,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 -- JSON
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _places(item, (*path, key))


def _change(value: Any, dice: random.Random) -> None:  # noqa: ANN401 -- JSON
    """Replaces, removes or doubles something, anywhere."""
    path = dice.choice(list(_places(value)))
    for key in path[:-1]:
        value = value[key]
    action = dice.randrange(6)
    if action == 0:
        del value[path[-1]]
    elif action == 1 and isinstance(value, list):
        value.insert(path[-1], copy.deepcopy(value[path[-1]]))
    elif action == 2 and isinstance(value, dict):
        value[dice.choice(("x", "pass", "language", "@input", "author"))] = dice.choice(VALUES)
    else:
        value[path[-1]] = copy.deepcopy(dice.choice(VALUES))


@pytest.mark.parametrize("seed", range(100))
def test_any_value_in_a_signed_plan(tmp_path, trust, seed):
    dice = random.Random(seed)  # noqa: S311 -- the same changes on every run
    made = draft()
    value = to_json(made.plan)
    for _ in range(dice.randrange(1, 3)):
        _change(value, dice)
    try:
        plan = from_json(Plan, value)
        value.update(decision_hash=decision_hash(plan), plan_hash=plan_hash(plan))
        made.plan = from_json(Plan, value)
        made.conclude()
    except (BadPlan, NotCanonical):
        made.plan_bytes = encode(value)
    except Exception:  # noqa: BLE001 -- a plan that the stages cannot run is signed with the old conclusions
        made.plan_bytes = encode(value)
    made.has_plan_statement = False
    assert isinstance(check(made.write(tmp_path / "b"), trust), Report)


@pytest.mark.parametrize("seed", range(100))
def test_any_value_in_a_signed_record(tmp_path, trust, seed):
    dice = random.Random(seed)  # noqa: S311 -- the same changes on every run
    made = draft()
    link = dice.choice(list(made.records))
    _change(made.records[link], dice)
    try:
        files = made.files()
    except (KeyError, TypeError, IndexError):  # the statement cannot repeat such a record; it keeps the old one
        body = made.body(link)
        made = draft()
        made.lines[link] = body
        files = made.files()
    folder = tmp_path / "b"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    assert isinstance(check(folder, trust), Report)


@pytest.mark.parametrize("seed", range(100))
def test_any_value_in_a_signed_statement(tmp_path, trust, seed):
    dice = random.Random(seed)  # noqa: S311 -- the same changes on every run
    made = draft()
    made.edit = lambda statement: _change(statement, dice)
    report = check(made.write(tmp_path / "b"), trust, require_decision="PASS")
    assert isinstance(report, Report)
    assert report.exit_code != 0, "the honest bundle does not pass, and no edit of its statement makes it"
