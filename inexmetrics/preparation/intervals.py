"""Functions that find intervals that contain other intervals, and that select intervals without overlap.

Each of the N intervals is on one of several number lines, such as the texts of different documents. Lines are numbered from 0. The
beginning of an interval is at least 0, and its end is greater than its beginning. Two intervals on the same line overlap if each begins
before the other ends.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, IntArray

__all__ = ["containing", "greedy_disjoint"]

LARGEST: Final = 2**62
"""Upper bound for integers that encode a pair of numbers."""


def containing(lines: IntArray, begins: IntArray, ends: IntArray) -> BoolArray:
    """Returns whether each interval contains a different interval on the same line, shape (N,).

    Examples:
        >>> line = np.zeros(4, dtype=np.int64)
        >>> containing(line, np.array([0, 2, 2, 5]), np.array([6, 4, 4, 9])).tolist()
        [True, False, False, False]
    """
    begins, ends, width = _narrow(lines, begins, ends)
    starts = lines * width + begins
    if (int(starts.max(initial=0)) + 1) * (width + 1) < LARGEST:
        # Sorting integers that encode both the start and the reversed end is faster than sorting by two arrays.
        order = np.argsort(starts * (width + 1) + (width - ends))
    else:
        order = np.lexsort((-ends, starts))
    line, begin, end = lines[order], begins[order], ends[order]
    # The sort order places every interval before the intervals inside it. Only the last of several equal intervals is kept.
    differs = (line[1:] != line[:-1]) | (begin[1:] != begin[:-1]) | (end[1:] != end[:-1])
    last = np.flatnonzero(np.append(differs, len(order) > 0))
    line, end = line[last], end[last]
    # The running minimum is computed from the last line to the first. Every position on a line is lower than all positions on later lines,
    # so later lines cannot change the running minimum.
    least = np.minimum.accumulate((end + line * width)[::-1])[::-1]
    contains = np.zeros(len(last), dtype=np.bool_)
    contains[:-1] = least[1:] <= end[:-1] + line[:-1] * width
    result = np.empty(len(order), dtype=np.bool_)
    result[order] = np.repeat(contains, np.diff(last, prepend=-1))
    return result


def greedy_disjoint(lines: IntArray, begins: IntArray, ends: IntArray, priorities: IntArray) -> BoolArray:
    """Greedily selects intervals without overlap in order of priority; returns a mask of the selected intervals, shape (N,).

    All lines are processed together. In every chain of overlapping intervals, the interval with the lowest priority number is selected, and
    the intervals that overlap this interval are dropped. The remaining intervals of the chain form shorter chains, which are processed in
    the same way.

    Args:
        lines: Index of the number line that contains each interval.
        begins: Beginning of each interval.
        ends: End of each interval.
        priorities: Rank of each interval in the order of selection. The intervals on one number line have different ranks.

    Examples:
        >>> line = np.zeros(3, dtype=np.int64)
        >>> greedy_disjoint(line, np.array([0, 3, 6]), np.array([4, 7, 9]), np.array([1, 2, 0])).tolist()
        [True, False, True]
    """
    kept = np.zeros(len(lines), dtype=np.bool_)
    begins, ends, width = _narrow(lines, begins, ends)
    # All lines are concatenated into a single line.
    begins, ends = begins + lines * width, ends + lines * width
    left = np.argsort(begins)
    begins, ends, priorities = begins[left], ends[left], priorities[left]
    while len(left):
        reached = np.maximum.accumulate(ends)
        firsts = np.flatnonzero(np.append(True, begins[1:] >= reached[:-1]))
        sizes = np.diff(firsts, append=len(left))
        best = np.flatnonzero(priorities == np.repeat(np.minimum.reduceat(priorities, firsts), sizes))
        kept[left[best]] = True
        apart = (begins >= np.repeat(ends[best], sizes)) | (ends <= np.repeat(begins[best], sizes))
        left, begins, ends, priorities = left[apart], begins[apart], ends[apart], priorities[apart]
    return kept


def _narrow(lines: IntArray, begins: IntArray, ends: IntArray) -> tuple[IntArray, IntArray, int]:
    """Returns the beginnings and ends of the intervals, and an upper bound of all ends, which is used as the length of each line.

    If positions on the concatenated number lines could exceed `LARGEST`, each beginning and end is replaced by its rank among all
    beginnings and ends.
    """
    width = int(ends.max(initial=0)) + 1
    if (int(lines.max(initial=0)) + 1) * width < LARGEST:
        return begins, ends, width
    ranks = np.asarray(np.unique(np.concatenate((begins, ends)), return_inverse=True)[1], dtype=np.int64)
    return ranks[: len(begins)], ranks[len(begins) :], int(ranks.max()) + 1
