"""Pairs of runs: the compared pairs, their direction, and their per-topic differences, computed in tasks of bounded size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, column_deviations, means

__all__ = [
    "CELLS",
    "ahead",
    "alike",
    "among_rows",
    "check_finite",
    "deviations",
    "differences",
    "directed_pairs",
    "mean_differences",
    "observed_pairs",
    "of_differences",
    "of_pairs",
    "strips",
    "tiles",
]

TASK = 2**24
"""Approximate number of differences (pairs x topics) in a task: large enough that computing them takes longer than sending the task."""


def tiles(better: IntArray, worse: IntArray, runs: int) -> list[IntArray]:
    """Splits pairs of runs into parts with few runs each, so that a part fits into memory; returns the indices of the pairs by part.

    Within one part, at most `runs` different runs occur as the first run of a pair, and at most `runs` as the second run. Within a part,
    pairs remain in order.
    """
    parts = np.sort(np.stack([better, worse]) // runs, axis=0)
    order = np.lexsort(parts)
    edges = np.flatnonzero(np.diff(parts[:, order], axis=1).any(axis=0)) + 1
    return [part for part in np.split(order, edges) if len(part)]


def strips(first: IndexArray, second: IndexArray, runs: int, size: int) -> Iterator[tuple[int, slice]]:
    """Covers the given pairs of runs with strips: a strip pairs one run, the first of each pair, with a range of consecutive runs.

    Each strip is yielded as the index of its first run and a slice with the indices of at most `size` other runs. The slice may contain
    runs that were not requested, if they are between two requested runs. The runs are divided into blocks of `size` consecutive runs.
    Strips are yielded block by block, and each slice is within one block.

    Examples:
        >>> list(strips(np.array([0, 0, 1, 0]), np.array([1, 2, 2, 4]), 5, 3))
        [(0, slice(1, 3, None)), (1, slice(2, 3, None)), (0, slice(4, 5, None))]
    """
    asked = np.zeros((runs, runs), dtype=np.bool_)
    asked[first, second] = True
    for start in range(0, runs, size):
        near = asked[:, start : start + size]
        some = np.flatnonzero(near.any(axis=1))
        begins, ends = start + near[some].argmax(axis=1), start + near.shape[1] - near[some, ::-1].argmax(axis=1)
        yield from ((run, slice(begin, end)) for run, begin, end in zip(some.tolist(), begins.tolist(), ends.tolist(), strict=True))


def among_rows(rows: FloatArray, better: IntArray, worse: IntArray) -> tuple[FloatArray, IndexArray, IndexArray]:
    """Returns the rows of the runs that occur in the given pairs, and the indices of the better and the worse runs among these rows.

    The rows are returned in the order in which they are given.

    Examples:
        >>> scores = np.array([[0.1], [0.2], [0.3]])
        >>> [found.tolist() for found in among_rows(scores, np.array([2, 2]), np.array([1, 2]))]
        [[[0.2], [0.3]], [1, 1], [0, 1]]
    """
    concerned = np.zeros(len(rows), dtype=np.bool_)
    concerned[better] = concerned[worse] = True
    places = np.cumsum(concerned, dtype=np.int32) - np.int32(1)
    return rows[concerned], places[better], places[worse]


def of_pairs(
    what: str,
    function: Callable[[tuple[FloatArray, IndexArray, IndexArray]], FloatArray],
    scores: FloatArray,
    pairs: tuple[IntArray, IntArray],
    setting: RunOptions,
) -> FloatArray:
    """Computes one value for each pair of runs from the scores of the two runs; `what` names the values in the progress bar.

    The function receives tasks in the form of `among_rows`: pairs of a few runs, with at most 2^24 differences.
    """
    tasks = tiles(*pairs, max(1, math.isqrt(TASK // (2 * max(scores.shape[1], 1)))))
    sent = (among_rows(scores, pairs[0][task], pairs[1][task]) for task in tasks)
    values = np.empty(len(pairs[0]))
    for task, found in zip(tasks, setting.map(what, function, sent, total=len(tasks), threads=True), strict=True):
        values[task] = found
    return values


CELLS = 2**15
"""Maximum number of differences (topics x pairs) in memory at once, so that the differences fit into the processor's cache."""


