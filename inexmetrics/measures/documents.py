"""Document measures as in trec_eval, on documents or, with a quantisation, on results with a gain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.elementary import exp2, log2_of_ranks
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical
from inexmetrics.measures.base import Axes, Curved, Cut, Measure
from inexmetrics.measures.document_measures import (
    UNIT,
    CondensedParameters,
    DocumentFamily,
    DocumentMeasure,
    OfGrades,
    OfRelevantRanks,
    OfUnits,
    WholeOrCut,
    defined,
    found_by,
)
from inexmetrics.measures.recall_levels import ELEVEN, interpolated
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.retrieved import Hits, RankedJudged, Retrieved, RetrievedBySets
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice, Number
from inexmetrics.terms.term import parameter

__all__ = [
    "ERR",
    "MAP",
    "NDCG",
    "RR",
    "AveragePrecision",
    "DocumentScore",
    "ERRParameters",
    "ExpectedReciprocalRank",
    "NDCGParameters",
    "P",
    "PrecisionAt",
    "R",
    "RPrecision",
    "RecallAt",
    "ReciprocalRank",
    "Rprec",
    "Success",
    "SuccessAt",
    "nDCG",
    "scored_by_sets",
]


HIGHEST_EXPONENT: Final = 100.0
"""The highest grade for exponential gains."""


@word("MAP")
@dataclass(frozen=True, slots=True, repr=False)
class AveragePrecision(OfUnits, WholeOrCut, Curved):
    """Average precision: precision at the ranks of relevant documents, averaged over all relevant documents of the topic.

    Relevant documents that are not retrieved count 0. ``MAP@k`` uses only the first k results; N is the same. The mean over
    topics is MAP. The curve is interpolated precision at recall 0, .1 .. 1: the highest at that recall or above. Units are
    documents, each at its first occurrence; with a quantisation, results, relevant if they have a gain. With
    ``unit="results"`` N is the number of the topic's pieces of evidence; each piece that the list finds contributes the precision of
    results, ``P(unit="results")``, at the rank of the first result that shows it.

    Formula:
        AP = (1 / N) sum_(r) P[r]
        where
            N: the relevant documents that there are
            r: the rank of a relevant document; of ``MAP@k`` at most k
            P[r]: precision at rank r, as `P` defines it

    Source: trec_eval, ``map``, ``map_cut`` and ``iprec_at_recall``.

    Examples:
        The three relevant documents stand at ranks 2, 3 and 4, and (1/2 + 2/3 + 3/4) / 3 = .6389:

        >>> from inexmetrics import MAP, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(MAP), collection).table["mean"].round(4).item()
        0.6389

        The first three results hold two of them: (1/2 + 2/3) / 3 = .3889:

        >>> run(scores(MAP @ 3), collection).table["mean"].round(4).item()
        0.3889
        >>> MAP(rel=2) @ 100
        MAP(rel=2)@100

        Of two passages one is found, by the chunk at rank 2: (1/2) / 2:

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
class PrecisionAt(OfUnits, DocumentFamily):
    """Precision at a rank: relevant units among the first k, divided by k, also if fewer were retrieved.

    A unit is a document, at its first occurrence: of five chunks of one document the first counts, and the others have
    no rank. With ``unit="results"`` it is a result (a chunk, a passage, an element), relevant if it shows highlighted
    text; with a quantisation, a result, relevant if it has a gain.

    Formula:
        P@k = n_k / k
        where
            k: the rank at which lists are cut
            n_k: the relevant units among the first k

    Source: trec_eval, ``P``.

    Examples:
        Of the first four documents three are relevant, of the first two one:

        >>> from inexmetrics import P, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores((P @ 4, P @ 2)), collection).table["mean"].to_list()
        [0.75, 0.5]
        >>> P(unit="results") @ 10
        P(unit="results")@10
    """

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        return defined(found_by(at, view) / at, view)


