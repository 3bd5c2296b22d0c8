"""The LALR automaton of the grammar, loaded from the generated table, and what can be asked of its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lark.grammar import NonTerminal, Rule, Terminal
from lark.parsers.lalr_analysis import IntParseTable, Reduce, Shift
from lark.parsers.lalr_parser_state import ParseConf, ParserState

from oloproof.language.syntax.table import END_STATE, RULES, STATES, SYMBOLS
from oloproof.language.syntax.tokens import BROKEN, END

if TYPE_CHECKING:
    from oloproof.language.syntax.builder import Builder

START = "file"


class _Automaton(NamedTuple):
    """The table, and for every rule the name of the builder's method for it."""

    table: IntParseTable
    actions: dict[Rule, str]
    terminals: tuple[str, ...]


def _load() -> _Automaton:
    rules = [
        Rule(NonTerminal(origin), [_symbol(name) for name in symbols], order, alias or None)
        for order, (origin, symbols, alias) in enumerate(RULES)
    ]
    states = {
        number: {
            SYMBOLS[symbol]: (Shift, target) if target >= 0 else (Reduce, rules[-1 - target]) for symbol, target in row
        }
        for number, row in enumerate(STATES)
    }
    terminals = tuple(name for name in SYMBOLS if name.isupper() and name not in {BROKEN, END})
    actions = {rule: "on_" + (rule.alias or rule.origin.name) for rule in rules}
    table: Any = IntParseTable  # Lark leaves its constructor untyped
    return _Automaton(table(states, {START: 0}, {START: END_STATE}), actions, terminals)


def _symbol(name: str) -> Terminal | NonTerminal:
    return Terminal(name) if name.isupper() else NonTerminal(name)


_AUTOMATON = _load()


def begin(builder: Builder) -> ParserState[int]:
    """A parser at the start of a file; it takes tokens by `feed_token` and calls the builder at every reduction."""
    callbacks: Any = {rule: getattr(builder, name) for rule, name in _AUTOMATON.actions.items()}
    conf: Any = ParseConf(_AUTOMATON.table, callbacks, START)
    lexer: Any = None
    return ParserState(conf, lexer)


def takes(state_stack: list[int], *kinds: str) -> bool:
    """Whether the parser in this state could take tokens of these kinds, one after the other."""
    stack = list(state_stack)
    return all(_shift(stack, kind) for kind in kinds)


def expected(state_stack: list[int]) -> frozenset[str]:
    """The kinds of all tokens that could come next."""
    return frozenset(kind for kind in _AUTOMATON.terminals if takes(state_stack, kind))


def _shift(stack: list[int], kind: str) -> bool:
    states = _AUTOMATON.table.states
    while True:
        entry = states[stack[-1]].get(kind)
        if entry is None:
            return False
        action, argument = entry
        if action is Shift:
            stack.append(argument)
            return True
        if argument.expansion:
            del stack[-len(argument.expansion) :]
        stack.append(states[stack[-1]][argument.origin.name][1])
