"""The diagnostics of one compilation as they are found."""

from __future__ import annotations

from collections.abc import Iterable

from oloproof.language.diagnostics import Diagnostic, Fix, Label, Rule, Severity, nearest, sort_key
from oloproof.language.semantics.rules import names
from oloproof.language.source import Span

#: More findings than this help nobody.
MAX_FINDINGS = 100
#: Names that a finding lists where none is near the one that was written.
SHOWN_NAMES = 12


class Findings:
    """Collects diagnostics; all of them are reported, not the first."""

    __slots__ = ("_found", "_n_guesses")

    def __init__(self, found: Iterable[Diagnostic] = ()) -> None:
        self._found = list(found)
        self._n_guesses = 0

    def add(  # noqa: PLR0913 -- the parts of a diagnostic
        self,
        rule: Rule,
        message: str,
        span: Span | None,
        *,
        labels: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 -- the word that people see
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Adds one finding."""
        self._found.append(Diagnostic(rule, message, span, labels, notes, help, fixes))

    def add_unknown(self, rule: Rule, message: str, word: str, known: Iterable[str], span: Span) -> None:
        """Adds a finding about a name that nobody knows, with what it may have meant."""
        words = sorted(known)
        self._n_guesses += 1
        # Comparing a word with thousands of names takes milliseconds: after a screenful nobody reads the guesses.
        near = nearest(word, words) if self._n_guesses <= MAX_FINDINGS else None
        shown = f"{', '.join(words[:SHOWN_NAMES])}{', …' if len(words) > SHOWN_NAMES else ''}"
        hint = f"did you mean `{near}`?" if near else f"known here: {shown}" if words else None
        self.add(rule, message, span, help=hint)

    def add_unavailable(self, what: str, span: Span) -> None:
        """Adds a finding about a part of edition 1 that this version does not compile yet."""
        self.add(
            names.NOT_AVAILABLE,
            f"{what} is part of edition 1 and not available in this version",
            span,
            help="docs/reference/language.md lists what is",
        )

    def all(self) -> tuple[Diagnostic, ...]:
        """What was found, in the order of a report, each once and at most MAX_FINDINGS."""
        return tuple(sorted(dict.fromkeys(self._found), key=sort_key)[:MAX_FINDINGS])

    @property
    def has_errors(self) -> bool:
        """True once something was found that stops the compiler."""
        return any(item.severity is Severity.ERROR for item in self._found)
