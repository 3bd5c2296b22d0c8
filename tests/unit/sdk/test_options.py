"""Options from a plan's JSON: exact types, everything that is wrong at once, and no value in any message."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from oloproof.sdk import Duration, InlineCases, Options, Secret, option
from oloproof.sdk.options import UnusableOptions, build_options, describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Every(Options):
    text: str = option("t", doc="d")
    number: int = option(1, doc="d")
    exact: Decimal = option(Decimal(0), doc="d")
    texts: tuple[str, ...] = option((), doc="d")
    wait: Duration = option(5, doc="d")
    token: Secret | None = option(None, doc="d")
    rows: InlineCases = option((), doc="d")

    def __post_init__(self) -> None:
        if self.exact < 0:
            raise ValueError("exact must not be negative")


def built(values: dict[str, Any], **secrets: str) -> Options:
    return build_options(Every, values, {name: Secret(name, value) for name, value in secrets.items()})


def test_json_becomes_the_types_of_the_model():
    options = built(
        {"exact": "0.10", "texts": ["a", "b"], "wait": 5000, "rows": [{"id": "x"}], "token": {"secret": "T"}}, T="v"
    )
    assert options == Every(
        exact=Decimal("0.10"), texts=("a", "b"), wait=5000, rows=({"id": "x"},), token=Secret("T", "v")
    )
    assert options.token.reveal() == "v"


def test_null_is_an_optional_option_left_out():
    assert built({"token": None}) == Every()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"other": 1}, "other"),
        ({"number": "1"}, "number"),
        ({"number": True}, "number"),
        ({"exact": "one"}, "exact"),
        ({"exact": 0.5}, "exact"),
        ({"exact": "-1"}, "exact"),
        ({"texts": "a"}, "texts"),
        ({"token": "hunter22"}, "token"),
        ({"token": {"secret": "OTHER"}}, "token"),
    ],
)
def test_what_does_not_fit_is_told_by_the_options_name_and_never_by_its_value(values, told):
    with pytest.raises(UnusableOptions, match=told) as caught:
        built(values)
    assert "hunter22" not in str(caught.value)


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(UnusableOptions) as caught:
        built({"number": "1", "texts": "a", "other": 2})
    assert {item.option for item in caught.value.problems} == {"number", "texts", "other"}


def test_the_compiler_sees_kinds_and_defaults():
    specs = describe(Every)
    assert {name: spec.kind for name, spec in specs.items()} == {
        "text": "text",
        "number": "integer",
        "exact": "decimal",
        "texts": "texts",
        "wait": "duration",
        "token": "secret",
        "rows": "inline_cases",
    }
    assert not any(spec.required for spec in specs.values())
