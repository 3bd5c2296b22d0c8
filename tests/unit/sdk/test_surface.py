"""The door as it is promised: each change of it is a visible change of this list."""

import oloproof.sdk as door

SURFACE = """
ABSENT Absent BadPath Case Context DataFile Duration Evaluator Failure FieldPath FieldRef InlineCases Json Kind Manifest
MaybeJson Options Permanent Refused Reply Request Row RowFault RowKeyed SDK_VERSION Secret Source System Target
Transient Verdict look_up option parse_path
"""


def test_the_door_offers_exactly_what_is_promised():
    assert sorted(door.__all__) == sorted(SURFACE.split())


def test_every_name_of_the_door_is_there():
    assert all(hasattr(door, name) for name in door.__all__)
