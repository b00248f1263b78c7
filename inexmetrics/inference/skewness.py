"""Effect of skewness: the share of significant differences that are no longer significant after a correction for skewness."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.corrections import Holm
from inexmetrics.inference.means import TOLERANCE, column_sums
from inexmetrics.inference.pairs import deviations, mean_differences, of_differences, of_pairs

__all__ = ["skewness", "taken_back"]


def taken_back(
    scores: FloatArray,
    test: SignificanceTest,
    correction: Correction,
    hypotheses: tuple[IntArray, IntArray],
    rejected: BoolArray,
    *,
    setting: RunOptions,
) -> float:
    """Returns the share of a family's rejections that are not confirmed by a t test corrected for skewness; 0 if no hypothesis is rejected.

    The correction is Hall's transformation of t. One value, the skewness of the family, is used to correct all pairs of the family. For
    each pair, the sign of the skewness is chosen so that the difference of the pair becomes less significant. A pair is not corrected by
    its own skewness, because skewness caused by a few topics often cannot be detected in the differences of one pair. The squared skewness
    of the family is the mean squared skewness of its pairs, minus the mean squared skewness that is expected if the differences are normal.
    The p-values are corrected for multiple comparisons by `correction`, or by `Holm` if the test compares all runs at once.

    Formula:
        u = t - a t^2 / 3 + a^2 t^3 / 27 - a / 6
        a = sqrt(max(0, mean(g_j^2) - 6 (n - 2) / ((n + 1) (n + 3))) / n)
        where
            t: Student's t of a pair, in the direction of the higher mean
            u: t corrected for skewness
            n: the number of topics, or of clusters
            g_j: the skewness of a pair of the family

    Args:
        scores: Finite scores, shape (runs, topics).
        test: Significance test; a test on clusters already contains the cluster of each topic.
        correction: Correction for multiple comparisons.
        hypotheses: Row indices of the better run and the worse run in each hypothesis.
        rejected: Whether each hypothesis is rejected.
        setting: Run options (executor, threads).

    Source: Hall (1992), on the transformation.

    Examples:
        Three runs, of which the first has one very low score. The second stays ahead of the third, and the first does not:

        >>> from inexmetrics import Holm, t
        >>> scores = np.array([[0.5] * 9 + [0.1], [0.4, 0.41] * 4 + [0.4, 0.3], [0.3, 0.29] * 5])
        >>> pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
        >>> found = Holm.rejected(t.p_values(scores, *pairs, RunOptions()))
        >>> found.tolist()
        [False, True, True]
        >>> taken_back(scores, t, Holm, pairs, found, setting=RunOptions())
        0.5
    """
    if not rejected.any():
        return 0.0
    from scipy.special import stdtr  # takes 0.3 s to import

    better, worse = hypotheses
    units = test.units(scores)
    count = units.shape[1]
    deviation = deviations(units, better, worse, setting)
    found = skewness(units, better, worse, setting)[deviation > 0.0]
    of_family = float(np.mean(np.square(found))) if len(found) else 0.0
    a = math.sqrt(max(0.0, of_family - 6 * (count - 2) / ((count + 1) * (count + 3))) / count)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # t is infinite if the differences do not vary
        t = np.nan_to_num(mean_differences(units, better, worse) / (deviation / math.sqrt(count)), nan=0.0, posinf=np.inf, neginf=-np.inf)
        u = t - a * t**2 / 3 + a**2 * t**3 / 27 - a / 6
    p_values = stdtr(count - 1, -np.where((t > 0.0) & ~np.isnan(u), u, t))
    if test.two_tailed:
        p_values = np.minimum(1.0, 2.0 * p_values)
    rule = Holm(alpha=correction.alpha) if test.simultaneous else correction
    return float(np.count_nonzero(rejected & ~rule.rejected(p_values)) / np.count_nonzero(rejected))


def skewness(scores: FloatArray, first: IntArray, second: IntArray, setting: RunOptions) -> FloatArray:
    """Returns the skewness of the differences of each pair, the first run minus the second; 0 if the differences do not vary.

    Formula:
        g = mean(Z^3) / mean(Z^2)^1.5
        where
            Z: the differences by topic, minus their mean

    Examples:
        >>> scores = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
        >>> skewness(scores, np.array([0, 1]), np.array([1, 0]), RunOptions()).round(4).tolist()
        [0.7071, -0.7071]
    """
    found = of_pairs("skewness", partial(of_differences, _skewness), scores, (first, second), setting)
    return np.where(first < second, 1.0, -1.0) * found


def _skewness(differences: FloatArray) -> FloatArray:
    topics = len(differences)
    differences -= column_sums(differences) / topics
    spread = np.abs(differences).max(axis=0)
    some = spread > TOLERANCE
    differences /= np.where(some, spread, 1.0)  # scaled so that powers neither overflow nor underflow
    squares = np.square(differences)
    second_moment = np.where(some, column_sums(squares) / topics, 1.0)
    squares *= differences
    return np.where(some, column_sums(squares) / topics / (second_moment * np.sqrt(second_moment)), 0.0)
