"""The kinds that decide: metric, gate, policy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from oloproof.chain.decision import DecisionState
from oloproof.language.semantics.attributes import Attributes
from oloproof.language.semantics.declared import Declared
from oloproof.language.semantics.rules import gates, names, types
from oloproof.language.semantics.spelling import plain
from oloproof.language.semantics.suite import EvaluatorDef, GateDef, MetricDef, PolicyDef, RequireDef
from oloproof.language.semantics.values import Reader
from oloproof.language.syntax.tree import Decl, Ref, Require, Value

#: Two-sided, where neither the gate nor the policy says.
DEFAULT_CONFIDENCE: Final = Decimal("0.95")
_KINDS: Final = ("mean", "quantile", "paired_difference", "difference", "pass_at_k", "pass_hat_k")
_METHODS: Final = ("clopper_pearson", "phantom")


def read_metric(
    decl: Decl, declared: Declared, evaluators: Mapping[str, EvaluatorDef], reader: Reader
) -> MetricDef | None:
    """`metric NAME: proportion { … }`."""
    attributes = Attributes(reader.findings, f"metric `{_name(decl)}`", decl.block)
    if not _is_proportion(decl, reader):
        return None
    of = attributes.take_required("of")
    cluster, weight_by = attributes.take("cluster"), attributes.take("weight_by")
    max_size, method, errors = attributes.take("max_size"), attributes.take("method"), attributes.take("errors")
    missing = attributes.take("missing")
    attributes.refuse("range", "q", "k", "treatment", "control")
    assumed = _assume(attributes, reader)
    attributes.close(blocks=("assume",))
    output = None if of is None else _output(of, declared, evaluators, reader)
    if missing is not None:
        reader.choice(missing, ("bound",), later=("complete_case",))
    if output is None:
        return None
    weighs = None if weight_by is None else reader.choice(weight_by, ("case", "cluster"))
    fails = "missing" if errors is None else reader.choice(errors, ("missing", "failed"))
    return MetricDef(
        name=_name(decl),
        kind="proportion",
        evaluator=output[0],
        output=output[1],
        cluster=None if cluster is None else declared.find("cluster", cluster),
        weight_by="case" if weighs == "case" else "cluster" if weighs == "cluster" else None,
        max_size=None if max_size is None else reader.integer(max_size, at_least=1),
        sizes_uninformative=assumed,
        method=None if method is None else _method(method, reader, clustered=cluster is not None),
        errors="failed" if fails == "failed" else "missing",
        span=decl.label.span if decl.label else decl.span,
    )


def _is_proportion(decl: Decl, reader: Reader) -> bool:
    if decl.type is not None and decl.type.name == "proportion":
        if decl.type.major not in (None, 1):
            reader.findings.add(
                types.MAJOR_NOT_AVAILABLE,
                f"`proportion@{decl.type.major}` is asked for; this version has `proportion@1`",
                decl.type.span,
            )
        return True
    if decl.type is None:
        reader.findings.add(
            names.BAD_HEADER, "a metric needs a kind", decl.kind.span, help="write `metric NAME: proportion { … }`"
        )
    elif decl.type.name in _KINDS:
        reader.findings.add_unavailable(f"the kind of metric `{decl.type.name}`", decl.type.span)
    else:
        reader.findings.add_unknown(
            names.UNKNOWN_KIND,
            f"`{decl.type.name}` is no kind of metric",
            decl.type.name,
            ("proportion", *_KINDS),
            decl.type.span,
        )
    return False


def _output(
    of: Value, declared: Declared, evaluators: Mapping[str, EvaluatorDef], reader: Reader
) -> tuple[str, str] | None:
    """`evaluator.output`, boolean."""
    if isinstance(of, Ref) and of.head == "system" and "system" not in declared.names("evaluator"):
        reader.findings.add_unavailable("a metric of a system's latency, cost or tokens", of.span)
        return None
    name = declared.find("evaluator", of, n_parts=2)
    if name is None or name not in evaluators or not isinstance(of, Ref):
        return None
    outputs, output = evaluators[name].adapter.plugin.manifest.outputs, str(of.parts[1])
    if output not in outputs:
        reader.findings.add_unknown(
            names.UNKNOWN_NAME, f"evaluator `{name}` has no output `{output}`", output, outputs, of.span
        )
        return None
    if outputs[output] != "bool":
        reader.findings.add(
            gates.NOT_BOOLEAN,
            f"`{name}.{output}` is of type {outputs[output]}; a proportion counts booleans",
            of.span,
            help=f"boolean here: {', '.join(key for key, kind in outputs.items() if kind == 'bool') or 'none'}",
        )
        return None
    return name, output


def _assume(attributes: Attributes, reader: Reader) -> bool:
    """`assume { sizes_uninformative = true }`."""
    for decl in attributes.nested:
        if decl.kind.text == "assume":
            inner = Attributes(reader.findings, "`assume`", decl.block)
            value = inner.take("sizes_uninformative")
            inner.refuse("icc_max", "missing_at_random", "max_missing")
            inner.close()
            return value is not None and bool(reader.boolean(value))
    return False


def _method(value: Value, reader: Reader, *, clustered: bool) -> str | None:
    method = reader.choice(value, _METHODS)
    if method == "clopper_pearson" and clustered:
        reader.findings.add(
            gates.METHOD_NOT_VALID,
            "clopper_pearson takes cases as independent and this metric is clustered",
            value.span,
            help="leave `method` out: clustered metrics use `phantom`",
        )
    return method


def read_gate(decl: Decl, declared: Declared, policy: PolicyDef, reader: Reader) -> GateDef | None:
    """`gate NAME { require METRIC >= T, on = SYSTEM }`."""
    findings = reader.findings
    attributes = Attributes(findings, f"gate `{_name(decl)}`", decl.block)
    on = _chosen(attributes, declared, "on", "system")
    cases = _chosen(attributes, declared, "cases", "cases")
    across, correction = attributes.take("across"), attributes.take("correction")
    confidence, advisory = attributes.take("confidence"), attributes.take("advisory")
    attributes.refuse("looks", "spending", "method")
    attributes.close(allow_require=True)
    requires = tuple(line for item in attributes.requires if (line := _require(item, declared, reader)))
    if not attributes.requires and decl.block.is_whole:
        findings.add(
            gates.NO_REQUIRE,
            f"gate `{_name(decl)}` requires nothing",
            decl.block.span,
            help="add a line such as `require accuracy >= 90%`",
        )
    if across is not None and correction is None:
        findings.add(
            gates.NO_CORRECTION,
            "a gate across slices says how it treats the family",
            across.span,
            help="`correction = none` where every slice must pass; `bonferroni` where each PASS is quoted alone",
        )
    corrected = "none" if correction is None else reader.choice(correction, ("none", "bonferroni"), later=("holm",))
    if on is None or cases is None or len(requires) != len(attributes.requires) or not requires:
        return None
    return GateDef(
        name=_name(decl),
        requires=requires,
        system=on,
        cases=cases,
        across=None if across is None else declared.find("slice", across),
        correction="bonferroni" if corrected == "bonferroni" else "none",
        confidence=policy.confidence if confidence is None else _confidence(confidence, reader),
        advisory=advisory is not None and bool(reader.boolean(advisory)),
        span=decl.label.span if decl.label else decl.span,
    )


def _chosen(attributes: Attributes, declared: Declared, attribute: str, kind: str) -> str | None:
    """The system or case set of a gate; the only one where there is one."""
    value = attributes.take(attribute)
    if value is not None:
        return declared.find(kind, value)
    known = declared.names(kind)
    if len(known) == 1:
        return known[0]
    if declared.has_all(kind):
        attributes.report_ambiguous(attribute, kind, known)
    return None


def _require(item: Require, declared: Declared, reader: Reader) -> RequireDef | None:
    if item.verb.text != "require":
        reader.findings.add_unknown(
            names.UNKNOWN_ATTRIBUTE,
            f"a gate has no line `{item.verb.text}`",
            item.verb.text,
            ("require",),
            item.verb.span,
        )
        return None
    metric = declared.find("metric", item.ref)
    threshold = reader.rate(item.value, what="threshold of a proportion")
    if threshold is not None and not 0 <= threshold <= 1:
        reader.findings.add(
            gates.THRESHOLD_RANGE,
            f"a proportion lies from 0% to 100%; {percent(threshold)} lies outside",
            item.value.span,
        )
        return None
    if metric is None or threshold is None:
        return None
    return RequireDef(metric, item.op, threshold, item.span, item.value.span)


def _confidence(value: Value, reader: Reader) -> Decimal:
    confidence = reader.rate(value, what="confidence")
    if confidence is not None and not Decimal("0.5") <= confidence < 1:
        reader.findings.add(
            gates.CONFIDENCE_RANGE,
            f"a confidence lies from 50% to below 100%; {percent(confidence)} lies outside",
            value.span,
            help="95% is the default; the higher it is, the more cases a gate needs",
        )
        return DEFAULT_CONFIDENCE
    return confidence if confidence is not None else DEFAULT_CONFIDENCE


def read_policy(decl: Decl | None, reader: Reader) -> PolicyDef:
    """`policy { … }`, or the defaults."""
    if decl is None:
        return PolicyDef(DEFAULT_CONFIDENCE, ())
    attributes = Attributes(reader.findings, "`policy`", decl.block)
    confidence, guarantee = attributes.take("confidence"), attributes.take("guarantee")
    warn_on = attributes.take("warn_on")
    attributes.close()
    if guarantee is not None:
        reader.choice(guarantee, ("conjectured",), later=("proved",))
    states = [state.value for state in DecisionState if state is not DecisionState.PASS]
    return PolicyDef(
        confidence=DEFAULT_CONFIDENCE if confidence is None else _confidence(confidence, reader),
        warn_on=() if warn_on is None else tuple(sorted(set(reader.choices(warn_on, states) or ()))),
    )


def percent(rate: Decimal) -> str:
    """A fraction as authors write it.

    >>> percent(Decimal("0.995"))
    '99.5%'
    """
    return f"{format(plain(rate.scaleb(2)), 'f')}%"


def _name(decl: Decl) -> str:
    return decl.label.text if decl.label else ""
