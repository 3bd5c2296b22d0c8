import json

from hypothesis import given
from hypothesis import strategies as st

from oloproof.engine.redaction import redact, spellings_of
from oloproof.sdk import Secret

TOKEN = Secret("TOKEN", 'a"b\\c\né')
SPELLINGS = spellings_of([TOKEN])


def test_the_value_is_replaced_in_texts_keys_lists_and_objects():
    found = redact({TOKEN.reveal(): ["so " + TOKEN.reveal(), 1, None]}, SPELLINGS)
    assert found == {"[redacted:TOKEN]": ["so [redacted:TOKEN]", 1, None]}


def test_the_value_is_replaced_as_json_and_python_write_it():
    told = json.dumps(TOKEN.reveal()) + json.dumps(TOKEN.reveal(), ensure_ascii=False) + repr(TOKEN.reveal())
    assert redact(told, SPELLINGS) == '"[redacted:TOKEN]"' * 2 + "'[redacted:TOKEN]'"


def test_a_number_that_spells_a_secret_becomes_the_mark():
    spellings = spellings_of([Secret("PIN", "4711")])
    assert redact([4711, 47110, True], spellings) == ["[redacted:PIN]", 47110, True]


def test_the_longer_of_two_secrets_is_replaced_first():
    spellings = spellings_of([Secret("SHORT", "key"), Secret("LONG", "key-and-more")])
    assert redact("key-and-more key", spellings) == "[redacted:LONG] [redacted:SHORT]"


def test_an_empty_secret_is_nowhere():
    assert redact("text", spellings_of([Secret("EMPTY", "")])) == "text"


@given(st.text(min_size=6, alphabet='abc"\\\n\té\u2028'), st.text(), st.text())
def test_no_spelling_survives(value, before, after):
    spellings = spellings_of([Secret("S", value)])
    found = redact({"a": before + value + after, before + json.dumps(value): [value]}, spellings)
    texts = json.dumps(found, ensure_ascii=False)
    assert json.dumps(value, ensure_ascii=False)[1:-1] not in texts
