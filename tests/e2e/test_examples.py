"""The examples of specs/examples, as their READMEs promise them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import oloproof
from shared_data import shared


@pytest.fixture(scope="module")
def language_id(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("py3langid", reason="needs the extra `examples`")
    pytest.importorskip("eld", reason="needs the extra `examples`")
    folder = tmp_path_factory.mktemp("examples") / "language_id"
    source = Path(__file__).resolve().parents[2] / "specs" / "examples" / "language_id"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".oloproof", "*.evidence", "__pycache__"))
    return folder


@pytest.fixture(scope="module")
def first_run(language_id: Path):
    return oloproof("exec", "--json", cwd=language_id) if compiled(language_id) else None


def compiled(folder: Path) -> bool:
    return oloproof("compile", cwd=folder).code == 0


def test_two_real_systems_are_measured_and_the_gates_come_out_differently(first_run):
    assert first_run.code == 0
    body = first_run.json
    states = {gate["id"]: gate["state"] for gate in body["gates"]}
    assert states == {
        "baseline_good_enough": "PASS",
        "every_kind": "FAIL",
        "four_of_five": "INSUFFICIENT_EVIDENCE",
        "good_enough": "PASS",
    }
    assert body["recommendation"]["action"] == "WARN"
    assert body["calls"]["system"] == 1080
    counts = [line["counts"] for gate in body["gates"] for line in gate["requires"]]
    assert {"total": 540, "eligible": 540, "observed": 540, "missing": 0} in counts


def test_a_second_run_calls_nothing_and_leaves_the_bundle_as_it_is(language_id: Path, first_run):
    envelope = (language_id / "suite.evidence" / "evidence.dsse.json").read_bytes()
    again = oloproof("exec", "--json", cwd=language_id).json
    assert again["calls"] == {"evaluator": 0, "judge": 0, "system": 0}
    assert again["reused"] == {"measurements": 1080, "observations": 1080}
    assert again["gates"] == first_run.json["gates"]
    assert (language_id / "suite.evidence" / "evidence.dsse.json").read_bytes() == envelope


def test_the_bundle_verifies_and_says_by_whose_key(language_id: Path, first_run):
    assert first_run.code == 0
    report = oloproof("verify", "suite.evidence", "--json", cwd=language_id)
    assert report.code == 0
    assert report.json["levels"]["recompute"]["standing"] == "verified"
    assert report.json["signers"][0]["own"] is True


def test_the_neighbouring_suite_blocks(language_id: Path, checkout: Path, tmp_path: Path):
    root = tmp_path / "specs" / "examples"
    shutil.copytree(language_id, root / "language_id", ignore=shutil.ignore_patterns(".oloproof", "*.evidence"))
    shutil.copytree(checkout / "specs" / "examples" / "language_id_blocked", root / "language_id_blocked")
    (tmp_path / "oloproof.toml").write_text("")
    done = oloproof("exec", "specs/examples/language_id_blocked", "--json", cwd=tmp_path)
    assert done.code == 1
    assert done.json["recommendation"]["action"] == "BLOCK"
    assert done.json["gates"][0]["state"] == "FAIL"


def test_four_recorded_models_have_the_counts_of_their_publisher(checkout: Path, tmp_path: Path):
    data = shared("data", "gsm8k-four-models", "cases.jsonl")
    shutil.copy(checkout / "specs" / "examples" / "gsm8k" / "suite.olo", tmp_path)
    (tmp_path / "data").mkdir()
    shutil.copyfile(data, tmp_path / "data" / "cases.jsonl")
    done = oloproof("exec", ".", "--json", cwd=tmp_path)
    assert done.code == 0
    lines = {gate["id"]: gate["requires"][0] for gate in done.json["gates"]}
    # SOURCE.md of the data: right answers 286, 515, 458, 742 of 1,319; missing 4, 1, 5, 1.
    expected = {
        "small_finetuned_ready": (286, 4, "INSUFFICIENT_EVIDENCE"),
        "small_verified_ready": (515, 1, "INSUFFICIENT_EVIDENCE"),
        "large_finetuned_ready": (458, 5, "FAIL"),
        "large_verified_ready": (742, 1, "PASS"),
    }
    assert set(lines) == set(expected)
    for gate, (n_right, n_missing, state) in expected.items():
        line = lines[gate]
        assert line["counts"] == {
            "total": 1319,
            "eligible": 1319,
            "observed": 1319 - n_missing,
            "missing": n_missing,
        }
        assert round(line["estimate"] * line["counts"]["observed"], 6) == n_right
        assert line["state"] == state
    assert done.json["missing"] == {"null_output": 11}


def test_published_flags_and_our_measurements_agree_case_by_case(checkout: Path, tmp_path: Path):
    data = shared("data", "gsm8k-four-models", "cases.jsonl")
    shutil.copy(checkout / "specs" / "examples" / "gsm8k" / "suite.olo", tmp_path)
    (tmp_path / "data").mkdir()
    shutil.copyfile(data, tmp_path / "data" / "cases.jsonl")
    assert oloproof("exec", ".", cwd=tmp_path).code == 0
    shown = oloproof("show", "last", "measurement", "--json", cwd=tmp_path).json["records"]
    ours = {
        (item["record"]["id"], item["record"]["system"]): item["record"]["outputs"]["pass"]
        for item in shown
        if item["record"]["outputs"] is not None
    }
    names = {
        "small_finetuned": "6b_finetuning",
        "small_verified": "6b_verification",
        "large_finetuned": "175b_finetuning",
        "large_verified": "175b_verification",
    }
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    published = {
        (row["case_id"], ours_name): row["outputs"][theirs]["correct"]
        for row in rows
        for ours_name, theirs in names.items()
        if row["outputs"][theirs]["final"] is not None
    }
    assert ours == published
