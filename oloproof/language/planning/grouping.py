"""Clusters united where they share an input: equal inputs are no independent evidence (specs/chain.md)."""

from __future__ import annotations

from collections.abc import Sequence

from oloproof.chain.case import SAME_INPUT


def unite(
    clusters: Sequence[dict[str, str]], ids: Sequence[str], repeated: Sequence[Sequence[int]]
) -> list[dict[str, str]]:
    """Each case's cluster labels, where clusters that share an input bear one label: the smallest of theirs.

    repeated: groups of cases with equal inputs, as indices. With any, every case also has a SAME_INPUT label: the id of
    the first case with its input.
    """
    if not repeated:
        return [dict(item) for item in clusters]
    united: list[dict[str, str]] = [{} for _ in ids]
    for name in sorted({name for item in clusters for name in item}):
        labels = [item[name] for item in clusters]
        roots = _roots(labels, repeated)
        for index, label in enumerate(labels):
            united[index][name] = roots[label]
    same = {index: ids[members[0]] for members in repeated for index in members}
    for index, item in enumerate(united):
        item[SAME_INPUT] = same.get(index, ids[index])
    return united


def _roots(labels: Sequence[str], repeated: Sequence[Sequence[int]]) -> dict[str, str]:
    """Label → smallest label of its united group."""
    parent = {label: label for label in labels}

    def root(label: str) -> str:
        while parent[label] != label:
            parent[label] = parent[parent[label]]
            label = parent[label]
        return label

    for members in repeated:
        first = root(labels[members[0]])
        for index in members[1:]:
            other = root(labels[index])
            first, other = min(first, other), max(first, other)
            parent[other] = first
    return {label: root(label) for label in parent}
