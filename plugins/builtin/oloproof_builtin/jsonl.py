"""The source `jsonl`: one case a line."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.sdk import Context, Row, RowFault
from oloproof_builtin.json_lines import read_lines
from oloproof_builtin.manifests import JsonlOptions


class JsonLines:
    """Streams the file; holds one line at a time."""

    def __init__(self, options: JsonlOptions, context: Context) -> None:
        self._path = context.suite_dir / options.path

    def rows(self) -> Iterator[Row | RowFault]:
        """Every line in file order, a fault where it holds no object. Raises: OSError where it cannot be read."""
        with self._path.open("rb") as file:
            for line in read_lines(file):
                yield line.content
