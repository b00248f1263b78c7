"""The gains that ranked results bring, beside those of an ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.ranking.ranked_lists import RankedLists

__all__ = ["GAIN_TOLERANCE", "CodedLists", "GainMatrix", "JudgedResults", "Pool", "RelevantHits", "in_decreasing_order", "share"]

S = TypeVar("S", bound=np.generic)

GAIN_TOLERANCE: Final = 1e-9
"""Sums of gains closer than this share of a topic's whole gain are equal: they differ only by rounding."""


@dataclass(frozen=True, eq=False)
class RelevantHits:
    """The results that bring a gain, by topic, then run, then rank. H hits; integers of 32 bits, as memory takes time.

    Attributes:
        lists: Number of the hit's list, topic * R + run, H, increasing.
        ranks: Rank in the list, from 1, H.
        gains: The gain it brings, H.
        cells: Place in the flattened array of runs x topics x ranks, H.
        places: Place in that of topics x runs x ranks, H, increasing.
        firsts: Number of each list's first hit, T * R + 1; the last entry is H.
    """

    lists: IndexArray
    ranks: IndexArray
    gains: FloatArray
    cells: IndexArray
    places: IndexArray
    firsts: IntArray

    @cached_property
    def numbers(self) -> IndexArray:
        """Which hit of its list each one is, from 1, H."""
        return np.arange(1, len(self.lists) + 1, dtype=np.int32) - self.repeated(self.firsts[:-1].astype(np.int32))

    @cached_property
    def cumulated(self) -> FloatArray:
        """Gain of the list down to each hit, H; added hit by hit."""
        cumulated = np.empty_like(self.gains)
        # A call for each list costs less than the memory of lists padded to one length.
        for first, last in pairwise(self.firsts.tolist()):
            np.add.accumulate(self.gains[first:last], out=cumulated[first:last])
        return cumulated

    def repeated(self, values: NDArray[S]) -> NDArray[S]:
        """A value of each list, T * R, for each of its hits, H."""
        return np.repeat(values, np.diff(self.firsts))

    def summed(self, values: FloatArray) -> FloatArray:
        """Sums of values of the hits in each list, added in order of rank, T * R."""
        return np.bincount(self.lists, weights=values, minlength=len(self.firsts) - 1).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedResults:
    """The results of a batch that were judged, by topic, then run, then rank. H results; integers of 32 bits, as memory takes time.

    Attributes:
        lists: Number of the result's list, topic * R + run, H, increasing.
        ranks: Rank in the list, from 1, H.
        cells: Place in the flattened array of runs x topics x ranks, H.
        places: Place in that of topics x runs x ranks, H, increasing.
        codes: The judged item that it is, H.
    """

    lists: IndexArray
    ranks: IndexArray
    cells: IndexArray
    places: IndexArray
    codes: IndexArray


