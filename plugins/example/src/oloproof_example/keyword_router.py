"""The system `keyword_router`: rules instead of a model, so that its answers are known beforehand."""

from __future__ import annotations

import re
from typing import NamedTuple

from oloproof.sdk import Context, Failure, Permanent, Reply, Request

from oloproof_example.manifests import KeywordRouterOptions

_WORD = re.compile(r"\w+")


class Rule(NamedTuple):
    """One rule; the keyword is case-folded."""

    keyword: str
    label: str


class KeywordRouter:
    """Gives `{"label": …}` for a text, or for the field `text` of a dictionary."""

    def __init__(self, options: KeywordRouterOptions, _context: Context) -> None:
        if options.token is not None and not options.token.reveal().strip():
            raise Permanent(f"{options.token!r} is empty")
        self._rules = tuple(map(parse_rule, options.rules))
        self._default = options.default

    def answer(self, request: Request) -> Reply | Failure:
        """The label of the first rule whose keyword is a word of the text."""
        text = request.input.get("text") if isinstance(request.input, dict) else request.input
        if not isinstance(text, str):
            return Failure("system_error", "a text, or an object with the field text, is due")
        words = _WORD.findall(text.casefold())
        label = next((rule.label for rule in self._rules if rule.keyword in words), self._default)
        return Reply({"label": label}, usage={"words": len(words)}, served_model="keyword_router")


def parse_rule(text: str) -> Rule:
    """The rule that `KEYWORD -> LABEL` writes. Raises: Permanent."""
    keyword, arrow, label = (part.strip() for part in text.partition("->"))
    if not arrow or not label or not _WORD.fullmatch(keyword):
        raise Permanent(f"{text!r} is no rule; write it as in refund -> billing")
    return Rule(keyword.casefold(), label)
