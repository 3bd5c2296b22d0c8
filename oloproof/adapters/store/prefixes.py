"""Where stored keys lie, found by their first eight bytes: sorted runs that double in size, 16 bytes a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

_Numbers: TypeAlias = npt.NDArray[np.uint64]

#: Words of 8 bytes in a key of 32.
_WORDS = 4
#: Bits of a place that say which key within its segment; segments hold far fewer.
_POSITION_BITS = np.uint64(16)
_POSITION_MASK = np.uint64((1 << 16) - 1)


class _Run(NamedTuple):
    prefixes: _Numbers
    places: _Numbers


class Prefixes:
    """The keys of one link and scope."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def add(self, segments: Iterable[tuple[int, bytes]]) -> None:
        """Takes more segments with their packed keys, ids ascending and above all before."""
        prefixes, places = [], []
        for segment, keys in segments:
            mine = _prefixes(keys)
            prefixes.append(mine)
            places.append(np.arange(len(mine), dtype=np.uint64) + (np.uint64(segment) << _POSITION_BITS))
        if prefixes:
            self._runs.append(_sorted(np.concatenate(prefixes), np.concatenate(places)))
        # Merging equals only makes n keys cost n log n however small the steps were.
        while len(self._runs) > 1 and len(self._runs[-2].places) <= 2 * len(self._runs[-1].places):
            newer, older = self._runs.pop(), self._runs.pop()
            prefixes, places = [older.prefixes, newer.prefixes], [older.places, newer.places]
            self._runs.append(_sorted(np.concatenate(prefixes), np.concatenate(places)))

    def find(self, keys: Sequence[bytes]) -> Iterator[tuple[int, int, int]]:
        """(number of the key, segment, position there) for keys with its prefix; the newest of a key first."""
        wanted = _prefixes(b"".join(keys))
        for run in reversed(self._runs):
            left = np.searchsorted(run.prefixes, wanted, "left")
            numbers = np.nonzero(run.prefixes.take(left, mode="clip") == wanted)[0]
            left, right = left[numbers], np.searchsorted(run.prefixes, wanted[numbers], "right")
            while len(numbers):
                right -= 1
                places = run.places[right]
                segments, positions = places >> _POSITION_BITS, places & _POSITION_MASK
                yield from zip(numbers.tolist(), segments.tolist(), positions.tolist(), strict=True)
                more = right > left
                numbers, left, right = numbers[more], left[more], right[more]


def _prefixes(keys: bytes) -> _Numbers:
    return np.frombuffer(keys, dtype=np.dtype("<u8"))[::_WORDS].astype(np.uint64)


def _sorted(prefixes: _Numbers, places: _Numbers) -> _Run:
    order = np.argsort(prefixes, kind="stable")  # stable keeps older before newer among equals
    return _Run(prefixes[order], places[order])
