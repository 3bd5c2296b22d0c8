from pathlib import Path

import pytest
from oloproof.sdk import Context, Failure, Permanent, Reply, Request, Secret

from oloproof_example.keyword_router import KeywordRouter
from oloproof_example.manifests import KeywordRouterOptions

CONTEXT = Context(Path("/"), Path("/"))
RULES = ("refund -> billing", "password -> account")


def label_of(text, **options):
    reply = KeywordRouter(KeywordRouterOptions(rules=RULES, **options), CONTEXT).answer(Request(text, "c", 0, None))
    assert isinstance(reply, Reply)
    return reply.output["label"]


def test_the_first_rule_whose_keyword_is_a_word_of_the_text_gives_the_label():
    assert label_of("My PASSWORD for the refund page") == "billing"


def test_a_keyword_inside_another_word_does_not_count():
    assert label_of("refundable") == "other"


def test_the_default_is_given_where_no_rule_fits():
    assert label_of("Hello", default="greeting") == "greeting"


def test_a_dictionary_is_read_at_its_field_text():
    assert label_of({"text": "refund"}) == "billing"


def test_an_input_without_a_text_is_a_failure_and_no_answer():
    router = KeywordRouter(KeywordRouterOptions(rules=RULES), CONTEXT)
    assert isinstance(router.answer(Request(7, "c", 0, None)), Failure)


@pytest.mark.parametrize("rule", ["refund", "-> billing", "two words -> x", "refund ->"])
def test_what_is_no_rule_is_refused_before_the_first_call(rule):
    with pytest.raises(Permanent, match="no rule"):
        KeywordRouter(KeywordRouterOptions(rules=(rule,)), CONTEXT)


def test_an_empty_token_is_refused_by_its_name():
    with pytest.raises(Permanent, match="TOKEN"):
        KeywordRouter(KeywordRouterOptions(rules=RULES, token=Secret("TOKEN", " ")), CONTEXT)
