"""Pairs of runs: which are compared, in which direction, and how they differ topic by topic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions

__all__ = [
    "TOLERANCE",
    "ahead",
    "alike",
    "among_rows",
    "check_finite",
    "differences",
    "directed_pairs",
    "mean_differences",
    "means",
    "means_among",
    "observed_pairs",
    "of_pairs",
    "strips",
    "tiles",
]

TOLERANCE = 1e-12
"""Differences up to this size are rounding: they count as zero."""
TASK = 2**24
"""Differences (pairs x topics) that make a task worth sending."""


def means(scores: FloatArray) -> FloatArray:
    """Means over the last axis, such as topics: added in its order, then divided once, so that they have the same bits everywhere.

    Args:
        scores: Scores, runs x topics; or any array whose last axis is averaged.

    Returns:
        The means, without the last axis; NaN where it is empty.

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
    """Means over the chosen places of the last axis alone, such as the topics that a run answers; added as in `means`.

    Args:
        scores: Scores, runs x topics; or any array whose last axis is averaged.
        chosen: The places averaged, of a shape that broadcasts to that of the scores.

    Returns:
        The means, without the last axis; NaN where nothing is chosen, or a score chosen is NaN.

    Examples:
        >>> means_among(np.array([[0.5, 1.0], [0.25, np.nan]]), np.array([[True, True], [True, False]])).tolist()
        [0.75, 0.25]
    """
    counts = np.broadcast_to(chosen, scores.shape).sum(axis=-1)
    sums = np.add.accumulate(np.where(chosen, scores, 0.0), axis=-1)[..., -1]  # to add zero changes no bit
    mean: FloatArray = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return mean


def directed_pairs(runs: int) -> tuple[IntArray, IntArray]:
    """Both directed hypotheses of every pair of runs: *i is better than j* for all i other than j.

    Args:
        runs: How many runs there are, R.

    Returns:
        The better and the worse run of each of the R(R-1) hypotheses, by the better, then by the worse.

    Examples:
        >>> [indices.tolist() for indices in directed_pairs(3)]
        [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    """
    better, worse = np.nonzero(~np.eye(runs, dtype=np.bool_))
    return better.astype(np.int64), worse.astype(np.int64)


def observed_pairs(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Each pair of runs once, in the direction of the higher mean; of equal means the earlier run is first.

    Args:
        scores: Scores, runs x topics, runs in string order.

    Returns:
        The better and the worse run of each of the R(R-1)/2 pairs, in the order of `numpy.triu_indices`.

    Examples:
        >>> [indices.tolist() for indices in observed_pairs(np.array([[0.1, 0.1], [0.0, 0.2], [0.5, 0.5]]))]
        [[0, 2, 2], [1, 0, 1]]
    """
    first, second = (indices.astype(np.int64) for indices in np.triu_indices(len(scores), 1))
    forward = ahead(scores, first, second)
    return np.where(forward, first, second), np.where(forward, second, first)


def mean_differences(scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
    """How far the mean of each hypothesis' better run lies above that of its worse run."""
    mean = means(scores)
    difference: FloatArray = mean[better] - mean[worse]
    return difference


def ahead(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Whether a hypothesis has the observed direction: its better run has the higher mean, or an equal one and stands first."""
    difference = mean_differences(scores, better, worse)
    apart = np.abs(difference) > TOLERANCE  # not so without topics, where means are NaN
    observed: BoolArray = np.where(apart, difference > 0.0, better < worse)
    return observed


def differences(scores: FloatArray, better: IntArray | IndexArray, worse: IntArray | IndexArray) -> FloatArray:
    """Differences topic by topic, D = X - Y, with all that is mere rounding set to zero: hypotheses x topics."""
    difference = scores[better] - scores[worse]
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    return difference


def alike(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Whether the two runs of a hypothesis differ on no topic at all."""
    same = np.abs(mean_differences(scores, better, worse)) <= 2 * TOLERANCE  # a necessary condition, and rarely met
    near = np.flatnonzero(same)
    same[near] = ~differences(scores, better[near], worse[near]).any(axis=1)
    return same


def tiles(better: IntArray, worse: IntArray, runs: int) -> list[IntArray]:
    """The places of pairs of runs in parts that concern few runs each, so that what is held of these fits into memory.

    Args:
        better: Row of the first run of each pair.
        worse: Row of the second run of each pair.
        runs: The number of runs that stand first in the pairs of a part, and of those that stand second.

    Returns:
        The parts, each in the order of the pairs.
    """
    parts = np.sort(np.stack([better, worse]) // runs, axis=0)
    order = np.lexsort(parts)
    edges = np.flatnonzero(np.diff(parts[:, order], axis=1).any(axis=0)) + 1
    return [part for part in np.split(order, edges) if len(part)]


def strips(first: IndexArray, second: IndexArray, runs: int, size: int) -> Iterator[tuple[int, slice]]:
    """Covers pairs of runs by strips: a run beside several that follow each other, so that one operation compares them all.

    A strip may hold pairs that are not asked for, between two that are.

    Args:
        first: Row of the first run of each pair.
        second: Row of the second run of each pair.
        runs: How many runs there are.
        size: How many second runs a strip has at most; strips of the same second runs stand together.

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
    """The rows that pairs concern, in their order, and where the two of each pair stand among them: all that a task needs.

    Examples:
        >>> rows, better, worse = among_rows(np.array([[0.1], [0.2], [0.3]]), np.array([2, 2]), np.array([1, 2]))
        >>> rows.tolist(), better.tolist(), worse.tolist()
        ([[0.2], [0.3]], [1, 1], [0, 1])
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
    """A function's values of pairs of runs, each of which depends on the scores of these two alone.

    Args:
        what: What is done, for the progress.
        function: The function of a task, as `among_rows` has it.
        scores: Scores, runs x topics.
        pairs: Rows of the first and of the second run of each pair.
        setting: Where it runs; pairs of a few runs, of 2^24 differences or fewer, are one task.
    """
    tasks = tiles(*pairs, max(1, math.isqrt(TASK // (2 * max(scores.shape[1], 1)))))
    sent = (among_rows(scores, pairs[0][task], pairs[1][task]) for task in tasks)
    values = np.empty(len(pairs[0]))
    for task, found in zip(tasks, setting.map(what, function, sent, total=len(tasks), threads=True), strict=True):
        values[task] = found
    return values


def check_finite(scores: FloatArray) -> None:
    """Raises `ValueError` for a score that is NaN or infinite: a comparison with it would be false, and p too small."""
    if not np.isfinite(scores).all():
        run, topic = np.argwhere(~np.isfinite(scores))[0].tolist()
        raise ValueError(f"expected finite scores, found {scores[run, topic]} for run {run} and topic {topic}, counted from 0")
