"""What every plugin type promises before anything of it runs."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from plugin_types import EVERY, Subject

from oloproof.sdk.manifest import SDK_VERSION
from oloproof.sdk.options import UnusableOptions, build_options, describe


@pytest.mark.parametrize("subject", EVERY, ids=str)
def test_a_manifest_is_written_for_this_sdk_and_documented(subject: Subject):
    assert f"{subject.manifest.api}" == SDK_VERSION.partition(".")[0]
    assert subject.manifest.doc.endswith(".")
    assert subject.manifest.name.isidentifier()
    assert bool(subject.manifest.outputs) == (subject.manifest.kind == "evaluator")


@pytest.mark.parametrize("subject", EVERY, ids=str)
def test_every_option_can_be_written_in_the_language_and_is_described(subject: Subject):
    assert all(spec.doc for spec in describe(subject.manifest.options).values())


@pytest.mark.parametrize("subject", EVERY, ids=str)
def test_options_are_frozen_and_closed(subject: Subject):
    model = subject.manifest.options
    assert model.__dataclass_params__.frozen
    with pytest.raises(UnusableOptions, match="no_such_option"):
        build_options(model, {"no_such_option": 1}, {})


@pytest.mark.parametrize("subject", EVERY, ids=str)
def test_reading_a_manifest_imports_nothing_that_runs_it(subject: Subject):
    manifests = subject.manifest.options.__module__
    module = subject.manifest.factory.partition(":")[0]
    code = f"import sys, {manifests}; sys.exit({module!r} in sys.modules or 'numpy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False).returncode
        == 0
    )


@pytest.mark.parametrize("package", ["oloproof_builtin", "oloproof_example"])
def test_a_plugin_imports_the_sdk_and_nothing_else_of_oloproof(package: str):
    spec = find_spec(package)
    for path in Path(spec.origin).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.partition(".")[0] == "oloproof" and name != "oloproof.sdk"], path
