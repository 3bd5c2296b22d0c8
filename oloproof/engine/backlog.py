"""The calls that nobody holds yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from oloproof.engine.work import Call


class Backlog:
    """Draws from the caller's iterable only what is about to be sent; takes back what a dead worker did not begin."""

    __slots__ = ("_returned", "_source")

    def __init__(self, calls: Iterable[Call]) -> None:
        self._source: Iterator[Call] = iter(calls)
        self._returned: deque[Call] = deque()

    @property
    def is_empty(self) -> bool:
        """True once every call is taken."""
        if not self._returned:
            self._returned.extend(islice(self._source, 1))
        return not self._returned

    def take(self, n: int) -> list[Call]:
        """Up to n calls, returned ones first."""
        taken = [self._returned.popleft() for _ in range(min(n, len(self._returned)))]
        taken.extend(islice(self._source, n - len(taken)))
        return taken

    def give_back(self, calls: Iterable[Call]) -> None:
        """Puts calls, in their order, before all others."""
        self._returned.extendleft(reversed(list(calls)))
