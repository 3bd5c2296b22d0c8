"""Declarations of plugin types: the type found, its options read and typed where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

from oloproof.canon.encoding import Json, encode
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.findings import Findings
from oloproof.language.semantics.rules import names, types
from oloproof.language.semantics.spelling import plain
from oloproof.language.semantics.suite import Configured
from oloproof.language.semantics.values import Reader
from oloproof.language.source import Span
from oloproof.language.syntax.tree import Decl, Value
from oloproof.ports.catalogue import BrokenPlugin, Catalogue, Plugin
from oloproof.sdk.manifest import Kind
from oloproof.sdk.options import OptionSpec, Secret, UnusableOptions, build_options, describe

#: Types of edition 1 that this version does not bring; a distribution that does is found first.
_LATER: Final[Mapping[Kind, frozenset[str]]] = {
    "source": frozenset({"csv"}),
    "system": frozenset({"http", "subprocess"}),
    "evaluator": frozenset(),
}


def find_type(decl: Decl, kind: Kind, catalogue: Catalogue, findings: Findings) -> Plugin | None:
    """The installed type that a declaration names."""
    if decl.type is None:
        known = ", ".join(catalogue.names(kind))
        findings.add(
            names.BAD_HEADER,
            f"{decl.kind.text} `{decl.label.text if decl.label else ''}` needs a type",
            decl.kind.span,
            help=f"write `{decl.kind.text} NAME: TYPE {{ … }}`; types here: {known}",
        )
        return None
    found = catalogue.find(kind, decl.type.name)
    match found:
        case None if decl.type.name in _LATER[kind]:
            findings.add_unavailable(f"the {kind} type `{decl.type.name}`", decl.type.span)
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
                    help=f"install a version of {found.dist} that gives it, or write `@{found.manifest.major}` after "
                    "reading what changed",
                )
            return found if _is_describable(found, decl.type.span, findings) else None
    return None


def _is_describable(plugin: Plugin, span: Span, findings: Findings) -> bool:
    """Whether the language can write the options of a type; a plugin that was never tried may ask for more."""
    try:
        describe(plugin.manifest.options)
    except Exception as error:  # noqa: BLE001 -- around plugin code
        findings.add(
            types.PLUGIN_BROKEN,
            f"`{plugin.manifest.name}` of {plugin.dist} {plugin.version} cannot be used: "
            f"{type(error).__name__}: {error}",
            span,
            help=f"reinstall or update {plugin.dist}",
        )
        return False
    return True


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
            # The caller fills them in; the model judges the other options with none.
            read.options[spec.name] = []
            continue
        value = attributes.take(spec.name)
        if value is None:
            if spec.required:
                attributes.report_missing(spec.name)
                is_whole = False
            elif spec.default is not None:
                read.options[spec.name] = _as_json(spec.default)
                read.data_files.extend([str(spec.default)] if spec.kind == "data_file" else [])
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
            return None if number is None else format(plain(number), "f")
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
    if isinstance(default, Decimal):
        return format(plain(default), "f")
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
    except UnusableOptions as error:
        for place, why in error.problems:
            what = f"`{place}` = {_written(read.options.get(place))}" if place in read.spans else "the options together"
            findings.add(
                types.OPTION_REFUSED,
                f"{attributes.owner}: {plugin.manifest.name} refuses {what}: {why}",
                read.spans.get(place, attributes.span),
                help=next((spec.doc for spec in [describe(plugin.manifest.options).get(place)] if spec), None),
            )
    except Exception as error:  # noqa: BLE001 -- around plugin code: a model has validators of its own
        findings.add(
            types.PLUGIN_BROKEN,
            f"`{plugin.manifest.name}` of {plugin.dist} {plugin.version} fails on these options: "
            f"{type(error).__name__}: {error}",
            attributes.span,
            help=f"tell the authors of {plugin.dist}",
        )


def _written(value: Json) -> str:
    text = encode(value).decode()
    return text if len(text) <= 40 else f"{text[:37]}…"  # noqa: PLR2004 -- what fits into a sentence
