"""Document measures: as trec_eval has them, on documents or, with a quantisation, on results that bring a gain."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.measures.base import Curved, Family, Measure, Quantised
from inexmetrics.measures.recall_levels import ELEVEN, interpolated
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix, RelevantHits, share
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number
from inexmetrics.terms.term import Term, parameter

__all__ = ["MAP", "NDCG", "RR", "AveragePrecision", "P", "PrecisionAt", "R", "RecallAt", "ReciprocalRank", "RelevanceParameters", "nDCG"]


class RelevanceParameters(TypedDict, total=False):
    """The parameter of measures of binary relevance."""

    rel: float


@dataclass(frozen=True, slots=True, repr=False)
class OfDocuments(Term, ABC):
    """A measure, or a family of them, of documents; with a quantisation, of results, whose grades are their gains."""

    @property
    def quantised(self) -> Quantised:
        return "optional"

    def _graded(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        return evidence.documents() if quantisation is None else evidence.graded(quantisation)


@dataclass(frozen=True, slots=True, eq=False)
class _Relevant:
    """Relevant documents: those retrieved, in R x T lists, and how many there are.

    Attributes:
        graded: All documents.
        hits: The relevant ones among those retrieved.
        counts: The relevant ones there are, T.
    """

    graded: GainMatrix
    hits: RelevantHits
    counts: IntArray

    def summed(self, values: FloatArray) -> FloatArray:
        """The sum of the hits' values in each list, added in order of rank, R x T."""
        return self.graded.by_run(self.hits.summed(values))

    def found_by(self, rank: int) -> FloatArray:
        """Relevant documents among the first of each list, R x T."""
        return self.summed((self.hits.ranks <= rank).astype(np.float64))

    def defined(self, scores: FloatArray) -> FloatArray:
        """The scores; NaN, undefined, for topics without relevant documents."""
        return np.where(self.counts > 0, scores, np.nan)


