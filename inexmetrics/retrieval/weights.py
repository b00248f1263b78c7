"""Lnu-ltu weights: of terms in units that are scored, and in queries (Singhal, Buckley & Mitra, SIGIR 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.elementary import ln

__all__ = ["Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of terms, given the units that they are weighed by: all articles, or all leaves, of a collection.

    Attributes:
        units: How many units there are, N.
        pivot: Mean number of different terms in a unit.
        slope: How much a unit's own number of different terms counts against the pivot, 0 to 1.
    """

    units: int
    pivot: float
    slope: float

    def norm(self, distinct: IntArray) -> FloatArray:
        """What weights are divided by, for numbers of different terms: (1 - slope) pivot + slope T."""
        return np.asarray((1 - self.slope) * self.pivot + self.slope * distinct, dtype=np.float64)

    def lnu(self, tf: IntArray | IndexArray, words: IntArray, distinct: IntArray) -> FloatArray:
        """The weights of terms in units: ((1 + ln tf)/(1 + ln avg)) / ((1 - slope) pivot + slope T), avg = words/T.

        A term stands tf >= 1 times in its unit, which has so many words, T of them distinct.

        Examples:
            >>> weights = Weights(units=4, pivot=10.0, slope=0.2)
            >>> weights.lnu(np.array([1]), np.array([20]), np.array([20])).tolist()
            [0.08333333333333333]
        """
        return (1 + _ln_of_counts(tf)) / (1 + ln(words / distinct)) / self.norm(distinct)

    def ltu(self, tf: IntArray, holding: IntArray) -> FloatArray:
        """The weights of the terms of one query: (1 + ln tf) ln(N/n) / ((1 - slope) pivot + slope T).

        Each of its different terms stands tf times in the query, and in n units (`holding`).
        """
        return (1 + _ln_of_counts(tf)) * ln(self.units / holding) / self.norm(np.array(len(tf)))


def _ln_of_counts(counts: IntArray | IndexArray) -> FloatArray:
    """The logarithms of numbers from 1, few of which differ."""
    return ln(np.arange(1, int(counts.max(initial=1)) + 1))[counts - 1]
