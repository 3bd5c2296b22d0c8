"""What a file declares and no gate reaches, and what is installed, broken and not asked for: warnings, never silence.

Reach is read from names as they stand, so that it can be told in a file with errors as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, get_args

from oloproof.language.semantics.declared import Declared
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import gates, types
from oloproof.language.syntax.tree import Assign, Decl, Ref, Require
from oloproof.ports.catalogue import BrokenPlugin, Catalogue
from oloproof.sdk.manifest import Kind

#: The kind of declaration that names a type of a plugin kind.
_DECLARED_BY: Final[dict[Kind, str]] = {"system": "system", "evaluator": "evaluator", "source": "cases"}


def report_unused(declared: Declared, findings: Findings) -> None:
    """Warns of metrics, systems, case sets, evaluators and clusters that no gate reaches."""
    found_gates = declared.of("gate")
    if not found_gates or not declared.has_all("gate") or not all(gate.block.is_whole for gate in found_gates):
        return
    used_metrics = _report(declared, "metric", {line.ref.head for gate in found_gates for line in _requires(gate)})
    for kind, attribute in (("system", "on"), ("cases", "cases")):
        _report(declared, kind, {name for gate in found_gates for name in _named(gate, attribute, declared, kind)})
    metrics = [decl for decl in declared.of("metric") if decl.label and decl.label.text in used_metrics]
    if not declared.has_all("metric") or not all(metric.block.is_whole for metric in metrics):
        return
    _report(declared, "evaluator", {name for metric in metrics for name in _refs(metric, "of")})
    clusters = _names(declared, "cluster", {name for metric in metrics for name in _refs(metric, "cluster")})
    for decl in declared.of("cluster"):
        if decl.label and decl.label.text not in clusters:
            findings.add(
                gates.CLUSTER_IGNORED,
                f"no gated metric uses cluster `{decl.label.text}`: cases are taken as independent",
                decl.label.span,
                help=f"add `cluster = {decl.label.text}` to the metrics",
            )


def report_broken(declared: Declared, catalogue: Catalogue, findings: Findings) -> None:
    """Warns of installed types that cannot be used; those that the file names are errors where they are named."""
    for kind in get_args(Kind):
        asked = {decl.type.name for decl in declared.of(_DECLARED_BY[kind]) if decl.type}
        for name in catalogue.names(kind):
            if name in asked:
                continue
            found = catalogue.find(kind, name)
            if isinstance(found, BrokenPlugin):
                findings.add(
                    types.PLUGIN_BROKEN_UNUSED,
                    f"the {kind} type `{name}` of {found.dist} {found.version} cannot be used: {found.error}",
                    None,
                    help=f"this file does not need it; update or uninstall {found.dist}",
                )


def _report(declared: Declared, kind: str, used: set[str]) -> set[str]:
    """Warns of what is not used, and returns what is."""
    names = _names(declared, kind, used)
    declared.report_unused(kind, names)
    return names


def _names(declared: Declared, kind: str, used: set[str]) -> set[str]:
    """The names in use; all there are where one in use is unknown, since any of them may be meant by it."""
    known = set(declared.names(kind))
    if used - known:
        return known
    return used


def _requires(gate: Decl) -> Iterator[Require]:
    return (item for item in gate.block.statements if isinstance(item, Require))


def _refs(decl: Decl, attribute: str) -> Iterator[str]:
    for item in decl.block.statements:
        if isinstance(item, Assign) and item.key.text == attribute and isinstance(item.value, Ref):
            yield item.value.head


def _named(gate: Decl, attribute: str, declared: Declared, kind: str) -> Iterable[str]:
    """What a gate names; where it is silent, the only one there is, and all where it should have chosen."""
    return tuple(_refs(gate, attribute)) or declared.names(kind)
