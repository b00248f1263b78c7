"""The gains of ranked results, and those of an ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.ranking.ideal_gains import IdealGains
from inexmetrics.ranking.ranked_lists import RankedLists

__all__ = ["CodedLists", "GainMatrix", "JudgedResults", "Pool", "RelevantHits", "share", "summed_in_order"]

S = TypeVar("S", bound=np.generic)

FEW: Final = 4
"""A rank is small if lists have at least this many times as many results."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedResults:
    """The judged results of a batch, by topic, then run, then rank. J results; 32-bit integers, because memory takes time.

    Attributes:
        ranks: Rank in the list, from 1, J.
        codes: The judged item, J.
        firsts: Index of the first result of each list, topic * R + run, T * R + 1; the last entry is J.
    """

    ranks: IndexArray
    codes: IndexArray
    firsts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Which items of a pool were judged: items with a negative grade are in the pool without a judgement. n items, T topics.

    Attributes:
        judged: Which items were judged, n.
        counts: Number of judged items of each topic, T.
        sizes: Number of items in each topic's pool, T.
    """

    judged: BoolArray
    counts: IntArray
    sizes: IntArray


@dataclass(frozen=True, eq=False)
class RelevantHits:
    """The results with a gain, by topic, then run, then rank. H hits.

    Attributes:
        among: The judged results that contain the hits.
        of_items: The gain of each judged item.
        members: Index of each hit among the judged results, H, increasing.
        ranks: Rank in the list, from 1, H.
        firsts: Index of the first hit of each list, topic * R + run, T * R + 1; the last entry is H.
        counts: Number of items of each topic with this kind of gain, retrieved or not, T.
        pool: Which items were judged.
    """

    among: JudgedResults
    of_items: FloatArray
    members: IntArray
    ranks: IndexArray
    firsts: IntArray
    counts: IntArray
    pool: Pool

    @cached_property
    def gains(self) -> FloatArray:
        """The gain of each hit, H."""
        return self.of_items.take(self.among.codes.take(self.members))

    @cached_property
    def lists(self) -> IndexArray:
        """Index of the hit's list, H, increasing."""
        return self.repeated(np.arange(len(self.firsts) - 1, dtype=np.int32))

    @cached_property
    def numbers(self) -> IndexArray:
        """The number of each hit within its list, from 1, H."""
        return np.arange(1, len(self.ranks) + 1, dtype=np.int32) - self.repeated(self.firsts[:-1].astype(np.int32))

    @property
    def precision(self) -> FloatArray:
        """Precision at the rank of each hit, H."""
        return self.numbers / self.ranks

    @property
    def single_ranks(self) -> IndexArray | IntArray:
        """The rank of each hit, unique within a list, H."""
        return self.ranks

    @property
    def judged(self) -> IndexArray:
        """The number of each hit among the judged results of its list, from 1, H."""
        return self.ranks_among(self.pool.judged)

    @property
    def pooled(self) -> IndexArray:
        """The number of each hit among the results of its list that are in the pool, from 1, H."""
        return self.ranks_among(np.ones_like(self.pool.judged))

    @property
    def relevant(self) -> IntArray:
        """The number of relevant items of its topic, H."""
        return self._of_topics(self.counts)

    @property
    def nonrelevant(self) -> IntArray:
        """The number of items of its topic judged not relevant, H."""
        return self._of_topics(self.pool.counts - self.counts)

    def reached(self, stops: FloatArray) -> FloatArray:
        """Returns the probability that a user who stops at each hit with these probabilities reaches each hit, H."""
        reached, goes_on = np.ones_like(stops), 1.0 - stops
        several = ((first, last) for first, last in pairwise(self.firsts.tolist()) if last - first > 1)
        for first, last in several:
            np.multiply.accumulate(goes_on[first : last - 1], out=reached[first + 1 : last])
        return reached

    @cached_property
    def cumulated(self) -> FloatArray:
        """Gain of the list down to each hit, H; added hit by hit."""
        cumulated = np.empty_like(self.gains)
        # A call for each list costs less than the memory of lists padded to one length.
        for first, last in pairwise(self.firsts.tolist()):
            np.add.accumulate(self.gains[first:last], out=cumulated[first:last])
        return cumulated

    def repeated(self, values: NDArray[S]) -> NDArray[S]:
        """Returns a value of each list, T * R, for each of its hits, H."""
        return np.repeat(values, np.diff(self.firsts))

    def ranks_among(self, counted: BoolArray) -> IndexArray:
        """Returns the rank of each hit among the counted results of its list, from 1, H; hits are counted themselves.

        Args:
            counted: Which items count, n.
        """
        down_to = np.concatenate(([0], np.cumsum(counted.take(self.among.codes), dtype=np.int32)))
        ranks: IndexArray = down_to[self.members + 1] - self.repeated(down_to[self.among.firsts[:-1]])
        return ranks

    def _of_topics(self, values: IntArray) -> IntArray:
        """Returns a value of each topic, T, for each of its hits, H."""
        return self.repeated(np.repeat(values, (len(self.firsts) - 1) // len(values)))


@dataclass(frozen=True, eq=False)
class CodedLists:
    """Ranked lists whose results are indices of judged items. R runs, T topics, K ranks.

    Attributes:
        ranked: The lists.
        runs: Their runs, R.
        topics: Their topics, T.
        codes: The judged item of each result, R x T x K.
        items: The number of items; also the code of a result that is not judged, and of cells past the end of a list.
    """

    ranked: RankedLists
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    codes: IndexArray
    items: int

    @cached_property
    def judged(self) -> JudgedResults:
        """The judged results: few of all, and the same under every quantisation."""
        runs, topics, depth = self.codes.shape
        places = np.flatnonzero((self.codes != self.items).swapaxes(0, 1)).astype(np.int32)
        begins = np.arange(topics * runs + 1, dtype=np.int32) * np.int32(depth)
        firsts = np.searchsorted(places, begins)
        counts = np.diff(firsts)
        above = places - np.repeat(begins[:-1], counts)
        lists = np.arange(runs * topics, dtype=np.int32).reshape(runs, topics).T.reshape(-1)
        cells = above + np.repeat(lists * np.int32(depth), counts)
        return JudgedResults(above + np.int32(1), self.codes.reshape(-1).take(cells), firsts)


@dataclass(frozen=True, eq=False)
class GainMatrix:
    """Gains of retrieved and of ideal results. R runs, T topics, K ranks, N ideal results; 0 past the end of a list.

    Most results gain nothing, so gains are looked up on demand instead of being stored for all.

    Attributes:
        coded: The lists of results.
        of_items: The gain of each judged item, at least 0; the last one, 0, is for all other results.
        ideal: The ideal list of each topic.
        pool: Which items were judged.
    """

    coded: CodedLists
    of_items: FloatArray
    ideal: IdealGains
    pool: Pool

    @property
    def lengths(self) -> IntArray:
        """Number of results, R x T."""
        return self.coded.ranked.places.lengths

    @property
    def depth(self) -> int:
        """The number of results of the longest list, K."""
        return int(self.coded.codes.shape[2])

    @cached_property
    def gains(self) -> FloatArray:
        """Gain of each result by rank, R x T x K."""
        return self.of_items.take(self.coded.codes)

    def gains_to(self, rank: int) -> FloatArray:
        """Returns the gain of each result down to a rank, R x T x at most the rank."""
        return self.of_items.take(self.coded.codes[..., :rank])

    @property
    def counts(self) -> IntArray:
        """Ideal results with a gain above 0, T."""
        return self.ideal.counts

    def counts_from(self, least: float) -> IntArray:
        """Counts ideal results with at least this gain, and a gain above 0, T."""
        return np.count_nonzero(self.ideal.gains >= least, axis=1) if least > 0.0 else self.ideal.counts

    @property
    def totals(self) -> FloatArray:
        """Gain of the whole ideal list (G), T; 0 without relevant items."""
        return self.ideal.totals

    @cached_property
    def hits(self) -> RelevantHits:
        """The results with a gain."""
        return self._hits_among(self.coded.judged, 0.0)

    def hits_from(self, least: float, within: float = np.inf) -> RelevantHits:
        """Returns the results with at least this gain, and a gain above 0; results below a rank may be missing."""
        if least > 0.0 and ((self.of_items > 0.0) & (self.of_items < least)).any():
            return self._hits_among(self.coded.judged, least)
        # Looking up a few results again is faster than filtering many.
        if within * FEW < self.depth and "hits" not in self.__dict__:
            return self._hits_among(replace(self.coded, codes=self.coded.codes[..., : int(within)]).judged, 0.0)
        return self.hits

    def _hits_among(self, judged: JudgedResults, least: float) -> RelevantHits:
        bring = self.of_items >= least if least > 0.0 else self.of_items > 0.0
        members = np.flatnonzero(bring.take(judged.codes))
        firsts = np.searchsorted(members, judged.firsts)
        return RelevantHits(judged, self.of_items, members, judged.ranks.take(members), firsts, self.counts_from(least), self.pool)

    def by_run(self, values: FloatArray) -> FloatArray:
        """Returns values of lists, numbered as in `RelevantHits`, as runs x topics."""
        return values.reshape(len(self.coded.topics), len(self.coded.runs), *values.shape[1:]).swapaxes(0, 1)


def summed_in_order(values: FloatArray, firsts: IntArray) -> FloatArray:
    """Sums the values of each list in order.

    Args:
        values: Values, list by list.
        firsts: Index of each list's first value; the last entry is their number.

    Examples:
        >>> summed_in_order(np.array([0.5, 0.25, 1.0]), np.array([0, 2, 2, 3])).tolist()
        [0.75, 0.0, 1.0]
    """
    some = np.diff(firsts) > 0
    heads = firsts[:-1][some]
    # Numpy adds ranges pairwise, and subtracts in order: a + b + c is -(-a - b - c), to the last bit.
    terms = np.array(values, dtype=np.float64)
    terms[heads] *= -1.0
    sums = np.zeros(len(some))
    sums[some] = -np.subtract.reduceat(terms, heads)
    return sums


def share(part: FloatArray, whole: FloatArray | IntArray) -> FloatArray:
    """Returns the part as a share of the whole; NaN, undefined, if the whole is 0.

    Examples:
        >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
        [0.5, nan]
    """
    shares = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
