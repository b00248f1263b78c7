"""Relevant documents that lists retrieve, best first: the terms of the sums in document measures.

The lists of a batch are judged once; those of a topic are judged by many sets of judgements in parallel, so a step down
the lists is a few operations on arrays of runs x sets. In both cases sums are added in order of rank: a set has the
same bits as if it had been read from a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.ranking.evidence import Evidence
from inexmetrics.ranking.gains import GainMatrix, RelevantHits, summed_in_order

__all__ = ["Hits", "RankedJudged", "Retrieved", "RetrievedBySets", "RetrievedOnce", "RetrievedResults", "Values"]


class Hits(Protocol):
    """Retrieved relevant documents, in arrays of compatible shapes."""

    @property
    def gains(self) -> FloatArray:
        """Their gains: their grades; not used for binary relevance."""

    @property
    def ranks(self) -> FloatArray | IndexArray:
        """Their ranks, from 1; in a condensed list only judged documents have ranks."""

    @property
    def numbers(self) -> FloatArray | IndexArray:
        """The number of each document among the relevant documents of its list, from 1."""

    @property
    def precision(self) -> FloatArray:
        """Precision at the rank of each document."""

    @property
    def single_ranks(self) -> FloatArray | IndexArray | IntArray:
        """The rank of each document, unique within a list."""

    @property
    def judged(self) -> FloatArray | IndexArray:
        """The number of each document among the judged documents of its list, from 1."""

    @property
    def pooled(self) -> FloatArray | IndexArray:
        """The number of each document among those of its list that are in the pool, from 1; a negative grade is in the pool without a judgement."""

    @property
    def relevant(self) -> IntArray:
        """The number of relevant documents of their topic, retrieved or not."""

    @property
    def nonrelevant(self) -> IntArray:
        """The number of documents of their topic judged not relevant, retrieved or not."""

    def reached(self, stops: FloatArray) -> FloatArray:
        """Returns the probability that a user who stops at each document with these probabilities reaches each; call it once."""


Values: TypeAlias = Callable[[Hits], FloatArray]
"""The contribution of hits to a sum over the relevant documents."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved(ABC):
    """Relevant documents that lists retrieve, by topic or by set.

    Attributes:
        counts: The number of relevant documents, by topic or by set.
    """

    counts: IntArray

    @property
    def recalled(self) -> Retrieved:
        """The units of recall: usually the same; pieces of evidence if results are the units."""
        return self

    @abstractmethod
    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        """Returns the sum of values over the relevant documents of each list down to a rank, in order of rank: lists x topics or sets."""

    @abstractmethod
    def ideal_to(self, rank: float) -> FloatArray:
        """Returns the gains of the best list down to a rank, decreasing: ranks x topics or sets."""


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedOnce(Retrieved):
    """Relevant documents that the lists of a batch retrieve, R x T.

    Attributes:
        matrix: All gains.
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
        """The number of results of each list, R x T; in a condensed list of judged results."""
        if not self.condensed:
            return self.matrix.lengths
        results = self.matrix.coded.judged
        down_to = np.concatenate(([0], np.cumsum(self.matrix.pool.judged.take(results.codes))))
        runs, topics = self.matrix.lengths.shape
        lengths: IntArray = np.diff(down_to[results.firsts]).reshape(topics, runs).T
        return lengths

    def hits(self, within: float = np.inf) -> RelevantHits:
        """Returns the relevant documents among those retrieved; documents below a rank may be missing."""
        if not self.condensed:
            return self.matrix.hits_from(self.least, within)
        hits = self.matrix.hits_from(self.least)
        return replace(hits, ranks=hits.ranks_among(self.matrix.pool.judged))

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        hits = self.hits(within)
        found = values(hits)
        if within < np.inf:
            found = np.where(hits.ranks <= within, found, 0.0)
        return self.matrix.by_run(summed_in_order(found, hits.firsts))

    def ideal_to(self, rank: float) -> FloatArray:
        ideal = self.matrix.ideal.gains
        return ideal[:, : int(min(rank, ideal.shape[1]))].T


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedResults(RetrievedOnce):
    """Relevant results, each a unit, that the lists of a batch retrieve, R x T.

    Attributes:
        evidence: The pieces of evidence that they find.
    """

    evidence: Callable[[], Evidence]

    @property
    def recalled(self) -> RetrievedOnce:
        evidence = self.evidence()
        return RetrievedOnce(evidence.counts_from(self.least), evidence, self.least, self.condensed)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """The documents of lists at one position, rows x sets."""

    gains: FloatArray
    ranks: FloatArray
    numbers: FloatArray
    judged: FloatArray
    relevant: IntArray
    nonrelevant: IntArray
    readers: _Readers

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
        left = self.readers.left[: len(stops)]
        reached = left.copy()
        left *= 1.0 - stops
        return reached


@dataclass(eq=False)
class _Readers:
    """The probability that users of lists, by set, have not stopped yet."""

    shape: tuple[int, int]

    @cached_property
    def left(self) -> FloatArray:
        return np.ones(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedBySets(Retrieved):
    """Relevant documents that the lists of one topic retrieve, by many sets of judgements, rows x S.

    All documents that anybody assessed are judged in every set.

    Attributes:
        ranked: The lists.
        gains: The gain of each document in each set, D x S.
        binary: Whether gains are 1 and 0.
        condensed: Whether unjudged documents are removed before ranks are counted.
    """

    ranked: RankedJudged
    gains: FloatArray
    binary: bool
    condensed: bool

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        shape = len(self.ranked.runs), self.gains.shape[1]
        sums, numbers, taken = np.zeros(shape), np.zeros(shape), np.empty(shape)
        readers, nonrelevant = _Readers(shape), len(self.gains) - self.counts
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
            step = _Step(gains, ranks, numbers[rows], self.ranked.judged[rows, place, None], self.counts, nonrelevant, readers)
            sums[rows] += values(step) * relevant
        return sums

    def ideal_to(self, rank: float) -> FloatArray:
        ideal: FloatArray = -np.sort(-self.gains, axis=0)[: int(min(rank, len(self.gains)))]
        return ideal


@dataclass(frozen=True, slots=True, eq=False)
class RankedJudged:
    """The judged documents of one topic in the runs, best first. R runs, at most J documents.

    Runs are ordered by their number of documents, the largest first, so the runs with a j-th document come first.

    Attributes:
        runs: Index of the run in each row, R.
        counts: Number of documents in each row, R, decreasing.
        codes: Index of each document among the topic's, R x J.
        ranks: Their ranks, R x J, increasing in each row; 1 past the end of a row.
        judged: Their ranks among the judged documents of the list, R x J; 1 past the end of a row.
    """

    runs: IntArray
    counts: IntArray
    codes: IndexArray
    ranks: FloatArray
    judged: FloatArray

    @classmethod
    def of(cls, runs: int, run: IntArray, rank: IntArray, judged: IntArray, code: IntArray) -> Self:
        """Builds the documents of a number of runs.

        Args:
            runs: Number of runs.
            run: The run that retrieves a document, H.
            rank: The rank of the document, H.
            judged: Its rank among judged documents, H.
            code: The document's index, H.
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
