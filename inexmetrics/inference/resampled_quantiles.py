"""Quantiles of the resampled differences of many pairs of runs: found among differences of 16 bits, and taken exactly.

To find an order statistic among n numbers takes several passes over them. The differences of two runs' sums are therefore
taken of coarse sums first, integers of 16 bits, which say to within a few units where the order statistic lies; the handful of
samples that lie there are then compared exactly.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray

Coarse: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int16]]

__all__ = ["quantiles_of_differences"]

CELLS = 2**18
"""Coarse differences (pairs x samples) that are held at once: they stay in the processor's cache."""
LARGEST = 16_000
"""The largest coarse sum; the difference of two fits into 16 bits, with room for the margin around it."""
FINEST = 2.0**12
"""The smallest unit of coarse sums, in units of the sums: what rounding adds to an error of half a unit a sum is nothing beside it."""
MARGIN = 2
"""How far a coarse order statistic may lie from the exact one: the two of them, and the difference, are each off by a unit at most."""
CANDIDATES = 64
"""Candidates a pair from which on, as where many samples tie, all differences are taken exactly."""


def quantiles_of_differences(sums: FloatArray, first: IntArray, second: IntArray, quantiles: tuple[float, float]) -> FloatArray:
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
    coarse = _coarse(sums)
    size = max(1, CELLS // samples)
    differences, ordered, shifted = np.empty((3, size, samples), dtype=np.int16)
    between = np.empty((size, samples), dtype=np.bool_)
    positions = [quantile * (samples - 1) for quantile in quantiles]
    found = np.empty((2, len(first)))
    for start in range(0, len(first), size):
        better, worse = first[start : start + size], second[start : start + size]
        block = _Block(sums, better, worse, *(held[: len(better)] for held in (differences, ordered, shifted, between)))
        for row, (one, other) in enumerate(zip(better.tolist(), worse.tolist(), strict=True)):
            np.subtract(coarse[one], coarse[other], out=differences[row])
        block.ordered[:] = block.differences
        begin = 0
        for number, position in enumerate(positions):
            place = int(position)
            block.ordered[:, begin:].partition(place - begin, axis=1)
            begin = place
            low, high = _neighbours(block, place) or _all_compared(block, place)
            found[number, start : start + size] = low + (position - place) * (high - low)
    return found


def _coarse(sums: FloatArray) -> Coarse:
    """The sums in 16 bits, less what all runs have in common on a sample and less each run's mean: no difference's order changes."""
    apart = sums - sums.mean(axis=0)
    apart -= apart.mean(axis=1, keepdims=True)
    apart /= max(np.abs(apart).max(initial=0.0) / LARGEST, FINEST)
    coarse: Coarse = np.rint(apart, out=apart).astype(np.int16)
    return coarse


class _Block(NamedTuple):
    """Pairs whose coarse differences are held at once: pairs x samples.

    Attributes:
        sums: Sums of each run on each sample.
        better: Row of the first run of each pair.
        worse: Row of the second run of each pair.
        differences: Coarse differences.
        ordered: The same, partitioned at a place of the order.
        shifted: Room for as many.
        between: Room for as many answers.
    """

    sums: FloatArray
    better: IntArray
    worse: IntArray
    differences: Coarse
    ordered: Coarse
    shifted: Coarse
    between: BoolArray


def _neighbours(block: _Block, place: int) -> tuple[FloatArray, FloatArray] | None:
    """The exact differences at a place of the order and at the next one; None where too many are candidates."""
    ordered = block.ordered
    pairs, samples = ordered.shape
    last = place + 1 == samples
    lowest = ordered[:, place] - np.int16(MARGIN)
    highest = (ordered[:, place] if last else ordered[:, place + 1 :].min(axis=1)) + np.int16(MARGIN)
    width = (highest.astype(np.int64) - lowest).astype(np.uint16)
    # Modulo 2^16, so that one comparison finds what lies between two bounds
    np.subtract(block.differences, lowest[:, None], out=block.shifted)
    np.less_equal(block.shifted.view(np.uint16), width[:, None], out=block.between)
    candidates = np.flatnonzero(block.between)
    if len(candidates) > CANDIDATES * pairs or int(width.max()) > LARGEST // 16:
        return None
    pair, sample = np.divmod(candidates, samples)
    values = block.sums[block.better[pair], sample] - block.sums[block.worse[pair], sample]
    values = values[np.lexsort((values, pair))]
    many = np.bincount(pair, minlength=pairs)
    if place < samples // 2:
        below = np.count_nonzero(ordered[:, :place] < lowest[:, None], axis=1)
    else:
        below = samples - many - np.count_nonzero(ordered[:, place + 1 :] > highest[:, None], axis=1)
    at = np.cumsum(many) - many + place - below
    return values[at], values[at if last else at + 1]


def _all_compared(block: _Block, place: int) -> tuple[FloatArray, FloatArray]:
    """The same from all exact differences."""
    low, high = np.empty((2, len(block.better)))
    for pair, (first, second) in enumerate(zip(block.better.tolist(), block.worse.tolist(), strict=True)):
        difference = block.sums[first] - block.sums[second]
        difference.partition(place)
        low[pair], high[pair] = difference[place], difference[min(place + 1, len(difference) - 1) :].min()
    return low, high
