import sys
from pathlib import Path

import pytest

from oloproof.adapters.plugins import BadFactory, EntryPointCatalogue, execution_of, load
from oloproof.ports.catalogue import BrokenPlugin, Plugin

GOOD = """
from oloproof.sdk import Manifest, Options
class Nothing(Options): ...
def manifest(**changes):
    told = dict(name="thing", kind="system", options=Nothing, factory="PACKAGE.main:Thing", doc="d") | changes
    return Manifest(**told)
THING = manifest(CHANGES)
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("olo_try")]:
        del sys.modules[name]


def offer(site: Path, package: str, changes: str = "", *, dist: str = "try-dist", entry: str = "thing") -> None:
    (site / package).mkdir()
    (site / package / "__init__.py").write_text("")
    (site / package / "main.py").write_text("raise RuntimeError('imported')\n")
    (site / package / "manifests.py").write_text(GOOD.replace("PACKAGE", package).replace("CHANGES", changes))
    info = site / f"{dist.replace('-', '_')}-2.5.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text(f"[oloproof.systems.v1]\n{entry} = {package}.manifests:THING\n")


def test_a_type_is_found_with_its_distribution_and_nothing_that_runs_it_is_imported(site):
    offer(site, "olo_try_a")
    catalogue = EntryPointCatalogue()
    assert "thing" in catalogue.names("system")
    assert "olo_try_a.manifests" not in sys.modules
    found = catalogue.find("system", "thing")
    assert isinstance(found, Plugin)
    assert (found.dist, found.version, found.is_builtin) == ("try-dist", "2.5", False)
    assert "olo_try_a.main" not in sys.modules
    assert catalogue.find("system", "thing") is found


def test_a_name_that_nobody_offers_is_none(site):
    offer(site, "olo_try_a")
    assert EntryPointCatalogue().find("evaluator", "thing") is None
    assert EntryPointCatalogue().find("system", "no_such_thing") is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ("api=2", "major 2 of the SDK"),
        ("kind='evaluator'", "kind evaluator"),
        ("name='other'", "named other"),
        (").name, (", "a Manifest is due"),
        ("api=1/0", "ZeroDivisionError"),
        ("api=exit()", "SystemExit"),
    ],
)
def test_an_entry_point_without_a_usable_manifest_is_broken_and_says_why(site, changes, told):
    offer(site, "olo_try_b", changes)
    found = EntryPointCatalogue().find("system", "thing")
    assert isinstance(found, BrokenPlugin)
    assert told in found.error
    assert (found.dist, found.version) == ("try-dist", "2.5")


def test_two_distributions_that_offer_one_name_are_both_named(site):
    offer(site, "olo_try_c", dist="one-dist")
    offer(site, "olo_try_d", dist="two-dist")
    found = EntryPointCatalogue().find("system", "thing")
    assert isinstance(found, BrokenPlugin)
    assert "one-dist 2.5 and two-dist 2.5" in found.error


def plugin(catalogue=None) -> Plugin:
    found = (catalogue or EntryPointCatalogue()).find("system", "thing")
    assert isinstance(found, Plugin)
    return found


def test_an_edited_helper_module_of_an_outside_plugin_changes_its_code(site):
    offer(site, "olo_try_e")
    helper = site / "olo_try_e" / "deep" / "helper.py"
    helper.parent.mkdir()
    helper.write_text("a = 1\n")
    before = EntryPointCatalogue().code_of(plugin())
    assert EntryPointCatalogue().code_of(plugin()) == before
    helper.write_text("a = 2\n")
    assert EntryPointCatalogue().code_of(plugin()) != before


def test_the_code_of_a_type_of_ours_is_that_of_the_modules_it_reaches(site):
    offer(site, "olo_try_f")
    (site / "olo_try_f" / "main.py").write_text("from olo_try_f import used\n")
    (site / "olo_try_f" / "used.py").write_text("a = 1\n")
    (site / "olo_try_f" / "unused.py").write_text("a = 1\n")
    ours = Plugin(plugin().manifest, "oloproof", "1", is_builtin=True)
    before = EntryPointCatalogue().code_of(ours)
    (site / "olo_try_f" / "unused.py").write_text("a = 2\n")
    assert EntryPointCatalogue().code_of(ours) == before
    (site / "olo_try_f" / "used.py").write_text("a = 2\n")
    assert EntryPointCatalogue().code_of(ours) != before


def test_only_types_of_ours_run_inline(site):
    offer(site, "olo_try_g", "execution='inline'")
    outside = plugin()
    ours = Plugin(outside.manifest, "oloproof", "1", is_builtin=True)
    assert execution_of(outside, {"isolation": "thread"}) == "process"
    assert execution_of(ours, {}) == "inline"


@pytest.mark.parametrize("factory", ["os", "os:", ":x", "os:a.b", "no_such_module:x", "os:no_such_name"])
def test_what_cannot_be_loaded_is_told(factory):
    with pytest.raises(BadFactory, match="cannot be loaded"):
        load(factory)
