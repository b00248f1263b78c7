"""Document measures on many assessment sets at once: the same rankings, and for each set other relevant documents.

Sets stand side by side, so that a step down the rankings is a few passes over arrays of runs x sets. Each sum is added in
the order in which `documents` adds it: a set is scored with the same bits as if it had been read from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, Self, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.measures.base import Cut, Measure
from inexmetrics.measures.documents import NDCG, AveragePrecision, PrecisionAt, RecallAt, ReciprocalRank

__all__ = ["KNOWN", "RetrievedJudged", "SetScore", "on_sets"]

KNOWN: Final = "MAP, P@k, R@k, RR, nDCG, nDCG@k"
"""The measures that are known here."""


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedJudged:
    """Which assessed documents of one topic the runs hold, best first. R runs, J documents at most.

    Runs stand by the number of documents that they hold, the most first, so that those that hold a j-th one come first.

    Attributes:
        runs: Number of the run in each row, R.
        counts: Documents that each row holds, R, decreasing.
        codes: Number of each document among the topic's, R x J.
        ranks: The ranks where they stand, R x J, increasing in each row; 1 past the end of a row.
    """

    runs: IntArray
    counts: IntArray
    codes: IndexArray
    ranks: FloatArray

    @classmethod
    def of(cls, runs: int, run: IntArray, rank: IntArray, code: IntArray) -> Self:
        """The holdings of so many runs.

        Args:
            runs: How many runs there are.
            run: The run that holds a document, H.
            rank: The rank where it holds it, H.
            code: The document's number, H.
        """
        counts = np.bincount(run, minlength=runs)
        rows = np.argsort(-counts, kind="stable")
        order = np.lexsort((rank, run))
        firsts = np.cumsum(counts) - counts
        row_of_run = np.empty(runs, dtype=np.int64)
        row_of_run[rows] = np.arange(runs)
        places = row_of_run[run[order]], np.arange(len(run)) - firsts[run[order]]
        codes = np.zeros((runs, int(counts.max(initial=0))), dtype=np.int32)
        ranks = np.ones(codes.shape)
        codes[places], ranks[places] = code[order], rank[order]
        return cls(rows, counts[rows], codes, ranks)

    def steps(self, worths: FloatArray, within: float = np.inf) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Goes down the holdings, as far as any stands within a rank.

        Yields:
            The rows that hold a further document; its worth, rows x sets (0 below that rank); and its rank, rows x 1.
        """
        taken = np.empty((len(self.runs), worths.shape[1]))
        places = np.arange(self.codes.shape[1])
        for place, holders in zip(places.tolist(), np.searchsorted(-self.counts, -places).tolist(), strict=True):
            rows = slice(holders)
            ranks = self.ranks[rows, place, None]
            worth = worths.take(self.codes[rows, place], axis=0, out=taken[rows], mode="clip")
            if within < np.inf:
                beyond = ranks[:, 0] > within
                if beyond.all():
                    return
                worth[beyond] = 0.0
            yield rows, worth, ranks

    def by_run(self, scores: FloatArray) -> FloatArray:
        """Scores of the rows, by run."""
        ordered = np.empty_like(scores)
        ordered[self.runs] = scores
        return ordered


Score: TypeAlias = Callable[[RetrievedJudged, FloatArray], FloatArray]
"""From the holdings and what the documents are worth in each set, D x S, to the rows' scores, R x S; not finite without relevant ones."""


@dataclass(frozen=True, slots=True)
class SetScore:
    """How a measure scores sets of one topic.

    Attributes:
        rel: The lowest grade that is relevant: documents are worth 1 or 0; None where they are worth their grades.
        rows: The score.
    """

    rel: float | None
    rows: Score

    def scores(self, holdings: RetrievedJudged, worths: FloatArray) -> FloatArray:
        """Scores by run and set, R x S; 0 in a set that leaves the topic without relevant documents.

        Args:
            holdings: What the runs hold of the topic's documents.
            worths: What these are worth in each set, D x S.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = self.rows(holdings, worths)
        scores[:, ~worths.any(axis=0)] = 0.0
        return holdings.by_run(scores)


def on_sets(measure: Measure) -> SetScore | None:
    """How the measure scores sets; None if it is not known here."""
    match measure:
        case AveragePrecision(rel=rel):
            return SetScore(rel, _average_precision)
        case ReciprocalRank(rel=rel):
            return SetScore(rel, _reciprocal_rank)
        case Cut(family=PrecisionAt(rel=rel), at=at):
            return SetScore(rel, partial(_precision, at=at))
        case Cut(family=RecallAt(rel=rel), at=at):
            return SetScore(rel, partial(_recall, at=at))
        case NDCG():
            return SetScore(None, partial(_ndcg, at=np.inf))
        case Cut(family=NDCG(), at=at):
            return SetScore(None, partial(_ndcg, at=at))
        case _:
            return None


def _average_precision(holdings: RetrievedJudged, relevant: FloatArray) -> FloatArray:
    shape = len(holdings.runs), relevant.shape[1]
    found, summed, precision = np.zeros(shape), np.zeros(shape), np.empty(shape)
    for rows, is_relevant, ranks in holdings.steps(relevant):
        found[rows] += is_relevant
        here = np.multiply(found[rows], is_relevant, out=precision[rows])
        here /= ranks
        summed[rows] += here
    summed /= relevant.sum(axis=0)
    return summed


def _reciprocal_rank(holdings: RetrievedJudged, relevant: FloatArray) -> FloatArray:
    best = np.zeros((len(holdings.runs), relevant.shape[1]))
    for rows, is_relevant, ranks in holdings.steps(relevant):
        np.maximum(best[rows], is_relevant / ranks, out=best[rows])
    return best


def _found(holdings: RetrievedJudged, relevant: FloatArray, at: float) -> FloatArray:
    """Relevant documents among the first of each row."""
    found = np.zeros((len(holdings.runs), relevant.shape[1]))
    for rows, is_relevant, _ in holdings.steps(relevant, at):
        found[rows] += is_relevant
    return found


def _precision(holdings: RetrievedJudged, relevant: FloatArray, at: float) -> FloatArray:
    return _found(holdings, relevant, at) / at


def _recall(holdings: RetrievedJudged, relevant: FloatArray, at: float) -> FloatArray:
    recall: FloatArray = _found(holdings, relevant, at) / relevant.sum(axis=0)
    return recall


def _ndcg(holdings: RetrievedJudged, grades: FloatArray, at: float) -> FloatArray:
    gained = np.zeros((len(holdings.runs), grades.shape[1]))
    for rows, gains, ranks in holdings.steps(grades, at):
        gained[rows] += gains / np.log2(ranks + 1.0)
    depth = int(min(at, len(grades)))
    ideal = np.sort(-grades, axis=0)[:depth] / -np.log2(np.arange(2, depth + 2))[:, None]
    gained /= np.add.accumulate(ideal, axis=0)[-1]
    return gained
