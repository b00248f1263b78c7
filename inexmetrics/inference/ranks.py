"""Ranks of values, comparisons between rankings of the same runs, and ranges of ranks that follow from significant differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.inference.means import TOLERANCE

__all__ = [
    "EXACT_RANKS",
    "UNSTABLE",
    "RankRanges",
    "average_ranks",
    "compact_letters",
    "falling_line",
    "rank_ranges",
    "rank_sum_tails",
    "spearman_with",
    "tau_ap",
    "top_shared",
    "wins",
]

EXACT_RANKS = 50
"""Maximum number of ranks for which the distribution of the rank sum is computed exactly; its counts, up to 2^50, are exact as floats."""


def average_ranks(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Returns the ranks of finite values along the last axis, from 1 for the smallest; ties share the mean of their ranks.

    A group of ties is a series of sorted values in which neighbouring values differ by at most 1e-12. For example, 0.3 - 0.2 and 0.4 - 0.3
    are tied, although they are different floats. The function also returns, for each row, the sum of t^3 - t over the groups of t tied
    values; the sum is 0 without ties.

    Examples:
        >>> ranks, ties = average_ranks(np.array([0.2, 0.1, 0.2, 0.4]))
        >>> ranks.tolist(), int(ties)
        ([2.5, 1.0, 2.5, 4.0], 6)
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    parted = np.diff(ordered, axis=-1) > TOLERANCE
    edge = np.ones((*values.shape[:-1], 1), dtype=np.bool_)
    position = np.arange(values.shape[-1])
    first = np.maximum.accumulate(np.where(np.concatenate([edge, parted], axis=-1), position, 0), axis=-1)
    after = np.where(np.concatenate([parted, edge], axis=-1), position, values.shape[-1])
    last = np.flip(np.minimum.accumulate(np.flip(after, axis=-1), axis=-1), axis=-1)
    ranks = np.empty(values.shape, dtype=np.float64)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    size = last - first + 1
    ties: IntArray = np.sum(size * size - 1, axis=-1, dtype=np.int64)  # a group of t tied values adds t^3 - t
    return ranks, ties


@lru_cache(maxsize=1)
def rank_sum_tails() -> FloatArray:
    """Returns the exact null distribution P(W >= w) of the signed-rank statistic without ties, for n = 0..50 (rows) and w = 0..1275.

    Each of the ranks 1..n is part of the sum W with probability 1/2. Therefore the number of sets of ranks with sum w is the coefficient of
    x^w in (1 + x)(1 + x^2)...(1 + x^n).
    """
    largest = EXACT_RANKS * (EXACT_RANKS + 1) // 2
    sets = np.zeros((EXACT_RANKS + 1, largest + 1), dtype=np.int64)
    sets[0, 0] = 1
    for n in range(1, EXACT_RANKS + 1):
        sets[n] = sets[n - 1]
        sets[n, n:] += sets[n - 1, :-n]
    tails = np.flip(np.cumsum(np.flip(sets, axis=1), axis=1), axis=1) / np.ldexp(1.0, np.arange(EXACT_RANKS + 1))[:, None]
    tails.flags.writeable = False
    return tails


def tau_ap(predicted: FloatArray, truth: FloatArray) -> float | None:
    """Returns tau_AP between a predicted and the true ranking: a rank correlation in which top ranks count more; None for one run.

    tau_AP = 2 / (R - 1) * sum over i = 2..R of C(i) / (i - 1), minus 1, where i is a rank in the predicted ranking. C(i) is the number of
    runs above rank i that are also above the run at rank i in the true ranking. tau_AP is not symmetric: it changes if the two rankings are
    exchanged. If scores are tied (within 1e-12), tau_AP is the mean over all orders of the runs, where an order breaks the ties of both
    rankings. It therefore does not depend on the order in which the runs are given.

    Source: Yilmaz, Aslam & Robertson (2008), equation 3.

    Examples:
        >>> predicted = np.array([0.9, 0.5, 0.1])
        >>> tau_ap(predicted, np.array([0.7, 0.8, 0.1]))  # C(2) = 0, C(3) = 2: 2/2 * (0/1 + 2/2) - 1
        0.0
        >>> tau_ap(predicted, np.array([0.9, 0.2, 0.4]))  # C(2) = 1, C(3) = 1: 2/2 * (1/1 + 1/2) - 1
        0.5
    """
    runs = len(predicted)
    if runs < 2:
        return None
    place, true = average_ranks(-predicted)[0][:, None], average_ranks(-truth)[0][:, None]
    higher, beside = place > place.T, place == place.T
    above, tied = true > true.T, true == true.T
    # Of the runs with a higher predicted score: those that the truth has above (certain), and those that tie with the run in the truth.
    certain, open_ = (higher & above).sum(axis=1), (higher & tied).sum(axis=1)
    # Of the other runs with the same predicted score: those that are above the run in the truth whenever they are above it in the order.
    agreeing, size, before = (beside & (above | tied)).sum(axis=1) - 1, beside.sum(axis=1), higher.sum(axis=1)
    terms = np.zeros(runs)
    for turn in range(int(size.max())):  # the number of tied runs that the order places above the run
        there = (turn < size) & (before + turn > 0)
        found = certain + open_ * ((turn + 1) / (size + 1)) + agreeing * (turn / np.maximum(size - 1, 1))
        terms[there] += (found / np.maximum(before + turn, 1) / size)[there]
    return 2 / (runs - 1) * math.fsum(terms.tolist()) - 1


def top_shared(predicted: FloatArray, truth: FloatArray, top: int) -> float:
    """Returns the share of the `top` best runs of the true ranking that are also among the `top` best runs of the predicted ranking.

    If runs tie at the last of these places, each counts as the number of places left for the tied runs, divided by their number; of its two
    counts in the two rankings, a run has the smaller. The share therefore does not depend on the order in which the runs are given.

    Examples:
        Of the best two, runs 0 and 1 are predicted, and runs 0 and 2 true:

        >>> top_shared(np.array([0.9, 0.5, 0.1]), np.array([0.7, 0.2, 0.4]), 2)
        0.5

        Runs 1 and 2 tie at the second place, and share it:

        >>> top_shared(np.array([0.9, 0.5, 0.5]), np.array([0.7, 0.2, 0.4]), 2)
        0.75
    """
    best = min(top, len(truth))
    shared = np.minimum(_in_top(predicted, best), _in_top(truth, best))
    return math.fsum(shared.tolist()) / best


def _in_top(scores: FloatArray, best: int) -> FloatArray:
    """Returns the share of a place among the `best` highest scores that each run has, shape (R,)."""
    place = average_ranks(-scores)[0]
    size = (place[:, None] == place).sum(axis=1)
    higher = (place[:, None] > place).sum(axis=1)
    shares: FloatArray = np.clip((best - higher) / size, 0.0, 1.0)
    return shares


def spearman_with(reference: FloatArray, scores: FloatArray) -> FloatArray:
    """Returns Spearman's rho between the reference scores and each row of scores, shape (rows, runs); NaN if all runs of a row are tied.

    rho is Pearson's r of the ranks, where ties share the mean of their ranks; scores closer than 1e-12 are tied. Ranks are multiples of
    1/2, so that all sums are exact, and rounding cannot make rho larger than 1.

    Examples:
        >>> others = np.array([[0.9, 0.5, 0.1], [0.1, 0.2, 0.3], [0.5, 0.5, 0.5]])
        >>> spearman_with(np.array([0.4, 0.3, 0.2]), others).tolist()
        [1.0, -1.0, nan]
    """
    runs = len(reference)
    middle = (runs + 1) / 2
    of_reference, reference_ties = average_ranks(reference)
    of_others, ties = average_ranks(scores)
    product = np.sum((of_others - middle) * (of_reference - middle), axis=1)
    whole = runs**3 - runs
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: FloatArray = product / np.sqrt((whole - ties) / 12 * ((whole - reference_ties) / 12))
    return rho


def wins(scores: FloatArray) -> IntArray:
    """Counts the sets on which the score of run i exceeds the score of run j by more than 1e-12, shape (runs, runs).

    The given scores have the shape (runs, sets).

    Examples:
        >>> wins(np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.2]])).tolist()
        [[0, 1], [1, 0]]
    """
    return np.stack([np.count_nonzero(score - scores > TOLERANCE, axis=1) for score in scores])


@dataclass(frozen=True, slots=True, eq=False)
class RankRanges:
    """Ranks of k runs, and the range of possible ranks of each run.

    All arrays except `order` have one entry for each run, in the given order.

    Attributes:
        order: Indices of the runs by decreasing mean; if means are equal, the run with the lower index comes first.
        rank: 1 + the number of runs with a strictly higher mean.
        best_rank: 1 + the number of runs that are significantly better.
        worst_rank: Number of runs k, minus the number of runs that are significantly worse.
        tier: 1 for the run with the highest mean and all runs that it does not significantly beat, 2 for the best remaining run and all
            remaining runs that it does not significantly beat, and so on.
        neighbours_apart: Number of runs that are significantly worse than the run directly above them.
    """

    order: IntArray
    rank: IntArray
    best_rank: IntArray
    worst_rank: IntArray
    tier: IntArray
    neighbours_apart: int

    @property
    def tied_with_best(self) -> BoolArray:
        """For each run, whether no other run is significantly better."""
        tied: BoolArray = self.best_rank == 1
        return tied


def rank_ranges(means: FloatArray, rejected: BoolArray) -> RankRanges:
    """Returns the ranks of runs by mean, and the ranges of ranks that are compatible with the rejections (`Conclusions.rejected`).

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
    """Returns a compact letter display, shape (k, sets): two runs share a set if and only if they do not differ.

    The display is computed with the insert-and-absorb algorithm. Initially, all runs are in the same set. For each pair of runs that
    differ, every set that contains both runs is replaced by two sets: one without the first run, and one without the second run. Sets
    contained in another set are dropped. Sets are sorted by their first member, then by the next members. `different` is symmetric, with
    shape (k, k).

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


UNSTABLE: Final = 0.05
"""A pair of runs is stable if its order is reversed on at most this share of the topic sets."""


def fitted_buckets(bucketed: pl.DataFrame) -> int:
    """Returns the number of buckets through which `falling_line` is fitted: up to and including the first without a switch."""
    zeros = (bucketed["switch_probability"] == 0.0).arg_max()
    return bucketed.height if zeros is None or bucketed["switch_probability"][zeros] != 0.0 else zeros + 1


def falling_line(bucketed: pl.DataFrame) -> tuple[float, float] | None:
    """Returns intercept and slope of the least-squares line through the switch probabilities, up to and including the first that is 0.

    Each bucket of the table ``buckets`` is one point: x is the middle of the bucket, and y is the switch probability. The result is None if
    there are fewer than two points, or if the slope is not negative.

    Examples:
        >>> rows = {"lower": [0.0, 0.01, 0.02], "upper": [0.01, 0.02, 0.03]}
        >>> rows = pl.DataFrame({**rows, "switch_probability": [0.4, 0.0, 0.3]})
        >>> [round(value, 12) for value in falling_line(rows)]
        [0.6, -40.0]
    """
    used = fitted_buckets(bucketed)
    if used < 2:
        return None
    y = bucketed["switch_probability"].to_numpy()[:used]
    x = ((bucketed["lower"] + bucketed["upper"]) / 2).to_numpy()[:used]
    x_middle, y_middle = math.fsum(x.tolist()) / used, math.fsum(y.tolist()) / used
    apart = x - x_middle
    slope = math.fsum((apart * (y - y_middle)).tolist()) / math.fsum((apart**2).tolist())
    return (y_middle - slope * x_middle, slope) if slope < 0.0 else None
