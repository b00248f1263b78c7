"""The gains of ideal lists, and the ranks at which ideal lists reach a gain."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Self, TypeVar, cast

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray

__all__ = ["GAIN_TOLERANCE", "IdealGains"]

K = TypeVar("K", bound="FloatArray | IntArray")

GAIN_TOLERANCE: Final = 1e-9
"""Tolerance for rounding errors: sums of gains that differ by at most this share of the topic's total gain are treated as equal."""
STRETCHES: Final = 4
"""Number of intervals per ideal result. Each topic's total gain is divided into S equal intervals. S is this number times N, the largest
number of ideal results of any topic. Most intervals then contain the gain at one rank or at no rank."""


class _Stretches(NamedTuple):
    """Lookup table for the rank at which an ideal list reaches a gain; the total gain of each topic is divided into S equal intervals.

    Attributes:
        per_gain: Number of intervals (S) divided by the total gain of each topic, shape (T,).
        firsts: Index of each topic's first entry in `ranks`, shape (T,).
        last: Index of the last interval, which is S for every topic.
        ranks: For each interval, the index of the first rank at which the gain is in the interval or above it, shape (T * (S + 2),). The
            index refers to the flattened `reached`.
        zeros: Index of each topic's rank 0 in the flattened `reached`, shape (T,).
    """

    per_gain: FloatArray
    firsts: IntArray
    last: int
    ranks: IndexArray
    zeros: IndexArray


@dataclass(frozen=True, eq=False)
class IdealGains:
    """Gains of ideal results in decreasing order, one row per topic, padded with 0. T topics, N ideal results.

    Attributes:
        gains: The gain of each ideal result, shape (T, N).
        counts: Number of ideal results with a gain above 0, shape (T,).
    """

    gains: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, gains: FloatArray, topics: IntArray, count: int) -> Self:
        """Builds the ideal lists of `count` topics.

        Args:
            gains: Gains above 0.
            topics: Index of the topic of each gain, in increasing order.
            count: Number of topics.

        Examples:
            >>> IdealGains.of(np.array([0.5, 1.0, 0.25]), np.array([0, 0, 2]), 3).gains.tolist()
            [[1.0, 0.5], [0.0, 0.0], [0.25, 0.0]]
        """
        counts = np.bincount(topics, minlength=count)
        padded = np.zeros((count, int(counts.max(initial=0))))
        padded[topics, np.arange(len(gains)) - np.repeat(np.cumsum(counts) - counts, counts)] = -gains
        padded.sort(axis=1)
        return cls(-padded + 0.0, counts)

    @cached_property
    def _kept(self) -> dict[Hashable, FloatArray | IntArray]:
        return {}

    def counts_from(self, least: float) -> IntArray:
        """Returns the number of ideal results whose gain is above 0 and at least `least`, for each topic, shape (T,).

        If no gain is lower than `least`, the returned object is `counts`.
        """
        if least <= 0.0:
            return self.counts

        def counted() -> IntArray:
            found = np.count_nonzero(self.gains >= least, axis=1)
            return self.counts if np.array_equal(found, self.counts) else found

        return self.once(least, counted)

    def once(self, key: Hashable, compute: Callable[[], K]) -> K:
        """Returns an array that is derived from the ideal lists; the array is computed once for each key."""
        if key not in self._kept:
            self._kept[key] = compute()
        return cast("K", self._kept[key])

    @cached_property
    def cumulated(self) -> FloatArray:
        """Cumulated gain of the ideal list at each rank (xCI), shape (T, N)."""
        return np.add.accumulate(self.gains, axis=1)

    @cached_property
    def totals(self) -> FloatArray:
        """Total gain of the ideal list (G), shape (T,); 0 without relevant items."""
        return self.cumulated[:, -1] if self.gains.shape[1] else np.zeros(len(self.gains))

    @cached_property
    def reached(self) -> FloatArray:
        """For each rank, the highest gain that counts as reached by the ideal list at this rank, shape (T, N + 1).

        The value at a rank is the cumulated gain of the ideal list plus the tolerance for rounding errors; the value at rank 0 is 0.
        """
        reached = np.zeros((self.gains.shape[0], self.gains.shape[1] + 1))
        np.add(self.cumulated, GAIN_TOLERANCE * self.totals[:, None], out=reached[:, 1:])
        return reached

    def ranks(self, gains: FloatArray, firsts: IntArray) -> IndexArray:
        """Returns the first rank at which the ideal list of the topic reaches each gain; the last rank if the list never reaches the gain.

        Args:
            gains: Non-negative gains, grouped by topic.
            firsts: Index of each topic's first gain, shape (T + 1,); the last entry is the number of gains.

        Examples:
            >>> ideal = IdealGains.of(np.array([0.5, 1.0, 0.5, 0.25]), np.array([0, 0, 0, 1]), 2)
            >>> ideal.ranks(np.array([0.4, 1.0, 1.1, 2.0, 0.25]), np.array([0, 4, 5])).tolist()
            [1, 1, 2, 3, 1]
        """
        per_gain, begins, last, table, zeros = self._stretches
        counts = np.diff(firsts)
        entries = np.minimum(gains * np.repeat(per_gain, counts), last).astype(np.intp)
        entries += np.repeat(begins, counts)
        reached, found = self.reached.reshape(-1), table.take(entries)
        # If several ranks of the ideal list are in the same interval, bisection finds the first rank that reaches the gain.
        sought = np.flatnonzero(reached.take(found) < gains)
        wanted, low, high = gains[sought], found[sought], table[entries[sought] + 1]
        while (low < high).any():
            middle = (low + high) // 2
            below = reached.take(middle) < wanted
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        found[sought] = np.minimum(low, high)
        found -= np.repeat(zeros, counts)
        return found

    @cached_property
    def _stretches(self) -> _Stretches:
        topics, last = len(self.counts), STRETCHES * max(self.gains.shape[1], 1)
        ends = self.reached[np.arange(topics), self.counts]
        per_gain = last / np.maximum(ends, 1e-300)
        ranks = np.empty((topics, last + 2), dtype=np.int32)
        for topic, reached in enumerate(self.reached):
            of_ranks = np.minimum(reached * per_gain[topic], last).astype(np.intp)
            ranks[topic, 0] = 0
            ranks[topic, 1:] = np.cumsum(np.bincount(of_ranks, minlength=last + 1))
        np.minimum(ranks, self.counts[:, None], out=ranks)
        zeros = np.arange(topics, dtype=np.int32) * np.int32(self.reached.shape[1])
        ranks += zeros[:, None]
        return _Stretches(per_gain, np.arange(topics) * (last + 2), last, ranks.reshape(-1), zeros)
