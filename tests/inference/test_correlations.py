from __future__ import annotations

import math
from itertools import permutations
from typing import Literal, get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.correlations import CorrelationMethod, correlate, highest

METHODS: tuple[CorrelationMethod, ...] = get_args(CorrelationMethod)
pairs = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=3, max_size=45)


def test_pearson_by_hand() -> None:
    # deviations -1.5 -.5 .5 1.5 and -1.5 .5 -.5 1.5: products 2.25 -.25 -.25 2.25 = 4; squares 5 each; r = .8
    found = correlate(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), "pearson")
    assert found.n == 4
    assert found.coefficient == pytest.approx(0.8, rel=1e-15)
    # t = .8 sqrt(2/.36); with 2 degrees p = 1 - t/sqrt(2 + t^2) = 1 - .8
    assert found.p_value == pytest.approx(0.2, rel=1e-13)


def test_kendall_by_hand() -> None:
    # of 6 pairs one is discordant: tau = 4/6; of 24 orders 1 has no and 3 have one discordant pair, p = 2 * 4/24
    found = correlate(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), "kendall")
    assert found.coefficient == pytest.approx(4 / 6, rel=1e-15)
    assert found.p_value == pytest.approx(8 / 24, rel=1e-13)


def test_kendall_with_a_tie_by_hand() -> None:
    # x has one tied pair: 5 concordant pairs of 6; tau-b = 5 / sqrt((6 - 1) * 6)
    found = correlate(np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]), "kendall")
    assert found.coefficient == pytest.approx(5 / math.sqrt(30), rel=1e-14)


def test_two_groups_reversed_inside() -> None:
    # 40 systems in two groups of 20 whose order is right, but reversed within each group
    x = np.arange(40.0)
    y = np.concatenate([np.arange(19.0, -1.0, -1.0), np.arange(39.0, 19.0, -1.0)])
    tau = correlate(x, y, "kendall")
    assert tau.coefficient == pytest.approx(1 / 39, rel=1e-12)
    assert tau.p_value == pytest.approx(0.8157, abs=5e-5)
    rho = correlate(x, y, "spearman")
    assert rho.coefficient == pytest.approx(267 / 533, rel=1e-14)
    assert rho.p_value == pytest.approx(0.00099358, abs=5e-9)


@given(pairs)
def test_coefficients_are_scipy_s(points: list[tuple[int, int]]) -> None:
    x, y = (np.array(series) / 8 for series in zip(*points, strict=True))
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    untied = len(set(x.tolist())) == len(x) == len(set(y.tolist()))
    exact = untied and len(x) <= 33
    permuted = {"spearman"} | (set() if untied else {"kendall"}) if len(x) <= 9 else set()  # compared with all permutations below
    expected = {
        "pearson": stats.pearsonr(x, y),
        "spearman": stats.spearmanr(x, y),
        "kendall": stats.kendalltau(x, y, method="exact" if exact else "asymptotic"),
    }
    for method in METHODS:
        n, coefficient, p_value = correlate(x, y, method)
        assert n == len(x)
        assert coefficient == pytest.approx(float(expected[method].statistic), rel=1e-12, abs=1e-13)
        assert coefficient is not None
        if abs(coefficient) < 1 - 1e-9 and method not in permuted:
            assert p_value == pytest.approx(float(expected[method].pvalue), rel=1e-7)


def by_all_orders(x: FloatArray, y: FloatArray, method: Literal["spearman", "kendall"]) -> float:
    """Returns the exact two-sided p-value: the share of all orders of y with a coefficient at least as far from 0."""
    statistic = stats.spearmanr if method == "spearman" else stats.kendalltau
    found = abs(statistic(x, y).statistic)
    return float(np.mean([abs(statistic(x, list(order)).statistic) >= found - 1e-9 for order in permutations(y.tolist())]))


@pytest.mark.parametrize("method", ["spearman", "kendall"])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3], [0.1, 0.2, 0.9]),
        ([1, 2, 3, 4], [9, 5, 3, 1]),
        ([1, 1, 1, 2, 2], [0.3, 0.3, 0.3, 0.5, 0.5]),  # the normal approximation of tau says .046, and 2 of 20 orders are as far from 0
        ([4, 4, 7, 9, 11], [2, 3, 3, 5, 1]),
        ([3, 1, 2, 6, 5, 4], [2, 1, 3, 4, 6, 6]),
    ],
)
def test_few_ranks_are_tested_by_all_their_orders(x: list[float], y: list[float], method: Literal["spearman", "kendall"]) -> None:
    one, other = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    assert correlate(one, other, method).p_value == pytest.approx(by_all_orders(one, other, method), rel=1e-12)


@pytest.mark.parametrize("n", range(3, 13))
@pytest.mark.parametrize("method", METHODS)
def test_equal_orders_are_no_rarer_than_chance_makes_them(n: int, method: CorrelationMethod) -> None:
    x = np.arange(float(n))
    for sign in (1, -1):
        assert correlate(x, sign * (0.25 * x + 1), method).p_value == pytest.approx(2 / math.factorial(n), rel=1e-9)


