"""Compact letter displays: letters that say which of several runs do not differ."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import BoolArray

__all__ = ["compact_letters"]


def compact_letters(different: BoolArray) -> BoolArray:
    """The sets of a compact letter display, k x sets, by their first member, then by the next: two runs share one if they do not differ.

    By insertion and absorption: all begin in one set; each pair that differs parts every set that holds both into two, each
    without one of them, and sets that another one holds are dropped. `different` is k x k, symmetric.

    Source: Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons, Journal of
    Computational and Graphical Statistics 13(2).

    Examples:
        >>> first_and_last = np.array([[False, False, True], [False, False, False], [True, False, False]])
        >>> compact_letters(first_and_last).astype(int).tolist()
        [[1, 0], [1, 1], [0, 1]]
    """
    count = len(different)
    sets = [frozenset(range(count))]
    for first, second in np.argwhere(np.triu(different, 1)).tolist():
        parted = [kept for each in sets for kept in ((each - {first}, each - {second}) if {first, second} <= each else (each,))]
        distinct = list(dict.fromkeys(parted))
        sets = [each for each in distinct if not any(each < other for other in distinct)]
    return np.array([[run in each for each in sorted(sets, key=sorted)] for run in range(count)])
