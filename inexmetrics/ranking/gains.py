"""The ranked lists of a batch of runs, and the gains of their results and of an ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.collection import Lists
from inexmetrics.collection.document_names import DocumentNames
from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray, changes
from inexmetrics.ranking.ideal_gains import IdealGains
from inexmetrics.ranking.index import ListLayout

__all__ = ["CodedLists", "GainMatrix", "JudgedResults", "Levels", "Pool", "RankedLists", "RelevantHits", "share", "summed_in_order"]


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Ranges of consecutive results with equal scores; each rank past the end of a list is a range of its own.

    Attributes:
        numbers: Index of the range that each cell of the flattened array (runs, topics, ranks) belongs to.
        begins: Index of the first cell of each range; the last entry is the number of cells.
    """

    numbers: IndexArray
    begins: IndexArray


@dataclass(frozen=True, eq=False)
class RankedLists:
    """The results of a batch, or only the first result of each document, with their positions in the lists.

    Attributes:
        places: Positions of the rows in the lists.
        named: Run and topic of each list; a list may be empty.
        table: The rows, with the index of their topic and of the name of their document. A `score` may be multiplied by a power of ten, as in
            `Runs.packed`.
        names: Names of the documents.
    """

    places: ListLayout
    named: Lists
    table: pl.DataFrame
    names: DocumentNames

    @cached_property
    def results(self) -> pl.DataFrame:
        """The rows of all lists, with the additional columns run_id, topic_id and doc_id."""
        return self.table.with_columns(*self.named.columns(), self.names.of_codes(self.table["document"]))

    @cached_property
    def documents(self) -> RankedLists:
        """The lists of documents, each document at its first occurrence."""
        of_row = self.places.lists()
        rows = pl.DataFrame({"list": of_row, "document": self.table["document"]})
        kept = np.flatnonzero(rows.select(pl.struct("list", "document").is_first_distinct()).to_series().to_numpy())
        lengths = np.bincount(of_row[kept], minlength=self.places.lengths.size)
        places = ListLayout(lengths.reshape(self.places.lengths.shape))
        return replace(self, places=places, named=replace(self.named, lengths=lengths), table=self.table[kept])

    @cached_property
    def levels(self) -> Levels:
        """Ranges of results with equal scores; without scores, each result is a range of its own."""
        scores = self.places.laid_out(self.table["score"].to_numpy().astype(np.float64, copy=False), np.float64(np.nan))
        begin = np.ones(scores.shape, dtype=np.bool_)
        np.not_equal(scores[..., 1:], scores[..., :-1], out=begin[..., 1:])
        numbers: IndexArray = np.cumsum(begin, dtype=np.int32) - np.int32(1)
        return Levels(numbers, np.append(np.flatnonzero(begin), begin.size).astype(np.int32))

    def tied_across(self, rank: int) -> int:
        """Returns the number of lists in which the rows at this rank and at the next rank have the same score."""
        lengths = self.places.lengths.reshape(-1)
        below = (np.cumsum(lengths) - lengths + rank)[lengths > rank]
        scores = self.table["score"].to_numpy()
        return int(np.count_nonzero(scores[below] == scores[below - 1]))

    def tied_across_budget(self, left: IntArray, sizes: IntArray) -> int:
        """Returns the number of lists in which rows with the same score are on both sides of the end of a character budget.

        Args:
            left: Number of characters of each row that are within the budget.
            sizes: Number of characters of each row.
        """
        scores, lists = self.table["score"].to_numpy(), self.places.lists()
        begins = np.flatnonzero(np.append(True, (scores[1:] != scores[:-1]) | changes(lists)[1:])[: len(scores)])
        if not len(begins):
            return 0
        rows = np.diff(begins, append=len(scores))
        within, beyond = (np.add.reduceat(characters, begins) for characters in (left, sizes - left))
        return int(np.count_nonzero((rows > 1) & (within > 0) & (beyond > 0)))


S = TypeVar("S", bound=np.generic)

