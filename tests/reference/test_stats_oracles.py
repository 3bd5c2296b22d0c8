"""Numbers computed with other software (shared/oracles), each to the tolerance that the file states.

`interval_verdict` is the decision itself, on float bounds; it is held where decisions are taken.
"""

import json
from fractions import Fraction

import pytest
from shared_data import shared

from oloproof.stats.binomial import clopper_pearson, worst_case
from oloproof.stats.exact import smallest_n_that_can_pass
from oloproof.stats.phantom import lower_bound

ORACLES = json.loads(shared("oracles", "oracles.json").read_text(encoding="utf-8"))


def oracles(method):
    found = [oracle for oracle in ORACLES if oracle["method"].startswith(method)]
    assert found, method
    return pytest.mark.parametrize("oracle", found, ids=[oracle["id"] for oracle in found])


def bound_alpha(inputs):
    return (1 - Fraction(str(inputs["confidence"]))) / 2


def holds(found, oracle, side):
    return found == pytest.approx(oracle["expected"][side], rel=0, abs=oracle["tolerance"])


@oracles("clopper_pearson_two_sided")
def test_clopper_pearson(oracle):
    inputs = oracle["inputs"]
    bounds = clopper_pearson(inputs["k"], inputs["n"], bound_alpha=bound_alpha(inputs))
    assert holds(bounds.lower, oracle, "lower")
    assert holds(bounds.upper, oracle, "upper")


@oracles("clopper_pearson_lower_all_pass")
def test_clopper_pearson_when_all_pass(oracle):
    inputs = oracle["inputs"]
    bounds = clopper_pearson(inputs["k"], inputs["n"], bound_alpha=bound_alpha(inputs))
    assert holds(bounds.lower, oracle, "lower")


@oracles("clopper_pearson_manski")
def test_worst_case_for_missing(oracle):
    inputs = oracle["inputs"]
    n_eligible = inputs["observed"] + inputs["missing"]
    bounds = worst_case(inputs["successes"], inputs["missing"], n_eligible, bound_alpha=bound_alpha(inputs))
    assert holds(bounds.lower, oracle, "lower")
    assert holds(bounds.upper, oracle, "upper")


@oracles("phantom_unit_lower (Gaffke")
def test_phantom_bound(oracle):
    inputs = oracle["inputs"]
    alpha = str(inputs["alpha_one_sided"])
    found = lower_bound(inputs["sums"], inputs["sizes"], cap=inputs["max_size"], bound_alpha=alpha)
    assert holds(found, oracle, "lower")


@oracles("phantom_unit_lower (binary)")
def test_phantom_bound_of_binary_units(oracle):
    inputs = oracle["inputs"]
    sums = [1.0] * inputs["k"] + [0.0] * (inputs["n"] - inputs["k"])
    found = lower_bound(sums, [1.0] * inputs["n"], cap=1, bound_alpha=str(inputs["alpha_one_sided"]))
    assert holds(found, oracle, "lower")


@oracles("min_n_all_pass")
def test_smallest_n_that_can_pass(oracle):
    inputs = oracle["inputs"]
    found = smallest_n_that_can_pass(op=">=", threshold=str(inputs["T"]), bound_alpha=bound_alpha(inputs))
    assert found == oracle["expected"]["n"]
