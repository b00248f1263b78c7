"""Base classes of document measures, and of measures that depend on whether results were judged."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.measures.base import Cut, Measure, OfView, Quantised, ViewFamily, ViewMeasure
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import GainMatrix, JudgedRuns
from inexmetrics.ranking.gains import summed_in_order
from inexmetrics.ranking.retrieved import RankedJudged, Retrieved, RetrievedBySets, RetrievedOnce, RetrievedResults
from inexmetrics.terms import Bool, Choice, Number, parameter

__all__ = [
    "UNIT",
    "CondensedParameters",
    "DocumentFamily",
    "DocumentMeasure",
    "DocumentScore",
    "OfDocuments",
    "OfGrades",
    "OfPool",
    "OfRelevance",
    "OfRelevantRanks",
    "OfUnits",
    "PooledResults",
    "RelevanceParameters",
    "RelevantRanksParameters",
    "UnitParameters",
    "WholeOrCut",
    "defined",
    "found_by",
    "scored_by_sets",
]


UNIT: Final = Choice(("documents", "results"))


class RelevanceParameters(TypedDict, total=False):
    """Parameter of measures that treat each document as either relevant or not relevant."""

    rel: float


class CondensedParameters(TypedDict, total=False):
    """Parameter that removes unjudged results from lists before a measure is computed."""

    judged_only: bool


class RelevantRanksParameters(RelevanceParameters, CondensedParameters, total=False):
    """Parameters shared by all measures that depend on the ranks of relevant documents."""


class UnitParameters(RelevantRanksParameters, total=False):
    """Parameter that selects the ranked units: documents or results."""

    unit: Literal["documents", "results"]


class OfDocuments(OfView[Retrieved], ABC):
    """A measure, or a family of measures, of ranked documents.

    With a quantisation, the ranked units are results instead of documents, and the gains of results are used as their grades.

    Undefined: For a topic without relevant documents.
    """

    __slots__ = ()

    quantised: ClassVar[Quantised] = "optional"

    @property
    def rel(self) -> float:
        """Lowest relevant grade; 0 if grades are gains, because every gain above 0 is relevant."""
        return 0.0

    @property
    def judged_only(self) -> bool:
        """Whether unjudged results are removed before ranks are counted."""
        return False

    @property
    def reads_pool(self) -> bool:
        return self.judged_only

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> RetrievedOnce:
        if quantisation is None and self.ranks_results:
            results = judged.evidence
            return RetrievedResults(results.counts_from(self.rel), results, self.rel, self.judged_only, lambda: judged.pieces)
        if quantisation is None:
            units, least = judged.documents, self.rel
        else:
            if self.reads_pool:
                judged.check_pool()
            units, least = judged.graded(quantisation), 0.0
        return RetrievedOnce(units.counts_from(least), units, least, self.judged_only)


class DocumentMeasure(OfDocuments, ViewMeasure[Retrieved], ABC):
    """A measure that is computed from the relevant documents in each list."""

    __slots__ = ()


class DocumentFamily(OfDocuments, ViewFamily[Retrieved, int], ABC):
    """Measures of the relevant documents in a list up to a rank cutoff."""

    __slots__ = ()


class WholeOrCut(DocumentMeasure, DocumentFamily, ABC):
    """A document measure of whole lists that also accepts a rank cutoff, as in ``MAP`` and ``MAP@100``."""

    __slots__ = ()

    def scores(self, view: Retrieved) -> FloatArray:
        return self.scores_at(np.inf, view)


@dataclass(frozen=True, slots=True, repr=False)
class OfRelevance(OfDocuments, ABC):
    """A document measure, or family of document measures, of binary relevance.

    Args:
        rel: Lowest grade of relevant documents. With a quantisation, `rel` is ignored, and every result with a gain above 0 is relevant.
    """

    rel: float = parameter(1.0, Number(above=0.0))

    def __call__(self, **changes: Unpack[RelevanceParameters]) -> Self:
        return self._changed(changes)


@dataclass(frozen=True, slots=True, repr=False)
class OfRelevantRanks(OfRelevance, ABC):
    """Measures that depend on the ranks of relevant documents.

    Args:
        judged_only: Whether to condense lists: unjudged results are removed before ranks are counted (trec_eval -J).
            A document with a negative grade is treated as unjudged.
    """

    judged_only: bool = parameter(False, Bool())

    def __call__(self, **changes: Unpack[RelevantRanksParameters]) -> Self:
        return self._changed(changes)


@dataclass(frozen=True, slots=True, repr=False)
class OfUnits(OfRelevantRanks, ABC):
    """Measures whose ranked units are documents or results (chunks, passages, elements).

    Args:
        unit: The ranked unit. ``"documents"``: documents are ranked, and repeated results of a document are ignored. ``"results"``: all
            retrieved results are ranked, and a result is relevant if it contains at least one highlighted character. If whole documents
            were judged, a result is relevant if its document is relevant. The recall base then contains the topic's pieces of evidence: the
            highlighted passages, or the relevant documents if whole documents were judged. A piece of evidence is found by the first result
            that contains a part of it. With a quantisation, `unit` is ignored, because the ranked units are always results.
    """

    unit: str = parameter("documents", UNIT)

    def __call__(self, **changes: Unpack[UnitParameters]) -> Self:
        return self._changed(changes)

    @property
    def ranks_results(self) -> bool:
        return self.unit == "results"


@dataclass(frozen=True, slots=True, repr=False)
class OfGrades(OfDocuments, ABC):
    """A document measure that uses grades as gains, or a family of such measures.

    Args:
        judged_only: Whether to condense lists: unjudged results are removed before ranks are counted (trec_eval -J).
            A document with a negative grade is treated as unjudged.

    Undefined: For a topic without grades above 0.
    """

    judged_only: bool = parameter(False, Bool())

    def __call__(self, **changes: Unpack[CondensedParameters]) -> Self:
        return self._changed(changes)


def found_by(rank: float, retrieved: Retrieved) -> FloatArray:
    """Returns the number of relevant documents up to a given rank in each list."""
    return retrieved.summed(lambda hits: np.ones(hits.ranks.shape), rank)


def defined(scores: FloatArray, retrieved: Retrieved, at_least: int = 1) -> FloatArray:
    """Returns the scores, with NaN (undefined) for topics with fewer than `at_least` relevant documents."""
    return np.where(retrieved.counts >= at_least, scores, np.nan)


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """A function that computes a document measure from retrieved documents, under any judgements.

    Attributes:
        least: Lowest relevant grade; 0 if grades are gains.
        condensed: Whether unjudged documents are removed before ranks are counted.
        score: Function that computes scores from retrieved documents.
    """

    least: float
    condensed: bool
    score: Callable[[Retrieved], FloatArray]

    @classmethod
    def of(cls, measure: Measure) -> DocumentScore | None:
        """Returns the function of a document measure; None for other measures, and for measures with ``unit="results"``."""
        if measure.ranks_results:
            return None
        match measure:
            case Cut(family=DocumentFamily() as family, at=at):
                return cls(family.rel, family.judged_only, partial(family.scores_at, at))
            case DocumentMeasure():
                return cls(measure.rel, measure.judged_only, measure.scores)
            case _:
                return None


def scored_by_sets(measure: DocumentScore, ranked: RankedJudged, gains: FloatArray) -> FloatArray:
    """Returns the score of each run under each set of judgements, shape (R, S); NaN for sets under which it is undefined.

    `ranked` contains the topic's retrieved documents. `gains` contains their gains under each set, shape (D, S); gains are 1 or 0 for
    measures of binary relevance.
    """
    counts = np.count_nonzero(gains, axis=0)
    scores = measure.score(RetrievedBySets(counts, ranked, gains, measure.least > 0.0, measure.condensed))
    by_run = np.empty_like(scores)
    by_run[ranked.runs] = scores
    return by_run


@dataclass(frozen=True, slots=True, eq=False)
class PooledResults:
    """Results with a grade, and the gains of all results, judged or not. R runs, T topics, H results with a grade.

    Results with a negative grade are not judged.
    """

    matrix: GainMatrix

    @property
    def ranks(self) -> IndexArray:
        """Ranks of the results with a grade, counted from 1, shape (H,)."""
        return self.matrix.coded.judged.ranks

    @property
    def lengths(self) -> IntArray:
        """Number of results in each list, judged or not, shape (R, T)."""
        return self.matrix.lengths

    def summed(self, values: FloatArray) -> FloatArray:
        """Returns, for each list, the sum of values over its judged results, added in rank order, shape (R, T).

        `values` has one entry for each result with a grade, shape (H,).
        """
        graded = self.matrix.coded.judged
        return self.matrix.by_run(summed_in_order(np.where(self.matrix.pool.judged.take(graded.codes), values, 0.0), graded.firsts))

    def defined(self, scores: FloatArray) -> FloatArray:
        """Returns the scores, with NaN (undefined) for a topic without judgements."""
        return np.where(self.matrix.pool.counts > 0, scores, np.nan)


class OfPool(OfView[PooledResults], ABC):
    """A measure, or a family of measures, whose scores depend on whether each document was judged.

    With a quantisation, the scores depend on whether each result was judged.

    Undefined: Only for a topic without judgements.
    """

    __slots__ = ()

    quantised: ClassVar[Quantised] = "optional"
    reads_pool: ClassVar[bool] = True
    of_coverage: ClassVar[bool] = True

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> PooledResults:
        if quantisation is None:
            return PooledResults(judged.documents)
        judged.check_pool()
        return PooledResults(judged.graded(quantisation))