@word("Success")
@dataclass(frozen=True, slots=True, repr=False)
class SuccessAt(OfUnits, DocumentFamily):
    """Success at a rank, or hit rate: 1 if a relevant unit is among the first k, otherwise 0.

    A unit is a document, at its first occurrence; with ``unit="results"`` a result (a chunk, a passage, an element),
    relevant if it shows highlighted text; with a quantisation, a result, relevant if it has a gain.

    Formula:
        Success@k = 1 "if" n_k > 0
        Success@k = 0 "otherwise"
        where
            k: the rank at which lists are cut
            n_k: the relevant units among the first k

    Source: trec_eval, ``success``.

    Examples:
        The first relevant document stands at rank 2:

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
    """Recall at a rank: relevant documents among the first k, divided by the number of relevant documents.

    Units are documents, each at its first occurrence; with a quantisation, results, relevant if they have a gain. With
    ``unit="results"`` it is the share of the topic's pieces of evidence that the first k results show: it does not depend on
    how the text is split into chunks, and a second chunk of the same passage adds nothing.

    Formula:
        R@k = n_k / N
        where
            k: the rank at which lists are cut
            n_k: the relevant documents, or the pieces of evidence, that the first k results find
            N: the relevant documents, or the pieces of evidence, that there are

    Source: trec_eval, ``recall``.

    Examples:
        Of three relevant documents two are among the first three:

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
    """R-precision: precision at rank N, the number of relevant documents.

    Units are documents, each at its first occurrence; with a quantisation, results, relevant if they have a gain.

    Formula:
        Rprec = n_N / N
        where
            N: the relevant documents that there are
            n_N: the relevant documents among the first N

    Source: trec_eval, ``Rprec``.

    Examples:
        Two documents are relevant, of which one is among the first two; 1/2:

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
    """Reciprocal rank: 1 divided by the rank of the first relevant document, 0 if no relevant document was retrieved.

    ``RR@k`` uses only the first k results: it is 0 if they are all irrelevant. Units are documents, each at its first
    occurrence; with ``unit="results"`` results, relevant if they show highlighted text: the MRR of chunks. With a
    quantisation, results, relevant if they have a gain.

    Formula:
        RR = 1 / r
        where
            r: the rank of the first relevant document; RR is 0 where none was retrieved

    Source: trec_eval, ``recip_rank``; ir_measures, ``RR@k``.

    Examples:
        The first relevant document stands at rank 2; 1/2:

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


class NDCGParameters(CondensedParameters, total=False):
    """The parameters of nDCG."""

    gains: Literal["linear", "exponential"]
    unit: Literal["documents", "results"]


@word("nDCG")
@dataclass(frozen=True, slots=True, repr=False)
class NDCG(OfGrades, WholeOrCut):
    """Normalised discounted cumulated gain, of the whole list or, with a rank cutoff, of its first k documents.

    The gain is the grade, or ``2^grade - 1``; a negative grade counts as 0. Units are documents, each at its first occurrence; with
    a quantisation, results, whose grades are their gains. With ``unit="results"`` the gains are those of pieces of
    evidence, at the rank of the first result that shows them: 1 for a highlighted passage, the grade for a document judged as a
    whole. The second piece found by one result counts at the next rank, the third at the one after it, and so on: a whole
    document that shows all evidence at rank 1 scores 1, as do chunks that show one piece each.

    Formula:
        nDCG@k = (sum_(i=1)^k g_i / log_2(i + 1)) / (sum_(i=1)^k I_i / log_2(i + 1))
        where
            k: the rank at which lists are cut
            g_i: the gain of the document at rank i
            I_i: the gain at rank i of all judged documents in decreasing order of grade

    Args:
        gains: ``"linear"``: the gain is the grade, as in trec_eval. ``"exponential"``: the gain is ``2^grade - 1``, as in learning to
            rank; high grades then have more weight. On grades 0 and 1 the two are equal.
        unit: The unit that has a rank. ``"documents"``: documents, each at its first occurrence. ``"results"``: every retrieved
            result, such as a chunk. It has no effect under a quantisation, where results are the units.

    Raises:
        CollectionError: When run with ``gains="exponential"``: a grade is above 100.

    Source: Järvelin & Kekäläinen (2002); trec_eval, ``ndcg`` and ``ndcg_cut``; exponential gains: Burges et al. (2005).

    Examples:
        Grades 0, 1, 2, 1 make 1/1.585 + 2/2 + 1/2.322 = 2.0616, the ideal ones 2, 1, 1 make 2 + 1/1.585 + 1/2 = 3.1309:

        >>> from inexmetrics import from_frames, nDCG, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 2, "b": 1, "c": 1}}, ranked)
        >>> run(scores(nDCG), collection).table["mean"].round(4).item()
        0.6585

        With exponential gains these are 0, 1, 3, 1 and 3, 1, 1: 2.5616 / 4.1309:

        >>> run(scores(nDCG(gains="exponential")), collection).table["mean"].round(4).item()
        0.6201
        >>> nDCG(gains="exponential") @ 10
        nDCG(gains="exponential")@10
    """

    gains: str = parameter("linear", Choice(("linear", "exponential")))
    unit: str = parameter("documents", UNIT)

    def __call__(self, **changes: Unpack[NDCGParameters]) -> Self:
        return self._changed(changes)

    @property
    def ranks_results(self) -> bool:
        return self.unit == "results"

    def scores_at(self, at: float, view: Retrieved) -> FloatArray:
        found = view.recalled
        ideal = self._gained(found.ideal_to(at))
        discounts = log2_of_ranks(np.arange(1, len(ideal) + 1))[:, None]
        best = np.add.accumulate(ideal / discounts, axis=0)[-1] if len(ideal) else np.zeros(ideal.shape[1])
        return share(found.summed(lambda hits: self._discounted(hits, at), at), best)

    def _discounted(self, hits: Hits, at: float) -> FloatArray:
        """Returns the discounted gains at ranks down to this one."""
        ranks = hits.single_ranks
        return np.where(ranks <= at, self._gained(hits.gains) / log2_of_ranks(ranks), 0.0)

    def _gained(self, grades: FloatArray) -> FloatArray:
        """Returns the gains of documents with these grades."""
        if self.gains == "linear":
            return grades
        highest = float(grades.max(initial=0.0))
        if highest > HIGHEST_EXPONENT:
            raise CollectionError(f"{self}: expected grades of at most {canonical(HIGHEST_EXPONENT)}, found {canonical(highest)}")
        return exp2(grades) - 1.0


