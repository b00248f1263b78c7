"""Computations on pairs of runs in parts: the parts of tasks, and the parts of one operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions

__all__ = ["among_rows", "of_pairs", "strips", "tiles"]

TASK = 2**24
"""The number of differences (pairs x topics) that makes a task worth sending."""


def tiles(better: IntArray, worse: IntArray, runs: int) -> list[IntArray]:
    """Returns the indices of pairs of runs in parts that concern few runs each, so that a part fits into memory.

    A part has at most `runs` first runs and as many second runs. Parts keep the order of the pairs.
    """
    parts = np.sort(np.stack([better, worse]) // runs, axis=0)
    order = np.lexsort(parts)
    edges = np.flatnonzero(np.diff(parts[:, order], axis=1).any(axis=0)) + 1
    return [part for part in np.split(order, edges) if len(part)]


def strips(first: IndexArray, second: IndexArray, runs: int, size: int) -> Iterator[tuple[int, slice]]:
    """Covers pairs among `runs` runs by strips: a run with several consecutive runs, so that one operation compares them all.

    A strip has at most `size` second runs; it may contain pairs that were not requested, between two that were. Strips with the same
    second runs are adjacent.

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
    """Returns the rows that pairs concern, in order, and the positions of each pair among them: everything that a task needs.

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
    """Computes a function for pairs of runs, each value depending only on the scores of the two; `what` names it for the progress bar.

    The function receives a task in the form of `among_rows`: pairs of a few runs, with at most 2^24 differences.
    """
    tasks = tiles(*pairs, max(1, math.isqrt(TASK // (2 * max(scores.shape[1], 1)))))
    sent = (among_rows(scores, pairs[0][task], pairs[1][task]) for task in tasks)
    values = np.empty(len(pairs[0]))
    for task, found in zip(tasks, setting.map(what, function, sent, total=len(tasks), threads=True), strict=True):
        values[task] = found
    return values
