"""Means over topics: their summation, the variation of scores around them, and their precision."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray

__all__ = ["TOLERANCE", "column_deviations", "column_sums", "means", "means_among", "ranking", "sample_deviations", "student_margins"]

TOLERANCE = 1e-12
"""Differences up to this size are rounding errors: they count as zero."""


def means(scores: FloatArray) -> FloatArray:
    """Returns means over the last axis, such as topics; NaN where it is empty.

    Values are added in order, then divided once, so the means have the same bits everywhere.

    Examples:
        >>> means(np.array([[0.5, 1.0], [0.0, 0.25]])).tolist()
        [0.75, 0.125]
    """
    count = scores.shape[-1]
    if count == 0:
        return np.full(scores.shape[:-1], np.nan)
    mean: FloatArray = np.add.accumulate(scores, axis=-1)[..., -1] / count
    return mean


def means_among(scores: FloatArray, chosen: BoolArray) -> FloatArray:
    """Returns means over selected positions of the last axis, such as the topics that a run answers; added as in `means`.

    They are NaN if nothing is selected, or a selected score is NaN.

    Examples:
        >>> scores = np.array([[0.5, 1.0], [0.25, np.nan]])
        >>> means_among(scores, ~np.isnan(scores)).tolist()
        [0.75, 0.25]
    """
    counts = np.broadcast_to(chosen, scores.shape).sum(axis=-1)
    sums = np.add.accumulate(np.where(chosen, scores, 0.0), axis=-1)[..., -1]  # adding zero changes no bit
    mean: FloatArray = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return mean


def ranking(means: FloatArray) -> IntArray:
    """Returns the run at each rank, by the means of runs in lexicographic order; with equal means (within 1e-12) the earlier run is first, NaN last.

    Examples:
        >>> ranking(np.array([0.2, np.nan, 0.2 + 1e-15, 0.4])).tolist()
        [3, 0, 2, 1]
    """
    order = np.argsort(-means, kind="stable")
    lower = np.cumsum(~(np.diff(-means[order], prepend=-np.inf) <= TOLERANCE))
    return order[np.lexsort((order, lower))]


def sample_deviations(values: FloatArray) -> FloatArray:
    """Returns standard deviations over the last axis of rows x topics, with n-1 in the denominator, added in order.

    They are 0 if no two values are more than 1e-12 apart, NaN with fewer than 2 topics.

    Examples:
        >>> sample_deviations(np.array([[0.0, 0.25, 0.5], [0.9 - 0.6, 0.8 - 0.5, 0.3]])).tolist()
        [0.25, 0.0]
    """
    return column_deviations(np.array(values.T, order="C"))


def column_deviations(values: FloatArray) -> FloatArray:
    """Returns standard deviations of columns, topics x rows, and overwrites them: in this layout sums in the topics' order are fastest."""
    n = len(values)
    if n < 2:
        return np.full(values.shape[1], np.nan)
    spread = np.ptp(values, axis=0)
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # no square overflows or underflows, and a power of two changes no digit
    values -= column_sums(values) / n
    values /= unit
    squares = column_sums(np.square(values, out=values))
    squares[spread <= TOLERANCE] = 0.0
    found: FloatArray = unit * np.sqrt(squares / (n - 1))
    return found


def column_sums(values: FloatArray) -> FloatArray:
    """Returns sums of columns, added in row order; `np.add.reduce` does so for several columns, but not for a single column."""
    sums: FloatArray = np.add.reduce(values, axis=0) if values.shape[1] > 1 else np.add.accumulate(values, axis=0)[-1]
    return sums


def student_margins(deviations: FloatArray, topics: IntArray | int, interval: float) -> FloatArray:
    """Returns half the widths of Student's two-sided confidence intervals of means, ``t_{(1+c)/2, n-1} * sd / sqrt(n)``; NaN with n < 2.

    The standard deviations sd have n-1 in the denominator; n is the number of topics of each mean, c the confidence.

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
