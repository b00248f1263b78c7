"""Graded rankings: the gains that ranked results bring, beside those of an ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from inexmetrics.arrays import FloatArray, IntArray

__all__ = ["TOLERANCE", "Graded", "Hits", "in_decreasing_order", "share"]

TOLERANCE: Final = 1e-9
"""Sums of gains closer than this share of a topic's whole gain are equal: they differ only by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The results that bring a gain, by topic, then run, then rank. H hits.

    Attributes:
        lists: Number of the hit's list, topic * R + run, H, increasing.
        ranks: Rank in the list, from 1, H.
        cells: Place in the flattened array of runs x topics x ranks, H.
        firsts: Number of each list's first hit, T * R + 1; the last entry is H.
    """

    lists: IntArray
    ranks: IntArray
    cells: IntArray
    firsts: IntArray

    @property
    def numbers(self) -> IntArray:
        """Which hit of its list each one is, from 1, H."""
        return np.arange(1, len(self.lists) + 1) - np.repeat(self.firsts[:-1], np.diff(self.firsts))


@dataclass(frozen=True, eq=False)
class Graded:
    """Gains of retrieved and of ideal results. R runs, T topics, K ranks, N ideal results; 0 past the end of a list.

    Attributes:
        gains: Gain of each result by rank, at least 0, R x T x K.
        lengths: Results retrieved, R x T.
        ideal: Gains of the ideal results, decreasing, T x N.
        counts: Ideal results with a gain above 0, T.
    """

    gains: FloatArray
    lengths: IntArray
    ideal: FloatArray
    counts: IntArray

    @cached_property
    def cumulated(self) -> FloatArray:
        """Gain of each list down to each rank (xCG), R x T x K; added rank by rank, so that padding changes no bit."""
        return np.add.accumulate(self.gains, axis=2)

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """Gain of the ideal list down to each rank (xCI), T x N."""
        return np.add.accumulate(self.ideal, axis=1)

    @cached_property
    def totals(self) -> FloatArray:
        """Gain of the whole ideal list (G), T; 0 where nothing is relevant."""
        return self.ideal_cumulated[:, -1] if self.ideal.shape[1] else np.zeros(len(self.ideal))

    @cached_property
    def hits(self) -> Hits:
        """The results that bring a gain."""
        return self.hits_from(0.0)

    def hits_from(self, least: float) -> Hits:
        """The results that bring at least this gain, and more than none."""
        runs, topics, depth = self.gains.shape
        bring = self.gains >= least if least > 0.0 else self.gains > 0.0
        by_topic = np.flatnonzero(bring.swapaxes(0, 1))
        firsts = np.searchsorted(by_topic, np.arange(topics * runs + 1) * depth)
        lists = np.repeat(np.arange(topics * runs), np.diff(firsts))
        places = by_topic - lists * depth
        by_run = (np.arange(runs) * topics + np.arange(topics)[:, None]).reshape(-1)
        return Hits(lists, places + 1, by_run[lists] * depth + places, firsts)

    def by_run(self, values: FloatArray) -> FloatArray:
        """Values of lists, numbered as `Hits` numbers them, as runs x topics."""
        runs, topics, _ = self.gains.shape
        return values.reshape(topics, runs, *values.shape[1:]).swapaxes(0, 1)


def in_decreasing_order(values: FloatArray, topics: IntArray, count: int) -> FloatArray:
    """The values of each topic in decreasing order, topics x the most values of any topic; 0 past the end of the others.

    Args:
        values: Values of at least 0.
        topics: The topic of each value, increasing.
        count: How many topics there are.

    Examples:
        >>> in_decreasing_order(np.array([0.5, 1.0, 0.25]), np.array([0, 0, 2]), 3).tolist()
        [[1.0, 0.5], [0.0, 0.0], [0.25, 0.0]]
    """
    sizes = np.bincount(topics, minlength=count)
    firsts = np.cumsum(sizes) - sizes
    padded = np.zeros((count, int(sizes.max(initial=0))))
    padded[topics, np.arange(len(values)) - firsts[topics]] = -values
    padded.sort(axis=1)
    return -padded + 0.0


def share(part: FloatArray, whole: FloatArray | IntArray) -> FloatArray:
    """The part as a share of the whole; NaN, undefined, where the whole is 0.

    Examples:
        >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
        [0.5, nan]
    """
    shares = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
