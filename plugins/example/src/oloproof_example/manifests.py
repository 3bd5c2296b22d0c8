"""What the types of this plugin say of themselves; imports none of the modules that run them."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.sdk import FieldPath, Manifest, Options, Secret, option


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordRouterOptions(Options):
    """Options of the system `keyword_router`."""

    rules: tuple[str, ...] = option(doc="Rules `KEYWORD -> LABEL`; the first that fits wins.")
    default: str = option("other", doc="The label where no rule fits.")
    token: Secret | None = option(None, doc="A credential, as a router behind a service would need it.")

    def __post_init__(self) -> None:
        if not self.rules:
            raise ValueError("rules must hold at least one rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditDistanceOptions(Options):
    """Options of the evaluator `edit_distance`."""

    field: FieldPath | None = option(None, doc="The field of the answer; the whole answer if absent.")
    at_most: int = option(0, doc="The largest distance that is still right.")

    def __post_init__(self) -> None:
        if self.at_most < 0:
            raise ValueError("at_most must not be negative")


KEYWORD_ROUTER = Manifest(
    name="keyword_router",
    kind="system",
    options=KeywordRouterOptions,
    factory="oloproof_example.keyword_router:KeywordRouter",
    doc="Labels a text by the first rule whose keyword occurs in it as a word.",
)

EDIT_DISTANCE = Manifest(
    name="edit_distance",
    kind="evaluator",
    options=EditDistanceOptions,
    factory="oloproof_example.edit_distance:EditDistance",
    doc="How many characters must be inserted, deleted or replaced to make the answer the expected text.",
    outputs={"pass": "bool", "distance": "real"},
)
