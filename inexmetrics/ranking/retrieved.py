"""Relevant documents that lists retrieve, best first: what document measures are sums over.

The lists of a batch are judged once; those of a topic are judged by many sets of judgements side by side, so that a step down
the lists is a few passes over arrays of runs x sets. Sums are added in order of rank in both: a set is scored with the
same bits as if it had been read from a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.ranking.gains import GainMatrix, RelevantHits

__all__ = ["Hits", "RankedJudged", "Retrieved", "RetrievedBySets", "RetrievedOnce", "Values"]


class Hits(Protocol):
    """Some retrieved documents, in arrays that fit each other."""

    @property
    def gains(self) -> FloatArray:
        """Their gains: of binary relevance not to be used, else their grades."""

    @property
    def ranks(self) -> FloatArray | IndexArray:
        """The ranks where they stand, from 1."""

    @property
    def numbers(self) -> FloatArray | IndexArray:
        """Which relevant document of its list each one is, from 1."""


Values: TypeAlias = Callable[[Hits], FloatArray]
"""What hits contribute to a sum over the relevant documents."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved(ABC):
    """Relevant documents that lists retrieve, by topic or by set.

    Attributes:
        counts: How many relevant documents there are, by topic or by set.
    """

    counts: IntArray

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
        hits: The relevant documents among those retrieved.
    """

    matrix: GainMatrix
    hits: RelevantHits

    @classmethod
    def of(cls, matrix: GainMatrix, least: float) -> Self:
        """Those of at least this gain, and more than none."""
        if least == 0.0:
            return cls(matrix.counts, matrix, matrix.hits)
        return cls(np.count_nonzero(matrix.ideal >= least, axis=1), matrix, matrix.hits_from(least))

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        found = values(self.hits)
        if within < np.inf:
            found = np.where(self.hits.ranks <= within, found, 0.0)
        return self.matrix.by_run(self.hits.summed(found))

    def ideal_to(self, rank: float) -> FloatArray:
        return self.matrix.ideal[:, : int(min(rank, self.matrix.ideal.shape[1]))].T


@dataclass(slots=True, eq=False)
class _Step:
    """The documents that lists hold at one place, rows x sets."""

    gains: FloatArray
    ranks: FloatArray
    numbers: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedBySets(Retrieved):
    """Relevant documents that the lists of one topic retrieve, by many sets of judgements, rows x S.

    Attributes:
        ranked: The lists.
        gains: What each document gains in each set, D x S.
        binary: Whether gains are 1 and 0.
    """

    ranked: RankedJudged
    gains: FloatArray
    binary: bool

    def summed(self, values: Values, within: float = np.inf) -> FloatArray:
        shape = len(self.ranked.runs), self.gains.shape[1]
        sums, numbers, taken = np.zeros(shape), np.zeros(shape), np.empty(shape)
        places = np.arange(self.ranked.codes.shape[1])
        for place, holders in zip(places.tolist(), np.searchsorted(-self.ranked.counts, -places).tolist(), strict=True):
            rows = slice(holders)
            ranks = self.ranked.ranks[rows, place, None]
            gains = self.gains.take(self.ranked.codes[rows, place], axis=0, out=taken[rows], mode="clip")
            if within < np.inf:
                beyond = ranks[:, 0] > within
                if beyond.all():
                    break
                gains[beyond] = 0.0
            relevant = gains if self.binary else gains > 0.0
            numbers[rows] += relevant
            sums[rows] += values(_Step(gains, ranks, numbers[rows])) * relevant
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
    """

    runs: IntArray
    counts: IntArray
    codes: IndexArray
    ranks: FloatArray

    @classmethod
    def of(cls, runs: int, run: IntArray, rank: IntArray, code: IntArray) -> Self:
        """The documents of so many runs.

        Args:
            runs: How many runs there are.
            run: The run that holds a document, H.
            rank: The rank where it holds it, H.
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
        ranks = np.ones(codes.shape)
        codes[places], ranks[places] = code[order], rank[order]
        return cls(rows, counts[rows], codes, ranks)
