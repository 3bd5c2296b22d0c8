import sys

import pytest
from packaging.requirements import Requirement as Reference

from oloproof.adapters.markers import parse_requirement

LINES = [
    "numpy",
    "numpy>=1.26",
    "ruamel.yaml (>=0.15)",
    "a @ https://example.org/a.whl",
    "tomli>=2; python_version < '3.11'",
    'x; python_version >= "3.8" and sys_platform == "linux"',
    "x; sys_platform != 'win32' or (python_version in '2.7, 3.0' and os_name == 'nt')",
    "x; python_full_version >= '3.11.0' and python_version != '3.9'",
    "x; extra == 'test'",
    "x; extra == 'test' and python_version >= '3.0'",
    "x; python_version == '3.*'",
    "x; python_version ~= '3.8'",
    "x; platform_python_implementation == 'CPython' and platform_system not in 'Windows'",
    "x; '3.8' <= python_version",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("extra", ["", "test"])
def test_requirements_apply_as_the_packaging_library_says(line, extra):
    found, reference = parse_requirement(line), Reference(line)
    extras = frozenset({extra}) if extra else frozenset()
    assert found.name == reference.name
    assert found.applies(extras) == (reference.marker is None or reference.marker.evaluate({"extra": extra}))


def test_extras_are_read():
    assert parse_requirement("httpx[HTTP2, cli] >=1").extras == {"http2", "cli"}


@pytest.mark.parametrize("marker", ["what is this", "unknown_name == 'x'", "python_version", "'", "a ? b"])
def test_a_condition_that_cannot_be_read_holds(marker):
    assert parse_requirement(f"x; {marker}").applies(frozenset())


def test_a_line_that_names_nobody_is_none():
    assert parse_requirement("") is None


def test_this_python_is_known():
    line = f"x; python_version == '{sys.version_info[0]}.{sys.version_info[1]}'"
    assert parse_requirement(line).applies(frozenset())
