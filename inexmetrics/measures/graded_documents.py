"""Document measures of graded relevance: DCG, nDCG and ERR, for documents or, with a quantisation, for results with a gain."""

from __future__ import annotations

import math
from abc import ABC
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, Self, Unpack

import numpy as np

from inexmetrics.common import elementary, errors
from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.messages import canonical, with_hint
from inexmetrics.measures.base import Bounds
from inexmetrics.measures.document_measures import UNIT, CondensedParameters, DocumentFamily, OfGrades, WholeOrCut, defined
from inexmetrics.measures.linear import Linear
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Hits, Retrieved
from inexmetrics.terms import Choice, Number, parameter, word

__all__ = ["DCG", "ERR", "NDCG", "DCGAt", "DCGParameters", "ERRParameters", "ExpectedReciprocalRank", "NDCGParameters", "nDCG"]

HIGHEST_EXPONENT: Final = 100.0
"""Highest grade that exponential gains accept."""


class DCGParameters(CondensedParameters, total=False):
    """The parameters of DCG."""

    gains: Literal["linear", "exponential"]


class NDCGParameters(DCGParameters, total=False):
    """The parameters of nDCG."""

    unit: Literal["documents", "results"]


@dataclass(frozen=True, slots=True, repr=False)
class OfDiscountedGains(Linear, OfGrades, ABC):
    """A measure of gains that are discounted by the logarithm of the rank, or a family of such measures.

    Args:
        gains: ``"linear"``: the gain is the grade, as in trec_eval. ``"exponential"``: the gain is ``2^grade - 1``, as in learning to
            rank; high grades have more weight. For grades 0 and 1, linear and exponential gains are equal.
    """

    gains: str = parameter("linear", Choice(("linear", "exponential")))

    def gains_of(self, grades: FloatArray) -> FloatArray:
        """Returns the gain of each grade.

        Raises:
            CollectionError: The gains are exponential, and a grade is above `HIGHEST_EXPONENT`.
        """
        if self.gains == "linear":
            return grades
        highest = float(grades.max(initial=0.0))
        if highest > HIGHEST_EXPONENT:
            raise errors.CollectionError(f"{self}: expected grades of at most {canonical(HIGHEST_EXPONENT)}, found {canonical(highest)}")
        return elementary.exp2(grades) - 1.0

    def discount(self, gains: FloatArray, ranks: FloatArray | IndexArray | IntArray) -> FloatArray:
        return gains / elementary.log2_of_ranks(ranks)

    def discounted(self, at: float, view: Retrieved) -> FloatArray:
        """Returns the sum of the discounted gains of the first results in each list, up to a given rank."""

        def contributions(hits: Hits) -> FloatArray:
            """Returns the discounted gains; 0 if the rank that counts is later than the cutoff, and the rank of the result is not."""
            ranks = hits.single_ranks
            found = self.discount(self.gains_of(hits.gains), ranks)
            return found if ranks is hits.ranks else np.where(ranks <= at, found, 0.0)

        return view.summed(contributions, at)


@word("DCG")
@dataclass(frozen=True, slots=True, repr=False)
class DCGAt(OfDiscountedGains, DocumentFamily):
    """Discounted cumulated gain of the first k documents, without the normalisation of `nDCG`.

    The gain is the grade, or ``2^grade - 1``; a negative grade is treated as 0. Scores are not limited to 1: the highest possible score
    depends on the grades and on k. A topic with many relevant documents therefore has more weight in the mean than under `nDCG`. Repeated
    results of a document are ignored. With a quantisation, the ranked units are results instead of documents, and the gain of a result is
    used as its grade.

    Formula:
        DCG@k = sum_(i=1)^k g_i / log_2(i + 1)
        where
            k: the rank cutoff
            g_i: the gain of the document at rank i

    Raises:
        CollectionError: When runs are evaluated with ``gains="exponential"``, a grade is above 100.

    Source: Järvelin & Kekäläinen (2002), with the discount of Burges et al. (2005), which also reduces the gain at rank 2.

    Examples:
        Grades 0, 1, 2, 1 give 1/1.585 + 2/2 + 1/2.322 = 2.0616:

        >>> from inexmetrics import DCG, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(DCG @ 10), collection).table["mean"].round(4).item()
        2.0616

        With exponential gains, the gains are 0, 1, 3, 1:

        >>> run(scores(DCG(gains="exponential") @ 10), collection).table["mean"].round(4).item()
        2.5616
    """

    bounds: ClassVar[Bounds] = (0.0, math.inf)

    def __call__(self, **changes: Unpack[DCGParameters]) -> Self:
        return self._changed(changes)

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(self.discounted(at, view), view)


