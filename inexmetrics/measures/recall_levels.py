"""Recall levels: where in each list a given share of a topic's whole gain is reached."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.foundation.arrays import FloatArray, IntArray
from inexmetrics.ranking.graded import TOLERANCE

__all__ = ["HUNDREDTHS", "reached_first"]

HUNDREDTHS: Final = tuple(level / 100 for level in range(1, 101))
"""The recall levels .01, .02 .. 1."""


def reached_first(recall: FloatArray, lists: IntArray, count: int) -> IntArray:
    """Which point of each list is the first to reach each hundredth of recall, lists x 100; -1 for one never reached.

    A level counts as reached when recall falls short of it by no more than rounding (1e-9).

    Args:
        recall: Recall at points of the lists, from 0 to 1, not falling within a list.
        lists: The list of each point, increasing.
        count: How many lists there are.

    Examples:
        >>> reached_first(np.array([0.02, 0.5]), np.array([0, 0]), 1)[0, [0, 1, 2, 49, 50]].tolist()
        [0, 0, 1, 1, -1]
    """
    levels = np.minimum((100 * (recall + TOLERANCE)).astype(np.int64), 100)
    before = np.where(np.diff(lists, prepend=-1) > 0, 0, np.concatenate(([0], levels[:-1]))[: len(levels)])
    new = levels - before
    crossing = np.flatnonzero(new)
    new = new[crossing]
    points = np.repeat(crossing, new)
    crossed = np.arange(len(points)) - np.repeat(np.cumsum(new) - new, new) + before[points]
    first = np.full((count, 100), -1)
    first[lists[points], crossed] = points
    return first
