"""The trust file's page and the Python API's page, held to the code."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from docs.pages import blocks_of
from projects import write_project

import oloproof
from oloproof.adapters.trust import BadTrust, load_trust
from oloproof.report.run import Outcome, Run, Tally
from oloproof.stages.attest.policy import TrustedKey
from oloproof.stages.attest.verdict import Failure, Level, LevelResult, Report

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
TRUST, API = REFERENCE / "trust-file.md", REFERENCE / "python-api.md"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def example(page: Path, language: str) -> str:
    return next(block.text for block in blocks_of(page) if block.language == language)


def keys_of(section: str) -> list[str]:
    """The first column of the table under a heading."""
    text = TRUST.read_text(encoding="utf-8").partition(section)[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_the_example_of_a_trust_file_can_be_read(tmp_path: Path):
    path = tmp_path / "trust.toml"
    path.write_text(example(TRUST, "toml"), encoding="utf-8")
    policy = load_trust(path, now=NOW)
    assert [key.principal for key in policy.keys] == ["release team"]
    assert policy.require.level is Level.RECOMPUTE


def test_the_keys_of_a_signer_are_those_of_the_page():
    assert set(keys_of("## `[[signer]]`")) == {field.name for field in dataclasses.fields(TrustedKey)} - {"keyid"}


@pytest.mark.parametrize("key", keys_of("## `[require]`"))
def test_every_key_of_require_is_known(key: str, tmp_path: Path):
    path = tmp_path / "trust.toml"
    text = example(TRUST, "toml").partition("[require]")[0]
    value = {"level": '"signature"', "min_format": '"1.0"', "max_age": '"12h"', "timestamp": "true", "log": "true"}
    path.write_text(f"{text}[require]\n{key} = {value.get(key, '1' if key == 'runner' else '0')}\n", encoding="utf-8")
    load_trust(path, now=NOW)


def test_a_key_that_the_page_does_not_have_is_refused(tmp_path: Path):
    path = tmp_path / "trust.toml"
    path.write_text(example(TRUST, "toml") + "strict = true\n", encoding="utf-8")
    with pytest.raises(BadTrust, match="strict"):
        load_trust(path, now=NOW)


def test_the_example_of_the_python_api_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(example(API, "python"), str(API), "exec"), {})  # noqa: S102 -- the page's own example
    printed = capsys.readouterr().out.splitlines()
    assert "COMPLETE 0" in printed[1]
    assert printed[-1] == "True 0 []"


def test_every_function_of_the_api_is_on_the_page():
    text = API.read_text(encoding="utf-8")
    assert all(f"`oloproof.{name}(" in text for name in oloproof.__all__)


@pytest.mark.parametrize("record", [Run, Report, Outcome, Tally, LevelResult, Failure])
def test_the_attributes_of_results_are_on_the_page(record: type):
    text = API.read_text(encoding="utf-8")
    untold = {"required", "plan_hash", "claimed_signed_at"}  # of Report: the command line's page has them
    names = {field.name for field in dataclasses.fields(record)} - untold
    assert {name for name in names if f"`{name}`" not in text} == set()
