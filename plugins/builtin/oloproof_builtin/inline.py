"""The source `inline`: cases that stand in the suite."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.sdk import Context, Row, RowFault
from oloproof_builtin.manifests import InlineOptions


class Inline:
    """The rows that the suite's text gave. They have no line in a data file: their number is 0."""

    def __init__(self, options: InlineOptions, _context: Context) -> None:
        self._cases = options.cases

    def rows(self) -> Iterator[Row | RowFault]:
        """Every case in the order in which it is written."""
        for fields in self._cases:
            yield Row(0, fields)
