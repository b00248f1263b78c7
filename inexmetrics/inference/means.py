"""Means and standard deviations over topics, of runs and of the differences between pairs of runs, with a fixed order of summation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.student import student_quantile

__all__ = [
    "CELLS",
    "TOLERANCE",
    "ahead",
    "alike",
    "among_rows",
    "check_finite",
    "column_sums",
    "deviations",
    "differences",
    "differences_in_parts",
    "directed_pairs",
    "mean_differences",
    "means",
    "means_among",
    "noise_below",
    "observed_pairs",
    "of_pairs",
    "ranking",
    "sample_deviations",
    "strips",
    "student_margins",
    "tiles",
]

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
    """Returns means over selected positions of the last axis, such as the topics that a run answers.

    Values are summed in the same order as in `means`. A mean is NaN if no position is selected, or if a selected score is NaN.

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
    return _deviations(lambda some: np.array(values[:, some].T, order="C"), values.shape[1], len(values))


def _deviations(rows: Callable[[slice], FloatArray], n: int, width: int) -> FloatArray:
    """Returns the standard deviation of each of `width` columns over n rows; `rows` returns a new array with some of the rows.

    Whole rows are added, which is fast. The rows are read in blocks that fit into the processor's cache, twice if there are several blocks.
    The order of the additions, and so every bit of the result, is the same for all sizes of blocks.
    """
    if n < 2:
        return np.full(width, np.nan)
    size = max(SHORTEST, CELLS // max(width, 1))
    blocks = [slice(start, start + size) for start in range(0, n, size)]
    low, high, total = np.full(width, np.inf), np.full(width, -np.inf), np.zeros(width)
    block = np.empty((0, width))
    for some in blocks:
        block = rows(some)
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
        total = _added(total, block)
    spread = high - low
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # squares neither overflow nor underflow, and dividing by a power of two is exact
    squares = np.zeros(width)
    for some in blocks:
        if len(blocks) > 1:
            block = rows(some)
        block -= total / n
        block /= unit
        with np.errstate(over="ignore"):  # a constant column of large values deviates from its mean by rounding errors, which are dropped
            squares = _added(squares, np.square(block, out=block))
    squares[spread <= TOLERANCE] = 0.0
    found: FloatArray = unit * np.sqrt(squares / (n - 1))
    return found


def _added(total: FloatArray, block: FloatArray) -> FloatArray:
    """Returns the sums of a total and the rows of a block, added in order; overwrites the first row of the block."""
    block[0] += total
    return column_sums(block)


def noise_below(values: FloatArray, floor: float) -> FloatArray:
    """Returns the standard deviation of the noise that raises the variance of each row to a floor; 0 with fewer than 2 values.

    Formula:
        a_i = sqrt(max(0, f^2 V - v_i))
        where
            f: the floor
            v_i: the variance of a row over the last axis, with n-1 in the denominator
            V: the median variance of the rows whose standard deviation is above 1e-12

    Examples:
        >>> noise_below(np.array([[0.0, 0.2], [0.1, 0.1], [0.0, 0.4]]), 0.5).round(4).tolist()
        [0.0, 0.1118, 0.0]
    """
    if not floor or values.shape[1] < 2:
        return np.zeros(len(values))
    deviations = sample_deviations(values)
    unit = math.ldexp(1.0, math.frexp(float(deviations.max(initial=0.0)))[1])  # squares neither overflow nor underflow
    variances = np.square(deviations / unit)
    varying = variances[deviations > TOLERANCE]
    if not len(varying):
        return np.zeros(len(values))
    noise: FloatArray = unit * np.sqrt(np.maximum(0.0, floor**2 * np.median(varying) - variances))
    return noise


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
    n = np.broadcast_to(topics, deviations.shape)
    counts, places = np.unique(n, return_inverse=True)
    quantiles = np.array([student_quantile(count - 1, (1 + interval) / 2) if count >= 2 else math.nan for count in counts.tolist()])
    margins: FloatArray = quantiles[places.reshape(n.shape)] * deviations / np.sqrt(np.maximum(n, 1))
    return margins


TASK = 2**24
"""Approximate number of differences (pairs x topics) in a task: large enough that computing them takes longer than sending the task."""


def tiles(better: IntArray, worse: IntArray, runs: int) -> list[IntArray]:
    """Splits pairs of runs into parts with few runs each, so that a part fits into memory; returns the indices of the pairs by part.

    The runs are divided into blocks of `runs` consecutive runs. All pairs in one part are within the same block, or between the same two
    blocks. A part therefore contains at most 2 * `runs` different runs. Within a part, pairs remain in order.
    """
    if max(better.max(initial=0), worse.max(initial=0)) < runs:
        return [np.arange(len(better))] if len(better) else []
    parts = np.sort(np.stack([better, worse]) // runs, axis=0)
    order = np.lexsort(parts)
    edges = np.flatnonzero(np.diff(parts[:, order], axis=1).any(axis=0)) + 1
    return [part for part in np.split(order, edges) if len(part)]


def strips(first: IndexArray, second: IndexArray, runs: int, size: int) -> Iterator[tuple[int, slice]]:
    """Covers the given pairs of runs with strips. The pairs of a strip have the same first run, and consecutive second runs.

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
    *,
    each: tuple[int, ...] = (),
) -> FloatArray:
    """Computes one value for each pair of runs from the scores of the two runs; `what` names the values in the progress bar.

    The function receives tasks in the form of `among_rows`: pairs of a few runs, with at most 2^24 differences. It may return several
    values for each pair, in leading axes of the shape `each`.
    """
    tasks = tiles(*pairs, max(1, math.isqrt(TASK // (2 * max(scores.shape[1], 1)))))
    sent = (among_rows(scores, pairs[0][task], pairs[1][task]) for task in tasks)
    values = np.empty((*each, len(pairs[0])))
    for task, found in zip(tasks, setting.map(what, function, sent, total=len(tasks), threads=True), strict=True):
        values[..., task] = found
    return values


CELLS = 2**15
"""Maximum number of differences (topics x pairs) in memory at once, so that the differences fit into the processor's cache."""

SHORTEST = 64
"""Minimum number of rows or of columns of a block: shorter blocks cost more calls than they save."""


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


def differences_in_parts(
    scores: FloatArray, better: IntArray | IndexArray, worse: IntArray | IndexArray
) -> Iterator[tuple[slice, FloatArray]]:
    """Yields the `differences` of a few hypotheses at a time, with the slice of these hypotheses."""
    step = max(1, 4 * CELLS // max(1, scores.shape[1]))  # in smaller parts, threads wait for each other: they take twice the time
    for start in range(0, len(better), step):
        some = slice(start, start + step)
        yield some, differences(scores, better[some], worse[some])


def alike(scores: FloatArray, better: IntArray, worse: IntArray) -> BoolArray:
    """Returns, for each hypothesis, whether the two runs have equal scores on every topic."""
    same = np.abs(mean_differences(scores, better, worse)) <= 2 * TOLERANCE  # excludes most pairs quickly, because equal means are rare
    near = np.flatnonzero(same)
    same[near] = ~differences(scores, better[near], worse[near]).any(axis=1)
    return same


def deviations(scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
    """Returns, for each pair, the sample standard deviation (n-1) of the differences over topics; NaN with fewer than 2 topics."""
    return of_pairs("deviations", _deviations_of_pairs, scores, (better, worse), setting)


def _deviations_of_pairs(task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Returns the standard deviation of the per-topic differences for each pair of runs in a task of `of_pairs`."""
    scores, better, worse = task
    runs, topics = scores.shape
    by_topic = np.ascontiguousarray(scores.T)

    def zeroed(difference: FloatArray) -> FloatArray:
        difference[np.abs(difference) <= TOLERANCE] = 0.0
        return difference

    def subtracted(run: int, others: slice, some: slice) -> FloatArray:
        return zeroed(by_topic[some, run, None] - by_topic[some, others])

    if len(better) * topics <= CELLS:  # one block of pairs takes less time than a strip for each run
        # Indexing would return columns that lie one after the other, which numpy adds in another order.
        return _deviations(lambda some: zeroed(by_topic[some].take(better, 1) - by_topic[some].take(worse, 1)), topics, len(better))
    first, second = np.minimum(better, worse), np.maximum(better, worse)
    found = np.empty((runs, runs))
    for run, others in strips(first, second, runs, max(SHORTEST, CELLS // max(topics, 1))):
        found[run, others] = _deviations(partial(subtracted, run, others), topics, others.stop - others.start)
    return found[first, second]


def check_finite(scores: FloatArray) -> None:
    """Raises `ValueError` if a score is NaN or infinite.

    Without this check, a NaN would make p-values too small, because every comparison with NaN is False.
    """
    if not np.isfinite(scores).all():
        run, topic = np.argwhere(~np.isfinite(scores))[0].tolist()
        raise ValueError(f"expected finite scores, found {scores[run, topic]} at index [{run}, {topic}] (run, topic)")
