"""Quantiles of the resampled differences of many pairs of runs, taken exactly from the tails in which they lie.

To find an order statistic among n numbers takes several passes over them. The first samples say well enough where it lies to
leave a few hundred differences to be sorted; that these are the lowest or the highest of all makes the answer exact, whatever the
first samples said.
"""

from __future__ import annotations

import math

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray

__all__ = ["quantiles_of_differences"]

FIRST = 16
"""One in so many samples says where an order statistic lies."""
SURE = 2.5
"""Standard errors of the first samples' answer by which a tail is taken longer, so that it seldom turns out too short."""


def quantiles_of_differences(
    sums: FloatArray, first: IntArray | IndexArray, second: IntArray | IndexArray, quantiles: tuple[float, float]
) -> FloatArray:
    """Quantiles of the differences of pairs of runs over samples, interpolated linearly between the two samples beside each.

    Args:
        sums: Sums of each run on each sample, runs x samples: integers, of which every difference is exact.
        first: Row of the first run of each pair.
        second: Row of the second run of each pair.
        quantiles: Two shares inside (0, 1), the lower first.

    Returns:
        The quantiles of the first run's sums less the second's: two x pairs.

    Examples:
        >>> sums = np.array([[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
        >>> quantiles_of_differences(sums, np.array([0]), np.array([1]), (0.125, 0.75)).tolist()
        [[0.5], [3.0]]
    """
    samples = sums.shape[1]
    few = samples // FIRST
    positions = [quantile * (samples - 1) for quantile in quantiles]
    lower = [position < samples / 2 for position in positions]
    bounds = [_bound(quantile, few, lower=low) for quantile, low in zip(quantiles, lower, strict=True)]
    rows = list(sums)
    difference, among_first, in_tail = np.empty(samples), np.empty(few), np.empty(samples, dtype=np.bool_)
    found = np.empty((2, len(first)))
    for pair, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        np.subtract(rows[one], rows[other], out=difference)
        among_first[:] = difference[:few]
        among_first.sort()
        for number, position in enumerate(positions):
            place = int(position)
            tail, start = difference, 0
            if (bound := bounds[number]) is not None:
                (np.less_equal if lower[number] else np.greater_equal)(difference, among_first[bound], out=in_tail)
                tail = difference.take(in_tail.nonzero()[0])
                start = 0 if lower[number] else samples - len(tail)
            last = min(place + 1, samples - 1)
            if start > place or last >= start + len(tail):
                tail, start = difference, 0
            ordered = np.sort(tail)
            low, high = ordered[place - start], ordered[last - start]
            found[number, pair] = low + (position - place) * (high - low)
    return found


def _bound(quantile: float, few: int, *, lower: bool) -> int | None:
    """The place among the first samples in order at which a tail with the quantile ends; None where they are too few to say."""
    share = quantile if lower else 1 - quantile
    end = math.ceil(few * share + SURE * math.sqrt(few * share * (1 - share))) + 1
    if end >= few:
        return None
    return end if lower else few - 1 - end
