"""Numbers of Cherukuri (2010) that a program can recompute, tables 6 and 7."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inexmetrics import SignificanceTest, bootstrap, randomisation, sign, t, wilcoxon
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions

# Table 6: seven topics of two runs.
X = [0.9990198480764518, 0.0, 0.0, 0.34397119086054884, 0.12936590721932473, 0.0, 0.06138073065902579]
Y = [0.9990198480764518, 0.0, 0.5120564388754344, 0.5815299446401611, 0.12024428931579069, 0.0, 0.04249008051157595]
SCORES = np.array([X, Y])
Y_OVER_X: tuple[IntArray, IntArray] = (np.array([1]), np.array([0]))
X_OVER_Y: tuple[IntArray, IntArray] = (np.array([0]), np.array([1]))


def p_value(test: SignificanceTest) -> float:
    return float(test.p_values(SCORES, *Y_OVER_X, RunOptions())[0])


def statistic(test: SignificanceTest) -> float:
    return float(test.statistics(SCORES, *Y_OVER_X)[0])


def test_t_of_table_6() -> None:
    assert statistic(bootstrap) == pytest.approx(0.1030861, abs=5e-8)
    assert statistic(t(tails=1)) == pytest.approx(1.350572, abs=5e-7)
    assert p_value(t) == pytest.approx(0.2255434, abs=5e-8)
    assert p_value(t(tails=1)) == pytest.approx(0.2255434 / 2, abs=5e-8)
    assert t.p_values(SCORES, *X_OVER_Y, RunOptions()).tolist() == [p_value(t)]


def test_ranks_and_signs_of_table_6() -> None:
    # |D| are .51 .24 -.009 -.019: W+ = 4 + 3, which {4 3}, {4 2 1}, {4 3 1}, {4 3 2} and {4 3 2 1} of 16 sets reach
    assert (statistic(wilcoxon(tails=1)), p_value(wilcoxon(tails=1))) == (7.0, 0.3125)
    # 2 of 4 are positive: (6 + 4 + 1) / 16
    assert statistic(sign(tails=1)) == 2.0
    assert p_value(sign(tails=1)) == pytest.approx(0.6875, rel=1e-14)


def test_the_bootstrap_of_table_6() -> None:
    difference = np.array(Y) - np.array(X)
    sums = np.zeros(1)
    for _ in range(7):  # all 7^7 samples
        sums = (sums[:, None] + difference).ravel()
    exact = np.count_nonzero(sums <= 1e-12) / 7**7
    assert exact == pytest.approx(0.0948645, abs=5e-8)
    for seed in range(3):
        assert p_value(bootstrap(seed=seed)) == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000))


def test_sign_flips_of_table_6() -> None:
    difference = np.array(Y) - np.array(X)
    signs = 1 - 2 * ((np.arange(2**7)[:, None] >> np.arange(7)) & 1)
    exact = np.count_nonzero(signs @ difference >= difference.sum() - 1e-12) / 2**7
    assert exact == 0.25
    assert p_value(randomisation(tails=1)) == pytest.approx(exact, abs=4 * math.sqrt(0.25 * 0.75 / 10_000))


def two_valued(mean: float, squares: float, n: int) -> FloatArray:
    """Scores of two runs with the given mean difference and sum of squared deviations from it."""
    deviation = math.sqrt(squares / n)
    difference = np.repeat([mean + deviation, mean - deviation], n // 2)
    return np.stack([difference, np.zeros(n)])


def test_t_of_table_7() -> None:
    scores = two_valued(1.39276029 / 68, 15.6978612, 68)
    assert t(tails=1).statistics(scores, *X_OVER_Y)[0] == pytest.approx(0.348930617, abs=5e-9)
    assert t(tails=1).p_values(scores, *X_OVER_Y, RunOptions())[0] == pytest.approx(0.3641178, abs=5e-8)


def test_the_critical_value_of_table_7() -> None:
    # t = mean / sqrt(squares / 67 / 68) = 1.6679161 for squares = 67 * 68
    scores = two_valued(1.6679161, 67 * 68, 68)
    assert t(tails=1).statistics(scores, *X_OVER_Y)[0] == pytest.approx(1.6679161, rel=1e-12)
    assert t(tails=1).p_values(scores, *X_OVER_Y, RunOptions())[0] == pytest.approx(0.05, abs=1e-8)
