"""Keeps secrets' values out of everything that leaves the process which knows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from oloproof.canon.encoding import Json
from oloproof.sdk.options import Secret


def spellings_of(secrets: Iterable[Secret]) -> tuple[tuple[str, str], ...]:
    """Pairs of text and mark, for redact: each value raw and as JSON escapes it, the longest text first."""
    pairs: dict[str, str] = {}
    for secret in secrets:
        value, mark = secret.reveal(), f"[redacted:{secret.name}]"
        if not value:
            continue
        for text in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]):
            pairs.setdefault(text, mark)
    return tuple(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0])))


def redact(value: Json, spellings: tuple[tuple[str, str], ...]) -> Json:
    """The value with every spelling in its texts and keys replaced; a number that spells a secret becomes the mark."""
    if not spellings:
        return value
    match value:
        case str():
            return redact_text(value, spellings)
        case None | bool():
            return value
        case int() | float():
            text = json.dumps(value)
            return next((mark for spelling, mark in spellings if spelling == text), value)
        case Mapping():
            return {redact_text(key, spellings): redact(item, spellings) for key, item in value.items()}
        case _:
            return [redact(item, spellings) for item in value]


def redact_text(text: str, spellings: tuple[tuple[str, str], ...]) -> str:
    """The text with every spelling replaced by its mark."""
    for spelling, mark in spellings:
        if spelling in text:
            text = text.replace(spelling, mark)
    return text
