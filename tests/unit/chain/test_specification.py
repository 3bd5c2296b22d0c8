"""specs/chain.md says what the code does: fields, domains, states and next steps."""

import re

import pytest
from unit.chain.drawing import RECORDS
from unit.chain.test_records import example_of, json_of

from oloproof.chain.decision import DecisionState
from oloproof.chain.recommendation import Action
from oloproof.chain.run_state import RunState


@pytest.fixture
def text(checkout):
    return (checkout / "specs" / "chain.md").read_text(encoding="utf-8")


def section(text, heading):
    start = text.index(f"\n{heading}\n")
    return text[start : text.find("\n#", start + len(heading))]


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_record_is_listed(text, kind):
    listed = re.findall(r"^\| `([a-z_]+)` \|", section(text, f"### {kind.__name__.lower()}"), re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(json_of(example_of(kind))) - {"link", "v"}


def domains_in(folder):
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    return set(re.findall(r"olo-[a-z]+-v[0-9]+", "".join(texts)))


def test_the_domains_of_the_text_are_those_of_the_code(text, checkout):
    """The app and attest have more: keys of the local store that nobody else reads, and the bundle's own."""
    named = set(re.findall(r"olo-[a-z]+-v[0-9]+", text))
    assert named <= domains_in(checkout / "oloproof")
    assert domains_in(checkout / "oloproof" / "plan") <= named


def test_states_and_actions_are_named(text):
    for word in (*DecisionState, *Action):
        assert word in text
    assert re.findall(r"^\| `([A-Z_]+)` \|", section(text, "## 7. Run states"), re.MULTILINE) == list(RunState)
