"""Measures of documents in context: ranked documents, each scored by how well its retrieved parts match its highlighted text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Axes, ViewCurved, ViewFamily, ViewMeasure
from inexmetrics.measures.document_scores import OfContexts, OfDocumentScores, RelevantRetrieved
from inexmetrics.measures.gain_measures import ELEVEN, interpolated
from inexmetrics.ranking.gains import share
from inexmetrics.terms import word

__all__ = [
    "AverageGP",
    "AverageGPBySize",
    "AverageGPBySize11",
    "GeneralisedPrecision",
    "GeneralisedRecall",
    "GeneralisedRecallBySize",
    "InterpolatedGP",
    "MAgP",
    "MAgPsize",
    "MAgPsize11",
    "gP",
    "gR",
    "gRsize",
    "iGP",
]


@word("gP")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedPrecision(OfDocumentScores, ViewFamily[RelevantRetrieved, int]):
    """Generalised precision at a rank: the sum of the scores of the first k documents of a list, divided by k.

    Ranks past the end of the list contribute a score of 0. Results must be grouped by document, and results for the same document must not
    overlap.

    Formula:
        gP[k] = (1 / k) sum_(j=1)^k S(d_j)
        where
            k: the rank cutoff
            d_j: the document at rank j
            S(d_j): the score of document d_j, selected by `score`

    Notes:
        * Rankings in the in-context task: Ranks count documents. A result without characters shows no text and overlaps nothing, but
          its document has a rank. `gR` and `gRsize` also raise an error for results that are ungrouped or overlap.
        * Unknown positions: In the F score, a result with an unknown position adds its characters, or 18 if its length is unknown too.
          Under the entry-point score, such a result scores 0, and users do not read it.
        * Lengths of documents: A whole document of unknown length is an error only if the document is relevant and the score needs its
          length. With ``score="t2i"``, the length is taken from the topic's assessments, then from the root in the structure, then from
          the assessments of other topics (the greatest). A retrieved part that extends beyond the known length counts as read to its
          end.
        * Parameters for scores of documents: Each parameter belongs to one document score: ``MAgP(n=500)`` is an error, because `n`
          does not belong to the default score. `n` and `a` cannot be combined.
        * The length L of `a`: If the structure lacks root elements, L is the mean length of all assessed documents of the collection,
          each counted once. L may therefore change if a part of a collection is used.

    Source: Pehcevski & Thom (2007), equations 3 and 4; for the other document scores Kamps, Pehcevski, Kazai, Lalmas &
    Robertson (2008).

    Examples:
        The first of the three documents shows 50 of its 100 highlighted characters and nothing else, so that P = 1, R = 1/2 and its
        score is 2/3. The third shows all of its 50 highlighted characters: score 1. The second document lacks highlighted text: score 0.
        gP[3] = (2/3 + 0 + 1) / 3 = .5556:

        >>> from inexmetrics import from_frames, gP, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((gP @ 1, gP @ 3)), collection).table["mean"].round(4).to_list()
        [0.6667, 0.5556]
        >>> gP(score="bep", n=1000) @ 10
        gP(score="bep", n=1000)@10
    """

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        summed = view.within(int(at), self.document_scores(view))
        if view.compat is not None:
            return summed / np.clip(view.contexts.lengths, 1, int(at))
        return np.where(view.counts > 0, summed / at, np.nan)


@word("gR")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedRecall(OfContexts, ViewFamily[RelevantRetrieved, int]):
    """Generalised recall at a rank: the number of relevant documents among the first k, divided by the number of relevant documents.

    Formula:
        gR[k] = (1 / Nrel) sum_(j=1)^k rel(d_j)
        where
            k: the rank cutoff
            d_j: the document at rank j
            rel(d_j): 1 if document d_j has highlighted text, retrieved or not, and 0 otherwise
            Nrel: the number of documents with highlighted text for the topic

    Source: Pehcevski & Thom (2007), equation 5.

    Examples:
        The first and the third of the three retrieved documents have highlighted text. gR[1] = 1/2:

        >>> from inexmetrics import from_frames, gR, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((gR @ 1, gR @ 3)), collection).table["mean"].to_list()
        [0.5, 1.0]
    """

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        return share(view.within(int(at), np.ones(len(view.numbers))), view.counts)


@word("gRsize")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedRecallBySize(OfContexts, ViewFamily[RelevantRetrieved, int]):
    """Generalised recall by size at a rank: highlighted text in the first k documents, divided by all highlighted text for the topic.

    Formula:
        gR'[k] = (1 / Trel) sum_(j=1)^k rsize(d_j)
        where
            k: the rank cutoff
            d_j: the document at rank j
            rsize(d_j): the number of highlighted characters in document d_j, retrieved or not
            Trel: the number of highlighted characters for the topic

    Source: Pehcevski & Thom (2007), equation 6.

    Examples:
        The first and the third of the three retrieved documents have 100 and 50 highlighted characters. gR'[1] = 100/150 = .6667:

        >>> from inexmetrics import from_frames, gRsize, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((gRsize @ 1, gRsize @ 3)), collection).table["mean"].round(4).to_list()
        [0.6667, 1.0]
    """

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        return share(view.within(int(at), view.contexts.relchars), view.totals)


@word("MAgP")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGP(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Average generalised precision: generalised precision at the ranks of relevant documents, averaged over all relevant documents.

    Relevant documents that are not retrieved contribute 0. If a relevant document is retrieved at rank j, it contributes gP[j], the
    generalised precision at rank j. Even if the score of the document is 0, gP[j] may be above 0. The mean over topics is MAgP. Results
    must be grouped by document, and results for the same document must not overlap.

    Formula:
        AgP = (1 / Nrel) sum_(j in J) gP[j]
        where
            J: the ranks of the retrieved documents that have highlighted text
            gP[j]: generalised precision at rank j, as defined by `gP`
            Nrel: the number of documents with highlighted text for the topic

    Notes:
        * ``compat="inex_eval"``: Topics without highlighted text score 0 under `gP` and `iGP`, and are undefined under the other
          in-context measures. INEX's evaluator lacks `gRsize`, `MAgPsize` and `MAgPsize11`. A result without characters counts as
          inside an earlier result if its offset is at or after the first character of that result, and before its last character.

    Source: Pehcevski & Thom (2007), equation 7.

    Examples:
        The first of the three documents shows 50 of its 100 highlighted characters and nothing else, so that P = 1, R = 1/2 and its
        score is 2/3. The third shows all of its 50 highlighted characters: score 1. The second document lacks highlighted text: score 0.
        gP[1] = 2/3, gP[3] = (2/3 + 0 + 1) / 3 = 5/9, and (2/3 + 5/9) / 2 = .6111:

        >>> from inexmetrics import MAgP, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores(MAgP), collection).table["mean"].round(4).item()
        0.6111
        >>> MAgP(score="f", beta=0.25), MAgP(score="bep", n=1000), MAgP(score="t2i")
        (MAgP(beta=0.25), MAgP(score="bep", n=1000), MAgP(score="t2i"))
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return share(view.summed(view.precision(self.document_scores(view))), view.counts)


@word("MAgPsize")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGPBySize(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Average generalised precision by size: each relevant document is weighted by its share of all highlighted text for the topic.

    Formula:
        AgP' = sum_(j in J) (rsize(d_j) / Trel) gP[j]
        where
            J: the ranks of the retrieved documents that have highlighted text
            d_j: the document at rank j
            rsize(d_j): the number of highlighted characters in document d_j, retrieved or not
            Trel: the number of highlighted characters for the topic
            gP[j]: generalised precision at rank j, as defined by `gP`

    Source: Pehcevski & Thom (2007), equation 8.

    Examples:
        The first of the three documents shows 50 of its 100 highlighted characters and nothing else, so that P = 1, R = 1/2 and its
        score is 2/3. The third shows all of its 50 highlighted characters: score 1. The second document lacks highlighted text: score 0.
        gP[1] = 2/3, gP[3] = 5/9, and (100/150) * 2/3 + (50/150) * 5/9 = .6296:

        >>> from inexmetrics import MAgPsize, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores(MAgPsize), collection).table["mean"].round(4).item()
        0.6296
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return share(view.summed(view.contexts.relchars * view.precision(self.document_scores(view))), view.totals)


@word("MAgPsize11")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGPBySize11(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Mean generalised precision at the ranks of relevant documents, multiplied by the list's generalised recall by size.

    Generalised recall by size is the share of the topic's highlighted text that the retrieved documents contain. The score is 0 if no
    relevant document is retrieved.

    Formula:
        AgP' = gR'[D] (1 / n) sum_(j in J) gP[j]
        where
            D: the number of documents in the list
            gR'[D]: generalised recall by size of the whole list, as defined by `gRsize`
            J: the ranks of the retrieved documents that have highlighted text
            n: the number of ranks in J
            gP[j]: generalised precision at rank j, as defined by `gP`

    Source: Pehcevski & Thom (2007), equation 11.

    Examples:
        The first of the three documents shows 50 of its 100 highlighted characters and nothing else, so that P = 1, R = 1/2 and its
        score is 2/3. The third shows all of its 50 highlighted characters: score 1. The second document lacks highlighted text: score 0. A
        list of only the first two results has gR'[2] = 100/150, and its one relevant document has gP[1] = 2/3; 2/3 * 2/3 = .4444:

        >>> from inexmetrics import MAgPsize11, from_frames, keep_first, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> two = collection.with_runs(keep_first(collection.runs, 2))
        >>> run(scores(MAgPsize11), two).table["mean"].round(4).item()
        0.4444
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        summed = view.summed(view.precision(self.document_scores(view)))
        retrieved = view.summed(np.ones(len(view.numbers)))
        mean = np.divide(summed, retrieved, out=np.zeros(summed.shape), where=retrieved > 0)
        return share(view.summed(view.contexts.relchars.astype(np.float64)), view.totals) * mean


@word("iGP")
@dataclass(frozen=True, slots=True, repr=False)
class InterpolatedGP(OfDocumentScores, ViewCurved[RelevantRetrieved]):
    """Interpolated generalised precision: the mean of interpolated precision over the levels 0, .1, ..., 1 of generalised recall.

    The curve contains interpolated precision at these recall levels, and 0 at levels that the list never reaches.

    Formula:
        iGP = (1 / 11) sum_(x) iGP[x]
        iGP[x] = max_(r : gR[r] >= x) gP[r]
        where
            x: a level of generalised recall, 0, .1 .. 1
            r: a rank of the list
            gP[r]: generalised precision, as defined by `gP`
            gR[r]: generalised recall, as defined by `gR`

    Source: Kamps, Lalmas & Pehcevski (2007), for the Relevant in Context and Best in Context tasks of INEX 2006 to 2010.

    Examples:
        The first of the three documents shows 50 of its 100 highlighted characters and nothing else, so that P = 1, R = 1/2 and its
        score is 2/3. The third shows all of its 50 highlighted characters: score 1. The second document lacks highlighted text: score 0. At
        rank 1, gR is 1/2 and gP is 2/3; at rank 3, gR is 1 and gP is 5/9. Six levels have 2/3 and five have 5/9; (6 * 2/3 + 5 * 5/9) / 11 =
        .6162:

        >>> from inexmetrics import from_frames, iGP, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [100, 50]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores(iGP), collection).table["mean"].round(4).item()
        0.6162
        >>> iGP(score="t2i", tolerance=500)
        iGP(score="t2i", tolerance=500)
    """

    axes: ClassVar[Axes] = Axes("generalised recall", "interpolated generalised precision")
    levels: ClassVar[tuple[float, ...]] = ELEVEN

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return means(self.curve_of(view))

    def curve_of(self, view: RelevantRetrieved) -> FloatArray:
        precision = view.laid_out(view.precision(self.document_scores(view)))
        # gP does not rise between relevant documents, so the maximum of gP is reached at a relevant document, or is 0.
        values = interpolated(precision.reshape(*view.contexts.lengths.shape, precision.shape[1]), view.counts[None])
        if view.compat is None:
            values[:, view.counts == 0] = np.nan
        return values


gP: Final = GeneralisedPrecision()
gR: Final = GeneralisedRecall()
gRsize: Final = GeneralisedRecallBySize()
MAgP: Final = AverageGP()
MAgPsize: Final = AverageGPBySize()
MAgPsize11: Final = AverageGPBySize11()
iGP: Final = InterpolatedGP()
