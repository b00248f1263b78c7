"""What runs score on synthetic assessment sets, block by block, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import means
from inexmetrics.inference.rankings import spearman_with, wins
from inexmetrics.measures.base import Measure
from inexmetrics.measures.documents import DocumentScore, scored_by_sets
from inexmetrics.ranking import batches
from inexmetrics.ranking.retrieved import RankedJudged
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.diagnostics import Diagnostics
from inexmetrics.simulations.assessor_sets import BLOCK, AssessorJudgements, SetProbabilities

__all__ = ["Outcomes", "SetScoring", "outcomes", "retrieved_judged"]

WORK: Final = 2**25
"""Steps down the rankings, judged documents x sets, that make a task large enough to send."""


@dataclass(frozen=True, slots=True, eq=False)
class SetScoring:
    """All that is needed to score the runs on any synthetic set: small arrays, which travel to workers. R runs, T topics.

    Attributes:
        measure: The measure, as a function of retrieved documents.
        chances: What becomes of the documents in sets.
        retrieved: The judged documents that the runs retrieve, by topic, T.
        baseline: Scores by the baseline, R x T or, averaged by system, S x T; 0 where it finds nothing relevant.
        seed: The seed of the sets.
        systems: The system of each run, if their scores are averaged by system.
    """

    measure: DocumentScore
    chances: SetProbabilities
    retrieved: tuple[RankedJudged, ...]
    baseline: FloatArray
    seed: int
    systems: Systems | None = None

    @classmethod
    def of(
        cls,
        measure: DocumentScore,
        judgements: AssessorJudgements,
        retrieved: tuple[RankedJudged, ...],
        seed: int,
        systems: Systems | None = None,
    ) -> SetScoring:
        """The scoring of the sets that judgements make."""
        gains = np.split(judgements.baseline[:, None], judgements.chances.firsts[1:-1])
        by_topic = [scored_by_sets(measure, of_topic, gain)[:, 0] for of_topic, gain in zip(retrieved, gains, strict=True)]
        baseline = np.stack(by_topic, axis=1)
        return cls(measure, judgements.chances, retrieved, systems.averaged(baseline) if systems else baseline, seed, systems)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What came of the sets. S sets, R runs, T topics.

    Attributes:
        rho: Spearman's rho of each set's means with the baseline's, S; NaN where one of the two is constant.
        wins: In how many sets run i has a higher mean than run j, R x R.
        barren: In how many sets each topic was left without relevant documents, T.
    """

    rho: FloatArray
    wins: IntArray
    barren: IntArray


def outcomes(scoring: SetScoring, sets: int, setting: RunOptions) -> Outcomes:
    """Draws so many sets and scores the runs on each; the same bits however the work is divided."""
    steps = BLOCK * sum(int(of_topic.counts.sum()) for of_topic in scoring.retrieved)
    span = BLOCK * max(1, WORK // max(steps, 1))
    tasks = [(start, min(sets, start + span)) for start in range(0, sets, span)]
    parts = list(setting.map("assessment sets", partial(_outcomes, scoring), tasks))
    return Outcomes(
        rho=np.concatenate([part.rho for part in parts]),
        wins=sum((part.wins for part in parts[1:]), parts[0].wins),
        barren=sum((part.barren for part in parts[1:]), parts[0].barren),
    )


def _outcomes(scoring: SetScoring, task: tuple[int, int]) -> Outcomes:
    """The outcomes of the sets from one number to before another; the first begins a block."""
    start, stop = task
    runs, topics = scoring.baseline.shape
    rho = np.empty(stop - start)
    won, barren = np.zeros((runs, runs), dtype=np.int64), np.zeros(topics, dtype=np.int64)
    reference = means(scoring.baseline)
    for first in range(start, stop, BLOCK):
        here = min(BLOCK, stop - first)
        total = np.zeros((len(scoring.retrieved[0].runs), here))
        for topic, gains in enumerate(scoring.chances.drawn(scoring.seed, first // BLOCK)):
            total += scored_by_sets(scoring.measure, scoring.retrieved[topic], gains[:, :here])
            barren[topic] += here - np.count_nonzero(gains[:, :here].any(axis=0))
        total /= topics
        if scoring.systems is not None:
            total = scoring.systems.averaged(total)
        rho[first - start : first - start + here] = spearman_with(reference, total.T)
        won += wins(total)
    return Outcomes(rho, won, barren)


def retrieved_judged(
    collection: Collection, judgements: AssessorJudgements, measure: Measure
) -> tuple[tuple[RankedJudged, ...], tuple[str, ...]]:
    """Which judged documents the runs retrieve, by topic; and warnings."""
    # Each document has its number, from 1, for a grade: the gains of a list then say which documents it holds.
    numbered = judgements.documents.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.Float64).alias("grade"))
    found: list[tuple[IntArray, ...]] = []
    diagnostics = Diagnostics([Condition(measure)])
    for evidence in batches(collection.assessed_as(Assessments(grades=numbered))):
        hits = evidence.documents.hits
        topic, run = np.divmod(hits.lists.astype(np.int64), len(evidence.runs))
        document = hits.gains.astype(np.int64) - 1
        # All these documents are judged in every set.
        ranks, judged = (values.astype(np.int64) for values in (hits.ranks, hits.numbers))
        found.append((topic + evidence.first_topic, run + evidence.first_run, ranks, judged, document))
        diagnostics.add(evidence)
    topics, *of_hits, documents = (np.concatenate(parts) for parts in zip(*found, strict=True))
    runs = 0 if collection.runs is None else len(collection.runs.run_ids)
    return tuple(_by_topic(judgements, runs, topics, of_hits, documents)), tuple(diagnostics.warnings())


def _by_topic(
    judgements: AssessorJudgements, count: int, topics: IntArray, of_hits: Sequence[IntArray], documents: IntArray
) -> Iterator[RankedJudged]:
    """The judged documents that runs retrieve, by topic; documents that are relevant to nobody are passed over.

    Of each of H documents retrieved there are the topic, the run, its rank and that among judged documents (`of_hits`), and its number.
    """
    kept = judgements.greatest[documents] > 0.0
    order = np.flatnonzero(kept)[np.argsort(topics[kept], kind="stable")]
    ends = np.searchsorted(topics[order], np.arange(len(judgements.topics) + 1))
    for first, begin, end in zip(judgements.chances.firsts[:-1].tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        run, rank, judged, document = (values[order[begin:end]] for values in (*of_hits, documents))
        yield RankedJudged.of(count, run, rank, judged, document - first)