@word("nDCG")
@dataclass(frozen=True, slots=True, repr=False)
class NDCG(OfDiscountedGains, WholeOrCut):
    """Normalised discounted cumulated gain, for the whole list or, with a rank cutoff, for its first k documents.

    The gain is the grade, or ``2^grade - 1``; a negative grade is treated as 0. Repeated results of a document are ignored. With a
    quantisation, the ranked units are results instead of documents, and the gain of a result is used as its grade.

    With ``unit="results"``, gains belong to pieces of evidence, and a piece counts at the rank of the first result that shows it. The gain
    is 1 for a highlighted passage, and equals the grade for a document judged as a whole. The m-th piece shown counts at
    rank m if its result is at a better rank. A whole document that shows all evidence at rank 1 therefore scores 1, as do chunks that
    show one piece each.

    Formula:
        nDCG@k = (sum_(i=1)^k g_i / log_2(i + 1)) / (sum_(i=1)^k I_i / log_2(i + 1))
        where
            k: the rank cutoff
            g_i: the gain of the document at rank i
            I_i: the gain at rank i if all judged documents are in decreasing order of grade

    Args:
        unit: The ranked unit. ``"documents"``: documents are ranked, and repeated results of a document are ignored. ``"results"``: all
            retrieved results, for example chunks, are ranked. With a quantisation, `unit` is ignored, because the ranked units are always
            results.

    Raises:
        CollectionError: When runs are evaluated with ``gains="exponential"``, a grade is above 100.

    Notes:
        * Grades: Grades can be fractions.
        * Several pieces in one result: The m-th piece of evidence found is discounted as if it were at rank max(r, m), where r is the
          rank of the result that shows it. A ranking therefore never scores above the ideal ranking, which shows one piece at each
          rank.

    Source: Järvelin & Kekäläinen (2002); trec_eval, ``ndcg`` and ``ndcg_cut``; exponential gains: Burges et al. (2005).

    Examples:
        Grades 0, 1, 2, 1 give 1/1.585 + 2/2 + 1/2.322 = 2.0616; the ideal grades 2, 1, 1 give 2 + 1/1.585 + 1/2 = 3.1309:

        >>> from inexmetrics import from_frames, nDCG, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(nDCG), collection).table["mean"].round(4).item()
        0.6585

        With exponential gains, the gains are 0, 1, 3, 1, and the ideal gains 3, 1, 1: 2.5616 / 4.1309:

        >>> run(scores(nDCG(gains="exponential")), collection).table["mean"].round(4).item()
        0.6201
        >>> nDCG(gains="exponential") @ 10
        nDCG(gains="exponential")@10
    """

    unit: str = parameter("documents", UNIT)

    whole: ClassVar[bool] = False

    def __call__(self, **changes: Unpack[NDCGParameters]) -> Self:
        return self._changed(changes)

    @property
    def ranks_results(self) -> bool:
        return self.unit == "results"

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        found = view.recalled
        best = found.of_ideal(at, ("nDCG", self.gains), lambda ideal: self.best(self.gains_of(ideal)))
        return share(self.discounted(at, found), best)

    def best(self, ideal: FloatArray) -> FloatArray:
        ranks = np.arange(1, len(ideal) + 1)[:, None]
        best: FloatArray = np.add.accumulate(self.discount(ideal, ranks), axis=0)[-1] if len(ideal) else np.zeros(ideal.shape[1])
        return best


class ERRParameters(CondensedParameters, total=False):
    """The parameters of ERR."""

    max_grade: float


@word("ERR")
@dataclass(frozen=True, slots=True, repr=False)
class ExpectedReciprocalRank(OfGrades, DocumentFamily):
    """Expected reciprocal rank of the document at which a user stops; the probability of stopping grows with the grade of the document.

    A negative grade is treated as 0. The highest possible score is below 1. Repeated results of a document are ignored. With a
    quantisation, the ranked units are results instead of documents, and the gain of a result is used as its grade.

    Formula:
        ERR@k = sum_(r=1)^k (1 / r) R_r prod_(i=1)^(r-1) (1 - R_i)
        R_r = (2^(g_r) - 1) / 2^m
        where
            k: the rank cutoff
            R_r: the probability that the user stops at rank r if the user reaches it
            i: a rank above r
            g_r: the grade at rank r
            m: the highest grade of the scale, `max_grade`

    Args:
        max_grade: The highest grade of the scale.

    Raises:
        CollectionError: A grade is above `max_grade`.

    Notes:
        * The scale of grades: The scale is checked for all assessed documents, even those that were not retrieved.

    Source: Chapelle, Metzler, Zhang & Grinspan (2009); gdeval, ``err``, with a scale up to 4.

    Examples:
        Grades 0, 2, 0: the user stops at rank 2 with probability (4 - 1) / 16; 3/16 / 2 = .09375:

        >>> from inexmetrics import ERR, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "u": 0}}, {"1": {"u": 3.0, "a": 2.0, "x": 1.0}})
        >>> run(scores(ERR @ 20), collection).table["mean"].item()
        0.09375
        >>> ERR(max_grade=3) @ 20
        ERR(max_grade=3)@20
    """

    max_grade: float = parameter(4.0, Number(above=0.0, at_most=HIGHEST_EXPONENT))

    def __call__(self, **changes: Unpack[ERRParameters]) -> Self:
        return self._changed(changes)

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        highest = float(view.ideal_to(1).max(initial=0.0))
        if highest > self.max_grade:
            hint = f"write {replace(self, max_grade=highest)}" if highest <= HIGHEST_EXPONENT else None
            found = f"{self}: expected grades of at most {canonical(self.max_grade)}, found {canonical(highest)}"
            raise errors.CollectionError(with_hint(found, hint))

        def contributions(hits: Hits) -> FloatArray:
            """Returns the probability that the user stops at each document, divided by the rank of the document."""
            stops: FloatArray = (elementary.exp2(hits.gains) - 1.0) / elementary.exp2(np.asarray(self.max_grade))
            return hits.reached(stops) * stops / hits.ranks

        return defined(view.summed(contributions, at), view)


DCG: Final = DCGAt()
ERR: Final = ExpectedReciprocalRank()
nDCG: Final = NDCG()
