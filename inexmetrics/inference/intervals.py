"""How sure a mean is and how large a difference: standard deviations over topics, and Student's confidence intervals."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.pairs import TOLERANCE, differences, means, of_pairs

__all__ = ["deviations", "sample_deviations", "student_margins"]

CELLS = 2**20
"""Differences (pairs x topics) that are held at once."""


def sample_deviations(values: FloatArray) -> FloatArray:
    """Standard deviations over the last axis, with n-1 in the denominator, added in its order.

    Args:
        values: Scores or differences, rows x topics.

    Returns:
        One a row; 0 where no two values are more than 1e-12 apart, NaN with fewer than 2 topics.

    Examples:
        >>> sample_deviations(np.array([[0.0, 0.25, 0.5], [0.9 - 0.6, 0.8 - 0.5, 0.3]])).tolist()
        [0.25, 0.0]
    """
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    spread = np.ptp(values, axis=1)
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # no square leaves the numbers' range, and a power of two changes no digit
    squares = np.add.accumulate(np.square((values - means(values)[:, None]) / unit[:, None]), axis=1)[:, -1]
    squares[spread <= TOLERANCE] = 0.0
    found: FloatArray = unit * np.sqrt(squares / (n - 1))
    return found


def deviations(scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
    """Standard deviations of the topics' differences of pairs of runs, with n-1 in the denominator.

    Args:
        scores: Scores, runs x topics, finite.
        better: Row of the first run of each pair.
        worse: Row of the second run of each pair.
        setting: Where it runs.

    Returns:
        One a pair; NaN with fewer than 2 topics.
    """
    return of_pairs("deviations", _deviations, scores, (better, worse), setting)


def _deviations(task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    scores, better, worse = task
    step = max(1, CELLS // max(scores.shape[1], 1))
    parts = (slice(start, start + step) for start in range(0, len(better), step))
    return np.concatenate([np.empty(0), *(sample_deviations(differences(scores, better[part], worse[part])) for part in parts)])


def student_margins(deviations: FloatArray, topics: IntArray | int, interval: float) -> FloatArray:
    """Half the widths of Student's two-sided confidence intervals of means, ``t_{(1+c)/2, n-1} * sd / sqrt(n)``.

    Args:
        deviations: Standard deviations, with n-1 in the denominator.
        topics: How many topics each mean is over, n.
        interval: The confidence c.

    Returns:
        One a mean; NaN with fewer than 2 topics.

    Examples:
        >>> student_margins(np.array([0.25]), 3, 0.95).round(4).tolist()
        [0.621]
    """
    from scipy.special import stdtrit  # takes 0.3 s to import

    n = np.broadcast_to(topics, deviations.shape)
    margins = np.full(deviations.shape, np.nan)
    several = n >= 2
    margins[several] = stdtrit(n[several] - 1.0, (1 + interval) / 2) * deviations[several] / np.sqrt(n[several])
    return margins
