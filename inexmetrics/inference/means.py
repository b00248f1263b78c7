"""Means and standard deviations over topics, with a fixed order of summation, and Student's confidence intervals."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray

__all__ = ["TOLERANCE", "column_deviations", "column_sums", "means", "means_among", "ranking", "sample_deviations", "student_margins"]

TOLERANCE = 1e-12
"""Maximum absolute difference that is treated as zero, because it may be a rounding error."""


def means(scores: FloatArray) -> FloatArray:
    """Returns means over the last axis, such as topics; NaN if the axis is empty.

    Values are added in order and the sum is divided once, so that the means have the same bits on every machine.

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
    """Returns means over selected positions of the last axis, such as the topics that a run answers; values are added as in `means`.

    A mean is NaN if no position is selected, or if a selected score is NaN.

    Examples:
        >>> scores = np.array([[0.5, 1.0], [0.25, np.nan]])
        >>> means_among(scores, ~np.isnan(scores)).tolist()
        [0.75, 0.25]
    """
    counts = np.broadcast_to(chosen, scores.shape).sum(axis=-1)
    sums = np.add.accumulate(np.where(chosen, scores, 0.0), axis=-1)[..., -1]  # adding zero leaves every bit of the sum unchanged
    mean: FloatArray = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return mean


def ranking(means: FloatArray) -> IntArray:
    """Returns the index of the run at each rank, in order of decreasing mean.

    If means are equal (within 1e-12), the run with the lower index comes first. Runs whose mean is NaN come last.

    Examples:
        >>> ranking(np.array([0.2, np.nan, 0.2 + 1e-15, 0.4])).tolist()
        [3, 0, 2, 1]
    """
    order = np.argsort(-means, kind="stable")
    lower = np.cumsum(~(np.diff(-means[order], prepend=-np.inf) <= TOLERANCE))
    return order[np.lexsort((order, lower))]


def sample_deviations(values: FloatArray) -> FloatArray:
    """Returns standard deviations over the last axis, with n-1 in the denominator; values are added in order.

    A standard deviation is 0 if all values of a row are within 1e-12 of each other, and NaN with fewer than 2 values.

    Examples:
        >>> sample_deviations(np.array([[0.0, 0.25, 0.5], [0.9 - 0.6, 0.8 - 0.5, 0.3]])).tolist()
        [0.25, 0.0]
    """
    return column_deviations(np.array(values.T, order="C"))


def column_deviations(values: FloatArray) -> FloatArray:
    """Returns the standard deviation of each column of values, shape (topics, rows), and overwrites the values.

    Whole rows are added, which is fast.
    """
    n = len(values)
    if n < 2:
        return np.full(values.shape[1], np.nan)
    spread = np.ptp(values, axis=0)
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # squares neither overflow nor underflow, and dividing by a power of two is exact
    values -= column_sums(values) / n
    values /= unit
    squares = column_sums(np.square(values, out=values))
    squares[spread <= TOLERANCE] = 0.0
    found: FloatArray = unit * np.sqrt(squares / (n - 1))
    return found


def column_sums(values: FloatArray) -> FloatArray:
    """Returns sums of columns, added in row order; for a single column, `np.add.reduce` would add the values in a different order."""
    sums: FloatArray = np.add.reduce(values, axis=0) if values.shape[1] > 1 else np.add.accumulate(values, axis=0)[-1]
    return sums


def student_margins(deviations: FloatArray, topics: IntArray | int, interval: float) -> FloatArray:
    """Returns the half-widths of Student's two-sided confidence intervals for means, ``t_{(1+c)/2, n-1} * sd / sqrt(n)``; NaN if n < 2.

    The standard deviations sd have n-1 in the denominator; n is the number of topics of each mean, and c the confidence level `interval`.

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
