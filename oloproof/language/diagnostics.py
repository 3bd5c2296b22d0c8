"""What the compiler has to say about an author's text: records only, rendered in `oloproof.report`."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from oloproof.errors import OloproofError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.language.source import Span

_CODE = re.compile(r"OLO[0-9]{3}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

#: Similarity (difflib ratio) from which a name is near enough to be offered; below it suggestions read as noise.
MIN_SIMILARITY = 0.6


class Severity(Enum):
    """How much a diagnostic weighs: an error stops the compiler, a warning and a hint do not."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class MalformedRule(OloproofError):
    """A rule was written with a code or a name that cannot be published."""

    def __init__(self, code: str, name: str) -> None:
        self.code, self.name = code, name
        super().__init__(f"rule {code!r} {name!r}: a code is OLO and three digits, a name is kebab-case")


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding: its code (never reused), its name and how much it weighs."""

    code: str
    name: str
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.code) or not _NAME.fullmatch(self.name):
            raise MalformedRule(self.code, self.name)


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that explains the first, with a few words shown beside it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement of a span; an empty span inserts, an empty replacement deletes."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that answers a diagnostic. safe: never changes meaning that was read; hint: has places to fill in."""

    title: str
    applicability: Literal["safe", "unsafe", "hint"]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. span is None where no place in a text is at fault (a folder, the environment)."""

    rule: Rule
    message: str
    span: Span | None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def code(self) -> str:
        """The code of the rule, such as `OLO001`."""
        return self.rule.code

    @property
    def severity(self) -> Severity:
        """How much this finding weighs."""
        return self.rule.severity


class SortKey(NamedTuple):
    """Path, start, code: the order in which diagnostics are shown, the same in every run."""

    path: str
    start: int
    code: str


def sort_key(diagnostic: Diagnostic) -> SortKey:
    """Where a diagnostic stands in the order of a report; those without a place come first."""
    if diagnostic.span is None:
        return SortKey("", -1, diagnostic.code)
    return SortKey(diagnostic.span.path, diagnostic.span.start, diagnostic.code)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name a misspelt word most likely meant, or None where nothing is near.

    >>> nearest("sytem", ["metric", "system"])
    'system'
    """
    folded = {name.lower(): name for name in sorted(known, reverse=True)}
    written = word.lower()
    near = difflib.get_close_matches(written, sorted(folded), n=len(folded) or 1, cutoff=MIN_SIMILARITY)
    best = max(near, key=lambda name: _Likeness.of(written, name), default=None)
    return None if best is None else folded[best]


class _Likeness(NamedTuple):
    """How near a known name is; among equally similar ones the longer common beginning counts."""

    ratio: float
    n_same_at_start: int

    @classmethod
    def of(cls, word: str, name: str) -> _Likeness:
        n_same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, name, strict=False)))
        return cls(difflib.SequenceMatcher(None, name, word).ratio(), n_same)
