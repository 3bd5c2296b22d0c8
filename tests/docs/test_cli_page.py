"""The command line's page names every command, option and exit code, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from oloproof.cli.exit_codes import ExitCode
from oloproof.cli.group import oloproof
from oloproof.report.run import NO_DECISION
from oloproof.stages.attest.verdict import PRECEDENCE, FailureClass

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
_SECTION = re.compile(r"^## `oloproof (\w+)`$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (`-[^|]*`) \|", re.MULTILINE)
_OPTION = re.compile(r"--?[a-z][a-z-]*")
SECTIONS = dict(_SECTION.findall(PAGE))


def commands() -> dict[str, click.Command]:
    context = click.Context(oloproof)
    found = {}
    for name in oloproof.list_commands(context):
        command = oloproof.get_command(context, name)
        assert command is not None
        found[name] = command
    return found


def options(command: click.Command) -> Iterator[click.Option]:
    """Its options and those of its own commands."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from options(inner)
    yield from (parameter for parameter in command.params if isinstance(parameter, click.Option))


COMMANDS = commands()


def test_every_command_has_a_section_and_every_section_a_command():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_row_and_every_row_an_option(name: str):
    rows = {option for row in _ROW.findall(SECTIONS[name]) for option in _OPTION.findall(row)}
    assert rows == {text for option in options(COMMANDS[name]) for text in option.opts}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_values_that_an_option_can_take_are_named(name: str):
    for option in options(COMMANDS[name]):
        if isinstance(option.type, click.Choice):
            row = next(line for line in SECTIONS[name].splitlines() if line.startswith(f"| `{option.opts[0]}"))
            assert all(f"`{choice}`" in row for choice in option.type.choices), row


def test_commands_within_a_group_are_named():
    for name, command in COMMANDS.items():
        if isinstance(command, click.Group):
            assert all(f"`oloproof {name} {inner}`" in SECTIONS[name] for inner in command.commands)


def test_the_links_that_show_takes_are_named():
    choice = next(parameter.type for parameter in COMMANDS["show"].params if isinstance(parameter.type, click.Choice))
    assert all(f"`{link}`" in SECTIONS["show"] for link in choice.choices)


def test_the_exit_codes_are_those_of_the_page():
    rows = re.findall(r"^\| (\d[\d, ]*) \|", PAGE, re.MULTILINE)
    listed = {int(code) for row in rows for code in row.split(",")}
    decided = {0, 1, 3, 4, NO_DECISION, 7, 143}
    assert listed == {*map(int, ExitCode), *map(int, FailureClass), *decided}


def test_the_order_of_classes_is_that_of_the_page():
    assert f"order {', '.join(str(int(item)) for item in PRECEDENCE)} gives the code" in " ".join(PAGE.split())


def test_every_option_has_the_variable_that_its_name_promises():
    for name, command in COMMANDS.items():
        for option in options(command):
            long = next(text for text in option.opts if text.startswith("--")).removeprefix("--").replace("-", "_")
            variable = f"OLOPROOF_{name.replace(' ', '_')}_{long}".upper()
            if option.name is not None and option.name != long:
                assert option.envvar == variable
