"""Rank-biased precision, and its residual, which is the maximum contribution of unjudged results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.elementary import powers
from inexmetrics.measures.base import ViewMeasure
from inexmetrics.measures.document_measures import DocumentMeasure, OfPool, OfRelevantRanks, PooledResults, RelevantRanksParameters, defined
from inexmetrics.measures.linear import Linear
from inexmetrics.ranking.retrieved import Retrieved
from inexmetrics.terms import Number, parameter, word

__all__ = ["RBP", "RBPParameters", "RBPresidual", "RankBiasedPrecision", "RankBiasedResidual", "ResidualParameters"]

PERSISTENCE: Final = Number(above=0.0, below=1.0)


class ResidualParameters(TypedDict, total=False):
    """The parameter that `RBP` and `RBPresidual` share."""

    p: float


class RBPParameters(RelevantRanksParameters, ResidualParameters, total=False):
    """The parameters of `RBP`."""


@word("RBP")
@dataclass(frozen=True, slots=True, repr=False)
class RankBiasedPrecision(Linear, OfRelevantRanks, DocumentMeasure):
    """Rank-biased precision: the share of relevant documents among those read by a user who continues after each with probability p.

    Unjudged results are treated as not relevant; `RBPresidual` is the amount by which the score would rise if all unjudged
    results were relevant. The highest possible score is below 1. Repeated results of a document are ignored. With a quantisation, the
    ranked units are results instead of documents, and a result is relevant if its gain is above 0.

    Formula:
        RBP = (1 - p) sum_(i) p^(i-1)
        where
            p: the probability that the user goes on to the next result
            i: the rank of a relevant document

    Args:
        p: Persistence of the user, who reads 1 / (1 - p) results on average; this is 5 results by default.

    Notes:
        * Rounding: Powers of p are computed by repeated multiplication, with a relative error of at most 1e-14. The logarithms and
          exponentials of `nDCG`, `ERR`, `distance` and `retrieve` are the nearest representable numbers on every processor.

    Source: Moffat & Zobel (2008).

    Examples:
        One relevant document, at rank 2: (1 - .5) * .5 = .25:

        >>> from inexmetrics import RBP, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(RBP(p=0.5)), collection).table["mean"].item()
        0.25
    """

    p: float = parameter(0.8, PERSISTENCE)

    def __call__(self, **changes: Unpack[RBPParameters]) -> Self:
        return self._changed(changes)

    def scores(self, view: Retrieved) -> FloatArray:
        return defined(self.scale(view.summed(lambda hits: _reach_probability(hits.ranks, self.p)), np.inf), view)

    def gains_of(self, grades: FloatArray) -> FloatArray:
        return (grades >= self.rel).astype(np.float64)

    def discount(self, gains: FloatArray, ranks: FloatArray | IndexArray | IntArray) -> FloatArray:
        return gains * _reach_probability(ranks, self.p)

    def scale(self, sums: FloatArray, at: float) -> FloatArray:
        return (1.0 - self.p) * sums


@word("RBPresidual")
@dataclass(frozen=True, slots=True, repr=False)
class RankBiasedResidual(OfPool, ViewMeasure[PooledResults]):
    """The amount by which rank-biased precision would rise if all unjudged results and all results past the end of the list were relevant.

    With complete judgements, rank-biased precision is between `RBP` and `RBP` + `RBPresidual`. `RBP` is undefined for a topic without
    relevant documents, and the residual is not; with such topics, the sum of the two means is an upper bound only under
    ``undefined="zero"``, an option of `scores`. A document with a negative grade
    is unjudged. The residual does not measure quality; a lower residual means that the score is more certain. Repeated results of a
    document are ignored. With a quantisation, the ranked units are results instead of documents. The residual is 1 for a run without
    results.

    Formula:
        RBPresidual = (1 - p) sum_(i) p^(i-1) + p^L
        where
            p: the probability that the user goes on to the next result
            i: the rank of an unjudged result
            L: the length of the list

    Args:
        p: Persistence of the user, as in `RBP`.

    Source: Moffat & Zobel (2008), section 4.

    Examples:
        The third of three results was not judged: (1 - .5) * .5^2 + .5^3 = .25:

        >>> from inexmetrics import RBPresidual, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(RBPresidual(p=0.5)), collection).table["mean"].item()
        0.25
    """

    among_relevant: ClassVar[str] = "is 1 - RBP"

    p: float = parameter(0.8, PERSISTENCE)

    def __call__(self, **changes: Unpack[ResidualParameters]) -> Self:
        return self._changed(changes)

    def scores(self, view: PooledResults) -> FloatArray:
        beyond = _reach_probability(view.lengths + 1, self.p)
        unjudged = 1.0 - beyond - (1.0 - self.p) * view.summed(_reach_probability(view.ranks, self.p))
        return view.defined(np.maximum(unjudged, 0.0) + beyond)


def _reach_probability(ranks: FloatArray | IndexArray | IntArray, p: float) -> FloatArray:
    """Returns the probability of reaching each rank for a user who continues after each result with probability p."""
    return powers(p, ranks - 1)


RBP: Final = RankBiasedPrecision()
RBPresidual: Final = RankBiasedResidual()
