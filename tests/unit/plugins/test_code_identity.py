import json
import sys
from pathlib import Path

import pytest

from oloproof.adapters.code_identity import (
    BadTarget,
    CodeOutsideRoot,
    FileOutsideRoot,
    TargetNotFound,
    identify_target,
)
from oloproof.adapters.import_graph import BadSource
from oloproof.errors import UnreadableFile

SUITE = "suite"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    write(folder, {"suite/app.py": "def run(text):\n    return text\n"})
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path where distributions can be laid out."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def identity(root: Path, target: str = "app:run", depends_on=()):
    return identify_target(target, suite_dir=root / SUITE, root=root, depends_on=depends_on)


def install(site: Path, name: str, *, requires=(), version: str = "1.0", editable: Path | None = None) -> None:
    info = f"{name}-{version}.dist-info"
    lines = "".join(f"Requires-Dist: {line}\n" for line in requires)
    record = f"{info}/METADATA,sha256=abc,1\n../../bin/{name},sha256=def,1\n"
    write(site, {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{lines}"})
    if editable is None:
        write(site, {f"{name}/__init__.py": ""})
        record += f"{name}/__init__.py,sha256=123,0\n"
    else:
        told = {"url": editable.as_uri(), "dir_info": {"editable": True}}
        write(site, {f"{info}/direct_url.json": json.dumps(told)})
    write(site, {f"{info}/RECORD": record})


def test_every_import_statement_is_followed_wherever_it_stands(root):
    write(
        root,
        {
            "suite/app.py": "import json\ndef run(text):\n    from lib.deep import tool\n    return tool(text)\n",
            "lib/__init__.py": "from . import shared\n",
            "lib/shared.py": "",
            "lib/deep/__init__.py": "",
            "lib/deep/tool.py": "from ..deep import other\nfrom ..last import x\n",
            "lib/deep/other.py": "try:\n    import lib.optional\nexcept ImportError:\n    pass\n",
            "lib/last.py": "x = 1\n",
            "lib/optional.py": "",
            "lib/unused.py": "",
        },
    )
    found = identity(root)
    assert list(found.modules) == [
        "app", "lib", "lib.deep", "lib.deep.other", "lib.deep.tool", "lib.last", "lib.optional", "lib.shared",
    ]  # fmt: skip
    assert found.unresolved == ()


def test_the_parents_of_the_target_are_part_of_it(root):
    write(root, {"pkg/__init__.py": "import pkg.setup\n", "pkg/setup.py": "", "pkg/mod.py": "run = print\n"})
    assert list(identity(root, "pkg.mod:run").modules) == ["pkg", "pkg.mod", "pkg.setup"]


def test_an_edit_of_a_reached_module_changes_the_identity_and_of_another_does_not(root):
    write(root, {"suite/app.py": "import near\nrun = near.run\n", "near.py": "run = 1\n", "far.py": "a = 1\n"})
    before = identity(root)
    write(root, {"far.py": "a = 2\n"})
    assert identity(root) == before
    write(root, {"near.py": "run = 2\n"})
    assert identity(root) != before


def test_the_suites_folder_comes_before_the_root(root):
    write(root, {"suite/app.py": "import twice\nrun = 1\n", "suite/twice.py": "a = 1\n", "twice.py": "a = 2\n"})
    before = identity(root)
    write(root, {"twice.py": "a = 3\n"})
    assert identity(root) == before


def test_nothing_is_imported(root):
    write(root, {"suite/app.py": "raise SystemExit\ndef run(text): ...\n"})
    assert list(identity(root).modules) == ["app"]
    assert "app" not in sys.modules


def test_a_distribution_is_its_version_and_record_with_all_that_it_requires(root, site):
    install(site, "direct", requires=["Needed.One>=1; python_version >= '3.8'", "unneeded; sys_platform == 'none'"])
    install(site, "needed_one", requires=["extra_one; extra == 'more'", "direct"])
    install(site, "extra_one")
    install(site, "unneeded")
    write(root, {"suite/app.py": "import direct.sub\nrun = 1\n"})
    found = identity(root).distributions
    assert list(found) == ["direct", "needed-one"]
    assert found["direct"].startswith("1.0 sha256:")


def test_extras_that_are_asked_for_are_followed(root, site):
    install(site, "direct", requires=["needed[more]"])
    install(site, "needed", requires=["extra_one; extra == 'more'"])
    install(site, "extra_one")
    write(root, {"suite/app.py": "import direct\nrun = 1\n"})
    assert list(identity(root).distributions) == ["direct", "extra-one", "needed"]


def test_scripts_and_installers_notes_do_not_change_a_distributions_digest(root, site):
    install(site, "direct")
    write(root, {"suite/app.py": "import direct\nrun = 1\n"})
    before = identity(root)
    record = site / "direct-1.0.dist-info/RECORD"
    record.write_text(
        record.read_text().replace("sha256=def", "sha256=xyz") + "direct-1.0.dist-info/INSTALLER,sha256=q,4\n"
    )
    assert identity(root) == before
    record.write_text(record.read_text().replace("sha256=123", "sha256=124"))
    assert identity(root) != before


def test_an_editable_install_inside_the_root_is_hashed_as_sources(root, site, monkeypatch):
    write(root, {"tools/src/tooling/__init__.py": "", "tools/src/tooling/part.py": "a = 1\n"})
    install(site, "tooling", editable=root / "tools", requires=["needed"])
    install(site, "needed")
    monkeypatch.syspath_prepend(str(root / "tools/src"))
    write(root, {"suite/app.py": "from tooling import part\nrun = 1\n"})
    found = identity(root)
    assert {"tooling/__init__.py", "tooling/part.py"} <= set(found.modules)
    assert list(found.distributions) == ["needed"]


def test_an_editable_install_outside_the_root_is_refused_with_the_way_out(root, site, tmp_path, monkeypatch):
    write(tmp_path / "elsewhere", {"tooling/__init__.py": ""})
    install(site, "tooling", editable=tmp_path / "elsewhere")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    write(root, {"suite/app.py": "import tooling\nrun = 1\n"})
    with pytest.raises(CodeOutsideRoot, match="without -e"):
        identity(root)


def test_a_link_that_leads_out_of_the_root_is_refused(root, tmp_path):
    write(tmp_path, {"outside.py": "a = 1\n"})
    (root / "linked.py").symlink_to(tmp_path / "outside.py")
    write(root, {"suite/app.py": "import linked\nrun = 1\n"})
    with pytest.raises(CodeOutsideRoot):
        identity(root)


def test_names_that_nothing_gives_are_listed(root):
    write(root, {"suite/app.py": "import no_such_thing.at_all, lib.absent\nrun = 1\n", "lib/__init__.py": ""})
    assert identity(root).unresolved == ("lib.absent", "no_such_thing")


def test_a_folder_of_data_does_not_hide_the_package_of_its_name(root, site):
    install(site, "direct")
    write(root, {"direct/data.txt": "", "test/data.txt": "", "suite/app.py": "import direct, test, json\nrun = 1\n"})
    found = identity(root)
    assert list(found.distributions) == ["direct"]
    assert found.unresolved == ()


def test_the_sdk_is_named_by_its_version(root):
    write(root, {"suite/app.py": "from oloproof.sdk import Transient\nrun = 1\n"})
    assert identity(root).distributions == {"oloproof": "sdk 1.0"}


def test_depends_on_files_are_hashed_by_their_path_from_the_suite(root):
    write(root, {"suite/prompt.txt": "a", "shared.txt": "b"})
    before = identity(root, depends_on=["prompt.txt", "../shared.txt"])
    assert list(before.files) == ["../shared.txt", "prompt.txt"]
    write(root, {"shared.txt": "c"})
    assert identity(root, depends_on=["prompt.txt", "../shared.txt"]) != before


@pytest.mark.parametrize("path", ["../../x", "/etc/hostname", "a\\b"])
def test_depends_on_stays_inside_the_root(root, path):
    with pytest.raises(FileOutsideRoot):
        identity(root, depends_on=[path])


def test_a_depends_on_file_that_is_not_there_is_unreadable(root):
    with pytest.raises(UnreadableFile, match=r"absent\.txt"):
        identity(root, depends_on=["absent.txt"])


@pytest.mark.parametrize("target", ["app", "app:", ":run", "app:a.b", "a-b:run", "app.py:run:x", "../app:run"])
def test_what_is_no_target_is_refused(root, target):
    with pytest.raises(BadTarget, match="module:function"):
        identity(root, target)


@pytest.mark.parametrize(("target", "told"), [("nowhere:run", "no module nowhere"), ("app:walk", "no function walk")])
def test_a_target_that_is_not_there_is_told_with_the_place(root, target, told):
    with pytest.raises(TargetNotFound, match=told):
        identity(root, target)


@pytest.mark.parametrize(
    "source",
    [
        "async def run(text): ...",
        "class run: ...",
        "run = print",
        "run: object = print",
        "a, (run, b) = 1, (2, 3)",
        "from os import getcwd as run",
        "from os import *",
        "import run",
        "if True:\n    try:\n        pass\n    except OSError:\n        def run(): ...",
        "with open('x') as run: pass",
        "def __getattr__(name): ...",
    ],
)
def test_every_way_to_bind_a_name_is_a_function_that_may_be_there(root, source):
    write(root, {"suite/app.py": source})
    assert "app" in identity(root).modules


def test_a_name_inside_a_function_is_none(root):
    write(root, {"suite/app.py": "def other():\n    run = 1\n"})
    with pytest.raises(TargetNotFound):
        identity(root)


@pytest.mark.parametrize("name", ["suite/app.py", "lib.py"])
def test_a_syntax_error_is_told_with_file_and_line(root, name):
    write(root, {"suite/app.py": "import lib\nrun = 1\n", "lib.py": ""})
    write(root, {name: "import json\n\nrun = (\n"})
    with pytest.raises(BadSource, match=rf"{Path(name).name}:3"):
        identity(root)
