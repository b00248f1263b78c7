"""The relevant documents in each list, in rank order. Document measures are computed from sums over these documents.

If each result is one unit, recall is computed over pieces of evidence; each piece counts at the first result of a list that shows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray, in_ranges
from inexmetrics.ranking.gains import GainMatrix, RelevantHits, summed_in_order
from inexmetrics.ranking.ideal_gains import IdealGains
from inexmetrics.ranking.passages.texts import Texts

__all__ = [
    "Evidence",
    "EvidenceHits",
    "Hits",
    "RankedJudged",
    "Retrieved",
    "RetrievedBySets",
    "RetrievedOnce",
    "RetrievedResults",
    "Values",
    "documents_shown",
    "passages_shown",
]


@dataclass(frozen=True, eq=False)
class EvidenceHits(RelevantHits):
    """The pieces of evidence that lists contain, sorted by topic, run and rank. H pieces; one result can contain several pieces.

    Attributes:
        shown: For each piece of evidence, the number of results that contain evidence, up to and including the rank of the piece, shape
            (H,).
    """

    shown: IndexArray

    @property
    def precision(self) -> FloatArray:
        return self.shown / self.ranks

    @property
    def single_ranks(self) -> IndexArray | IntArray:
        """The rank of each piece: that of its result, but at least m for the m-th piece found."""
        return np.maximum(self.ranks, self.numbers)


@dataclass(frozen=True, eq=False)
class Evidence(GainMatrix):
    """Gains of results; the hits are the retrieved pieces of evidence, and the ideal list contains all pieces of evidence.

    Attributes:
        members: For each retrieved piece of evidence, the index of the judged result that finds it, in increasing order.
    """

    members: IntArray

    def hits_from(self, least: float, within: float = np.inf) -> EvidenceHits:
        """Returns the retrieved pieces of evidence whose gain is above 0 and at least `least`."""
        hits = self._hits_among(self.coded.judged, least, self.counts_from(least))
        members = self.members[np.isin(self.members, hits.members)]
        found, firsts = hits.members.searchsorted(members), members.searchsorted(hits.among.firsts)
        gains, ranks, shown = hits.gains.take(found), hits.ranks.take(found), hits.numbers.take(found)
        return EvidenceHits(hits.among, gains, members, ranks, firsts, hits.counts, self.pool, shown)


def documents_shown(matrix: GainMatrix) -> Evidence:
    """Returns the retrieved documents as pieces of evidence.

    In each list, a document is found at the first result that belongs to the document.
    """
    judged = matrix.coded.judged
    members = _first_occurrences(np.repeat(np.arange(len(judged.firsts) - 1), np.diff(judged.firsts)), judged.codes)
    return Evidence(matrix.coded, matrix.of_items, matrix.ideal, matrix.pool, members)


def passages_shown(matrix: GainMatrix, texts: Texts, topics: slice) -> Evidence:
    """Returns the highlighted passages as pieces of evidence; a passage is found at the first result that contains any of its characters.

    Args:
        matrix: The gains of the results. Each result is a separate item, and the results are in the same order as in `texts`.
        texts: The text of each result: its document, start and length.
        topics: The slice of all assessed topics that the batch covers.
    """
    highlights, judged = texts.highlights, matrix.coded.judged
    shows = texts.touching
    firsts, ends = np.zeros((2, len(shows)), dtype=np.int64)
    documents = texts.judged[shows].astype(np.int64)
    firsts[shows], ends[shows] = highlights.passages_in(documents, texts.starts[shows], texts.lengths[shows], texts.whole[shows])
    # Each document without passages counts as one piece of evidence; the indices of these pieces follow the indices of all passages.
    unplaced = np.zeros(len(shows), dtype=np.bool_)
    unplaced[shows] = highlights.unplaced[documents]
    firsts[unplaced] = len(highlights.documents) + texts.judged[unplaced]
    ends[unplaced] = firsts[unplaced] + 1
    of_results = ends[judged.codes] - firsts[judged.codes]
    results = np.repeat(np.arange(len(judged.codes)), of_results)
    pieces = in_ranges(firsts[judged.codes], of_results)
    lists = np.repeat(np.arange(len(judged.firsts) - 1), np.diff(judged.firsts))
    members = results[_first_occurrences(lists[results], pieces)]
    of_topics = highlights.topics_of_pieces
    within = of_topics[(of_topics >= topics.start) & (of_topics < topics.stop)] - topics.start
    ideal = IdealGains.of(np.ones(len(within)), within, topics.stop - topics.start)
    return Evidence(matrix.coded, matrix.of_items, ideal, matrix.pool, members)


def _first_occurrences(lists: IntArray, pieces: IndexArray | IntArray) -> IntArray:
    """Returns the indices of the first occurrence of each piece of evidence in each list, in increasing order.

    The two arguments have one entry for each occurrence of a piece of evidence in a list.
    """
    keys = lists * (int(pieces.max(initial=0)) + 1) + pieces
    return np.sort(np.unique(keys, return_index=True)[1])


class Hits(Protocol):
    """Retrieved relevant documents, in arrays of compatible shapes."""

    @property
    def gains(self) -> FloatArray:
        """The gain of each document, which is its grade; not used for binary relevance."""

    @property
    def ranks(self) -> FloatArray | IndexArray:
        """The rank of each document, counted from 1; in a condensed list only judged documents have ranks."""

    @property
    def numbers(self) -> FloatArray | IndexArray:
        """Position of each document among the relevant documents in its list, counted from 1."""

    @property
    def precision(self) -> FloatArray:
        """Precision at the rank of each document."""

    @property
    def single_ranks(self) -> FloatArray | IndexArray | IntArray:
        """The rank of each document, unique within a list."""

    @property
    def judged(self) -> FloatArray | IndexArray:
        """Position of each document among the judged documents in its list, counted from 1."""

    @property
    def pooled(self) -> FloatArray | IndexArray:
        """Position of each document among the pooled documents in its list, counted from 1.

        Documents with a negative grade are in the pool, but unjudged.
        """

    @property
    def relevant(self) -> IntArray:
        """For each document, the number of relevant documents for its topic, whether retrieved or not."""

    @property
    def nonrelevant(self) -> IntArray:
        """For each document, the number of documents that were judged not relevant for its topic, whether retrieved or not."""

    def reached(self, stops: FloatArray) -> FloatArray:
        """Returns the probability that a user reaches each document, given the probabilities of stopping at each document.

        The method may be called only once.
        """


Values: TypeAlias = Callable[[Hits], FloatArray]
"""A function that returns the contribution of each hit to a sum over the relevant documents."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved(ABC):
    """The relevant documents in each list, for several topics, or for one topic and several sets of judgements.

    Attributes:
        counts: The number of relevant documents for each topic, or in each set of judgements.
    """

    counts: IntArray

    @property
    def recalled(self) -> Retrieved:
        """The retrieved items that are counted for recall: relevant documents or, if results are ranked, pieces of evidence."""
        return self

    @abstractmethod
    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        """Returns the sum of values over the relevant documents in each list up to a given rank, shape (lists, topics or sets)."""

    @abstractmethod
    def ideal_to(self, rank: float) -> FloatArray:
        """Returns the gains of the ideal list up to a given rank, in decreasing order, shape (ranks, topics or sets)."""

    def of_ideal(self, rank: float, key: Hashable, compute: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Returns a value of the ideal list up to a given rank, shape (topics or sets,).

        Args:
            rank: The rank.
            key: A key of the function; the value is computed once for each key and rank if the ideal list is the same for many runs.
            compute: Function that computes the value from the gains that `ideal_to` returns.
        """
        return compute(self.ideal_to(rank))


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedOnce(Retrieved):
    """Relevant documents in the lists of a batch. R runs, T topics.

    Attributes:
        matrix: The gains of all results.
        least: The lowest relevant gain; 0 if all gains above 0 are relevant.
        condensed: Whether unjudged results are removed before ranks are counted.
    """

    matrix: GainMatrix
    least: float
    condensed: bool

    @property
    def recalled(self) -> RetrievedOnce:
        return self

    @property
    def lengths(self) -> IntArray:
        """The number of results in each list, shape (R, T); in a condensed list the number of judged results."""
        if not self.condensed:
            return self.matrix.lengths
        results = self.matrix.coded.judged
        down_to = np.concatenate(([0], np.cumsum(self.matrix.pool.judged.take(results.codes))))
        runs, topics = self.matrix.lengths.shape
        lengths: IntArray = np.diff(down_to[results.firsts]).reshape(topics, runs).T
        return lengths

    def hits(self, within: float = np.inf) -> RelevantHits:
        """Returns the relevant documents in the lists; documents below rank `within` may be missing."""
        if not self.condensed:
            return self.matrix.hits_from(self.least, within)
        hits = self.matrix.hits_from(self.least)
        return replace(hits, ranks=hits.ranks_among(self.matrix.pool.judged))

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        hits = self.hits(within)
        found, firsts = values(hits), hits.firsts
        if within < np.inf and len(firsts) == 2:  # the ranks of a single list increase
            firsts = np.array((0, hits.ranks.searchsorted(within, "right")))
            found = found[: firsts[1]]
        elif within < np.inf:
            found = np.where(hits.ranks <= within, found, 0.0)
        return self.matrix.by_run(summed_in_order(found, firsts))

    def ideal_to(self, rank: float) -> FloatArray:
        ideal = self.matrix.ideal.gains
        return ideal[:, : int(min(rank, ideal.shape[1]))].T

    def of_ideal(self, rank: float, key: Hashable, compute: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return self.matrix.ideal.once((key, rank), lambda: compute(self.ideal_to(rank)))


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedResults(RetrievedOnce):
    """Relevant results in the lists of a batch that ranks results rather than documents. R runs, T topics.

    Attributes:
        evidence: Function that returns the retrieved pieces of evidence.
    """

    evidence: Callable[[], Evidence]

    @property
    def recalled(self) -> RetrievedOnce:
        evidence = self.evidence()
        return RetrievedOnce(evidence.counts_from(self.least), evidence, self.least, self.condensed)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """The j-th judged document of each run, for one value of j; the arrays broadcast to the shape (runs, sets of judgements)."""

    gains: FloatArray
    ranks: FloatArray
    numbers: FloatArray
    judged: FloatArray
    relevant: IntArray
    nonrelevant: IntArray
    left: FloatArray
    """Probability, for each list, that users have not stopped yet."""

    @property
    def precision(self) -> FloatArray:
        return self.numbers / self.ranks

    @property
    def single_ranks(self) -> FloatArray:
        return self.ranks

    @property
    def pooled(self) -> FloatArray:
        return self.judged

    def reached(self, stops: FloatArray) -> FloatArray:
        left = self.left[: len(stops)]
        reached = left.copy()
        left *= 1.0 - stops
        return reached


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedBySets(Retrieved):
    """Relevant documents in the lists of one topic, for each of several sets of judgements. S sets, D documents.

    All documents that any assessor judged are treated as judged in every set.

    Attributes:
        ranked: The lists.
        gains: The gain of each document in each set, shape (D, S).
        binary: Whether all gains are 0 or 1.
        condensed: Whether unjudged documents are removed before ranks are counted.
    """

    ranked: RankedJudged
    gains: FloatArray
    binary: bool
    condensed: bool

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        shape = len(self.ranked.runs), self.gains.shape[1]
        sums, numbers, taken = np.zeros(shape), np.zeros(shape), np.empty(shape)
        left, nonrelevant = np.ones(shape), len(self.gains) - self.counts
        counted = self.ranked.judged if self.condensed else self.ranked.ranks
        places = np.arange(self.ranked.codes.shape[1])
        for place, holders in zip(places.tolist(), np.searchsorted(-self.ranked.counts, -places).tolist(), strict=True):
            rows = slice(holders)
            ranks = counted[rows, place, None]
            gains = self.gains.take(self.ranked.codes[rows, place], axis=0, out=taken[rows], mode="clip")
            if within < np.inf:
                beyond = ranks[:, 0] > within
                if beyond.all():
                    break
                gains[beyond] = 0.0
            relevant = gains if self.binary else gains > 0.0
            numbers[rows] += relevant
            step = _Step(gains, ranks, numbers[rows], self.ranked.judged[rows, place, None], self.counts, nonrelevant, left)
            sums[rows] += values(step) * relevant
        return sums

    def ideal_to(self, rank: float) -> FloatArray:
        ideal: FloatArray = -np.sort(-self.gains, axis=0)[: int(min(rank, len(self.gains)))]
        return ideal


@dataclass(frozen=True, slots=True, eq=False)
class RankedJudged:
    """The judged documents of one topic in each run, in rank order. R runs, at most J documents per run.

    Runs are ordered by decreasing number of documents. For every j, the runs with at least j documents therefore come first.

    Attributes:
        runs: Index of the run in each row, shape (R,).
        counts: Number of documents in each row, in decreasing order, shape (R,).
        codes: Index of each document among the topic's documents, shape (R, J).
        ranks: Rank of each document, shape (R, J); ranks increase in each row, and rows are padded with 1.
        judged: Rank of each document among the judged documents of its list, shape (R, J); rows are padded with 1.
    """

    runs: IntArray
    counts: IntArray
    codes: IndexArray
    ranks: FloatArray
    judged: FloatArray

    @classmethod
    def of(cls, runs: int, run: IntArray, rank: IntArray, judged: IntArray, code: IntArray) -> Self:
        """Builds the table of judged documents from one entry per retrieved document. H entries.

        Args:
            runs: Number of runs.
            run: Index of the run that retrieves each document, shape (H,).
            rank: Rank of each document, shape (H,).
            judged: Rank of each document among the judged documents, shape (H,).
            code: Index of each document, shape (H,).
        """
        counts = np.bincount(run, minlength=runs)
        rows = np.argsort(-counts, kind="stable")
        order = np.lexsort((rank, run))
        firsts = np.cumsum(counts) - counts
        row_of_run = np.empty(runs, dtype=np.int64)
        row_of_run[rows] = np.arange(runs)
        places = row_of_run[run[order]], np.arange(len(run)) - firsts[run[order]]
        codes = np.zeros((runs, int(counts.max(initial=0))), dtype=np.int32)
        ranks, among_judged = np.ones((2, *codes.shape))
        codes[places], ranks[places], among_judged[places] = code[order], rank[order], judged[order]
        return cls(rows, counts[rows], codes, ranks, among_judged)
