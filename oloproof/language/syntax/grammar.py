"""The grammar file and what Lark makes of it. Nothing here is needed at run time: `table.py` holds the result."""

from __future__ import annotations

import hashlib
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

from oloproof.errors import OloproofError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark.common import LexerConf

NAME = "oloproof.lark"

#: In a wheel the grammar lies in the package, in a checkout beside it; the first that is there counts.
PLACES = (
    Path(__file__).parents[2] / "grammar" / NAME,
    Path(__file__).parents[3] / "grammar" / NAME,
)


#: How Lark writes a reduction in a serialized table.
_REDUCE = 1


class NoGrammar(OloproofError):
    """The grammar file is in none of its places."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self.places = places
        super().__init__(f"no {NAME} at {' or '.join(map(str, places))}; reinstall oloproof or run in a checkout")


class _OwnLexer(Lexer):
    """Stands for `lexer.tokenize`, which the parser reads from; Lark asks for a lexer class to build a table."""

    def __init__(self, lexer_conf: LexerConf) -> None:
        del lexer_conf

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
        del lexer_state, parser_state
        return iter(())


class Table(NamedTuple):
    """What Lark makes of a grammar, as tuples of plain data, numbered so that equal grammars give equal data.

    terminals: name, text, whether the text is a pattern, priority. rules: origin, symbols, alias ("" for none).
    states: for each state the symbols it takes, each with the state to shift to, or -1 - r to reduce by rule r;
    state 0 is the start. end_state: the one in which a file is complete.
    """

    grammar_sha256: str
    terminals: tuple[tuple[str, str, bool, int], ...]
    symbols: tuple[str, ...]
    rules: tuple[tuple[str, tuple[str, ...], str], ...]
    states: tuple[tuple[tuple[int, int], ...], ...]
    end_state: int


def read_grammar() -> str:
    """The text of the grammar."""
    for place in PLACES:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise NoGrammar(PLACES)


def compile_grammar(grammar: str) -> Table:
    """The table of a grammar; a conflict is an error of Lark's, never resolved silently."""
    lark = Lark(grammar, parser="lalr", lexer=_OwnLexer, strict=True, start="file", maybe_placeholders=False)
    data, memo = lark.memo_serialize([TerminalDef, Rule])
    terminals = tuple(
        (entry["name"], entry["pattern"]["value"], entry["pattern"]["__type__"] == "PatternRE", entry["priority"])
        for entry in memo.values()
        if entry["__type__"] == "TerminalDef"
    )
    entries = {number: _rule(entry) for number, entry in memo.items() if entry["__type__"] == "Rule"}
    rules = tuple(sorted(entries.values()))
    numbers = {number: rules.index(rule) for number, rule in entries.items()}
    digest = hashlib.sha256(grammar.encode()).hexdigest()
    return Table(digest, terminals, *_automaton(data["parser"]["parser"], numbers, rules))


def _rule(entry: dict[str, Any]) -> tuple[str, tuple[str, ...], str]:
    return entry["origin"]["name"], tuple(symbol["name"] for symbol in entry["expansion"]), entry["alias"] or ""


class _Automaton(NamedTuple):
    symbols: tuple[str, ...]
    rules: tuple[tuple[str, tuple[str, ...], str], ...]
    states: tuple[tuple[tuple[int, int], ...], ...]
    end_state: int


def _automaton(
    table: dict[str, Any], rule_numbers: dict[int, int], rules: tuple[tuple[str, tuple[str, ...], str], ...]
) -> _Automaton:
    """Symbols by name, states in the order in which they are first reached from the start."""
    names = {number: str(name) for number, name in table["tokens"].items()}
    symbols = sorted(names.values())
    start = table["start_states"]["file"]
    state_numbers = {start: 0}
    waiting, states = deque([start]), []
    while waiting:
        row = []
        for symbol, (action, argument) in sorted(table["states"][waiting.popleft()].items(), key=lambda c: names[c[0]]):
            if action == _REDUCE:
                target = -1 - rule_numbers[argument["@"]]
            else:
                if argument not in state_numbers:
                    state_numbers[argument] = len(state_numbers)
                    waiting.append(argument)
                target = state_numbers[argument]
            row.append((symbols.index(names[symbol]), target))
        states.append(tuple(row))
    return _Automaton(tuple(symbols), rules, tuple(states), state_numbers[table["end_states"]["file"]])
