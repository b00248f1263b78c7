"""On how few topics a significant difference rests: the fewest topics whose removal makes the difference not significant."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.inference.paired_t import PairedT

__all__ = ["claimed_better", "fewest_topics", "t_statistics"]

CLOSE: Final = 1e-6
"""Relative distance above the critical value up to which a t statistic, computed from sums, is checked by the test itself."""
TRIED: Final = 64
"""Maximum number of sets of topics, of those with the lowest t statistics, that are checked by the test itself."""


def claimed_better(differences: FloatArray, test: SignificanceTest, alpha: float, setting: RunOptions) -> BoolArray:
    """Returns whether a test of each row of differences by topic, shape (rows, topics), says that their mean is significantly above 0.

    Examples:
        >>> from inexmetrics.inference.paired_t import t
        >>> claimed_better(np.array([[0.1, 0.2, 0.3], [-0.1, -0.2, -0.3]]), t, 0.1, RunOptions()).tolist()
        [True, False]
    """
    rows = len(differences)
    board = np.vstack([differences, np.zeros(differences.shape[1])])
    p_values = test.p_values(board, np.arange(rows), np.full(rows, rows), setting)
    return (p_values <= alpha) & (means(differences) > TOLERANCE if test.two_tailed else np.ones(rows, dtype=np.bool_))


def t_statistics(count: int, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Returns Student's t of samples of `count` numbers, from the sums of the numbers and of their squares; infinite without variance."""
    mean = sums / count
    variance = np.maximum(squares - sums * mean, 0.0) / max(count - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(variance > 0.0, mean / np.sqrt(variance / count), np.where(mean == 0.0, 0.0, np.sign(mean) * np.inf))
    return found


def fewest_topics(differences: FloatArray, test: SignificanceTest, alpha: float, setting: RunOptions) -> int:
    """Returns the fewest topics whose removal makes a significant difference not significant.

    The t statistic of the remaining topics is a function of the sum and of the sum of squares of their differences. For a given number of
    removed topics, the statistic is lowest if the removed topics are consecutive in the order of the differences, so that only these sets
    are tried. For other tests, only these sets are tried, too, and the result is an upper bound.

    Args:
        differences: The differences by topic, shape (topics,), whose mean is significantly above 0.
        test: The significance test, without clusters.
        alpha: The level of the test, without a correction.
        setting: The executor and the progress function of the computation.

    Formula:
        t^2 = m S^2 (m - 1) / (m Q - S^2)
        where
            m: the number of remaining topics
            S: the sum of their differences
            Q: the sum of the squares of their differences

    Examples:
        >>> from inexmetrics.inference.paired_t import t
        >>> fewest_topics(np.array([0.5, 0.4, 0.45, 0.1, 0.3]), t, 0.05, RunOptions())
        2
    """
    ordered = np.sort(differences)
    n, shifted = len(ordered), ordered - np.median(ordered)  # sums of squares of numbers near 0 lose few digits
    before, squares = (np.append(0.0, np.cumsum(values)) for values in (shifted, np.square(shifted)))
    for removed in range(1, n - 1):
        kept = n - removed
        windows = np.arange(kept + 1)
        if isinstance(test, PairedT):
            windows = _not_significant(ordered, removed, (before, squares), test, alpha)
        if len(windows) and (~claimed_better(_without(ordered, windows, removed), test, alpha, setting)).any():
            return removed
    return n - 1


def _without(ordered: FloatArray, windows: IntArray, removed: int) -> FloatArray:
    """Returns the differences without each window of consecutive differences, given by its start, shape (windows, remaining)."""
    remaining = np.arange(len(ordered) - removed)
    return ordered[np.where(remaining < windows[:, None], remaining, remaining + removed)]


def _not_significant(ordered: FloatArray, removed: int, sums: tuple[FloatArray, FloatArray], test: PairedT, alpha: float) -> IntArray:
    """Returns the starts of windows whose removal may make the mean not significant: the lowest t statistic, and all close statistics."""
    from scipy.special import stdtrit  # takes 0.3 s to import

    kept = len(ordered) - removed
    of_rest, of_squares = (values[-1] - (values[removed:] - values[:-removed]) for values in sums)
    starts = np.arange(kept + 1)
    lowest, highest = np.where(starts > 0, ordered[0], ordered[removed]), np.where(starts < kept, ordered[-1], ordered[kept - 1])
    variance = np.maximum(of_squares - of_rest * of_rest / kept, 0.0) / (kept - 1)  # does not depend on the shift
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (of_rest / kept + np.median(ordered)) / np.sqrt(variance / kept)
    constant = (highest - lowest <= TOLERANCE) | np.isnan(statistic)  # without variance, the statistic is left to the test itself
    critical = float(stdtrit(kept - 1, 1 - alpha / test.tails)) * (1 + CLOSE)
    order = np.argsort(np.where(constant, -np.inf, statistic), kind="stable")
    below: IntArray = order[constant[order] | (statistic[order] <= critical)]
    return below[: int(np.count_nonzero(constant)) + TRIED]