FEW: Final = 4
"""Results below a rank cutoff are skipped only if the length of the longest list, divided by the cutoff, exceeds this number."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedResults:
    """The judged results of a batch, sorted by topic, then run, then rank. J results.

    Results are stored as 32-bit integers to save memory and run time.

    Attributes:
        ranks: Rank of each result in its list, counted from 1, shape (J,).
        codes: Index of the judged item of each result, shape (J,).
        firsts: Index of the first result of each list, shape (T * R + 1,); the list of a topic and a run has the index `topic * R + run`,
            and the last entry is J.
    """

    ranks: IndexArray
    codes: IndexArray
    firsts: IntArray

    @classmethod
    def of_run(cls, codes: IndexArray, lengths: IntArray, none: np.int32) -> JudgedResults:
        """Returns the judged results of a single run.

        Args:
            codes: Index of the judged item of each result, by topic and rank; `none` marks unjudged results.
            lengths: Number of results for each topic, shape (T,).
            none: The number of judged items.

        Examples:
            >>> found = JudgedResults.of_run(np.array([7, 2, 0, 7, 1]), np.array([2, 0, 3]), np.int32(7))
            >>> found.ranks.tolist(), found.codes.tolist(), found.firsts.tolist()
            ([2, 1, 3], [2, 0, 1], [0, 1, 1, 3])
        """
        places = (codes != none).nonzero()[0]
        if len(lengths) == 1:  # a single list, as in a loop, takes fewer steps
            return cls(np.add(places, 1, dtype=np.int32), codes.take(places), np.array((0, len(places))))
        begins = np.zeros(len(lengths) + 1, dtype=np.int64)
        lengths.cumsum(out=begins[1:])
        firsts = places.searchsorted(begins)
        ranks = places + 1 - begins[:-1].repeat(firsts[1:] - firsts[:-1])
        return cls(ranks.astype(np.int32), codes.take(places), firsts)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The judged items of a pool. Items with a negative grade are in the pool, but were not judged. n items, T topics.

    Attributes:
        judged: Whether each item was judged, shape (n,).
        counts: Number of judged items for each topic, shape (T,).
        sizes: Number of items in each topic's pool, shape (T,).
    """

    judged: BoolArray
    counts: IntArray
    sizes: IntArray