def directed_pairs(runs: int) -> tuple[IntArray, IntArray]:
    """Returns both directed hypotheses (run i is better than run j) of every pair of runs, as indices of better and worse runs.

    Examples:
        >>> [indices.tolist() for indices in directed_pairs(3)]
        [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    """
    better, worse = np.nonzero(~np.eye(runs, dtype=np.bool_))
    return better.astype(np.int64), worse.astype(np.int64)


def observed_pairs(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Returns each pair of runs once, in the direction of the higher mean; if means are equal, the run with the lower index is better.

    Pairs are in the order of `numpy.triu_indices`; the result contains the indices of the better runs and of the worse runs.

    Examples:
        >>> [indices.tolist() for indices in observed_pairs(np.array([[0.1, 0.1], [0.0, 0.2], [0.5, 0.5]]))]
        [[0, 2, 2], [1, 0, 1]]
    """
    first, second = (indices.astype(np.int64) for indices in np.triu_indices(len(scores), 1))
    forward = ahead(scores, first, second)
    return np.where(forward, first, second), np.where(forward, second, first)


def mean_differences(scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
    """Returns, for each hypothesis, the mean of the better run minus the mean of the worse run; a difference of at most 1e-12 becomes 0."""
    mean = means(scores)
    difference = mean[better] - mean[worse]
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    return difference


def ahead(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Returns, for each hypothesis, whether the run `better` has the higher mean, or an equal mean and the lower index."""
    difference = mean_differences(scores, better, worse)
    apart = np.abs(difference) > TOLERANCE  # False if there are no topics, because the means are then NaN
    return np.where(apart, difference > 0.0, better < worse)


def differences(scores: FloatArray, better: IntArray | IndexArray, worse: IntArray | IndexArray) -> FloatArray:
    """Returns the score of the better run minus the score of the worse run on each topic, shape (hypotheses, topics).

    Differences of at most 1e-12 are set to zero, because they may be rounding errors.
    """
    difference = scores[better] - scores[worse]
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    return difference


def alike(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Returns, for each hypothesis, whether the two runs have equal scores on every topic."""
    same = np.abs(mean_differences(scores, better, worse)) <= 2 * TOLERANCE  # excludes most pairs quickly, because equal means are rare
    near = np.flatnonzero(same)
    same[near] = ~differences(scores, better[near], worse[near]).any(axis=1)
    return same


def deviations(scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
    """Returns, for each pair, the sample standard deviation (n-1) of the differences over topics; NaN with fewer than 2 topics."""
    return of_pairs("deviations", partial(of_differences, _deviations), scores, (better, worse), setting)


def _deviations(differences: FloatArray) -> FloatArray:
    differences[np.abs(differences) <= TOLERANCE] = 0.0
    return column_deviations(differences)


def of_differences(statistic: Callable[[FloatArray], FloatArray], task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Computes a statistic of the per-topic differences for each pair of runs in a task of `of_pairs`.

    The differences are the scores of the run with the lower index minus the scores of the other run, whichever run is better. The function
    `statistic` takes the differences, shape (topics, pairs), which it may overwrite, and returns one value per pair.
    """
    scores, better, worse = task
    runs, topics = scores.shape
    by_topic = np.ascontiguousarray(scores.T)
    first, second = np.minimum(better, worse), np.maximum(better, worse)
    found = np.empty((runs, runs))
    for run, others in strips(first, second, runs, max(1, CELLS // max(topics, 1))):
        found[run, others] = statistic(by_topic[:, run, None] - by_topic[:, others])
    return found[first, second]


def check_finite(scores: FloatArray) -> None:
    """Raises `ValueError` if a score is NaN or infinite.

    Without this check, a NaN would make p-values too small, because every comparison with NaN is False.
    """
    if not np.isfinite(scores).all():
        run, topic = np.argwhere(~np.isfinite(scores))[0].tolist()
        raise ValueError(f"expected finite scores, found {scores[run, topic]} at index [{run}, {topic}] (run, topic)")
