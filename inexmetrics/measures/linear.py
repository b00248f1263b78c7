"""Measures that are linear in gains: weighted sums of the gains of documents, with weights that depend only on ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.measures.base import Cut, Measure, Scorer
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import summed_in_order
from inexmetrics.ranking.recall_base import Gains
from inexmetrics.terms.lexicon import lexicon

__all__ = ["Linear", "LinearScore", "which_are_linear"]


class Linear(ABC):
    """A measure, or a family of measures, that is a weighted sum of the gains of documents; the weights depend only on ranks.

    With ``judged_only=True`` and with ``unit="results"``, the measure is not linear, because ranks then depend on the judgements.
    """

    __slots__ = ()

    whole: ClassVar[bool] = True
    """Whether the measure is also linear without a rank cutoff."""

    @abstractmethod
    def gains_of(self, grades: FloatArray) -> FloatArray:
        """Returns the gain of each grade; grades are at least 0."""

    def discount(self, gains: FloatArray, ranks: FloatArray | IndexArray | IntArray) -> FloatArray:
        """Returns the gains, discounted by their ranks."""
        return gains

    def scale(self, sums: FloatArray, at: float) -> FloatArray:
        """Returns the score for each sum of discounted gains up to the rank cutoff `at`."""
        return sums

    def best(self, ideal: FloatArray) -> FloatArray | None:
        """Returns the normaliser of each topic: the score of the ideal list, whose gains have the shape (ranks, topics); None for none."""
        return None


def which_are_linear() -> str:
    """Returns the sentence that names the measures that are linear in gains, for hints.

    Examples:
        >>> sentence = which_are_linear()
        >>> "nDCG@k" in sentence, "RBP" in sentence, "MAP" in sentence
        (True, True, False)
    """
    *others, last = [
        entry.word if isinstance(entry.value, Measure) and sort.whole else f"{entry.word}@k"
        for entry in lexicon.of(Scorer)
        if issubclass(sort := entry.sort, Linear)
    ]
    return f"{', '.join(others)} and {last} are linear in gains"


@dataclass(frozen=True, slots=True)
class LinearScore:
    """A measure as a weighted sum of gains: s = sum over the retrieved documents of w(rank) g.

    Attributes:
        measure: The measure.
        within: The rank cutoff; infinity for whole lists.
    """

    measure: Measure
    within: float

    @classmethod
    def of(cls, measure: object) -> LinearScore | None:
        """Returns a measure as a weighted sum; None for everything else, such as measures that are not linear in gains.

        Examples:
            >>> from inexmetrics import MAP, P, RBP, nDCG
            >>> [LinearScore.of(measure) is not None for measure in (P @ 10, RBP, nDCG @ 10, nDCG, MAP)]
            [True, True, True, False, False]
        """
        if not isinstance(measure, Measure) or measure.ranks_results or measure.reads_pool or not isinstance(measure.uncut, Linear):
            return None
        if isinstance(measure, Cut):
            return cls(measure, measure.at)
        return cls(measure, np.inf) if measure.uncut.whole else None

    @property
    def _term(self) -> Linear:
        term = self.measure.uncut
        assert isinstance(term, Linear)  # holds for every object that `of` returns
        return term

    @property
    def text(self) -> str:
        """The measure, as written in a formula."""
        return str(self.measure)

    @property
    def normalised(self) -> bool:
        """Whether the sum is divided by the score of the ideal list."""
        return self._term.best(np.ones((1, 1))) is not None

    def gains_of(self, grades: FloatArray) -> FloatArray:
        """Returns the gain of each grade; a negative grade is not a judgement and has gain 0."""
        return self._term.gains_of(np.maximum(grades, 0.0))

    def weights(self, ranks: FloatArray | IndexArray | IntArray) -> FloatArray:
        """Returns the weight of a document at each rank, before a division by the score of the ideal list.

        Examples:
            >>> from inexmetrics import P
            >>> score = LinearScore.of(P @ 2)
            >>> score.weights(np.array([1, 2, 3])).tolist()
            [0.5, 0.5, 0.0]
        """
        weights = self._term.scale(self._term.discount(np.ones(len(ranks)), ranks), self.within)
        return np.where(ranks <= self.within, weights, 0.0)

    def of_values(self, judged: JudgedRuns, values: FloatArray, expected: FloatArray) -> FloatArray:
        """Returns the scores of judged runs from values that stand for gains, shape (runs, topics); NaN for topics without documents.

        If the values are the gains, the scores equal those of the measure to the last bit.

        Args:
            judged: Judged runs; every document with a value is judged.
            values: The value of each judged document, which may be below 0 or above 1.
            expected: The values from which ideal lists are made.
        """
        matrix, index = judged.documents, judged.assessed.documents
        results = matrix.coded.judged
        discounted = self._term.discount(values.take(results.codes), results.ranks)
        discounted = np.where(results.ranks <= self.within, discounted, 0.0)
        sums = matrix.by_run(summed_in_order(discounted, results.firsts))
        scores = self._term.scale(sums, self.within)
        ideal, _ = Gains.of(expected, index, len(judged.assessed.topics)).part(judged.topic_span)
        best = self._term.best(ideal.gains[:, : int(min(self.within, ideal.gains.shape[1]))].T)
        if best is not None:
            # A topic in which nothing is expected to be relevant scores 0: it is not excluded because a sample found nothing.
            scores = np.divide(scores, best, out=np.zeros_like(scores), where=best > 0.0)
        return np.where(matrix.pool.sizes > 0, scores, np.nan)
