"""Flex, which scores an element by the term frequencies summed over its leaves (Cherukuri 2010, section 3.3).

Terms in scored units have Lnu weights, and terms in queries have ltu weights (Singhal, Buckley & Mitra, SIGIR 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray, in_ranges
from inexmetrics.common.elementary import ln
from inexmetrics.retrieval.index import Index, sparse

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

__all__ = ["Query", "Scorer", "Units", "Weights", "leaves_in"]

BATCH: Final = 1 << 23
"""Number of term-frequency entries of leaves that are summed in one batch."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The scored units, which are articles, elements or leaves. U is the number of units.

    Attributes:
        firsts: Index of the first leaf of each unit, shape (U,).
        lasts: Index of the first leaf after each unit, shape (U,).
        distinct: Number of different terms in each unit, shape (U,).
        words: Number of terms in each unit, counted with repetitions, shape (U,).
    """

    firsts: IntArray
    lasts: IntArray
    distinct: IntArray
    words: IntArray

    @staticmethod
    def of(index: Index, ranges: pl.DataFrame, wanted: IntArray | None = None) -> Units:
        """Builds one unit from each range of leaves; a range contains the leaves from `first` to `last` - 1.

        Counts terms only for the rows in `wanted`, or for all rows if `wanted` is None; the counts of other rows are 0.
        """
        firsts, lasts = (ranges[side].to_numpy() for side in ("first", "last"))
        rows = np.arange(len(firsts)) if wanted is None else wanted
        distinct, words = np.zeros(len(firsts), dtype=np.int64), np.zeros(len(firsts), dtype=np.int64)
        words_before = np.append(0, np.cumsum(index.leaves.sum(axis=1, dtype=np.int64)))
        words[rows] = words_before[lasts[rows]] - words_before[firsts[rows]]
        # rows are processed in batches; the leaves of each batch have about `BATCH` term-frequency entries
        entries = index.leaves.indptr.astype(np.int64)
        batch = np.cumsum(entries[lasts[rows]] - entries[firsts[rows]]) // BATCH
        for part in np.split(rows, np.flatnonzero(np.diff(batch)) + 1):
            vectors = leaves_in(firsts[part], lasts[part], index.leaves.shape[0]) @ index.leaves
            distinct[part] = np.diff(vectors.indptr)
        return Units(firsts, lasts, distinct, words)


def leaves_in(firsts: IntArray, lasts: IntArray, leaves: int) -> csr_array[np.int32]:
    """Returns the matrix, shape (U, L), that is multiplied by the leaves' term frequencies to obtain the units' term frequencies.

    Examples:
        >>> leaves_in(np.array([0, 1]), np.array([3, 2]), 3).toarray().tolist()
        [[1, 1, 1], [0, 1, 0]]
    """
    columns = in_ranges(firsts, lasts - firsts)
    return sparse(np.ones(len(columns), dtype=np.int32), columns, np.append(0, np.cumsum(lasts - firsts)), leaves)


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The different terms of a topic's query, as increasing indices into the terms of all topics, and their frequencies in the query."""

    terms: IntArray
    tf: IntArray

    @staticmethod
    def of(counts: Mapping[str, int], numbers: Mapping[str, int]) -> Query:
        """Builds the query from the frequency of each term in the query and the index of each term."""
        terms = sorted(counts)
        return Query(np.array([numbers[term] for term in terms]), np.array([counts[term] for term in terms]))


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of terms, based on statistics of all articles or of all leaves of a collection.

    Attributes:
        units: Number of units, N.
        pivot: Mean number of different terms in a unit.
        slope: Slope of pivoted length normalisation, 0 to 1.
    """

    units: int
    pivot: float
    slope: float

    def norm(self, distinct: IntArray) -> FloatArray:
        """Returns the length normalisation (1 - slope) pivot + slope T for each number T of different terms."""
        return np.asarray((1 - self.slope) * self.pivot + self.slope * distinct, dtype=np.float64)

    def lnu(self, tf: IntArray | IndexArray, words: IntArray, distinct: IntArray) -> FloatArray:
        """Returns the weights of terms in units: ((1 + ln tf)/(1 + ln avg)) / ((1 - slope) pivot + slope T), avg = words/T.

        A term occurs tf >= 1 times in a unit with `words` words and T distinct terms.

        Examples:
            >>> weights = Weights(units=4, pivot=10.0, slope=0.2)
            >>> weights.lnu(np.array([1]), np.array([20]), np.array([20])).tolist()
            [0.08333333333333333]
        """
        return (1 + _ln_of_counts(tf)) / (1 + ln(words / distinct)) / self.norm(distinct)

    def ltu(self, tf: IntArray, holding: IntArray) -> FloatArray:
        """Returns the weights of the terms of one query: (1 + ln tf) ln(N/n) / ((1 - slope) pivot + slope T).

        The query has T different terms. Each term occurs tf times in the query, and n units contain the term (`holding`).
        """
        return (1 + _ln_of_counts(tf)) * ln(self.units / holding) / self.norm(np.array(len(tf)))


def _ln_of_counts(counts: IntArray | IndexArray) -> FloatArray:
    """Returns the logarithms of positive integers, which are looked up in a table of the logarithms of 1 to the largest integer."""
    return ln(np.arange(1, int(counts.max(initial=1)) + 1))[counts - 1]


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Computes the scores of units for queries. L is the number of leaves, and Q is the number of terms in all queries.

    Attributes:
        units: The units (articles, elements or leaves) to score.
        leaves: The frequency of each term in each leaf, shape (L, Q).
        holding: Number of units that contain each term, among the units that `weights` counts, shape (Q,).
        weights: The statistics that determine the weights of terms.
    """

    units: Units
    leaves: csc_array[np.int32]
    holding: IntArray
    weights: Weights

    def scores(self, rows: IntArray, query: Query) -> FloatArray:
        """Returns the scores of the given units; a score is the sum of Lnu times ltu over the terms that the unit and the query share."""
        units = self.units
        tf = leaves_in(units.firsts[rows], units.lasts[rows], self.leaves.shape[0]) @ self.leaves[:, query.terms].tocsr()
        tf.sort_indices()  # terms are then summed in lexicographic order
        unit = np.repeat(np.arange(len(rows)), np.diff(tf.indptr))
        lnu = self.weights.lnu(tf.data, units.words[rows[unit]], units.distinct[rows[unit]])
        ltu = self.weights.ltu(query.tf, self.holding[query.terms])
        return np.bincount(unit, weights=lnu * ltu[tf.indices], minlength=len(rows)).astype(np.float64, copy=False)
