"""How many calls to hand over at once, from how long calls have taken; no result depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: Aim of a chunk's duration, in seconds: long against the 0.1 ms of handing it over, short against a person's patience.
CHUNK_S: Final = 0.05
MAX_CHUNK: Final = 1024
#: Most bytes of a chunk, as far as the calls before it tell.
MAX_CHUNK_BYTES: Final = 1 << 20
#: A chunk is at most so many times the one before it: the first calls may be unlike the others.
_GROWTH: Final = 4
#: Weight of the newest call in the running mean.
_NEWEST: Final = 0.2
#: From this size on, a worker gets its next chunk while it still holds half of the last one.
_AHEAD: Final = 8


@dataclass(slots=True)
class Pace:
    """Running means over all workers of one run. mean_s: of a call, None before the first has ended."""

    mean_s: float | None = None
    _mean_bytes: float = 0.0
    _size: int = 0

    def note_call(self, elapsed_s: float) -> None:
        """Takes the duration of a finished call."""
        self.mean_s = elapsed_s if self.mean_s is None else self.mean_s + _NEWEST * (elapsed_s - self.mean_s)

    def note_chunk(self, n_calls: int, n_bytes: int) -> None:
        """Takes the size of a chunk that was sent."""
        self._size, self._mean_bytes = n_calls, n_bytes / n_calls

    @property
    def size(self) -> int:
        """Calls for the next chunk, 1 to MAX_CHUNK; 1 until the first call has ended."""
        if self.mean_s is None:
            return 1
        by_time = CHUNK_S / self.mean_s if self.mean_s > 0 else MAX_CHUNK
        by_bytes = MAX_CHUNK_BYTES / self._mean_bytes if self._mean_bytes else MAX_CHUNK
        return max(1, int(min(by_time, by_bytes, _GROWTH * self._size, MAX_CHUNK)))

    @property
    def is_fast(self) -> bool:
        """True while calls end so quickly that waking for each would cost more than they do."""
        return self.size >= _AHEAD

    def wants_more(self, n_held: int) -> bool:
        """Whether a worker that holds so many calls gets its next chunk: slow calls never queue behind each other."""
        return n_held <= self.size // 2 if self.is_fast else n_held == 0
