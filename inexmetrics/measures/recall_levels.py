"""Recall levels: the positions in each list at which a given share of a topic's whole gain is reached."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.ranking.ideal_gains import GAIN_TOLERANCE

__all__ = ["ELEVEN", "HUNDREDTHS", "interpolated", "reached_first"]

HUNDREDTHS: Final = tuple(level / 100 for level in range(1, 101))
"""The recall levels .01, .02 .. 1."""

ELEVEN: Final = tuple(level / 10 for level in range(11))
"""The recall levels 0, .1 .. 1."""


def interpolated(precision: FloatArray, counts: IntArray) -> FloatArray:
    """Returns the highest precision at recall 0, .1 .. 1 or beyond, ... x 11; 0 for a level never reached.

    Precision is given at the relevant documents of each list, in order, ... x N, and 0 past the last one. `counts`, the number of
    relevant documents for each list, has a shape that fits all but the last dimension.

    Examples:
        >>> interpolated(np.array([[1.0, 0.4, 0.5]]), np.array([4])).tolist()
        [[1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0]]
    """
    found = precision.shape[-1]
    highest = np.zeros((*precision.shape[:-1], found + 1))
    highest[..., :-1] = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
    # The index of the first relevant document at each level: recall is compared in whole documents.
    least = np.maximum(-(np.arange(len(ELEVEN)) * -counts[..., None] // 10), 1)
    return np.take_along_axis(highest, np.minimum(least - 1, found), axis=-1)


def reached_first(recall: FloatArray, firsts: IntArray) -> IntArray:
    """Returns the first point of each list that reaches each hundredth of recall, lists x 100; -1 if a level is never reached.

    Recall does not fall within a list. `firsts` contains the index of each list's first point, and finally the number of all
    points. A level counts as reached if recall is below it by no more than rounding (1e-9). Recall beyond 1, from a
    document returned under two of its names, reaches the same levels as 1.

    Examples:
        >>> reached_first(np.array([0.02, 0.03, 0.5]), np.array([0, 3]))[0, [0, 1, 2, 3, 49, 50]].tolist()
        [0, 0, 1, 2, 2, -1]
    """
    levels = np.minimum((100 * (recall + GAIN_TOLERANCE)).astype(np.int32), 100)
    some = np.diff(firsts) > 0
    heads, last = firsts[:-1][some], firsts[1:][some] - 1
    new = np.diff(levels, prepend=np.int32(0))
    new[heads] = levels[heads]
    crossing = np.flatnonzero(new != 0)
    highest = np.zeros(len(some), dtype=np.int32)
    highest[some] = levels[last]
    # Each list reaches the levels up to its highest, in order.
    first = np.full((len(some), 100), -1)
    first[np.arange(100) < highest[:, None]] = np.repeat(crossing, new[crossing])
    return first
