"""Base class of measures that depend on whether results were judged."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.measures.base import OfView, Quantised
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import GainMatrix, JudgedRuns
from inexmetrics.ranking.gains import summed_in_order

__all__ = ["OfPool", "PooledResults"]


@dataclass(frozen=True, slots=True, eq=False)
class PooledResults:
    """The judged results of a batch, which are in the pool, with the matrix of all results. R runs, T topics, H judged results."""

    matrix: GainMatrix

    @classmethod
    def of(cls, judged: JudgedRuns, quantisation: Quantisation | None) -> Self:
        """Returns the judged documents, each at its first occurrence; with a quantisation, the judged results."""
        if quantisation is None:
            return cls(judged.documents)
        judged.check_pool()
        return cls(judged.graded(quantisation))

    @property
    def ranks(self) -> IndexArray:
        """The ranks of the judged results, from 1, shape (H,)."""
        return self.matrix.coded.judged.ranks

    @property
    def lengths(self) -> IntArray:
        """The number of results in each list, judged or not, shape (R, T)."""
        return self.matrix.lengths

    def summed(self, values: FloatArray) -> FloatArray:
        """Returns the sum of values over the judged results in each list, added in rank order, shape (R, T)."""
        return self.matrix.by_run(summed_in_order(values, self.matrix.coded.judged.firsts))

    def defined(self, scores: FloatArray) -> FloatArray:
        """Returns the scores, with NaN (undefined) for a topic without judgements."""
        return np.where(self.matrix.pool.sizes > 0, scores, np.nan)


@dataclass(frozen=True, slots=True, repr=False)
class OfPool(OfView[PooledResults], ABC):
    """A measure, or a family of measures, that depends on which documents were judged; with a quantisation, on which results were judged.

    Undefined: Only for a topic without judgements.
    """

    quantised: ClassVar[Quantised] = "optional"
    reads_pool: ClassVar[bool] = True

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> PooledResults:
        return PooledResults.of(judged, quantisation)
