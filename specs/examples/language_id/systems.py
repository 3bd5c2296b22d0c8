"""The two systems of the example; each names the language of a text, out of all the languages its package knows."""

from collections.abc import Callable
from functools import cache


def candidate(text: str) -> dict[str, str]:
    """Return the language that py3langid scores highest for the text."""
    from py3langid import classify  # type: ignore[import-untyped]  # noqa: PLC0415 - only its own worker loads it

    label, _score = classify(text)
    return {"label": label}


def baseline(text: str) -> dict[str, str]:
    """Return the language that eld detects; the label is empty where eld names none.

    An abstention is an answer: it is observed, and wrong, and not a failed call.
    """
    return {"label": _load_eld()(text) or ""}


@cache
def _load_eld() -> Callable[[str], str | None]:
    from eld import LanguageDetector  # type: ignore[import-untyped]  # noqa: PLC0415 - only its own worker loads it

    detector = LanguageDetector()
    return lambda text: detector.detect(text).language