class ERRParameters(CondensedParameters, total=False):
    """The parameters of ERR."""

    max_grade: float


@word("ERR")
@dataclass(frozen=True, slots=True, repr=False)
class ExpectedReciprocalRank(OfGrades, DocumentFamily):
    """Expected reciprocal rank of the document at which a user stops; users stop with a higher probability at a higher grade.

    A negative grade counts as 0. The highest possible score is below 1. Units are documents, each at its first occurrence;
    with a quantisation, results, and their gains.

    Formula:
        ERR@k = sum_(r=1)^k (1 / r) R_r prod_(i=1)^(r-1) (1 - R_i)
        R_r = (2^(g_r) - 1) / 2^m
        where
            k: the rank at which lists are cut
            R_r: the probability that the reader stops at rank r
            i: an earlier rank
            g_r: the grade at rank r
            m: the highest grade of the scale, `max_grade`

    Args:
        max_grade: The highest grade of the scale.

    Raises:
        CollectionError: A grade is above the highest.

    Source: Chapelle, Metzler, Zhang & Grinspan (2009); gdeval, ``err``, with a scale up to 4.

    Examples:
        Grades 0, 2, 0: the reader stops at rank 2 with probability (4 - 1) / 16; 3/16 / 2 = .09375:

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
            raise CollectionError(f"{self}: expected grades of at most {canonical(self.max_grade)}, found {canonical(highest)}")
        return defined(view.summed(self._stopping, at), view)

    def _stopping(self, hits: Hits) -> FloatArray:
        stops: FloatArray = (exp2(hits.gains) - 1.0) / exp2(np.asarray(self.max_grade))
        return hits.reached(stops) * stops / hits.ranks


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """A document measure as a function of retrieved documents, for any judgements.

    Attributes:
        least: The lowest relevant grade; 0 if grades are gains.
        condensed: Whether unjudged documents are removed before ranks are counted.
        score: The function.
    """

    least: float
    condensed: bool
    score: Callable[[Retrieved], FloatArray]

    @classmethod
    def of(cls, measure: Measure) -> DocumentScore | None:
        """Returns the function of a document measure; None for other measures, and for measures whose units are results."""
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
    """Returns scores by run and set, R x S; 0 in a set that leaves the topic without relevant documents.

    `ranked` contains the topic's documents that the runs retrieve, `gains` their gains in each set, D x S: 1 or 0 for
    measures of binary relevance.
    """
    counts = np.count_nonzero(gains, axis=0)
    scores = measure.score(RetrievedBySets(counts, ranked, gains, measure.least > 0.0, measure.condensed))
    scores[:, counts == 0] = 0.0
    by_run = np.empty_like(scores)
    by_run[ranked.runs] = scores
    return by_run


ERR: Final = ExpectedReciprocalRank()
MAP: Final = AveragePrecision()
P: Final = PrecisionAt()
R: Final = RecallAt()
Rprec: Final = RPrecision()
Success: Final = SuccessAt()
RR: Final = ReciprocalRank()
nDCG: Final = NDCG()