@dataclass(frozen=True, slots=True, repr=False)
class OfRelevance(OfDocuments, ABC):
    """A document measure that only tells relevant from not relevant.

    Args:
        rel: The lowest grade that is relevant. With a quantisation every result that brings a gain is.
    """

    rel: float = parameter(1.0, Number(above=0.0))

    def __call__(self, **changes: Unpack[RelevanceParameters]) -> Self:
        return self._changed(changes)

    def _relevant(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> _Relevant:
        graded = self._graded(evidence, quantisation)
        if quantisation is not None:
            return _Relevant(graded, graded.hits, graded.counts)
        return _Relevant(graded, graded.hits_from(self.rel), np.count_nonzero(graded.ideal >= self.rel, axis=1))


@word("MAP")
@dataclass(frozen=True, slots=True, repr=False)
class AveragePrecision(OfRelevance, Curved):
    """Average precision: precision at the ranks of relevant documents, averaged over all relevant documents there are.

    AP = (1/N) * sum of P[r] over the ranks r of relevant documents; those not retrieved count 0. Its mean over topics
    is MAP. The curve is precision at recall 0, .1 .. 1, interpolated: the highest at that recall or any beyond. Units
    are documents, each at its first occurrence; with a quantisation, results, relevant where they bring a gain.
    Undefined for a topic without relevant documents.

    Args:
        rel: The lowest grade that is relevant; without effect under a quantisation.

    Source: trec_eval, ``map`` and ``iprec_at_recall``.

    Examples:
        >>> MAP(rel=2)
        MAP(rel=2)
    """

    @property
    def levels(self) -> tuple[float, ...]:
        return ELEVEN

    def evaluate(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self._relevant(evidence, quantisation)
        precision = relevant.hits.numbers / relevant.hits.ranks
        return share(relevant.summed(precision), relevant.counts)

    def curve(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self._relevant(evidence, quantisation)
        hits, numbers = relevant.hits, relevant.hits.numbers
        runs, topics, _ = relevant.graded.codes.shape
        precision = np.zeros((topics * runs, int(numbers.max(initial=0))))
        precision[hits.lists, numbers - 1] = numbers / hits.ranks
        values = interpolated(precision.reshape(topics, runs, precision.shape[1]), relevant.counts[:, None])
        values[relevant.counts == 0] = np.nan
        return values.swapaxes(0, 1)


@word("P")
@dataclass(frozen=True, slots=True, repr=False)
class PrecisionAt(OfRelevance, Family[int]):
    """Precision at a rank: relevant documents among the first k, divided by k, also where fewer were retrieved.

    Units are documents, each at its first occurrence; with a quantisation, results, relevant where they bring a gain.
    Undefined for a topic without relevant documents.

    Args:
        rel: The lowest grade that is relevant; without effect under a quantisation.

    Source: trec_eval, ``P``.

    Examples:
        >>> P @ 10
        P@10
    """

    cuts: ClassVar = Integer(at_least=1)

    def evaluate_at(self, at: float, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self._relevant(evidence, quantisation)
        return relevant.defined(relevant.found_by(int(at)) / at)


@word("R")
@dataclass(frozen=True, slots=True, repr=False)
class RecallAt(OfRelevance, Family[int]):
    """Recall at a rank: relevant documents among the first k, divided by all relevant documents there are.

    Units are documents, each at its first occurrence; with a quantisation, results, relevant where they bring a gain.
    Undefined for a topic without relevant documents.

    Args:
        rel: The lowest grade that is relevant; without effect under a quantisation.

    Source: trec_eval, ``recall``.

    Examples:
        >>> R(rel=2) @ 100
        R(rel=2)@100
    """

    cuts: ClassVar = Integer(at_least=1)

    def evaluate_at(self, at: float, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self._relevant(evidence, quantisation)
        return share(relevant.found_by(int(at)), relevant.counts)


@word("RR")
@dataclass(frozen=True, slots=True, repr=False)
class ReciprocalRank(OfRelevance, Measure):
    """Reciprocal rank: 1 divided by the rank of the first relevant document, 0 where none was retrieved.

    Units are documents, each at its first occurrence; with a quantisation, results, relevant where they bring a gain.
    Undefined for a topic without relevant documents.

    Args:
        rel: The lowest grade that is relevant; without effect under a quantisation.

    Source: trec_eval, ``recip_rank``.

    Examples:
        >>> RR
        RR
    """

    def evaluate(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self._relevant(evidence, quantisation)
        first = np.where(relevant.hits.numbers == 1, 1 / relevant.hits.ranks, 0.0)
        return relevant.defined(relevant.summed(first))


@word("nDCG")
@dataclass(frozen=True, slots=True, repr=False)
class NDCG(OfDocuments, Measure, Family[int]):
    """Normalised discounted cumulated gain, of the whole list or, cut at a rank, of its first k documents.

    nDCG@k = sum of g_i / log2(i + 1) over i = 1 .. k, divided by the same sum over all judged documents in decreasing
    order of grade. The gain g is the grade; a negative grade is 0. Units are documents, each at its first occurrence;
    with a quantisation, results, and their gains. Undefined for a topic on which nothing has a grade above 0.

    Source: trec_eval, ``ndcg`` and ``ndcg_cut``.

    Examples:
        >>> nDCG, nDCG @ 10
        (nDCG, nDCG@10)
    """

    cuts: ClassVar = Integer(at_least=1)

    def evaluate(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        graded = self._graded(evidence, quantisation)
        return self._down_to(graded, max(graded.depth, graded.ideal.shape[1]))

    def evaluate_at(self, at: float, evidence: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self._down_to(self._graded(evidence, quantisation), int(at))

    def _down_to(self, graded: GainMatrix, rank: int) -> FloatArray:
        hits = graded.hits
        summed = graded.by_run(hits.summed(np.where(hits.ranks <= rank, hits.gains / np.log2(hits.ranks + 1), 0.0)))
        discounts = np.log2(np.arange(2, min(rank, graded.ideal.shape[1]) + 2))
        ideal = np.add.accumulate(graded.ideal[:, :rank] / discounts, axis=1)
        return share(summed, ideal[:, -1] if ideal.shape[1] else np.zeros(len(ideal)))


MAP: Final = AveragePrecision()
P: Final = PrecisionAt()
R: Final = RecallAt()
RR: Final = ReciprocalRank()
nDCG: Final = NDCG()
