"""The gains of ideal lists, and the ranks at which they reach a gain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Self

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray

__all__ = ["GAIN_TOLERANCE", "IdealGains"]

GAIN_TOLERANCE: Final = 1e-9
"""Sums of gains closer than this share of a topic's whole gain are equal: they differ only by rounding."""
STRETCHES: Final = 4
"""The number of intervals of equal gain for each ideal result of a topic: most intervals contain at most one result."""


class _Stretches(NamedTuple):
    """Starting points of the search for a gain: each topic's whole gain, divided into S intervals of equal gain.

    Attributes:
        per_gain: Intervals per unit of gain, T.
        firsts: Index of each topic's first entry in `ranks`, T.
        last: S, the index of a topic's last interval.
        ranks: Index in the flattened `reached` of the first rank in or beyond each interval, T * (S + 2).
    """

    per_gain: FloatArray
    firsts: IntArray
    last: int
    ranks: IndexArray


@dataclass(frozen=True, eq=False)
class IdealGains:
    """The gains of ideal results, by topic, decreasing. T topics, N ideal results; 0 past the end of a list.

    Attributes:
        gains: The gains, T x N.
        counts: Ideal results with a gain above 0, T.
    """

    gains: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, gains: FloatArray, topics: IntArray, count: int) -> Self:
        """Builds the ideal lists of a number of topics.

        Args:
            gains: Gains above 0.
            topics: The topic of each, increasing.
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
    def cumulated(self) -> FloatArray:
        """Gain of the list down to each rank (xCI), T x N."""
        return np.add.accumulate(self.gains, axis=1)

    @cached_property
    def totals(self) -> FloatArray:
        """Gain of the whole list (G), T; 0 without relevant items."""
        return self.cumulated[:, -1] if self.gains.shape[1] else np.zeros(len(self.gains))

    @cached_property
    def reached(self) -> FloatArray:
        """Gain of the list down to each rank, minus the tolerance for reaching it, T x N + 1; 0 at rank 0."""
        reached = np.zeros((self.gains.shape[0], self.gains.shape[1] + 1))
        np.add(self.cumulated, GAIN_TOLERANCE * self.totals[:, None], out=reached[:, 1:])
        return reached

    def ranks(self, gains: FloatArray, firsts: IntArray) -> IndexArray:
        """Returns the first rank at which the list of its topic reaches each gain; the last rank for a gain that is never reached.

        Args:
            gains: Gains of at least 0, topic by topic.
            firsts: Index of each topic's first gain, T + 1; the last entry is their number.

        Examples:
            >>> ideal = IdealGains.of(np.array([0.5, 1.0, 0.5, 0.25]), np.array([0, 0, 0, 1]), 2)
            >>> ideal.ranks(np.array([0.4, 1.0, 1.1, 2.0, 0.25]), np.array([0, 4, 5])).tolist()
            [1, 1, 2, 3, 1]
        """
        per_gain, begins, last, table = self._stretches
        counts = np.diff(firsts)
        entries = np.minimum(gains * np.repeat(per_gain, counts), last).astype(np.intp)
        entries += np.repeat(begins, counts)
        reached, found = self.reached.reshape(-1), table.take(entries)
        # In an interval with several ranks, the rank is found by bisection.
        sought = np.flatnonzero(reached.take(found) < gains)
        wanted, low, high = gains[sought], found[sought], table[entries[sought] + 1]
        while (low < high).any():
            middle = (low + high) // 2
            below = reached.take(middle) < wanted
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        found[sought] = np.minimum(low, high)
        found -= np.repeat(self._rows, counts)
        return found

    @property
    def _rows(self) -> IndexArray:
        """Index of each topic's rank 0 in the flattened `reached`, T."""
        return np.arange(len(self.counts), dtype=np.int32) * np.int32(self.reached.shape[1])

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
        ranks += self._rows[:, None]
        return _Stretches(per_gain, np.arange(topics) * (last + 2), last, ranks.reshape(-1))
