"""The kinds that speak of data: cases, cluster, slice."""

from __future__ import annotations

from oloproof.canon.encoding import Json
from oloproof.language.diagnostics import Label
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.plugged import configure, find_type
from oloproof.language.semantics.rules import data, names, types
from oloproof.language.semantics.suite import CasePath, CaseSetDef, ClusterDef, Membership, RowMapping, SliceDef
from oloproof.language.semantics.values import Reader
from oloproof.language.syntax.tree import Assign, Block, Decl, ListValue, Value
from oloproof.ports.catalogue import Catalogue
from oloproof.sdk.options import describe
from oloproof.sdk.paths import BadPath, FieldRef, parse_path


def read_cases(decl: Decl, catalogue: Catalogue, reader: Reader) -> CaseSetDef | None:
    """`cases NAME: TYPE { … }`."""
    findings = reader.findings
    attributes = Attributes(findings, f"cases `{_name(decl)}`", decl.block)
    plugin = find_type(decl, "source", catalogue, findings)
    if plugin is None:
        return None
    source = configure(_name(decl), plugin, attributes, reader)
    inline = next(
        (spec.name for spec in describe(plugin.manifest.options).values() if spec.kind == "inline_cases"), None
    )
    if inline is not None:
        source.options[inline] = list(_inline_rows(attributes, reader))
    if "whole_rows" in plugin.manifest.capabilities:
        mapped: tuple[RowMapping | None, RowMapping | None, RowMapping | None] = (None, None, None)
    else:
        mapped = (
            _mapping(attributes.take_required("id"), reader, single=True),
            _mapping(attributes.take_required("input"), reader),
            _mapping(attributes.take("expect"), reader),
        )
    eligible = _eligible(attributes, reader)
    attributes.refuse("weight")
    attributes.close(blocks=("case", "eligible") if inline is not None else ("eligible",))
    return CaseSetDef(source, *mapped, eligible=eligible)


def _mapping(value: Value | None, reader: Reader, *, single: bool = False) -> RowMapping | None:
    """One path, or a list of paths that makes an object keyed by their texts."""
    if value is None:
        return None
    meant = reader.meant(value)
    if isinstance(meant, ListValue) and not single:
        if not meant.items:
            reader.findings.add(types.WRONG_TYPE, "an empty list names no field", value.span, help='write `"text"`')
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
            reader.findings.add(
                names.BAD_HEADER,
                "a case's id stands in quotes before its block",
                (decl.label or decl.kind).span,
                help='write `case "ID" { input = …, expect = … }`',
            )
            continue
        row = reader.json_object(decl.block)
        label = decl.label
        if label.text in first:
            reader.findings.add(
                data.DUPLICATE_CASE,
                f"two cases are called {label.text!r}",
                label.span,
                labels=(first[label.text],),
                help="give every case an id of its own; for repeated trials set `repeats` on the system",
            )
        first.setdefault(label.text, Label(label.span, "first declared here"))
        if "id" in row:
            again = next(
                item.key.span for item in decl.block.statements if isinstance(item, Assign) and item.key.text == "id"
            )
            reader.findings.add(
                names.SET_TWICE,
                f"the id of case {label.text!r} is set twice",
                again,
                labels=(Label(label.span, "its id stands here"),),
                help="take `id` out of the block",
            )
        if "input" not in row and decl.block.is_whole:
            reader.findings.add(
                names.MISSING_ATTRIBUTE, f"case {label.text!r} needs `input`", label.span, help="add `input = …`"
            )
        rows.append({**row, "id": label.text})
    return rows


def _eligible(attributes: Attributes, reader: Reader) -> tuple[Membership, ...]:
    """`eligible { "path" = value, … }`: all must hold; looked up in the row before anything runs."""
    lines = []
    for decl in attributes.nested:
        if decl.kind.text != "eligible":
            continue
        first: dict[str, Label] = {}
        for statement in decl.block.statements:
            if not isinstance(statement, Assign) or not statement.key_is_string:
                seen = f"`{statement.key.text}` without quotes" if isinstance(statement, Assign) else "no assignment"
                reader.findings.add(
                    types.WRONG_TYPE,
                    f"a line of `eligible` is a field's path in quotes and its values; this is {seen}",
                    statement.span,
                    help='write `"lang" = ["de", "fr"]`',
                )
                continue
            key = statement.key
            if key.text in first:
                reader.findings.add(
                    names.SET_TWICE,
                    f"`{key.text}` is set twice in `eligible`",
                    key.span,
                    labels=(first[key.text],),
                    help="list all values that are eligible in one line",
                )
            first.setdefault(key.text, Label(key.span, "first set here"))
            ref = _parsed(statement, reader)
            if ref is not None:
                lines.append(Membership(key.text, ref, _scalars(statement.value, reader), key.span))
    return tuple(lines)


def _scalars(value: Value, reader: Reader) -> tuple[Json, ...]:
    """The values of one membership: texts, numbers, booleans."""
    meant = reader.meant(value)
    read = []
    for item in meant.items if isinstance(meant, ListValue) else (value,):
        if isinstance(reader.meant(item), ListValue | Block):
            reader.findings.add(
                types.WRONG_TYPE,
                "a field is compared with strings, numbers and booleans only",
                item.span,
                help='write a value such as `"de"`, or a flat list of them',
            )
        else:
            read.append(reader.json(item))
    return tuple(read)


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
    weight_by, max_size = attributes.take("weight_by"), attributes.take("max_size")
    attributes.close()
    paths = _case_paths(by, reader)
    is_alone = reader.boolean(alone) if alone is not None else False
    weighs = None if weight_by is None else reader.choice(weight_by, ("case", "cluster"))
    cap = None if max_size is None else reader.integer(max_size, at_least=1)
    if not paths:
        return None
    return ClusterDef(
        name=_name(decl),
        by=paths,
        alone=bool(is_alone),
        span=attributes.span_of("by"),
        weight_by="case" if weighs == "case" else "cluster" if weighs == "cluster" else None,
        max_size=cap,
    )


def read_slice(decl: Decl, reader: Reader) -> SliceDef | None:
    """`slice NAME { by = case.X, values = [...], min_cases = N }`."""
    attributes = Attributes(reader.findings, f"slice `{_name(decl)}`", decl.block)
    by, values = attributes.take_required("by"), attributes.take("values")
    minimum = attributes.take("min_cases")
    attributes.close()
    path = reader.case_path(by) if by is not None else None
    listed = None if values is None else reader.texts(values)
    for text in sorted({text for text in listed or () if (listed or ()).count(text) > 1}):
        reader.findings.add(
            names.SET_TWICE,
            f"slice `{_name(decl)}` lists {text!r} twice",
            attributes.span_of("values"),
            help="keep one of them",
        )
    if path is None:
        return None
    return SliceDef(
        name=_name(decl),
        by=path,
        values=listed,
        min_cases=(reader.integer(minimum, at_least=1) if minimum is not None else None) or 1,
        span=attributes.span_of("by"),
    )


def _case_paths(value: Value | None, reader: Reader) -> tuple[CasePath, ...]:
    if value is None:
        return ()
    meant = reader.meant(value)
    items = meant.items if isinstance(meant, ListValue) else (value,)
    if not items:
        reader.findings.add(
            types.WRONG_TYPE, "a cluster goes by at least one field", value.span, help="write `by = case.customer_id`"
        )
    paths = [reader.case_path(item) for item in items]
    return tuple(path for path in paths if path) if None not in paths else ()


def _name(decl: Decl) -> str:
    return decl.label.text if decl.label else ""
