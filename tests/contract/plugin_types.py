"""What the contract suites need of each type: how to start it, and values to try."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from oloproof_builtin import manifests as builtin
from oloproof_example import manifests as example

from oloproof.adapters.worker import start_adapter
from oloproof.sdk import Context, Json, Manifest, Secret

SECRET = Secret("TOKEN", "hunter22-canary")

TARGET = """
def answer(value):
    return value if isinstance(value, str) else {"value": value}
"""
RECORDED = '{"id": "c0", "output": "x"}\n{"id": "c1", "output": {"label": "y"}}\n{"id": "c2", "output": null}\n'


@dataclass(frozen=True)
class Subject:
    """One type with options that fit, and the files that these name."""

    manifest: Manifest
    options: Mapping[str, Json] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.manifest.name

    @property
    def model(self) -> str:
        """`module:Class` of the options."""
        return f"{self.manifest.options.__module__}:{self.manifest.options.__qualname__}"

    def lay_out(self, folder: Path) -> None:
        """Writes the files."""
        for name, text in self.files.items():
            (folder / name).write_text(text)

    def start(self, folder: Path) -> object:
        """The adapter, built as the core builds it."""
        self.lay_out(folder)
        return start_adapter(
            self.manifest.name,
            factory=self.manifest.factory,
            model=self.model,
            options=self.options,
            context=Context(folder, folder),
            secrets={"TOKEN": SECRET},
        )


SYSTEMS = (
    Subject(builtin.PYTHON, {"target": "contract_target:answer"}, {"contract_target.py": TARGET}),
    Subject(builtin.REPLAY, {"path": "recorded.jsonl"}, {"recorded.jsonl": RECORDED}),
    Subject(example.KEYWORD_ROUTER, {"rules": ["refund -> billing"], "token": {"secret": "TOKEN"}}),
)
EVALUATORS = (
    Subject(builtin.EXACT_MATCH),
    Subject(builtin.EXACT_MATCH, {"field": "label", "ignore_case": True}),
    Subject(builtin.CONTAINS, {"match": "any"}),
    Subject(builtin.NUMERIC, {"tolerance": "0.5", "take": "only"}),
    Subject(example.EDIT_DISTANCE, {"field": "label", "at_most": 2}),
)
SOURCES = (
    Subject(builtin.JSONL, {"path": "rows.jsonl"}, {"rows.jsonl": '{"id": "a"}\n[]\n\n{"id": "b"}\n'}),
    Subject(builtin.INLINE, {"cases": [{"id": "a", "input": "x"}, {"id": "b", "input": "y"}]}),
)
EVERY = SYSTEMS + EVALUATORS + SOURCES
