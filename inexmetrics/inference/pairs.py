"""Pairs of runs: the compared pairs, their direction, and their differences topic by topic."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, column_deviations, means
from inexmetrics.inference.pair_tasks import of_pairs, strips

__all__ = ["CELLS", "ahead", "alike", "check_finite", "deviations", "differences", "directed_pairs", "mean_differences", "observed_pairs"]

CELLS = 2**15
"""Differences (topics x pairs) in memory at once, so that they stay in the processor's cache."""


def directed_pairs(runs: int) -> tuple[IntArray, IntArray]:
    """Returns both directed hypotheses of every pair of R runs, *i is better than j*: the better and the worse run of each, R(R-1) in order.

    Examples:
        >>> [indices.tolist() for indices in directed_pairs(3)]
        [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    """
    better, worse = np.nonzero(~np.eye(runs, dtype=np.bool_))
    return better.astype(np.int64), worse.astype(np.int64)


def observed_pairs(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Returns each pair of runs once, in the direction of the higher mean; with equal means the earlier run is first.

    They are in the order of `numpy.triu_indices`: the better run of each, and the worse.

    Examples:
        >>> [indices.tolist() for indices in observed_pairs(np.array([[0.1, 0.1], [0.0, 0.2], [0.5, 0.5]]))]
        [[0, 2, 2], [1, 0, 1]]
    """
    first, second = (indices.astype(np.int64) for indices in np.triu_indices(len(scores), 1))
    forward = ahead(scores, first, second)
    return np.where(forward, first, second), np.where(forward, second, first)


def mean_differences(scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
    """Returns the mean of each hypothesis' better run minus that of its worse run; a difference within the tolerance is 0."""
    mean = means(scores)
    difference = mean[better] - mean[worse]
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    return difference


def ahead(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Returns whether a hypothesis has the observed direction: its better run has the higher mean, or an equal mean and the earlier index."""
    difference = mean_differences(scores, better, worse)
    apart = np.abs(difference) > TOLERANCE  # False without topics, where means are NaN
    return np.where(apart, difference > 0.0, better < worse)


def differences(scores: FloatArray, better: IntArray | IndexArray, worse: IntArray | IndexArray) -> FloatArray:
    """Returns differences topic by topic, D = X - Y, with rounding errors set to zero: hypotheses x topics."""
    difference = scores[better] - scores[worse]
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    return difference


def alike(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Returns whether the two runs of a hypothesis are equal on every topic."""
    same = np.abs(mean_differences(scores, better, worse)) <= 2 * TOLERANCE  # a necessary condition that is rarely met
    near = np.flatnonzero(same)
    same[near] = ~differences(scores, better[near], worse[near]).any(axis=1)
    return same


def deviations(scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
    """Returns standard deviations of the topics' differences of pairs of runs, with n-1 in the denominator; NaN with fewer than 2 topics."""
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
        found[run, others] = column_deviations(differences)
    return found[first, second]


def check_finite(scores: FloatArray) -> None:
    """Raises `ValueError` for a score that is NaN or infinite: comparisons with it would be false, and p too small."""
    if not np.isfinite(scores).all():
        run, topic = np.argwhere(~np.isfinite(scores))[0].tolist()
        raise ValueError(f"expected finite scores, found {scores[run, topic]} for run {run} and topic {topic}, counted from 0")
