"""The kinds that speak of data: cases, cluster, slice."""

from __future__ import annotations

from oloproof.canon.encoding import Json
from oloproof.language.diagnostics import Label
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.plugged import configure, find_type
from oloproof.language.semantics.rules import data, names, types
from oloproof.language.semantics.suite import CasePath, CaseSetDef, ClusterDef, Membership, RowMapping, SliceDef
from oloproof.language.semantics.values import Reader
from oloproof.language.syntax.tree import Assign, Decl, ListValue, Value
from oloproof.ports.catalogue import Catalogue
from oloproof.sdk.paths import BadPath, FieldRef, parse_path


def read_cases(decl: Decl, catalogue: Catalogue, reader: Reader) -> CaseSetDef | None:
    """`cases NAME: TYPE { … }`."""
    findings = reader.findings
    attributes = Attributes(findings, f"cases `{_name(decl)}`", decl.block)
    plugin = find_type(decl, "source", catalogue, findings)
    if plugin is None:
        return None
    source = configure(_name(decl), plugin, attributes, reader)
    if "whole_rows" in plugin.manifest.capabilities:
        source.options["cases"] = list(_inline_rows(attributes, reader))
        mapped: tuple[RowMapping | None, RowMapping | None, RowMapping | None] = (None, None, None)
    else:
        mapped = (
            _mapping(attributes.take_required("id"), reader, single=True),
            _mapping(attributes.take_required("input"), reader),
            _mapping(attributes.take("expect"), reader),
        )
    eligible = _eligible(attributes, reader)
    attributes.close(blocks=("case", "eligible") if plugin.manifest.name == "inline" else ("eligible",))
    return CaseSetDef(source, *mapped, eligible=eligible)


def _mapping(value: Value | None, reader: Reader, *, single: bool = False) -> RowMapping | None:
    """One path, or a list of paths that makes an object keyed by their texts."""
    if value is None:
        return None
    meant = reader.meant(value)
    if isinstance(meant, ListValue) and not single:
        paths = [reader.path(item) for item in meant.items]
        return RowMapping(tuple(path for path in paths if path), is_object=True, span=value.span)
    path = reader.path(value)
    return RowMapping((path,), is_object=False, span=value.span) if path else None


def _inline_rows(attributes: Attributes, reader: Reader) -> list[dict[str, Json]]:
    """The `case "ID" { … }` statements as rows with id, input, expect and whatever else they hold."""
    rows: list[dict[str, Json]] = []
    first: dict[str, Label] = {}
    for decl in attributes.nested:
        if decl.kind.text != "case":
            continue
        if decl.label is None or not decl.label_is_string:
            reader.findings.add(names.BAD_HEADER, 'a case is written `case "ID" { … }`', decl.kind.span)
            continue
        row = reader.json_object(decl.block)
        label = decl.label
        if label.text in first:
            reader.findings.add(
                data.DUPLICATE_CASE,
                f"two cases are called {label.text!r}",
                label.span,
                labels=(first[label.text],),
            )
        first.setdefault(label.text, Label(label.span, "first declared here"))
        if "id" in row:
            reader.findings.add(names.SET_TWICE, "a case's id stands before its block", decl.block.span)
        if "input" not in row and decl.block.is_whole:
            reader.findings.add(names.MISSING_ATTRIBUTE, f"case {label.text!r} needs `input`", label.span)
        rows.append({**row, "id": label.text})
    return rows


def _eligible(attributes: Attributes, reader: Reader) -> tuple[Membership, ...]:
    """`eligible { "path" = value, … }`: all must hold; looked up in the row before anything runs."""
    lines = []
    for decl in attributes.nested:
        if decl.kind.text != "eligible":
            continue
        for statement in decl.block.statements:
            if not isinstance(statement, Assign) or not statement.key_is_string:
                reader.findings.add(types.WRONG_TYPE, 'write `"path" = value` here', statement.span)
                continue
            ref = _parsed(statement, reader)
            meant = reader.meant(statement.value)
            values = meant.items if isinstance(meant, ListValue) else (meant,)
            if ref is not None:
                read = tuple(reader.json(value) for value in values)
                lines.append(Membership(statement.key.text, ref, read, statement.key.span))
    return tuple(lines)


def _parsed(statement: Assign, reader: Reader) -> FieldRef | None:
    try:
        return parse_path(statement.key.text)
    except BadPath as error:
        reader.findings.add(types.BAD_PATH, str(error), statement.key.span)
        return None


def read_cluster(decl: Decl, reader: Reader) -> ClusterDef | None:
    """`cluster NAME { by = case.X }`."""
    attributes = Attributes(reader.findings, f"cluster `{_name(decl)}`", decl.block)
    by = attributes.take_required("by")
    alone = attributes.take("alone")
    attributes.close()
    paths = _case_paths(by, reader)
    is_alone = reader.boolean(alone) if alone is not None else False
    if not paths:
        return None
    return ClusterDef(_name(decl), paths, bool(is_alone), attributes.span_of("by"))


def read_slice(decl: Decl, reader: Reader) -> SliceDef | None:
    """`slice NAME { by = case.X, values = [...], min_cases = N }`."""
    attributes = Attributes(reader.findings, f"slice `{_name(decl)}`", decl.block)
    by, values = attributes.take_required("by"), attributes.take("values")
    minimum = attributes.take("min_cases")
    attributes.close()
    path = reader.case_path(by) if by is not None else None
    if path is None:
        return None
    return SliceDef(
        name=_name(decl),
        by=path,
        values=None if values is None else reader.texts(values),
        min_cases=(reader.integer(minimum, at_least=1) if minimum is not None else None) or 1,
        span=attributes.span_of("by"),
    )


def _case_paths(value: Value | None, reader: Reader) -> tuple[CasePath, ...]:
    if value is None:
        return ()
    meant = reader.meant(value)
    items = meant.items if isinstance(meant, ListValue) else (value,)
    paths = [reader.case_path(item) for item in items]
    return tuple(path for path in paths if path) if None not in paths else ()


def _name(decl: Decl) -> str:
    return decl.label.text if decl.label else ""
