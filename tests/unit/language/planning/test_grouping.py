"""Clusters that share an input are united: by the transitive closure, whatever the order of the rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from oloproof.chain.case import SAME_INPUT
from oloproof.language.planning.grouping import unite

#: Rows as (input, cluster a, cluster b); the id of a row is its place.
ROWS = st.lists(st.tuples(st.integers(0, 8), st.sampled_from("pqrstuv"), st.sampled_from("xyz")), max_size=30)


def _united(rows: Sequence[tuple[int, str, str]], order: Sequence[int]) -> dict[str, dict[str, str]]:
    ids = [f"c{place:02}" for place in order]
    groups = defaultdict(list)
    for index, place in enumerate(order):
        groups[rows[place][0]].append(index)
    repeated = [sorted(members, key=lambda index: ids[index]) for members in groups.values() if len(members) > 1]
    found = unite([{"a": rows[place][1], "b": rows[place][2]} for place in order], ids, repeated)
    return dict(zip(ids, found, strict=True))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    order = list(range(len(rows)))
    shuffled = random.sample(order, len(order))
    assert _united(rows, order) == _united(rows, shuffled)


@given(ROWS)
def test_two_cases_share_a_label_exactly_if_a_chain_of_labels_and_inputs_joins_them(rows):
    united = _united(rows, range(len(rows)))
    for name, column in (("a", 1), ("b", 2)):
        for first in range(len(rows)):
            reached, queue = {first}, [first]
            while queue:
                at = queue.pop()
                near = {
                    other
                    for other in range(len(rows))
                    if rows[other][0] == rows[at][0] or rows[other][column] == rows[at][column]
                }
                queue.extend(near - reached)
                reached |= near
            same = {other for other in range(len(rows)) if united[f"c{other:02}"][name] == united[f"c{first:02}"][name]}
            assert same == reached


@given(ROWS)
def test_a_united_label_is_the_smallest_of_its_group(rows):
    united = _united(rows, range(len(rows)))
    for place, row in enumerate(rows):
        label = united[f"c{place:02}"]["a"]
        assert label <= row[1]
        assert label in {other[1] for other in rows}


@given(ROWS)
def test_equal_inputs_share_a_label_of_their_own_where_there_are_any(rows):
    united = _united(rows, range(len(rows)))
    has_copies = len({row[0] for row in rows}) < len(rows)
    for place, row in enumerate(rows):
        first = next(index for index, other in enumerate(rows) if other[0] == row[0])
        assert united[f"c{place:02}"].get(SAME_INPUT) == (f"c{first:02}" if has_copies else None)
