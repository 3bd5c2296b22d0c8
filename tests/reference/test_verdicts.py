"""The verdicts of shared/oracles through the functions that decide.

`interval_verdict` states the definition on bounds as they stand. A computed bound within the tolerance of its
threshold decides nothing, so those that meet it exactly are held to both rules.
"""

import json
import math

import pytest
from laws.builders import find, given, outcomes, plan
from shared_data import shared

from oloproof.chain.decision import worst_of
from oloproof.chain.inference import Certificate
from oloproof.plan.cells import one_sided
from oloproof.stages.decide import decide_bounds, decide_exactly, read_interval

ORACLES = json.loads(shared("oracles", "oracles.json").read_text(encoding="utf-8"))
OPS = {"min": ">=", "max": "<="}


def oracles(method):
    found = [oracle for oracle in ORACLES if oracle["method"] == method]
    assert found, method
    return pytest.mark.parametrize("oracle", found, ids=[oracle["id"] for oracle in found])


@oracles("interval_verdict")
def test_an_interval_is_read_by_definition(oracle):
    inputs = oracle["inputs"]
    found = read_interval(inputs["lower"], inputs["upper"], OPS[inputs["direction"]], inputs["threshold"])
    assert found.state == oracle["expected"]["state"]


@oracles("interval_verdict")
def test_a_computed_bound_is_read_likewise_unless_it_meets_the_threshold(oracle):
    inputs = oracle["inputs"]
    found = decide_bounds(inputs["lower"], inputs["upper"], OPS[inputs["direction"]], str(inputs["threshold"]))
    if inputs["threshold"] in (inputs["lower"], inputs["upper"]):
        assert found == ("INSUFFICIENT_EVIDENCE", "within_numerical_tolerance")
    else:
        assert found.state == oracle["expected"]["state"]


@oracles("clopper_pearson_manski")
def test_missing_cases_give_the_worst_case_interval_and_both_ends_of_the_estimate(oracle):
    inputs, expected = oracle["inputs"], oracle["expected"]
    wrong = inputs["observed"] - inputs["successes"]
    run = given(outcomes(right=inputs["successes"], wrong=wrong, missing=inputs["missing"]))
    found = find(plan(), run).inference
    if inputs["observed"]:
        assert found.lower == pytest.approx(expected["lower"], abs=oracle["tolerance"])
        assert found.upper == pytest.approx(expected["upper"], abs=oracle["tolerance"])
    assert found.estimate_low == pytest.approx(expected["identification_lower"], abs=oracle["tolerance"])
    assert found.estimate_high == pytest.approx(expected["identification_upper"], abs=oracle["tolerance"])


@oracles("clopper_pearson_manski")
def test_a_threshold_beside_a_bound_is_decided_on_its_side(oracle):
    """Just below L a minimum passes and a maximum does not; just above U the reverse."""
    inputs, expected = oracle["inputs"], oracle["expected"]
    n = inputs["observed"] + inputs["missing"]
    certificate = Certificate(inputs["successes"], n, inputs["missing"], "", "")
    alpha = one_sided(str(inputs["confidence"]))
    for edge, op, passing, failing in ((expected["lower"], ">=", -1, 1), (expected["upper"], "<=", 1, -1)):
        for step, state in ((passing, "PASS"), (failing, "INSUFFICIENT_EVIDENCE")):
            threshold = f"{edge + step * 1e-6:.9f}"
            if 0 < float(threshold) < 1:
                assert decide_exactly(certificate, op, threshold, alpha).state == state


@oracles("all_of_conjunction")
def test_a_conjunction_is_as_bad_as_its_worst_part(oracle):
    assert worst_of(oracle["inputs"]["states"]) == oracle["expected"]["state"]


@oracles("sample_size_exact_clopper_pearson")
def test_the_first_number_of_cases_with_the_power_asked_for(oracle):
    inputs, expected = oracle["inputs"], oracle["expected"]
    alpha = one_sided(str(inputs["confidence"]))

    def power(n: int) -> float:
        passing = [
            k
            for k in range(n + 1)
            if decide_exactly(Certificate(k, n, 0, "", ""), ">=", str(inputs["T"]), alpha).state == "PASS"
        ]
        return math.fsum(math.comb(n, k) * inputs["p"] ** k * (1 - inputs["p"]) ** (n - k) for k in passing)

    assert power(expected["first_n"]) >= inputs["power"] > power(expected["first_n"] - 1)
    assert power(expected["stable_n"]) >= inputs["power"]
