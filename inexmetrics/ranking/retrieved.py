"""Relevant documents that lists retrieve, best first: what document measures are sums over.

The lists of a batch are judged once; those of a topic are judged by many sets of judgements side by side, so that a step down
the lists is a few passes over arrays of runs x sets. Sums are added in order of rank in both: a set is scored with the
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
    """Some retrieved documents that are relevant, in arrays that fit each other."""

    @property
    def gains(self) -> FloatArray:
        """Their gains: of binary relevance not to be used, else their grades."""

    @property
    def ranks(self) -> FloatArray | IndexArray:
        """The ranks where they stand, from 1; in a condensed list only judged documents have ranks."""

    @property
    def numbers(self) -> FloatArray | IndexArray:
        """Which relevant document of its list each one is, from 1."""

    @property
    def precision(self) -> FloatArray:
        """Precision at the rank of each one."""

    @property
    def single_ranks(self) -> FloatArray | IndexArray | IntArray:
        """The rank of each one, which no two of a list share."""

    @property
    def judged(self) -> FloatArray | IndexArray:
        """Which judged document of its list each one is, from 1."""

    @property
    def pooled(self) -> FloatArray | IndexArray:
        """Which document of its list that stands in the pool each one is, from 1: those of a negative grade do, and were not judged."""

    @property
    def relevant(self) -> IntArray:
        """How many relevant documents their topic has, retrieved or not."""

    @property
    def nonrelevant(self) -> IntArray:
        """How many documents of their topic were judged not relevant, retrieved or not."""

    def reached(self, stops: FloatArray) -> FloatArray:
        """How likely a reader comes to each, who at each one above stops with these probabilities; to be asked once."""


Values: TypeAlias = Callable[[Hits], FloatArray]
"""What hits contribute to a sum over the relevant documents."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved(ABC):
    """Relevant documents that lists retrieve, by topic or by set.

    Attributes:
        counts: How many relevant documents there are, by topic or by set.
    """

    counts: IntArray

    @property
    def recalled(self) -> Retrieved:
        """What recall counts: the same, but where results are the units, and pieces of evidence are what they find."""
        return self

    @abstractmethod
    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        """The sum of values over the relevant documents of each list down to a rank, in order of rank: lists x topics or sets."""

    @abstractmethod
    def ideal_to(self, rank: float) -> FloatArray:
        """The gains of the best list down to a rank, decreasing: ranks x topics or sets."""


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedOnce(Retrieved):
    """Relevant documents that the lists of a batch retrieve, R x T.

    Attributes:
        matrix: All gains.
        least: The lowest gain that is relevant; 0 where all above 0 are.
        condensed: Whether results that were not judged are taken out before ranks are counted.
    """

    matrix: GainMatrix
    least: float
    condensed: bool

    @property
    def recalled(self) -> RetrievedOnce:
        return self

    @property
    def lengths(self) -> IntArray:
        """How many results each list has, R x T; of a condensed list those that were judged."""
        if not self.condensed:
            return self.matrix.lengths
        results = self.matrix.coded.judged
        down_to = np.concatenate(([0], np.cumsum(self.matrix.pool.judged.take(results.codes))))
        runs, topics = self.matrix.lengths.shape
        lengths: IntArray = np.diff(down_to[results.firsts]).reshape(topics, runs).T
        return lengths

    def hits(self, within: float = np.inf) -> RelevantHits:
        """The relevant documents among those retrieved; those below a rank may be missing."""
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
    """The documents that lists hold at one place, rows x sets."""

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
    """How likely the readers of lists, by set, have not stopped yet."""

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
        gains: What each document gains in each set, D x S.
        binary: Whether gains are 1 and 0.
        condensed: Whether documents that were not judged are taken out before ranks are counted.
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
    """Which judged documents of one topic the runs hold, best first. R runs, J documents at most.

    Runs stand by the number of documents that they hold, the most first, so that those that hold a j-th one come first.

    Attributes:
        runs: Number of the run in each row, R.
        counts: Documents that each row holds, R, decreasing.
        codes: Number of each document among the topic's, R x J.
        ranks: The ranks where they stand, R x J, increasing in each row; 1 past the end of a row.
        judged: Their ranks among the judged documents of the list, R x J; 1 past the end of a row.
    """

    runs: IntArray
    counts: IntArray
    codes: IndexArray
    ranks: FloatArray
    judged: FloatArray

    @classmethod
    def of(cls, runs: int, run: IntArray, rank: IntArray, judged: IntArray, code: IntArray) -> Self:
        """The documents of so many runs.

        Args:
            runs: How many runs there are.
            run: The run that holds a document, H.
            rank: The rank where it holds it, H.
            judged: Its rank there among judged documents, H.
            code: The document's number, H.
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