@dataclass(frozen=True, eq=False)
class CodedLists:
    """Ranked lists whose results are numbers of judged items. R runs, T topics, K ranks.

    Attributes:
        ranked: The lists.
        runs: Their runs, R.
        topics: Their topics, T.
        codes: The judged item that each result is, R x T x K.
        items: How many items there are; the code of a result that is none of them, and of what is past the end of a list.
    """

    ranked: RankedLists
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    codes: IndexArray
    items: int

    @cached_property
    def judged(self) -> JudgedResults:
        """The results that were judged: few of all, and the same under every quantisation."""
        runs, topics, depth = self.codes.shape
        places = np.flatnonzero((self.codes != self.items).swapaxes(0, 1)).astype(np.int32)
        begins = np.arange(topics * runs + 1, dtype=np.int32) * np.int32(depth)
        counts = np.diff(np.searchsorted(places, begins))
        above = places - np.repeat(begins[:-1], counts)
        cells = above + np.repeat(begins[:-1].reshape(runs, topics).T.reshape(-1), counts)
        lists = np.repeat(np.arange(topics * runs, dtype=np.int32), counts)
        return JudgedResults(lists, above + np.int32(1), cells, places, self.codes.reshape(-1).take(cells))


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Which items of a pool were judged: those of a negative grade stand in it and were not. n items, T topics.

    Attributes:
        judged: Which were, n.
        counts: How many of each topic's, T.
        sizes: How many items each topic's pool has, T.
    """

    judged: BoolArray
    counts: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, judged: BoolArray, topics: IntArray, count: int) -> Self:
        """The items of so many topics, given which were judged and the topic of each."""
        return cls(judged, np.bincount(topics[judged], minlength=count), np.bincount(topics, minlength=count))

    def part(self, topics: slice) -> Pool:
        """The same of some of the topics."""
        return Pool(self.judged, self.counts[topics], self.sizes[topics])


@dataclass(frozen=True, eq=False)
class GainMatrix:
    """Gains of retrieved and of ideal results. R runs, T topics, K ranks, N ideal results; 0 past the end of a list.

    Most results gain nothing, so that gains are looked up where they are asked for, not laid out for all.

    Attributes:
        coded: The lists of results.
        of_items: The gain of each judged item, at least 0; the last one, 0, is that of all other results.
        ideal: Gains of the ideal results, decreasing, T x N.
        counts: Ideal results with a gain above 0, T.
        pool: Which of the items were judged.
    """

    coded: CodedLists
    of_items: FloatArray
    ideal: FloatArray
    counts: IntArray
    pool: Pool

    @property
    def lengths(self) -> IntArray:
        """Results retrieved, R x T."""
        return self.coded.ranked.places.lengths

    @property
    def depth(self) -> int:
        """The longest list's number of results, K."""
        return int(self.coded.codes.shape[2])

    @cached_property
    def gains(self) -> FloatArray:
        """Gain of each result by rank, R x T x K."""
        return self.of_items.take(self.coded.codes)

    def gains_to(self, rank: int) -> FloatArray:
        """Gain of each result down to a rank, R x T x at most that many."""
        return self.of_items.take(self.coded.codes[..., :rank])

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """Gain of the ideal list down to each rank (xCI), T x N."""
        return np.add.accumulate(self.ideal, axis=1)

    @cached_property
    def ideal_reached(self) -> FloatArray:
        """Gain that the ideal list has brought down to each rank, to within what counts as reached, T x N + 1; 0 at rank 0."""
        reached = np.zeros((self.ideal.shape[0], self.ideal.shape[1] + 1))
        np.add(self.ideal_cumulated, GAIN_TOLERANCE * self.totals[:, None], out=reached[:, 1:])
        return reached

    @cached_property
    def totals(self) -> FloatArray:
        """Gain of the whole ideal list (G), T; 0 where nothing is relevant."""
        return self.ideal_cumulated[:, -1] if self.ideal.shape[1] else np.zeros(len(self.ideal))

    @cached_property
    def hits(self) -> RelevantHits:
        """The results that bring a gain."""
        return self.hits_from(0.0)

    def hits_from(self, least: float) -> RelevantHits:
        """The results that bring at least this gain, and more than none."""
        judged = self.coded.judged
        gains = self.of_items.take(judged.codes)
        bring = np.flatnonzero(gains >= least if least > 0.0 else gains > 0.0)
        lists = judged.lists[bring]
        firsts = np.searchsorted(lists, np.arange(self.lengths.size + 1, dtype=np.int32))
        return RelevantHits(lists, judged.ranks[bring], gains[bring], judged.cells[bring], judged.places[bring], firsts)

    def ranks_among(self, hits: RelevantHits, counted: BoolArray) -> IndexArray:
        """The rank of each hit among those results of its list that are such items, from 1, H.

        Args:
            hits: Some of its hits, themselves such items.
            counted: Which items count, n.
        """
        pooled = self.coded.judged
        down_to = np.concatenate(([0], np.cumsum(counted.take(pooled.codes), dtype=np.int32)))
        firsts = np.searchsorted(pooled.lists, hits.lists)
        return down_to[np.searchsorted(pooled.places, hits.places) + 1] - down_to[firsts]

    def by_run(self, values: FloatArray) -> FloatArray:
        """Values of lists, numbered as `RelevantHits` numbers them, as runs x topics."""
        runs, topics = self.lengths.shape
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
