"""The phantom-unit bound: laws it must obey and values from elsewhere."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.stats import phantom
from oloproof.stats.binomial import clopper_pearson
from oloproof.stats.exact import BadSize
from oloproof.stats.phantom import METHOD, BadSum, BadUnits, lower_bound, upper_bound

ALPHA = "0.025"
TWENTY = [
    0.999, 0.998892, 0.998136, 0.996085, 0.992089, 0.985503, 0.975676, 0.961963, 0.943714, 0.920283,
    0.89102, 0.855279, 0.812411, 0.761769, 0.702704, 0.634569, 0.556715, 0.468496, 0.369262, 0.258367,
]  # fmt: skip
NEAR_ONE = [0.99, 0.995, 0.999, 0.98, 0.9995, 0.97, 0.9, 0.9999]
SIZED = ([1, 4.5, 7, 2.25, 9.5, 3], [2, 5, 7, 3, 12, 4])
#: sums, sizes, cap, bound_alpha, L, U: by bisection on partial fractions with 250 digits (mpmath 1.4, by hand, once).
BY_PARTIAL_FRACTIONS = [
    ([0.2, 0.4, 0.9], [1] * 3, 1, "0.025", 0.1216440399114680037, 0.89372413746607475769),
    ([0.2, 0.4, 0.9], [1] * 3, 1, "0.5", 0.35935517183265806932, 0.62692288611324041205),
    ([0.05, 0.3, 0.55, 0.8, 0.97], [1] * 5, 1, "0.025", 0.18785903258960887148, 0.84756775657152379062),
    (*SIZED, 12, "0.025", 0.26850964730730295216, 0.95290369428555170131),
    (*SIZED, 30, "0.005", 0.083887329679775674155, 0.9843985230312236259),
    (NEAR_ONE, [1] * 8, 1, "0.025", 0.61711759968180145587, 0.99440224171078841795),
    (TWENTY, [1] * 20, 1, "0.025", 0.63533064309568870193, 0.89558443151806509394),
]
#: Outward rounding plus what the bound itself may be off.
CLOSE = 1.2e-12


@st.composite
def units(draw, most=25):
    sizes = draw(st.lists(st.integers(1, 20), min_size=1, max_size=most))
    sums = [draw(st.integers(0, 4 * size)) / 4 for size in sizes]
    return sums, sizes


@pytest.mark.parametrize(("sums", "sizes", "cap", "alpha", "lower", "upper"), BY_PARTIAL_FRACTIONS)
def test_bounds_enclose_partial_fractions_narrowly(sums, sizes, cap, alpha, lower, upper):
    found_lower = lower_bound(sums, sizes, cap=cap, bound_alpha=alpha)
    found_upper = upper_bound(sums, sizes, cap=cap, bound_alpha=alpha)
    assert lower - CLOSE < found_lower < lower
    assert upper < found_upper < upper + CLOSE


@pytest.mark.parametrize("n", [1, 2, 5, 50, 1000, 10_000])
@pytest.mark.parametrize("alpha", ["0.025", "0.0005", "0.5"])
def test_binary_units_give_clopper_pearson(n, alpha):
    """k = 1 and k = n at n = 10,000 are where a straight contour is 1.5 % off."""
    for k in sorted({1, 2, n // 2, n - 1, n} & set(range(1, n + 1))):
        exact = clopper_pearson(k, n, bound_alpha=alpha).lower
        found = lower_bound([1.0] * k + [0.0] * (n - k), [1.0] * n, cap=1, bound_alpha=alpha)
        assert found <= exact
        assert found == pytest.approx(exact, rel=CLOSE, abs=0)


def test_all_right_meets_the_closed_form():
    for n_units in (2, 5, 17, 36, 200):
        found = lower_bound([7.0] * n_units, [7.0] * n_units, cap=7, bound_alpha=ALPHA)
        assert found == pytest.approx(0.025 ** (1 / n_units), rel=CLOSE, abs=0)


def test_the_upper_bound_mirrors_the_lower():
    sums, sizes = [9, 10, 8, 3.5, 0], [10, 10, 9, 5, 2]
    turned = [size - total for total, size in zip(sums, sizes, strict=True)]
    upper = upper_bound(sums, sizes, cap=12, bound_alpha=ALPHA)
    assert upper == pytest.approx(1 - lower_bound(turned, sizes, cap=12, bound_alpha=ALPHA), rel=CLOSE)


def test_a_small_upper_bound_keeps_its_digits():
    zeros = [0.0] * 100_000
    upper = upper_bound(zeros, [1.0] * len(zeros), cap=1, bound_alpha=ALPHA)
    assert upper == pytest.approx(-math.expm1(math.log(0.025) / len(zeros)), rel=CLOSE, abs=0)


def test_nothing_right_and_nothing_wrong_are_exact():
    assert lower_bound([0, 0], [3, 5], cap=5, bound_alpha=ALPHA) == 0.0
    assert upper_bound([3, 5], [3, 5], cap=5, bound_alpha=ALPHA) == 1.0


def test_one_unit_still_has_a_bound():
    assert lower_bound([1.0], [1.0], cap=1, bound_alpha=ALPHA) == pytest.approx(0.025, rel=CLOSE)


@settings(deadline=None)
@given(units(), st.randoms(use_true_random=False))
def test_the_order_of_the_units_moves_no_bit(drawn, shuffler):
    sums, sizes = drawn
    pairs = list(zip(sums, sizes, strict=True))
    shuffler.shuffle(pairs)
    again = lower_bound([a for a, _ in pairs], [b for _, b in pairs], cap=20, bound_alpha=ALPHA)
    assert again == lower_bound(sums, sizes, cap=20, bound_alpha=ALPHA)


@settings(deadline=None)
@given(units(), st.data())
def test_a_missing_unit_never_raises_the_lower_bound_nor_lowers_the_upper(drawn, data):
    sums, sizes = drawn
    gone = data.draw(st.integers(0, len(sums) - 1))
    holed = [*sums[:gone], 0.0, *sums[gone + 1 :]]
    filled = [*sums[:gone], float(sizes[gone]), *sums[gone + 1 :]]
    rule = {"cap": 20, "bound_alpha": ALPHA}
    assert lower_bound(holed, sizes, **rule) <= lower_bound(sums, sizes, **rule) * (1 + CLOSE)
    assert upper_bound(filled, sizes, **rule) >= upper_bound(sums, sizes, **rule) * (1 - CLOSE)


@settings(deadline=None)
@given(units())
def test_the_bounds_lie_on_either_side_of_the_ratio(drawn):
    sums, sizes = drawn
    ratio = sum(sums) / sum(sizes)
    rule = {"cap": 20, "bound_alpha": ALPHA}
    assert 0 <= lower_bound(sums, sizes, **rule) <= ratio <= upper_bound(sums, sizes, **rule) <= 1


@settings(deadline=None)
@given(units())
def test_a_larger_cap_widens(drawn):
    sums, sizes = drawn
    caps = [20, 21, 50, 1000]
    lowers = [lower_bound(sums, sizes, cap=cap, bound_alpha=ALPHA) for cap in caps]
    assert all(later <= sooner * (1 + CLOSE) for sooner, later in pairwise(lowers))


def test_scale_is_immaterial():
    sums, sizes = [1.0, 2.5, 0.25], [2.0, 3.0, 1.0]
    found = lower_bound([x * 1e-6 for x in sums], [x * 1e-6 for x in sizes], cap=3e-6, bound_alpha=ALPHA)
    assert found == pytest.approx(lower_bound(sums, sizes, cap=3, bound_alpha=ALPHA), rel=1e-11)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_flooring_many_distinct_sums_costs_little_and_never_gains(seed):
    rng = random.Random(seed)  # noqa: S311 - made-up scores, not secrets
    scores = [rng.random() ** 0.3 for _ in range(phantom.MANY_DISTINCT + 200)]
    floored = lower_bound(scores, [1.0] * len(scores), cap=1, bound_alpha=ALPHA)
    coarse = [math.floor(score * 1000) / 1000 for score in scores]
    kept = lower_bound(coarse, [1.0] * len(scores), cap=1, bound_alpha=ALPHA)
    assert floored == pytest.approx(kept, rel=1e-12)
    mean = math.fsum(scores) / len(scores)
    assert mean - math.fsum(coarse) / len(coarse) < 0.00055


def test_flooring_keeps_sums_that_are_thousandths():
    pairs = {(i / 1000, 1.0): 1 for i in range(1001)} | {(i / 1000 * 2, 2.0): 1 for i in range(1001)}
    assert phantom._floored(pairs) == pairs


def test_floored_sums_never_exceed_the_sums():
    rng = random.Random(7)  # noqa: S311 - made-up scores, not secrets
    pairs = {(rng.random() * 3, 3.0): 1 for _ in range(3000)}
    given_sums, floored_sums = (
        math.fsum(total * count for (total, _), count in some.items()) for some in (pairs, phantom._floored(pairs))
    )
    assert floored_sums <= given_sums
    assert len(phantom._floored(pairs)) <= 1000


@pytest.mark.parametrize("bad", [-0.1, 1.7, math.nan, math.inf, -math.inf])
def test_a_sum_outside_its_range_is_refused(bad):
    with pytest.raises(BadSum):
        lower_bound([0.5, bad], [1.0, 1.0], cap=1, bound_alpha=ALPHA)


@pytest.mark.parametrize("size", [0, -1, 3, math.nan, math.inf])
def test_a_size_that_is_not_under_the_cap_is_refused(size):
    with pytest.raises(BadSize):
        upper_bound([0.0, 0.0], [1.0, size], cap=2, bound_alpha=ALPHA)


@pytest.mark.parametrize("cap", [0, 0.5, math.nan, math.inf])
def test_a_cap_below_a_size_or_without_end_is_refused(cap):
    with pytest.raises(BadSize):
        lower_bound([1.0], [1.0], cap=cap, bound_alpha=ALPHA)


@pytest.mark.parametrize(("sums", "sizes"), [([], []), ([1.0], [1.0, 1.0])])
def test_units_need_a_sum_and_a_size_each(sums, sizes):
    with pytest.raises(BadUnits):
        lower_bound(sums, sizes, cap=1, bound_alpha=ALPHA)


def test_the_method_says_that_it_is_conjectured():
    assert (METHOD.id, METHOD.guarantee) == ("phantom", "conjectured")
