"""Ranks of values with ties averaged, and the null distribution of rank sums."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.means import TOLERANCE

__all__ = ["EXACT_RANKS", "average_ranks", "rank_sum_tails"]

EXACT_RANKS = 50
"""The largest number of ranks for which the distribution of a rank sum is computed exactly; its counts, up to 2^50, are exact in float64."""


def average_ranks(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Returns the ranks of finite values along the last axis, from 1 for the smallest; ties share the mean of their ranks.

    Values are tied if no gap larger than 1e-12 separates them in sorted order: 0.3 - 0.2 and 0.4 - 0.3 are the same
    difference, although they are not the same float. The second result is, for each row, the sum of t^3 - t over its groups of t
    tied values, 0 without ties.

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
    ties: IntArray = np.sum(size * size - 1, axis=-1, dtype=np.int64)  # t values of t^2 - 1 each
    return ranks, ties


@lru_cache(maxsize=1)
def rank_sum_tails() -> FloatArray:
    """Returns the exact null distribution of the signed-rank statistic without ties: P(W >= w), n x w, for n = 0..50 and w = 0..1275.

    Each of the ranks 1..n is in the sum W with probability 1/2, so the number of sets of ranks with sum w is the
    coefficient of x^w in (1 + x)(1 + x^2)...(1 + x^n).
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
