"""Flex: the terms of an element are the sum of the terms of its leaves, from the bottom up (Cherukuri 2010, section 3.3).

They have Lnu-ltu weights: Lnu in scored units, ltu in queries (Singhal, Buckley & Mitra, SIGIR 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.elementary import ln
from inexmetrics.retrieval.index import Index, sparse

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

__all__ = ["Query", "Scorer", "Units", "Weights", "leaves_in", "numbers_in"]

BATCH: Final = 1 << 23
"""Entries of leaves that are summed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The scored units: articles, elements or leaves. U units.

    Attributes:
        firsts: The first leaf of each unit, U.
        lasts: The first leaf after each unit, U.
        distinct: Number of different terms in each unit, U.
        words: Number of terms in each unit with repetitions, U.
    """

    firsts: IntArray
    lasts: IntArray
    distinct: IntArray
    words: IntArray

    @staticmethod
    def of(index: Index, ranges: pl.DataFrame, wanted: IntArray | None = None) -> Units:
        """Returns the units that are ranges of leaves, from `first` to before `last`.

        Terms are counted only for the rows in `wanted`, for all rows if None; other rows have 0.
        """
        firsts, lasts = (ranges[side].to_numpy() for side in ("first", "last"))
        rows = np.arange(len(firsts)) if wanted is None else wanted
        distinct, words = np.zeros(len(firsts), dtype=np.int64), np.zeros(len(firsts), dtype=np.int64)
        words_before = np.append(0, np.cumsum(index.leaves.sum(axis=1, dtype=np.int64)))
        words[rows] = words_before[lasts[rows]] - words_before[firsts[rows]]
        # the rows in parts, with little more than `BATCH` entries of leaves each
        entries = index.leaves.indptr.astype(np.int64)
        batch = np.cumsum(entries[lasts[rows]] - entries[firsts[rows]]) // BATCH
        for part in np.split(rows, np.flatnonzero(np.diff(batch)) + 1):
            vectors = leaves_in(firsts[part], lasts[part], index.leaves.shape[0]) @ index.leaves
            distinct[part] = np.diff(vectors.indptr)
        return Units(firsts, lasts, distinct, words)


def leaves_in(firsts: IntArray, lasts: IntArray, leaves: int) -> csr_array[np.int32]:
    """Returns the leaves of each unit, U x L: multiplied by the terms of the leaves, it gives the terms of the units.

    Examples:
        >>> leaves_in(np.array([0, 1]), np.array([3, 2]), 3).toarray().tolist()
        [[1, 1, 1], [0, 1, 0]]
    """
    columns = numbers_in(firsts, lasts)
    return sparse(np.ones(len(columns), dtype=np.int32), columns, np.append(0, np.cumsum(lasts - firsts)), leaves)


def numbers_in(firsts: IntArray, lasts: IntArray) -> IntArray:
    """Returns the integers from each first to before each last, one range after the other.

    Examples:
        >>> numbers_in(np.array([4, 0]), np.array([6, 3])).tolist()
        [4, 5, 0, 1, 2]
    """
    sizes = lasts - firsts
    numbers: IntArray = np.arange(sizes.sum()) + np.repeat(firsts - np.cumsum(sizes) + sizes, sizes)
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The different terms of a topic, by increasing index among those of all topics, and their frequency in the query."""

    terms: IntArray
    tf: IntArray

    @staticmethod
    def of(counts: Mapping[str, int], numbers: Mapping[str, int]) -> Query:
        """Builds the query from its counted terms, given the index of each term."""
        terms = sorted(counts)
        return Query(np.array([numbers[term] for term in terms]), np.array([counts[term] for term in terms]))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of terms, given the units for their statistics: all articles, or all leaves, of a collection.

    Attributes:
        units: Number of units, N.
        pivot: Mean number of different terms in a unit.
        slope: Slope of pivoted length normalisation, 0 to 1.
    """

    units: int
    pivot: float
    slope: float

    def norm(self, distinct: IntArray) -> FloatArray:
        """Returns the normalisation for numbers of different terms: (1 - slope) pivot + slope T."""
        return np.asarray((1 - self.slope) * self.pivot + self.slope * distinct, dtype=np.float64)

    def lnu(self, tf: IntArray | IndexArray, words: IntArray, distinct: IntArray) -> FloatArray:
        """Returns the weights of terms in units: ((1 + ln tf)/(1 + ln avg)) / ((1 - slope) pivot + slope T), avg = words/T.

        A term occurs tf >= 1 times in its unit, which has `words` words, T of which are distinct.

        Examples:
            >>> weights = Weights(units=4, pivot=10.0, slope=0.2)
            >>> weights.lnu(np.array([1]), np.array([20]), np.array([20])).tolist()
            [0.08333333333333333]
        """
        return (1 + _ln_of_counts(tf)) / (1 + ln(words / distinct)) / self.norm(distinct)

    def ltu(self, tf: IntArray, holding: IntArray) -> FloatArray:
        """Returns the weights of the terms of one query: (1 + ln tf) ln(N/n) / ((1 - slope) pivot + slope T).

        Each of its different terms occurs tf times in the query, and in n units (`holding`).
        """
        return (1 + _ln_of_counts(tf)) * ln(self.units / holding) / self.norm(np.array(len(tf)))


def _ln_of_counts(counts: IntArray | IndexArray) -> FloatArray:
    """Returns the logarithms of positive integers with few different values."""
    return ln(np.arange(1, int(counts.max(initial=1)) + 1))[counts - 1]


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Scores units for queries. L leaves, Q terms of all queries.

    Attributes:
        units: The scored units.
        leaves: The frequency of each term in each leaf, L x Q.
        holding: The number of units that contain each term, among the units of the weights, Q.
        weights: The weights of terms.
    """

    units: Units
    leaves: csc_array[np.int32]
    holding: IntArray
    weights: Weights

    def scores(self, rows: IntArray, query: Query) -> FloatArray:
        """Returns the scores of some units: the sum of Lnu ltu over the terms shared with the query."""
        units = self.units
        tf = leaves_in(units.firsts[rows], units.lasts[rows], self.leaves.shape[0]) @ self.leaves[:, query.terms].tocsr()
        tf.sort_indices()  # the terms are then summed in lexicographic order
        unit = np.repeat(np.arange(len(rows)), np.diff(tf.indptr))
        lnu = self.weights.lnu(tf.data, units.words[rows[unit]], units.distinct[rows[unit]])
        ltu = self.weights.ltu(query.tf, self.holding[query.terms])
        return np.bincount(unit, weights=lnu * ltu[tf.indices], minlength=len(rows)).astype(np.float64, copy=False)
