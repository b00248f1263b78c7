"""Consequences of significant differences: ranges of ranks, and letters shared by runs that do not differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.inference.means import TOLERANCE

__all__ = ["RankRanges", "compact_letters", "rank_ranges"]


@dataclass(frozen=True, slots=True, eq=False)
class RankRanges:
    """The ranks of k runs, and the ranges of possible ranks. All arrays except `order` have one entry for each run, in the given order.

    Attributes:
        order: Indices of the runs by mean, the highest first; with equal means the earlier run first.
        rank: 1 + the number of runs of strictly higher mean.
        best_rank: 1 + the number of runs that are significantly better.
        worst_rank: k - the number of runs that are significantly worse.
        tier: 1 for the highest run and all runs that it does not significantly beat, 2 for the highest remaining run and all remaining
            runs that it does not beat, and so on.
        neighbours_apart: The number of runs that are significantly worse than the run directly above them.
    """

    order: IntArray
    rank: IntArray
    best_rank: IntArray
    worst_rank: IntArray
    tier: IntArray
    neighbours_apart: int

    @property
    def tied_with_best(self) -> BoolArray:
        """Whether no run is significantly better."""
        tied: BoolArray = self.best_rank == 1
        return tied


def rank_ranges(means: FloatArray, rejected: BoolArray) -> RankRanges:
    """Returns ranks of runs by their means, in string order, and the ranges of ranks that rejections (`Conclusions.rejected`) leave open.

    Source: Mogstad, Romano, Shaikh & Wilhelm (2024).

    Examples:
        >>> better = np.array([[False, False, True], [False, False, True], [False, False, False]])
        >>> found = rank_ranges(np.array([0.4, 0.5, 0.2]), better)
        >>> found.rank.tolist(), found.best_rank.tolist(), found.worst_rank.tolist(), found.tier.tolist()
        ([2, 1, 3], [1, 1, 3], [2, 2, 3], [1, 1, 2])
        >>> found.neighbours_apart
        1
    """
    runs = len(means)
    rank = 1 + np.count_nonzero(means[None, :] - means[:, None] > TOLERANCE, axis=1)
    order = np.lexsort((np.arange(runs), rank))
    tier = np.zeros(runs, dtype=np.int64)
    left = order
    while len(left):
        alike = ~rejected[left[0], left]
        tier[left[alike]] = tier.max() + 1
        left = left[~alike]
    return RankRanges(
        order,
        rank,
        1 + np.count_nonzero(rejected, axis=0),
        runs - np.count_nonzero(rejected, axis=1),
        tier,
        int(np.count_nonzero(rejected[order[:-1], order[1:]])),
    )


def compact_letters(different: BoolArray) -> BoolArray:
    """Returns the sets of a compact letter display, k x sets, ordered by their first member, then by the next: two runs share a set if they do not differ.

    The algorithm is insertion and absorption: all runs begin in one set; each pair that differs splits every set that contains both into two, each
    without one of them, and sets contained in another set are dropped. `different` is k x k, symmetric.

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