@pytest.mark.parametrize(
    ("n", "method", "permuted"), [(9, "spearman", True), (10, "spearman", False), (9, "kendall", True), (10, "kendall", False)]
)
def test_up_to_nine_ranks_are_permuted(n: int, method: CorrelationMethod, permuted: bool) -> None:
    x, y = np.random.default_rng(n).integers(0, 5, (2, n)).astype(np.float64)
    approximate = stats.spearmanr(x, y) if method == "spearman" else stats.kendalltau(x, y, method="asymptotic")
    assert (correlate(x, y, method).p_value != pytest.approx(float(approximate.pvalue), rel=1e-6)) is permuted


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_series_has_no_correlation(method: CorrelationMethod) -> None:
    x = np.array([0.1, 0.2, 0.3])
    assert correlate(x, np.array([0.3, 0.3, 0.1 + 0.2]), method) == (3, None, None)
    assert correlate(np.full(3, 0.5), x, method) == (3, None, None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [0, 1])
def test_a_point_has_no_correlation(method: CorrelationMethod, n: int) -> None:
    assert correlate(np.ones(n), np.ones(n), method) == (n, None, None)


@pytest.mark.parametrize("method", METHODS)
def test_two_points_lie_on_a_line(method: CorrelationMethod) -> None:
    n, coefficient, p_value = correlate(np.array([0.1, 0.2]), np.array([0.7, 0.3]), method)
    assert n == 2
    assert coefficient == pytest.approx(-1.0)
    assert p_value == (1.0 if method == "kendall" else None)  # both orders of two are as far out; t has no degree of freedom


@pytest.mark.parametrize("method", METHODS)
def test_points_on_a_line(method: CorrelationMethod) -> None:
    x = np.arange(12.0)
    for slope in (0.5, -0.5):
        _, coefficient, p_value = correlate(x, slope * x, method)
        assert coefficient == pytest.approx(math.copysign(1.0, slope), rel=1e-15)
        assert p_value is not None
        assert 0.0 <= p_value < 1e-7


@pytest.mark.parametrize("sign", [1, -1])
def test_rounding_takes_no_coefficient_beyond_1(sign: int) -> None:
    # On a line, and yet the sum of products is more than the root of those of squares: 1.0000000000000002 times.
    x, y = np.array([0.9, 0.3, 0.3]), np.array([2.7, 0.8999999999999999, 0.8999999999999999])
    assert correlate(x, sign * y, "pearson") == (3, sign, 1 / 3)


@pytest.mark.parametrize(("n", "method"), [(33, "exact"), (34, "asymptotic")])
def test_tau_is_tested_exactly_up_to_33_pairs(n: int, method: Literal["exact", "asymptotic"]) -> None:
    x, y = np.random.default_rng(n).random((2, n))
    expected, other = (stats.kendalltau(x, y, method=each).pvalue for each in (method, "asymptotic" if method == "exact" else "exact"))
    assert correlate(x, y, "kendall").p_value == pytest.approx(float(expected), rel=1e-9)
    assert correlate(x, y, "kendall").p_value != pytest.approx(float(other), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_series_exactly_1e_12_wide_are_constant(method: CorrelationMethod) -> None:
    narrow, wide = np.array([0.0, 1e-12, 0.0]), np.array([0.1, 0.2, 0.4])
    assert correlate(narrow, wide, method) == correlate(wide, narrow, method) == (3, None, None)
    assert correlate(2 * narrow, wide, method).coefficient is not None


def test_the_highest_pairs_are_so_in_both_series() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: sums 3 3 7 7, of equal ones the first; the second series alone has the third first, the first the fourth.
    x, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.2, 0.1, 0.9, 0.8])
    assert [highest(x, y, count).nonzero()[0].tolist() for count in (1, 3)] == [[2], [0, 2, 3]]
    # Sums 1+3, 2+1, 3+2: the second series alone would say the first, the first alone the third, which is so.
    assert highest(np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.1, 0.5]), 1).tolist() == [False, False, True]


@pytest.mark.parametrize("method", METHODS[1:])
def test_values_that_differ_by_rounding_are_tied(method: CorrelationMethod) -> None:
    y = np.array([0.1, 0.2, 0.3, 0.4])
    assert correlate(np.array([0.3, 0.1 + 0.2, 0.5, 0.6]), y, method) == correlate(np.array([0.3, 0.3, 0.5, 0.6]), y, method)


@pytest.mark.parametrize("method", METHODS)
def test_correlation_is_symmetric(method: CorrelationMethod) -> None:
    random = np.random.default_rng(0)
    x, y = random.random(50), random.random(50)
    forward, backward = correlate(x, y, method), correlate(y, x, method)
    assert forward.coefficient == pytest.approx(backward.coefficient, rel=1e-12)
    assert forward.p_value == pytest.approx(backward.p_value, rel=1e-9)


@pytest.mark.parametrize("method", get_args(CorrelationMethod))
def test_the_largest_scores_that_may_be(method: CorrelationMethod) -> None:
    x, y = np.array([1.0, -1.0, 0.5, 0.25]), np.array([0.5, -0.5, 0.75, 0.25])
    assert correlate(2.0**996 * x, y, method) == correlate(x, 2.0**996 * y, method) == correlate(x, y, method)
