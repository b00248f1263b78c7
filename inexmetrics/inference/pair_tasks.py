"""Computations on pairs of runs, split into tasks; each task uses vectorised operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions

__all__ = ["among_rows", "of_pairs", "strips", "tiles"]

TASK = 2**24
"""Approximate number of differences (pairs x topics) in a task: large enough that computing them takes longer than sending the task."""


def tiles(better: IntArray, worse: IntArray, runs: int) -> list[IntArray]:
    """Splits pairs of runs into parts with few runs each, so that a part fits into memory; returns the indices of the pairs by part.

    A part has at most `runs` different first runs and at most `runs` different second runs. Within a part, pairs remain in order.
    """
    parts = np.sort(np.stack([better, worse]) // runs, axis=0)
    order = np.lexsort(parts)
    edges = np.flatnonzero(np.diff(parts[:, order], axis=1).any(axis=0)) + 1
    return [part for part in np.split(order, edges) if len(part)]


def strips(first: IndexArray, second: IndexArray, runs: int, size: int) -> Iterator[tuple[int, slice]]:
    """Covers the given pairs of runs with strips: each strip pairs one run with a range of consecutive runs, compared in one operation.

    A strip has at most `size` second runs. A strip may also contain pairs that were not requested, if they are between two requested pairs.
    Strips with the same second runs are adjacent.

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

    The returned rows have the order of the given rows.

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
