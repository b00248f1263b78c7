"""How sure a mean is and how large a difference: standard deviations over topics, and Student's confidence intervals."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.pairs import TOLERANCE, of_pairs, strips

__all__ = ["deviations", "sample_deviations", "student_margins"]

CELLS = 2**15
"""Differences (topics x pairs) that are held at once, so that they stay in the processor's cache."""


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
    return _of_columns(np.array(values.T, order="C"))


def _of_columns(values: FloatArray) -> FloatArray:
    """Standard deviations of columns, topics x rows, which are overwritten: in this layout sums in the topics' order are fastest."""
    n = len(values)
    if n < 2:
        return np.full(values.shape[1], np.nan)
    spread = np.ptp(values, axis=0)
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # no square leaves the numbers' range, and a power of two changes no digit
    values -= _added(values) / n
    values /= unit
    squares = _added(np.square(values, out=values))
    squares[spread <= TOLERANCE] = 0.0
    found: FloatArray = unit * np.sqrt(squares / (n - 1))
    return found


def _added(values: FloatArray) -> FloatArray:
    """Sums of columns, added in the order of their rows; so does `np.add.reduce` where there are several, and not that of a single one."""
    sums: FloatArray = np.add.reduce(values, axis=0) if values.shape[1] > 1 else np.add.accumulate(values, axis=0)[-1]
    return sums


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
    runs, topics = scores.shape
    by_topic = np.ascontiguousarray(scores.T)
    first, second = np.minimum(better, worse), np.maximum(better, worse)  # a deviation is the same in both directions
    found = np.empty((runs, runs))
    for run, others in strips(first, second, runs, max(1, CELLS // max(topics, 1))):
        differences = by_topic[:, run, None] - by_topic[:, others]
        differences[np.abs(differences) <= TOLERANCE] = 0.0
        found[run, others] = _of_columns(differences)
    deviation: FloatArray = found[first, second]
    return deviation


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
