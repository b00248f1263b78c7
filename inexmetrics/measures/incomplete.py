"""Measures for incomplete judgements: the share of judged results, and measures that do not need a judgement of every result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import ViewFamily
from inexmetrics.measures.document_measures import DocumentMeasure, OfPool, OfRelevance, PooledResults
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Hits, Retrieved
from inexmetrics.terms import word

__all__ = ["BinaryPreference", "InferredAveragePrecision", "Judged", "JudgedAt", "bpref", "infAP"]

SMOOTHING: Final = 0.00001
"""Constant that smooths the numbers of relevant and nonrelevant documents when precision is inferred."""


@word("bpref")
@dataclass(frozen=True, slots=True, repr=False)
class BinaryPreference(OfRelevance, DocumentMeasure):
    """Binary preference: how often relevant documents rank above documents judged not relevant; unjudged documents are ignored.

    A retrieved relevant document adds 1 to the sum in the formula if all documents above it are relevant or unjudged. A document with a
    negative grade is unjudged. Repeated results of a document are ignored. With a quantisation, the ranked units are results instead of
    documents, and a result is judged if it is an assessed element.

    Formula:
        bpref = (1 / R) sum_(d) (1 - min(n(d), R) / min(R, N))
        where
            R: the number of relevant documents for the topic
            d: a relevant document that is retrieved
            n(d): the number of documents judged not relevant that rank above d
            N: the number of documents judged not relevant for the topic

    Source: Buckley & Voorhees (2004); trec_eval, ``bpref``.

    Examples:
        One of two relevant documents is retrieved, below the only document judged not relevant: (1/2) (1 - 1/1) = 0. If the
        relevant document ranks above the document judged not relevant, bpref is 1/2:

        >>> from inexmetrics import bpref, from_frames, run, scores
        >>> grades = {"1": {"a": 2, "b": 1, "u": 0}}
        >>> found = run(scores(bpref), from_frames(grades, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})).table
        >>> found["mean"].item()
        0.0
        >>> found = run(scores(bpref), from_frames(grades, {"1": {"x": 3.0, "a": 2.0, "u": 1.0}})).table
        >>> found["mean"].item()
        0.5
    """

    reads_pool: ClassVar[bool] = True
    among_relevant: ClassVar[str] = "is recall"

    def scores(self, view: Retrieved) -> FloatArray:
        def terms(hits: Hits) -> FloatArray:
            """Returns the number that each retrieved relevant document adds to the sum in the formula."""
            above = np.minimum(hits.judged - hits.numbers, hits.relevant)
            return 1.0 - above / np.maximum(np.minimum(hits.relevant, hits.nonrelevant), 1)

        return share(view.summed(terms), view.counts)


@word("infAP")
@dataclass(frozen=True, slots=True, repr=False)
class InferredAveragePrecision(OfRelevance, DocumentMeasure):
    """Inferred average precision: an estimate of average precision if the judged documents are a random sample of the pool.

    A document with a negative grade is in the pool, but unjudged. A document without a grade is outside the pool. A relevant document
    at rank 1 adds 1 to the sum in the formula. Repeated results of a document are ignored. With a quantisation, the ranked units are
    results instead of documents, and a result is judged if it is an assessed element.

    Formula:
        infAP = (1 / R) sum_(r) (1 / r + ((r - 1) / r) (p / (r - 1)) ((v + c) / (v + n + 2 c)))
        where
            R: the number of relevant documents for the topic
            r: the rank of a relevant document
            p: the number of documents of the pool above rank r
            v: the number of relevant documents above rank r
            n: the number of documents judged not relevant above rank r
            c: 0.00001

    Notes:
        * The pool: As in trec_eval, a document with a negative grade counts as pooled for `infAP`, and is ignored by `bpref` and by
          ``judged_only=True``. `Judged` and `RBPresidual` count it as unjudged; otherwise the sum of `RBP` and `RBPresidual` would not
          be an upper bound. `sampled` gives negative grades to the graded documents that it does not draw.
        * Small samples: The estimate is biased. On simulated rankings of 200 documents, 15 % of them relevant, its mean was 17 % below
          average precision if a tenth of the documents was judged, and 2 % if half was judged.

    Source: Yilmaz & Aslam (2006); trec_eval, ``infAP``.

    Examples:
        One of two relevant documents is retrieved, at rank 2 below a document that is not relevant. If the constant
        c is ignored, infAP is (1/2) (1/2 + (1/2) * 1 * 0) = .25:

        >>> from inexmetrics import from_frames, infAP, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(infAP), collection).table["mean"].round(4).item()
        0.25
    """

    reads_pool: ClassVar[bool] = True
    among_relevant: ClassVar[str] = "is MAP"

    def scores(self, view: Retrieved) -> FloatArray:
        def precision(hits: Hits) -> FloatArray:
            """Returns the inferred precision at the rank of each relevant document."""
            above, relevant = hits.ranks - 1.0, hits.numbers - 1.0
            pooled = (hits.pooled - 1.0) / np.maximum(above, 1.0)
            nonrelevant = hits.judged - hits.numbers
            inferred: FloatArray = 1.0 / hits.ranks + above / hits.ranks * pooled * (
                (relevant + SMOOTHING) / (relevant + nonrelevant + 2.0 * SMOOTHING)
            )
            return inferred

        return share(view.summed(precision), view.counts)


@word("Judged")
@dataclass(frozen=True, slots=True, repr=False)
class JudgedAt(OfPool, ViewFamily[PooledResults, int]):
    """The share of judged documents, relevant or not, among the first k documents of a list; 0 for an empty list.

    If a list is shorter than k, all its documents are used. Compute this share first if runs were not pooled, because most measures treat
    unjudged documents as not relevant. A document with a negative grade is unjudged. Repeated results of a document are ignored.
    With a quantisation, the ranked units are results instead of documents, and a result is judged if it is an assessed element.

    Formula:
        Judged@k = j_k / n_k
        where
            k: the rank cutoff
            j_k: the number of judged documents among the first k
            n_k: the number of documents among the first k; it is below k if the list is shorter

    Notes:
        * Judged elements: In assessments of elements, every listed element is judged. In assessments with highlighted passages, only
          the relevant elements are known. Measures that distinguish unjudged from non-relevant elements (`bpref`, `infAP`, `Judged`,
          `RBPresidual` and ``judged_only=True``) therefore raise an error with a quantisation of passages.
        * Topics without judgements: `Judged` and `RBPresidual` are undefined for a topic that the assessor did not receive, and for a
          topic with only negative grades.

    Source: ir_measures, ``Judged``.

    Examples:
        Two of three documents were judged, and one of the two is relevant: 2/3.

        >>> from inexmetrics import Judged, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(Judged @ 10), collection).table["mean"].round(4).item()
        0.6667
    """

    among_relevant: ClassVar[str] = "is the share of relevant results"

    def scores_at(self, at: float, view: PooledResults) -> FloatArray:
        judged = view.summed((view.ranks <= at).astype(np.float64))
        return view.defined(judged / np.clip(view.lengths, 1, at))


bpref: Final = BinaryPreference()
infAP: Final = InferredAveragePrecision()
Judged: Final = JudgedAt()