@dataclass(frozen=True, eq=False)
class RelevantHits:
    """The results with a gain above 0, sorted by topic, then run, then rank. H hits.

    Attributes:
        among: The judged results, of which the hits are a subset.
        gains: The gain of each hit, shape (H,).
        members: Index of each hit among the judged results, in increasing order, shape (H,).
        ranks: Rank of each hit in its list, counted from 1, shape (H,).
        firsts: Index of the first hit of each list, shape (T * R + 1,); the list of a topic and a run has the index `topic * R + run`, and
            the last entry is H.
        counts: Number of relevant items for each topic, retrieved or not, shape (T,).
        pool: The judged items of the pool.
    """

    among: JudgedResults
    gains: FloatArray
    members: IntArray
    ranks: IndexArray
    firsts: IntArray
    counts: IntArray
    pool: Pool

    @cached_property
    def lists(self) -> IndexArray:
        """Index of the list of each hit, in increasing order, shape (H,)."""
        return self.repeated(np.arange(len(self.firsts) - 1, dtype=np.int32))

    @cached_property
    def numbers(self) -> IndexArray:
        """Position of each hit among the hits in its list, counted from 1, shape (H,)."""
        numbers = np.arange(1, len(self.ranks) + 1, dtype=np.int32)
        return numbers if len(self.firsts) == 2 else numbers - self.repeated(self.firsts[:-1].astype(np.int32))

    @property
    def precision(self) -> FloatArray:
        """Precision at the rank of each hit, shape (H,)."""
        return self.numbers / self.ranks

    @property
    def single_ranks(self) -> IndexArray | IntArray:
        """The rank of each hit, unique within a list, shape (H,)."""
        return self.ranks

    @property
    def judged(self) -> IndexArray:
        """Position of each hit among the judged results in its list, counted from 1, shape (H,)."""
        return self.ranks_among(self.pool.judged)

    @property
    def pooled(self) -> IndexArray:
        """Position of each hit among the pooled results in its list, counted from 1, shape (H,)."""
        return self.ranks_among(np.ones_like(self.pool.judged))

    @property
    def relevant(self) -> IntArray:
        """For each hit, the number of relevant items for its topic, shape (H,)."""
        return self._repeat_for_hits(self.counts)

    @property
    def nonrelevant(self) -> IntArray:
        """For each hit, the number of items judged not relevant for its topic, shape (H,)."""
        return self._repeat_for_hits(self.pool.counts - self.counts)

    def reached(self, stops: FloatArray) -> FloatArray:
        """Returns the probability that a user reaches each hit, given the probabilities of stopping at each hit, shape (H,)."""
        reached, goes_on = np.ones_like(stops), 1.0 - stops
        several = ((first, last) for first, last in pairwise(self.firsts.tolist()) if last - first > 1)
        for first, last in several:
            np.multiply.accumulate(goes_on[first : last - 1], out=reached[first + 1 : last])
        return reached

    @cached_property
    def cumulated(self) -> FloatArray:
        """Cumulated gain of the list up to and including each hit, shape (H,); gains are added in rank order."""
        cumulated = np.empty_like(self.gains)
        # Gains are cumulated list by list, because padding all lists to the same length would need more memory.
        for first, last in pairwise(self.firsts.tolist()):
            np.add.accumulate(self.gains[first:last], out=cumulated[first:last])
        return cumulated

    def repeated(self, values: NDArray[S]) -> NDArray[S]:
        """Repeats the value of each list (shape (T * R,)) once for each hit in the list (shape (H,))."""
        return values.repeat(self.firsts[1:] - self.firsts[:-1])

    def ranks_among(self, counted: BoolArray) -> IndexArray:
        """Returns the position of each hit among the counted results in its list, shape (H,); the first counted result has position 1.

        All hits must be among the counted results.

        Args:
            counted: Whether each judged item is counted, shape (n,).
        """
        down_to = np.concatenate(([0], np.cumsum(counted.take(self.among.codes), dtype=np.int32)))
        ranks: IndexArray = down_to[self.members + 1] - self.repeated(down_to[self.among.firsts[:-1]])
        return ranks

    def _repeat_for_hits(self, values: IntArray) -> IntArray:
        """Repeats the value of each topic (shape (T,)) once for each hit of the topic (shape (H,))."""
        return self.repeated(np.repeat(values, (len(self.firsts) - 1) // len(values)))


@dataclass(frozen=True, eq=False)
class CodedLists:
    """Ranked lists whose results are indices of judged items. R runs, T topics, K ranks.

    Attributes:
        ranked: The lists.
        runs: Names of the runs, length R.
        topics: Identifiers of the topics, length T.
        codes: Index of the judged item of each result, shape (R, T, K).
        items: The number of judged items; in `codes`, this number marks unjudged results and cells past the end of a list.
    """

    ranked: RankedLists
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    codes: IndexArray
    items: int

    @cached_property
    def judged(self) -> JudgedResults:
        """The judged results, which are a small share of all results and do not depend on the quantisation."""
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
    """Gains of retrieved and of ideal results, 0 past the end of a list. R runs, T topics, K ranks, N ideal results.

    Most results have gain 0, so gains are looked up on demand instead of being stored for all results.

    Attributes:
        coded: The lists, with each result as the index of its judged item.
        of_items: The gain of each judged item, at least 0, followed by an entry of 0 for all results that are not judged.
        ideal: The ideal list for each topic.
        pool: The judged items of the pool.
    """

    coded: CodedLists
    of_items: FloatArray
    ideal: IdealGains
    pool: Pool

    @property
    def lengths(self) -> IntArray:
        """Number of results in each list, shape (R, T)."""
        return self.coded.ranked.places.lengths

    @property
    def depth(self) -> int:
        """Number of results in the longest list, K."""
        return int(self.coded.codes.shape[2])

    @cached_property
    def gains(self) -> FloatArray:
        """Gain of each result by rank, shape (R, T, K)."""
        return self.of_items.take(self.coded.codes)

    def gains_to(self, rank: int) -> FloatArray:
        """Returns the gain of each result up to a given rank, shape (R, T, min(rank, K))."""
        return self.of_items.take(self.coded.codes[..., :rank])

    def counts_from(self, least: float) -> IntArray:
        """Returns the number of ideal results whose gain is above 0 and at least `least`, for each topic, shape (T,)."""
        return self.ideal.counts_from(least)

    @cached_property
    def hits(self) -> RelevantHits:
        """The results with a gain above 0."""
        return self._hits_among(self.coded.judged, 0.0, self.ideal.counts)

    def hits_from(self, least: float, within: float = np.inf) -> RelevantHits:
        """Returns the results whose gain is above 0 and at least `least`; results below rank `within` may be missing."""
        counts = self.ideal.counts_from(least)
        if counts is not self.ideal.counts:  # some ideal results, and therefore perhaps results, have lower gains
            return self._hits_among(self.coded.judged, least, counts)
        # Looking up a few results again is faster than filtering many results.
        if "judged" not in self.coded.__dict__ and "hits" not in self.__dict__ and within * FEW < self.depth:
            return self._hits_among(replace(self.coded, codes=self.coded.codes[..., : int(within)]).judged, 0.0, counts)
        return self.hits

    def _hits_among(self, judged: JudgedResults, least: float, counts: IntArray) -> RelevantHits:
        gains = self.of_items.take(judged.codes)
        members = (gains >= least if least > 0.0 else gains > 0.0).nonzero()[0]
        firsts = np.array((0, len(members))) if len(judged.firsts) == 2 else members.searchsorted(judged.firsts)
        return RelevantHits(judged, gains.take(members), members, judged.ranks.take(members), firsts, counts, self.pool)

    def by_run(self, values: FloatArray) -> FloatArray:
        """Rearranges one value per list, sorted by topic, then run, into an array of shape (runs, topics)."""
        if len(self.coded.runs) == 1:
            return values[None]
        return values.reshape(len(self.coded.topics), len(self.coded.runs), *values.shape[1:]).swapaxes(0, 1)


def summed_in_order(values: FloatArray, firsts: IntArray) -> FloatArray:
    """Sums the values of each list in order.

    Args:
        values: The values of all lists, concatenated.
        firsts: Index of each list's first value; the last entry is the number of values.

    Examples:
        >>> summed_in_order(np.array([0.5, 0.25, 1.0]), np.array([0, 2, 2, 3])).tolist()
        [0.75, 0.0, 1.0]
    """
    if len(firsts) == 2 and len(values):  # a single list, as in a loop, takes fewer steps; accumulation is in order, too
        return np.add.accumulate(values, dtype=np.float64)[-1:]
    some = firsts[1:] > firsts[:-1]
    heads = firsts[:-1][some]
    # The function `np.add.reduceat` uses pairwise summation, but `np.subtract.reduceat` subtracts numbers one after the other. To obtain
    # exactly the float (a + b) + c, the sum is therefore computed as -(-a - b - c).
    terms = np.array(values, dtype=np.float64)
    terms[heads] *= -1.0
    sums = np.zeros(len(some))
    sums[some] = -np.subtract.reduceat(terms, heads)
    return sums


def share(part: FloatArray, whole: FloatArray | IntArray) -> FloatArray:
    """Returns the part divided by the whole; NaN (undefined) if the whole is 0. The whole must not be negative.

    Examples:
        >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
        [0.5, nan]
    """
    if np.count_nonzero(whole) == whole.size:  # takes a third of the time of the method `all` for few topics
        return part / whole
    shares = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
