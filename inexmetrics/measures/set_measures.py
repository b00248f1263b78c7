"""The F score at a rank, and precision, recall and F score of whole lists, independent of the order of results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Measure
from inexmetrics.measures.document_measures import DocumentFamily, OfUnits, UnitParameters, defined, found_by
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Retrieved, RetrievedOnce
from inexmetrics.terms import Number, parameter, word

__all__ = ["F", "FAt", "FParameters", "OfSets", "SetF", "SetFScore", "SetP", "SetPrecision", "SetR", "SetRecall"]

BETA: Final = Number(at_least=0.0, at_most=1e6)


class FParameters(UnitParameters, total=False):
    """The parameters of the F scores `F` and `SetF`."""

    beta: float


@word("F")
@dataclass(frozen=True, slots=True, repr=False)
class FAt(OfUnits, DocumentFamily):
    """F score at a rank: the weighted harmonic mean of precision and recall at the same rank; 0 if nothing relevant is found.

    Repeated results of a document are ignored. With ``unit="results"``, the ranked units are results instead of documents, and recall is
    the share of the pieces of evidence that are found. With a quantisation, the ranked units are always results, and a result is relevant
    if its gain is above 0.

    Formula:
        F@k = ((1 + beta^2) p r) / (beta^2 p + r)
        where
            k: the rank cutoff
            p: precision at rank k, as defined by `P`
            r: recall at rank k, as defined by `R`

    Args:
        beta: Weight of recall. If beta is 1, precision and recall have equal weight; if beta is below 1, precision has more weight.

    Source: van Rijsbergen (1979).

    Examples:
        One of the first two results is relevant, and two documents are relevant in all: P@2 = R@2 = 1/2:

        >>> from inexmetrics import F, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(F @ 2), collection).table["mean"].item()
        0.5
        >>> F(beta=0.5) @ 10
        F(beta=0.5)@10
    """

    beta: float = parameter(1.0, BETA)

    def __call__(self, **changes: Unpack[FParameters]) -> Self:
        return self._changed(changes)

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        found = view.recalled
        return _f(found_by(at, view) / at, share(found_by(at, found), found.counts), self.beta)


class OfSets(OfUnits, Measure, ABC):
    """A measure of the set of all results in a list, independent of their order."""

    __slots__ = ()

    @abstractmethod
    def scores(self, view: RetrievedOnce) -> FloatArray:
        """Returns the scores of runs, shape (runs, topics); NaN for topics for which the measure is undefined."""

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.scores(self.view(judged, quantisation))


@word("SetP")
@dataclass(frozen=True, slots=True, repr=False)
class SetPrecision(OfSets):
    """Precision of the whole list: the number of relevant documents in the list, divided by the number of documents; 0 for an empty list.

    The measure is suitable for systems that decide how many results they return. In contrast, `P` at a rank penalises short lists. Repeated
    results of a document are ignored. With ``unit="results"`` or with a quantisation, results are counted instead of documents. With a
    quantisation, a result is relevant if its gain is above 0.

    Formula:
        SetP = n / L
        where
            n: the number of relevant units in the list
            L: the number of units in the list

    Source: trec_eval, ``set_P``; ir_measures, ``SetP``.

    Examples:
        One of three documents is relevant:

        >>> from inexmetrics import SetP, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(SetP), collection).table["mean"].round(4).item()
        0.3333
    """

    def scores(self, view: RetrievedOnce) -> FloatArray:
        return _precision(view)


@word("SetR")
@dataclass(frozen=True, slots=True, repr=False)
class SetRecall(OfSets):
    """Recall of the whole list: the number of relevant documents retrieved, divided by the number of relevant documents for the topic.

    Repeated results of a document are ignored. With ``unit="results"``, recall is the share of the topic's pieces of evidence that the list
    shows. With a quantisation, results are counted instead of documents, and a result is relevant if its gain is above 0.

    Formula:
        SetR = n / N
        where
            n: the number of relevant documents in the list
            N: the number of relevant documents for the topic

    Source: trec_eval, ``set_recall``; ir_measures, ``SetR``.

    Examples:
        One of two relevant documents is retrieved:

        >>> from inexmetrics import SetR, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(SetR), collection).table["mean"].item()
        0.5
    """

    def scores(self, view: RetrievedOnce) -> FloatArray:
        return _recall(view)


@word("SetF")
@dataclass(frozen=True, slots=True, repr=False)
class SetFScore(OfSets):
    """F score of the whole list: the weighted harmonic mean of `SetP` and `SetR`; 0 if nothing relevant is retrieved.

    Formula:
        SetF = ((1 + beta^2) SetP SetR) / (beta^2 SetP + SetR)

    Args:
        beta: Weight of recall. If beta is 1, precision and recall have equal weight; if beta is below 1, precision has more weight.
            trec_eval and ir_measures use beta for the ``beta^2`` of this formula: their ``SetF(beta=4)`` is ``SetF(beta=2)`` in this
            package.

    Source: van Rijsbergen (1979); trec_eval, ``set_F``; ir_measures, ``SetF``.

    Examples:
        Precision is 1/3 and recall 1/2: (2/6) / (5/6) = 2/5:

        >>> from inexmetrics import SetF, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(SetF), collection).table["mean"].round(4).item()
        0.4
        >>> SetF(beta=2)
        SetF(beta=2)
    """

    beta: float = parameter(1.0, BETA)

    def __call__(self, **changes: Unpack[FParameters]) -> Self:
        return self._changed(changes)

    def scores(self, view: RetrievedOnce) -> FloatArray:
        return _f(_precision(view), _recall(view), self.beta)


def _precision(view: RetrievedOnce) -> FloatArray:
    return defined(found_by(np.inf, view) / np.maximum(view.lengths, 1), view)


def _recall(view: RetrievedOnce) -> FloatArray:
    found = view.recalled
    return share(found_by(np.inf, found), found.counts)


def _f(precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    """Returns the F score of precision and recall; 0 if precision and recall are both 0, and NaN if recall is NaN."""
    weight = beta * beta
    below = weight * precision + recall
    scores = np.divide((1.0 + weight) * precision * recall, below, out=np.zeros_like(below), where=below > 0.0)
    return np.where(np.isnan(recall), np.nan, scores)


F: Final = FAt()
SetP: Final = SetPrecision()
SetR: Final = SetRecall()
SetF: Final = SetFScore()
