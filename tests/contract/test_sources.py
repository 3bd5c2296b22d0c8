"""What every source keeps."""

import pytest
from plugin_types import SOURCES

from oloproof.sdk import Row, RowFault, Source


@pytest.mark.parametrize("subject", SOURCES, ids=str)
def test_it_is_a_source_of_rows_and_faults(subject, tmp_path):
    source = subject.start(tmp_path)
    assert isinstance(source, Source)
    assert all(isinstance(item, Row | RowFault) for item in source.rows())


@pytest.mark.parametrize("subject", SOURCES, ids=str)
def test_it_gives_the_same_rows_each_time(subject, tmp_path):
    source = subject.start(tmp_path)
    assert list(source.rows()) == list(source.rows())


@pytest.mark.parametrize("subject", SOURCES, ids=str)
def test_a_fault_does_not_end_it(subject, tmp_path):
    ids = [item.fields["id"] for item in subject.start(tmp_path).rows() if isinstance(item, Row)]
    assert ids == ["a", "b"]


@pytest.mark.parametrize("subject", SOURCES, ids=str)
def test_places_never_go_backwards(subject, tmp_path):
    numbers = [item.number for item in subject.start(tmp_path).rows()]
    assert numbers == sorted(numbers)
    assert all(number >= 0 for number in numbers)
