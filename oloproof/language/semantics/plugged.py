"""Declarations of plugin types: the type found, its options read and typed where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from pydantic import ValidationError

from oloproof.canon.encoding import Json
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import names, types
from oloproof.language.semantics.suite import Configured
from oloproof.language.semantics.values import Reader
from oloproof.language.source import Span
from oloproof.language.syntax.tree import Decl, Value
from oloproof.ports.catalogue import BrokenPlugin, Catalogue, Plugin
from oloproof.sdk.manifest import Kind
from oloproof.sdk.options import OptionSpec, Secret, build_options, describe


def find_type(decl: Decl, kind: Kind, catalogue: Catalogue, findings: Findings) -> Plugin | None:
    """The installed type that a declaration names."""
    if decl.type is None:
        known = ", ".join(catalogue.names(kind))
        findings.add(
            names.BAD_HEADER, f"a {decl.kind.text} needs a type", decl.kind.span, help=f"write `: TYPE`, one of {known}"
        )
        return None
    found = catalogue.find(kind, decl.type.name)
    match found:
        case None:
            findings.add_unknown(
                types.UNKNOWN_TYPE,
                f"no installed {kind} type is called `{decl.type.name}`",
                decl.type.name,
                catalogue.names(kind),
                decl.type.span,
            )
        case BrokenPlugin():
            findings.add(
                types.PLUGIN_BROKEN,
                f"`{found.name}` of {found.dist} {found.version} cannot be used: {found.error}",
                decl.type.span,
                help=f"reinstall or update {found.dist}",
            )
        case Plugin():
            if decl.type.major not in (None, found.manifest.major):
                findings.add(
                    types.MAJOR_NOT_AVAILABLE,
                    f"`{found.manifest.name}@{decl.type.major}` is asked for; {found.dist} {found.version} gives "
                    f"`@{found.manifest.major}`",
                    decl.type.span,
                )
            return found
    return None


@dataclass(slots=True)
class _Read:
    """Options as they are read."""

    options: dict[str, Json]
    spans: dict[str, Span]
    data_files: list[str]
    secrets: list[str]


def configure(name: str, plugin: Plugin, attributes: Attributes, reader: Reader) -> Configured:
    """The options of a declared type, read from the attributes of its block; defaults are written out."""
    read = _Read({}, {}, [], [])
    is_whole = True
    for spec in describe(plugin.manifest.options).values():
        if spec.kind == "inline_cases":
            continue
        value = attributes.take(spec.name)
        if value is None:
            if spec.required:
                attributes.report_missing(spec.name)
                is_whole = False
            elif spec.default is not None:
                read.options[spec.name] = _as_json(spec.default)
            continue
        read.spans[spec.name] = value.span
        found = _read_option(spec, value, reader, read)
        is_whole &= found is not None
        read.options[spec.name] = found
    if is_whole:
        _check_model(plugin, read, attributes, reader.findings)
    return Configured(
        name=name,
        plugin=plugin,
        options=read.options,
        option_spans=read.spans,
        data_files=tuple(read.data_files),
        secrets=tuple(read.secrets),
        span=attributes.span,
    )


def _read_option(spec: OptionSpec, value: Value, reader: Reader, read: _Read) -> Json:  # noqa: C901, PLR0911, PLR0912 -- one case a kind
    match spec.kind:
        case "text" | "target":
            return reader.text(value)
        case "integer":
            return reader.integer(value, at_least=-(2**53) + 1)
        case "decimal":
            number = reader.decimal(value)
            return None if number is None else format(number, "f")
        case "boolean":
            return reader.boolean(value)
        case "choice":
            return reader.choice(value, spec.choices)
        case "texts":
            texts = reader.texts(value)
            return None if texts is None else list(texts)
        case "duration":
            return reader.duration_ms(value)
        case "data_file":
            path = reader.text(value)
            if path is not None:
                read.data_files.append(path)
            return path
        case "field_path":
            found = reader.path(value)
            return None if found is None else found[0]
        case "secret":
            secret = reader.secret(value)
            if secret is None:
                return None
            read.secrets.append(secret)
            return {"secret": secret}
        case "inline_cases":
            return None
        case _:
            assert_never(spec.kind)


def _as_json(default: object) -> Json:
    if isinstance(default, tuple):
        return list(default)
    if default is None or isinstance(default, bool | int | float | str):
        return default
    return str(default)


def _check_model(plugin: Plugin, read: _Read, attributes: Attributes, findings: Findings) -> None:
    """Lets the plugin's own model judge the whole; its text is shown behind ours and never alone."""
    stand_ins = {name: Secret(name, "") for name in read.secrets}
    try:
        build_options(plugin.manifest.options, read.options, stand_ins)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False, include_input=False):
            place = str(fault["loc"][0]) if fault["loc"] else ""
            findings.add(
                types.OPTION_REFUSED,
                f"{attributes.owner}: `{place}` is refused by {plugin.manifest.name}: {fault['msg']}",
                read.spans.get(place, attributes.span),
            )
