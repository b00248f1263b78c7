"""On how few topics a significant difference rests."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from inexmetrics import SignificanceTest, bootstrap, sign, t, wilcoxon
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.fragility import claimed_better, fewest_topics, t_statistics


def holds(rows: FloatArray, alpha: float, tails: int) -> BoolArray:
    """Returns for each row of differences whether scipy's t test says that the mean is significantly above 0."""
    if rows.shape[1] < 2:
        return np.zeros(len(rows), dtype=bool)
    equal = np.ptp(rows, axis=1) < 1e-12
    found = np.where(equal, rows[:, 0] > 1e-12, False)
    p_values = ttest_1samp(rows[~equal], 0.0, axis=1, alternative="two-sided" if tails == 2 else "greater").pvalue
    found[~equal] = (p_values <= alpha) & (rows[~equal].mean(axis=1) > 0)
    return found


def enumerated(differences: FloatArray, alpha: float, tails: int) -> int:
    """Returns the fewest removed topics of all sets of topics."""
    n = len(differences)
    for removed in range(1, n):
        kept = np.array([*combinations(range(n), n - removed)])
        if not holds(differences[kept], alpha, tails).all():
            return removed
    raise AssertionError("a single topic is never significant")


def test_by_hand() -> None:
    # t is 4.95, above t_{.05, 4} = 2.78. Without one topic, t is lowest without .4: mean .3375, sd .178, t = 3.79, above t_{.05, 3} = 3.18.
    # Without .45 and .5, mean .267 and sd .153 give t = 3.02, below t_{.05, 2} = 4.30.
    assert fewest_topics(np.array([0.5, 0.4, 0.45, 0.1, 0.3]), t, 0.05, RunOptions()) == 2
    # Nothing varies: only a single topic is too few.
    assert fewest_topics(np.full(6, 0.25), t, 0.05, RunOptions()) == 5


@pytest.mark.parametrize("tails", [1, 2])
def test_t_equals_enumeration_on_random_boards(tails: int) -> None:
    random, boards = np.random.default_rng(5), 0
    while boards < 40:
        n = int(random.integers(6, 12))
        differences = (
            random.normal(0.3, 0.3, n),
            random.exponential(0.3, n),
            random.integers(-1, 4, n) / 10,  # ties, and equal remaining differences
            random.normal(0.3, 0.3, n) * (random.random(n) < 0.7),  # zeros
        )[boards % 4]
        if not holds(differences[None], 0.05, tails)[0]:
            continue
        boards += 1
        assert fewest_topics(differences, t(tails=tails), 0.05, RunOptions()) == enumerated(differences, 0.05, tails), differences


@pytest.mark.parametrize("test", [sign, wilcoxon, bootstrap(b=200), t])
def test_the_claim_is_lost_without_some_window(test: SignificanceTest) -> None:
    differences = np.sort(np.random.default_rng(2).normal(0.4, 0.4, 14))
    assert claimed_better(differences[None, :], test, 0.05, RunOptions()).all()
    fewest = fewest_topics(differences, test, 0.05, RunOptions())
    windows = [np.delete(differences, np.s_[start : start + fewest]) for start in range(14 - fewest + 1)]
    assert not claimed_better(np.array(windows), test, 0.05, RunOptions()).all()
    fewer = [np.delete(differences, np.s_[start : start + fewest - 1]) for start in range(14 - fewest + 2)]
    assert claimed_better(np.array(fewer), test, 0.05, RunOptions()).all()


def test_many_topics() -> None:
    differences = np.random.default_rng(2).normal(0.05, 0.4, 3000)
    fewest = fewest_topics(differences, t, 0.05, RunOptions())
    assert 1 < fewest < 200


def test_t_statistics_are_scipy_s() -> None:
    rows = np.random.default_rng(1).random((5, 7))
    expected = ttest_1samp(rows, 0.0, axis=1).statistic
    assert t_statistics(7, rows.sum(axis=1), np.square(rows).sum(axis=1)) == pytest.approx(expected)
    assert t_statistics(3, np.array([0.75, 0.0]), np.array([0.1875, 0.0])).tolist() == [np.inf, 0.0]
