"""Release decisions for AI systems, taken on intervals and kept as evidence that others can check.

`compile`, `execute` and `verify` are the command line's own code path; importing this module imports none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from oloproof.plan.plan import Plan
    from oloproof.report.run import Run
    from oloproof.stages.attest.verdict import Report

__version__ = "0.1.0"

__all__ = ["compile", "execute", "verify"]


def compile(path: str | PathLike[str]) -> Plan:  # noqa: A001 -- the command's name
    """The plan of a suite (a file, or a folder with one).

    Raises: oloproof.app.api.CompileError, which carries all diagnostics and prints them; UnreadableFile.
    """
    from oloproof.app.api import compile_path  # noqa: PLC0415 -- lazy: `import oloproof` costs nothing

    return compile_path(path)


def execute(
    plan_or_path: Plan | str | PathLike[str],
    *,
    store: str | PathLike[str] | None = None,
    key: str | PathLike[str] | None = None,
) -> Run:
    """A finished run, whatever its state; see Run.state, Run.outcome and Run.bundle.

    plan_or_path: a suite or its folder, a plan file, or a Plan that compile gave in this process. store: the store's
    file or folder. key: a private key file; one's own by default.
    """
    from oloproof.app.api import execute_path  # noqa: PLC0415 -- as in compile

    return execute_path(plan_or_path, store=store, key=key)


def verify(
    bundle: str | PathLike[str], *, trust: str | PathLike[str] | None = None, level: str = "recompute"
) -> Report:
    """What checking a bundle comes to, offline; see Report.is_verified and Report.failures.

    trust: a trust file; one's own by default. Raises: UsageError for a bad trust file or level.
    """
    from oloproof.app.api import verify_path  # noqa: PLC0415 -- as in compile

    return verify_path(bundle, trust=trust, level=level)
