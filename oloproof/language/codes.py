"""Every rule there is, in the order of its code."""

from __future__ import annotations

from typing import Final

from oloproof.language.diagnostics import Rule
from oloproof.language.semantics.rules import data, gates, names, types
from oloproof.language.syntax import RULES as SYNTAX

RULES: Final[tuple[Rule, ...]] = tuple(
    sorted((*SYNTAX, *names.RULES, *types.RULES, *data.RULES, *gates.RULES), key=lambda rule: rule.code)
)
