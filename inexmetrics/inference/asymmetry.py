"""Asymmetry of differences: how far the differences of two runs lie more to one side of their mean than signs drawn at random would put them."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, column_sums
from inexmetrics.inference.pair_tasks import of_pairs, strips

__all__ = ["asymmetries"]

CELLS = 2**15
"""Differences (topics x pairs) that are held at once, so that they stay in the processor's cache."""


def asymmetries(scores: FloatArray, first: IntArray, second: IntArray, setting: RunOptions) -> FloatArray:
    """Return the size of the self-normalised skewness of each pair's differences; 0 where they do not vary.

    If differences Z around their mean had signs that were drawn at random, the sum of Z^3 would have the mean 0 and the variance sum Z^6.
    So heavy tails alone do not make the value large.

    Formula:
        z = |sum_(i) Z_i^3| / sqrt(sum_(i) Z_i^6)
        where
            Z_i: the difference on topic i, less the mean difference

    Examples:
        >>> scores = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
        >>> asymmetries(scores, np.array([0]), np.array([1]), RunOptions()).round(4).tolist()
        [0.7385]
    """
    return of_pairs("asymmetries", _asymmetries, scores, (first, second), setting)


def _asymmetries(task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    scores, first, second = task
    runs, topics = scores.shape
    by_topic = np.ascontiguousarray(scores.T)
    low, high = np.minimum(first, second), np.maximum(first, second)
    found = np.zeros((runs, runs))
    for run, others in strips(low, high, runs, max(1, CELLS // max(topics, 1))):
        centred = by_topic[:, run, None] - by_topic[:, others]
        centred -= column_sums(centred) / topics
        spread = np.abs(centred).max(axis=0)
        some = spread > TOLERANCE
        centred /= np.where(some, spread, 1.0)  # no power leaves the numbers' range
        cubes = np.square(centred)
        cubes *= centred
        total = np.abs(column_sums(cubes))
        squares = column_sums(np.square(cubes, out=cubes))
        found[run, others] = np.where(some, total / np.sqrt(np.where(some, squares, 1.0)), 0.0)
    return found[low, high]
