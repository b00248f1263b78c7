"""Document measures of binary relevance, defined as in trec_eval, for documents or, with a quantisation, for results with a gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Axes, Curved
from inexmetrics.measures.document_measures import DocumentFamily, DocumentMeasure, OfRelevantRanks, OfUnits, WholeOrCut, defined, found_by
from inexmetrics.measures.gain_measures import ELEVEN, interpolated
from inexmetrics.measures.linear import Linear
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Retrieved
from inexmetrics.terms import word

__all__ = [
    "MAP",
    "RR",
    "AveragePrecision",
    "P",
    "PrecisionAt",
    "R",
    "RPrecision",
    "RecallAt",
    "ReciprocalRank",
    "Rprec",
    "Success",
    "SuccessAt",
]


@word("MAP")
@dataclass(frozen=True, slots=True, repr=False)
class AveragePrecision(OfUnits, WholeOrCut, Curved):
    """Average precision: precision at the ranks of relevant documents, averaged over all relevant documents for the topic.

    Relevant documents that are not retrieved contribute 0. ``MAP@k`` uses only the first k results, but divides by the same N. The mean
    over topics is MAP. The curve is interpolated precision at the recall levels 0, .1, ..., 1: the highest precision at this recall or
    above.

    Repeated results of a document are ignored. With a quantisation, the ranked units are results instead of documents, and a result is
    relevant if its gain is above 0. With ``unit="results"``, N is the number of the topic's pieces of evidence. For each piece that
    the list finds, the sum contains the precision ``P(unit="results")`` at the rank of the first result that shows the piece.

    Formula:
        AP = (1 / N) sum_(r) P[r]
        where
            N: the number of relevant documents for the topic
            r: the rank of a relevant document; for ``MAP@k`` at most k
            P[r]: precision at rank r, as defined by `P`

    Notes:
        * Measures without a quantisation: A document is relevant if its grade is at least `rel`, if it has highlighted characters, or
          if one of its elements has an exhaustivity other than 0 (including "too small").

    Source: trec_eval, ``map``, ``map_cut`` and ``iprec_at_recall``.

    Examples:
        The three relevant documents are at ranks 2, 3 and 4, and (1/2 + 2/3 + 3/4) / 3 = .6389:

        >>> from inexmetrics import MAP, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(MAP), collection).table["mean"].round(4).item()
        0.6389

        The first three results contain two relevant documents: (1/2 + 2/3) / 3 = .3889:

        >>> run(scores(MAP @ 3), collection).table["mean"].round(4).item()
        0.3889
        >>> MAP(rel=2) @ 100
        MAP(rel=2)@100

        One of two passages is found, by the chunk at rank 2: (1/2) / 2:

        >>> evidence = {"topic_id": ["1", "1"], "doc_id": ["a", "b"], "start": [50, 0], "length": [10, 10]}
        >>> chunks = {"topic_id": ["1", "1"], "doc_id": ["a", "a"], "start": [0, 40], "length": [40, 40]}
        >>> run(scores(MAP(unit="results")), from_frames(evidence, chunks)).table["mean"].item()
        0.25
    """

    axes: ClassVar[Axes] = Axes("recall", "interpolated precision")
    levels: ClassVar[tuple[float, ...]] = ELEVEN

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        found = view.recalled
        return share(found.summed(lambda hits: hits.precision, at), found.counts)

    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        relevant = self.view(judged, quantisation).recalled
        hits = relevant.hits()
        numbers = hits.numbers
        runs, topics = relevant.matrix.lengths.shape
        precision = np.zeros((topics * runs, int(numbers.max(initial=0))))
        precision[hits.lists, numbers - 1] = hits.precision
        values = interpolated(precision.reshape(topics, runs, precision.shape[1]), relevant.counts[:, None])
        values[relevant.counts == 0] = np.nan
        return values.swapaxes(0, 1)


@word("P")
@dataclass(frozen=True, slots=True, repr=False)
class PrecisionAt(Linear, OfUnits, DocumentFamily):
    """Precision at a rank: the number of relevant documents among the first k, divided by k even if fewer than k documents were retrieved.

    Repeated results of a document are ignored: of five chunks of one document, only the first counts. With ``unit="results"``, the ranked
    units are results (chunks, passages, elements) instead of documents, and a result is relevant if it shows highlighted text. With a
    quantisation, the ranked units are always results, and a result is relevant if its gain is above 0.

    Formula:
        P@k = n_k / k
        where
            k: the rank cutoff
            n_k: the number of relevant units among the first k

    Notes:
        * Results as units: With ``unit="results"``, relevance comes from highlighted passages if the assessments contain any, otherwise
          from the grade of the result's document. If only elements were assessed, a quantisation is required. A whole document shows
          all its highlighted text.

    Source: trec_eval, ``P``.

    Examples:
        Three of the first four documents are relevant, and one of the first two:

        >>> from inexmetrics import P, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores((P @ 4, P @ 2)), collection).table["mean"].to_list()
        [0.75, 0.5]
        >>> P(unit="results") @ 10
        P(unit="results")@10
    """

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(self.scale(found_by(at, view), at), view)

    def gains_of(self, grades: FloatArray) -> FloatArray:
        return (grades >= self.rel).astype(np.float64)

    def scale(self, sums: FloatArray, at: float) -> FloatArray:
        return sums / at


@word("Success")
@dataclass(frozen=True, slots=True, repr=False)
class SuccessAt(OfUnits, DocumentFamily):
    """Success at a rank, or hit rate: 1 if a relevant document is among the first k, otherwise 0.

    Repeated results of a document are ignored. With ``unit="results"``, the ranked units are results (chunks, passages, elements) instead
    of documents, and a result is relevant if it shows highlighted text. With a quantisation, the ranked units are always results, and a
    result is relevant if its gain is above 0.

    Formula:
        Success@k = 1 "if" n_k > 0
        Success@k = 0 "otherwise"
        where
            k: the rank cutoff
            n_k: the number of relevant units among the first k

    Source: trec_eval, ``success``.

    Examples:
        The first relevant document is at rank 2:

        >>> from inexmetrics import Success, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores((Success @ 1, Success @ 5)), collection).table.sort("measure")["mean"].to_list()
        [0.0, 1.0]
        >>> Success(unit="results") @ 5
        Success(unit="results")@5
    """

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(np.minimum(found_by(at, view), 1.0), view)


@word("R")
@dataclass(frozen=True, slots=True, repr=False)
class RecallAt(OfUnits, DocumentFamily):
    """Recall at a rank: the number of relevant documents among the first k, divided by the number of relevant documents for the topic.

    Repeated results of a document are ignored. With a quantisation, the ranked units are results instead of documents, and a result is
    relevant if its gain is above 0. With ``unit="results"``, recall is the share of the topic's pieces of evidence that the first k results
    show. This recall does not depend on how the text is split into chunks, and a second chunk of the same passage does not increase it.

    Formula:
        R@k = n_k / N
        where
            k: the rank cutoff
            n_k: the number of relevant documents, or pieces of evidence, that the first k results find
            N: the number of relevant documents, or pieces of evidence, for the topic

    Notes:
        * The recall base of results: With ``unit="results"``, recall is not relative to the number of relevant chunks, because a system
          could then change its own denominator by its chunker. It is not relative to the number of relevant results in the ranking
          either, because a ranking that finds one of ten passages would then score 1.
        * Highlighted text with unknown offsets: A document with highlighted characters but without passages is one piece of evidence. A
          result that is the whole document finds the piece; a result that is a part of the document does not.

    Source: trec_eval, ``recall``.

    Examples:
        Two of three relevant documents are among the first three results:

        >>> from inexmetrics import R, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(R @ 3), collection).table["mean"].round(4).item()
        0.6667
        >>> R(rel=2) @ 100
        R(rel=2)@100
    """

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        found = view.recalled
        return share(found_by(at, found), found.counts)


@word("Rprec")
@dataclass(frozen=True, slots=True, repr=False)
class RPrecision(OfRelevantRanks, DocumentMeasure):
    """R-precision: precision at rank N, where N is the number of relevant documents for the topic.

    Repeated results of a document are ignored. With a quantisation, the ranked units are results instead of documents, and a result is
    relevant if its gain is above 0.

    Formula:
        Rprec = n_N / N
        where
            N: the number of relevant documents for the topic
            n_N: the number of relevant documents among the first N

    Source: trec_eval, ``Rprec``.

    Examples:
        Two documents are relevant, and one of the two is among the first two results; 1/2:

        >>> from inexmetrics import Rprec, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(Rprec), collection).table["mean"].item()
        0.5
        >>> Rprec(rel=2)
        Rprec(rel=2)
    """

    def scores(self, view: Retrieved) -> FloatArray:
        return share(view.summed(lambda hits: (hits.ranks <= hits.relevant).astype(np.float64)), view.counts)


@word("RR")
@dataclass(frozen=True, slots=True, repr=False)
class ReciprocalRank(OfUnits, WholeOrCut):
    """Reciprocal rank: 1 divided by the rank of the first relevant document; 0 if no relevant document was retrieved.

    ``RR@k`` uses only the first k results, and is 0 if all of these results are irrelevant. Repeated results of a document are ignored.
    With ``unit="results"``, the ranked units are results instead of documents, and a result is relevant if it shows highlighted text; the
    mean over topics is then the MRR of chunks. With a quantisation, the ranked units are always results, and a result is relevant if its
    gain is above 0.

    Formula:
        RR = 1 / r
        where
            r: the rank of the first relevant document; RR is 0 if no relevant document is retrieved

    Source: trec_eval, ``recip_rank``; ir_measures, ``RR@k``.

    Examples:
        The first relevant document is at rank 2: 1/2.

        >>> from inexmetrics import RR, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(RR), collection).table["mean"].item()
        0.5
        >>> run(scores(RR @ 1), collection).table["mean"].item()
        0.0
    """

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(view.summed(lambda hits: np.where(hits.numbers == 1, 1 / hits.ranks, 0.0), at), view)


MAP: Final = AveragePrecision()
P: Final = PrecisionAt()
R: Final = RecallAt()
Rprec: Final = RPrecision()
Success: Final = SuccessAt()
RR: Final = ReciprocalRank()
