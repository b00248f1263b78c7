"""Documents in context: lists of documents, each with parts of it, scored by how well the parts show what is highlighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.pairs import means
from inexmetrics.measures.base import ViewCurved, ViewFamily, ViewMeasure
from inexmetrics.measures.document_scores import OfContexts, OfDocumentScores
from inexmetrics.measures.recall_levels import ELEVEN, interpolated
from inexmetrics.measures.relevant_documents import RelevantRetrieved
from inexmetrics.ranking.gains import share
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer

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
    """Generalised precision at a rank: the scores of a list's first k documents, added and divided by k.

    gP[k] = (1/k) * sum of S(d_j) over j = 1 .. k. Past the end of the list S = 0. Results are grouped by document and do
    not overlap in it. Undefined for a topic without highlighted text.

    Source: Pehcevski & Thom (2007), equations 3 and 4; for the other scores Kamps, Pehcevski, Kazai, Lalmas &
    Robertson (2008).

    Examples:
        >>> gP @ 10
        gP@10
        >>> gP(score="bep", n=1000) @ 10
        gP(score="bep", n=1000)@10
    """

    cuts: ClassVar = Integer(at_least=1)

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        summed = view.within(int(at), self.document_scores(view))
        if view.compat is not None:
            return summed / np.clip(view.contexts.lengths, 1, int(at))
        return np.where(view.counts > 0, summed / at, np.nan)


@word("gR")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedRecall(OfContexts, ViewFamily[RelevantRetrieved, int]):
    """Generalised recall at a rank: relevant documents among the first k of a list, divided by all there are.

    gR[k] = (1/Nrel) * sum of rel(d_j) over j = 1 .. k; rel is 1 for a document with highlighted text, whatever was
    retrieved of it, and 0 for others. Undefined for a topic without highlighted text.

    Source: Pehcevski & Thom (2007), equation 5.

    Examples:
        >>> gR @ 10
        gR@10
    """

    cuts: ClassVar = Integer(at_least=1)

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        return share(view.within(int(at), np.ones(len(view.numbers))), view.counts)


@word("gRsize")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedRecallBySize(OfContexts, ViewFamily[RelevantRetrieved, int]):
    """Generalised recall by size at a rank: highlighted text in the first k documents of a list, divided by all there is.

    gR'[k] = (1/Trel) * sum of rsize(d_j) over j = 1 .. k, where rsize(d_j) is all highlighted text of the document,
    whatever was retrieved of it. Undefined for a topic without highlighted text.

    Source: Pehcevski & Thom (2007), equation 6.

    Examples:
        >>> gRsize @ 10
        gRsize@10
    """

    cuts: ClassVar = Integer(at_least=1)

    def scores_at(self, at: float, view: RelevantRetrieved) -> FloatArray:
        return share(view.within(int(at), view.contexts.relchars), view.totals)


@word("MAgP")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGP(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Average generalised precision: generalised precision at the ranks of relevant documents, averaged over all there are.

    AgP = (1/Nrel) * sum of gP[j] over the ranks j of documents with highlighted text; those not retrieved count 0, and
    one whose own score is 0 counts gP[j] still. Its mean over topics is MAgP. Results are grouped by document and do not
    overlap in it. Undefined for a topic without highlighted text.

    Source: Pehcevski & Thom (2007), equation 7.

    Examples:
        >>> MAgP
        MAgP
        >>> MAgP(score="f", beta=0.25), MAgP(score="bep", n=1000), MAgP(score="t2i")
        (MAgP(beta=0.25), MAgP(score="bep", n=1000), MAgP(score="t2i"))
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return share(view.summed(view.precision(self.document_scores(view))), view.counts)


@word("MAgPsize")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGPBySize(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Average generalised precision weighted by size: each relevant document counts by its share of all highlighted text.

    AgP' = sum of (rsize(d_j) / Trel) * gP[j] over the ranks j of documents with highlighted text, where rsize(d_j) is
    all highlighted text of the document. Undefined for a topic without highlighted text.

    Source: Pehcevski & Thom (2007), equation 8.

    Examples:
        >>> MAgPsize(beta=0.25)
        MAgPsize(beta=0.25)
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return share(view.summed(view.contexts.relchars * view.precision(self.document_scores(view))), view.totals)


@word("MAgPsize11")
@dataclass(frozen=True, slots=True, repr=False)
class AverageGPBySize11(OfDocumentScores, ViewMeasure[RelevantRetrieved]):
    """Mean generalised precision of the relevant documents retrieved, times the share of highlighted text that they hold.

    AgP' = gR'[D] * (sum of gP[j]) / (number of j), over the ranks j of documents with highlighted text in a list of D
    documents; gR' as `gRsize` defines it. 0 where no relevant document is retrieved. Undefined for a topic without
    highlighted text.

    Source: Pehcevski & Thom (2007), equation 11.

    Examples:
        >>> MAgPsize11
        MAgPsize11
    """

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        summed = view.summed(view.precision(self.document_scores(view)))
        retrieved = view.summed(np.ones(len(view.numbers)))
        mean = np.divide(summed, retrieved, out=np.zeros(summed.shape), where=retrieved > 0)
        return share(view.summed(view.contexts.relchars.astype(np.float64)), view.totals) * mean


@word("iGP")
@dataclass(frozen=True, slots=True, repr=False)
class InterpolatedGP(OfDocumentScores, ViewCurved[RelevantRetrieved]):
    """Interpolated generalised precision: the mean of its values at generalised recall 0, .1 .. 1.

    iGP[x] is the highest gP[r] at any rank r of the list with gR[r] >= x, and 0 where the list never reaches x; `gP` and
    `gR` as they are defined. Undefined for a topic without highlighted text.

    Source: Kamps, Lalmas & Pehcevski (2007), for the tasks relevant in context and best in context of INEX 2006 to 2010.

    Examples:
        >>> iGP(score="t2i", tolerance=500)
        iGP(score="t2i", tolerance=500)
    """

    @property
    def levels(self) -> tuple[float, ...]:
        return ELEVEN

    def scores(self, view: RelevantRetrieved) -> FloatArray:
        return means(self.curve_of(view))

    def curve_of(self, view: RelevantRetrieved) -> FloatArray:
        precision = view.laid_out(view.precision(self.document_scores(view)))
        # Between relevant documents gP falls, so that it is highest at one of them, or nowhere above 0.
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
