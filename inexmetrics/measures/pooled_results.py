"""The common part of measures that use whether results were judged, with any judgement."""

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
    """The results of a batch that are in the pool, in the matrix of the lists. R runs, T topics, H results."""

    matrix: GainMatrix

    @classmethod
    def of(cls, judged: JudgedRuns, quantisation: Quantisation | None) -> Self:
        """Builds it from documents, each at its first occurrence; with a quantisation, from results."""
        if quantisation is None:
            return cls(judged.documents)
        judged.check_pool()
        return cls(judged.graded(quantisation))

    @property
    def ranks(self) -> IndexArray:
        """Their ranks, from 1, H."""
        return self.matrix.coded.judged.ranks

    @property
    def lengths(self) -> IntArray:
        """The number of results in each list, judged or not, R x T."""
        return self.matrix.lengths

    def summed(self, values: FloatArray) -> FloatArray:
        """Returns sums of values of the results in each list, added in order of rank, R x T."""
        return self.matrix.by_run(summed_in_order(values, self.matrix.coded.judged.firsts))

    def defined(self, scores: FloatArray) -> FloatArray:
        """Returns the scores, with NaN (undefined) for a topic without judgements."""
        return np.where(self.matrix.pool.sizes > 0, scores, np.nan)


@dataclass(frozen=True, slots=True, repr=False)
class OfPool(OfView[PooledResults], ABC):
    """A measure, or a family of measures, of whether documents were judged; with a quantisation, results.

    Undefined: Only for a topic without judgements.
    """

    quantised: ClassVar[Quantised] = "optional"
    reads_pool: ClassVar[bool] = True

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> PooledResults:
        return PooledResults.of(judged, quantisation)
