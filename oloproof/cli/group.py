"""The group of commands, each loaded when it is called, and the one place where errors become exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from oloproof import __version__
from oloproof.cli.exit_codes import ExitCode
from oloproof.cli.saying import stop_saying
from oloproof.errors import OloproofError

_COMMANDS = {
    "compile": "Validate a suite and write its plan.",
    "exec": "Run a plan or a suite, decide, and sign the evidence.",
    "explain": "Say what a diagnostic code means and how to fix it.",
    "keys": "Show the key that signs your bundles.",
    "lint": "Check suites; write nothing and run nothing.",
    "runs": "List the runs that the store remembers.",
    "show": "Read one link of a run or a bundle by itself.",
    "verify": "Check a bundle offline and recompute its decision.",
}


class _LazyGroup(click.Group):
    """Knows its commands by name and imports the module of the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- as above
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"oloproof.cli.{cmd_name}_command")  # noqa: TID251 -- our own, from the table
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- as above
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="oloproof", message="%(prog)s %(version)s")
def oloproof() -> None:
    """Decide whether an AI system may ship: on intervals, with evidence that others can check."""


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line. No traceback reaches a user; OLOPROOF_DEBUG=1 shows one to a developer."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")  # Unicode output survives any locale
    try:
        result = oloproof.main(args=list(arguments), standalone_mode=False, auto_envvar_prefix="OLOPROOF")
        code = result if isinstance(result, int) else ExitCode.DONE
        _flush()
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("cancelled", err=True)
        return ExitCode.CANCELLED
    except OloproofError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except OSError as error:  # the surroundings: a full disk behind the output, a folder that is gone
        place = f": {error.filename}" if error.filename else ""
        click.echo(f"error: {error.strerror or error}{place}", err=True)
        return ExitCode.USAGE
    except Exception as error:
        if os.environ.get("OLOPROOF_DEBUG"):
            raise
        click.echo(f"internal error: {type(error).__name__}: {error}", err=True)
        click.echo("this is a fault of oloproof; OLOPROOF_DEBUG=1 shows where", err=True)
        return ExitCode.INTERNAL
    return code


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        stop_saying()
