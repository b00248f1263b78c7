"""Computes the scores of runs on synthetic sets of judgements, in blocks of sets.

For each ordered pair of runs, the module also counts the sets in which the first run has a higher mean than the second run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tables import Column, Table
from inexmetrics.inference.means import TOLERANCE, mean_differences, means, observed_pairs
from inexmetrics.inference.paired_t import t
from inexmetrics.inference.ranks import UNSTABLE, average_ranks, falling_line, spearman_with, wins
from inexmetrics.measures.base import Measure
from inexmetrics.measures.document_measures import DocumentScore, scored_by_sets
from inexmetrics.ranking import batches
from inexmetrics.ranking.retrieved import RankedJudged
from inexmetrics.scoring import condition, evaluate
from inexmetrics.simulations.assessor_sets import BLOCK, AssessorJudgements, SetDraws

__all__ = [
    "Buckets",
    "Leaders",
    "Outcomes",
    "SetCorrelations",
    "SetScoring",
    "SetsSummary",
    "Switches",
    "buckets",
    "leaders",
    "outcomes",
    "retrieved_judged",
    "summary",
    "switches",
]

WORK: Final = 2**25
"""Minimum size of a task, measured as the number of retrieved judged documents times the number of sets."""


@dataclass(frozen=True, slots=True, eq=False)
class SetScoring:
    """The arrays from which workers compute the scores of R runs on T topics on any synthetic set of judgements.

    Attributes:
        measure: The measure as a function that scores the documents retrieved by a run.
        chances: The distribution of the documents' grades in synthetic sets.
        retrieved: The judged documents that the runs retrieve, for each topic, length T.
        baseline: Scores under the baseline, shape (R, T), or (S, T) if averaged by system; 0 where the measure is undefined.
        undefined: Whether the measure is undefined under the baseline, for each topic, shape (T,).
        seed: The seed of the random number generator for the sets.
        systems: The system of each run, if scores are averaged by system; otherwise None.
    """

    measure: DocumentScore
    chances: SetDraws
    retrieved: tuple[RankedJudged, ...]
    baseline: FloatArray
    undefined: BoolArray
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
        """Returns a `SetScoring` for the synthetic sets of the given judgements."""
        gains = np.split(judgements.baseline[:, None], judgements.chances.firsts[1:-1])
        by_topic = [scored_by_sets(measure, of_topic, gain)[:, 0] for of_topic, gain in zip(retrieved, gains, strict=True)]
        scores = np.stack(by_topic, axis=1)
        undefined = np.array(np.isnan(scores).any(axis=0))
        baseline = np.nan_to_num(scores)
        return cls(measure, judgements.chances, retrieved, systems.averaged(baseline) if systems else baseline, undefined, seed, systems)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The results over S synthetic sets, for R runs and T topics.

    Attributes:
        rho: Spearman's rho between each set's means and the baseline's means; NaN if all means of the set or of the baseline are equal,
            shape (S,).
        wins: The number of sets in which run i has a higher mean than run j, shape (R, R).
        barren: For each topic, the number of sets under which the measure is undefined for the topic, shape (T,).
    """

    rho: FloatArray
    wins: IntArray
    barren: IntArray


def outcomes(scoring: SetScoring, sets: int, setting: RunOptions) -> Outcomes:
    """Draws synthetic sets and scores the runs on each set; the result does not depend on how the sets are divided among workers."""
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
    """Returns the results for consecutive sets of judgements; the first of these sets must be the first set of a block."""
    start, stop = task
    runs, topics = scoring.baseline.shape
    rho = np.empty(stop - start)
    won, barren = np.zeros((runs, runs), dtype=np.int64), np.zeros(topics, dtype=np.int64)
    reference = means(scoring.baseline)
    for first in range(start, stop, BLOCK):
        here = min(BLOCK, stop - first)
        total = np.zeros((len(scoring.retrieved[0].runs), here))
        for topic, gains in enumerate(scoring.chances.drawn(scoring.seed, first // BLOCK)):
            scores = scored_by_sets(scoring.measure, scoring.retrieved[topic], gains[:, :here])
            barren[topic] += np.count_nonzero(np.isnan(scores).any(axis=0))
            total += np.nan_to_num(scores)
        total /= topics
        if scoring.systems is not None:
            total = scoring.systems.averaged(total)
        rho[first - start : first - start + here] = spearman_with(reference, total.T)
        won += wins(total)
    return Outcomes(rho, won, barren)


def retrieved_judged(
    collection: Collection, judgements: AssessorJudgements, measure: Measure
) -> tuple[tuple[RankedJudged, ...], tuple[str, ...]]:
    """Returns the judged documents that the runs retrieve, by topic, and warnings."""
    # Each document's grade is its index, from 1, so that the gains of a ranking identify its documents.
    numbered = judgements.documents.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.Float64).alias("grade"))
    found: list[tuple[IntArray, ...]] = []
    diagnostics = evaluate.Diagnostics([condition.Condition(measure)])
    for evidence in batches(collection.assessed_as(Assessments(grades=numbered))):
        hits = evidence.documents.hits
        topic, run = np.divmod(hits.lists.astype(np.int64), len(evidence.runs))
        document = hits.gains.astype(np.int64) - 1
        # All these documents are judged in every set.
        ranks, judged = (values.astype(np.int64) for values in (hits.ranks, hits.numbers))
        found.append((topic + evidence.topic_span.start, run + evidence.first_run, ranks, judged, document))
        diagnostics.add(evidence)
    # Each array has one entry for each retrieved document. Documents that nobody finds relevant are ignored.
    topics, *of_hits, documents = (np.concatenate(parts) for parts in zip(*found, strict=True))
    runs = 0 if collection.runs is None else len(collection.runs.run_ids)
    kept = judgements.greatest[documents] > 0.0
    order = np.flatnonzero(kept)[np.argsort(topics[kept], kind="stable")]
    ends = np.searchsorted(topics[order], np.arange(len(judgements.topics) + 1))
    ranked = []
    for first, begin, end in zip(judgements.chances.firsts[:-1].tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        run, rank, judged, document = (values[order[begin:end]] for values in (*of_hits, documents))
        ranked.append(RankedJudged.of(runs, run, rank, judged, document - first))
    return tuple(ranked), tuple(diagnostics.warnings())


WIDTH: Final = 0.01
"""Width of a bucket of differences between means."""
STRONG: Final = 0.98
"""Correlation coefficient above which the correlation is treated as very strong."""


class SetCorrelations(Table):
    """The rank correlation between each synthetic set and the baseline."""

    set = Column.count("the number of the set", at_least=1)
    rho = Column.coefficient(
        "Spearman's rho between the runs' means on the set and their means under the baseline; runs with equal means get their average rank",
        "if all runs have equal means",
    )


class Switches(Table):
    """Pairs of runs by decreasing switch probability; in each pair, the run with the higher baseline mean is first (ties: by run_id)."""

    better = Column(str, "the run with the higher mean under the baseline")
    worse = Column(str, "the run with the lower mean under the baseline")
    difference = Column(float, "the difference between the two runs' means under the baseline", at_least=-TOLERANCE)
    switch_probability = Column.share(
        "the share of sets in which the worse run has a strictly higher mean", "if the two means under the baseline are equal"
    )
    p_value = Column.share("the p-value of a two-tailed paired t test on the baseline's scores by topic")


class Buckets(Table):
    """The number of pairs of runs per .01-wide bucket of the difference between means; empty buckets and tied pairs are omitted."""

    lower = Column(float, "the lower edge of the bucket, inclusive", at_least=0)
    upper = Column(float, "the upper edge of the bucket, exclusive", at_least=0)
    pairs = Column.count("the number of pairs of runs", at_least=1)
    switch_probability = Column.share("the mean switch probability of the pairs")


class SetsSummary(Table):
    """The stability of the ranking over all synthetic sets, in one row."""

    mean_rho = Column.coefficient("the mean of rho over the sets", "if rho is null for all sets")
    min_rho = Column.coefficient("the lowest rho of all sets", "if rho is null for all sets")
    share_above_0_98 = Column.share("the share of sets with a rho above .98", "if rho is null for all sets")
    threshold_bucket = Column(
        float,
        "the lower edge of the first bucket such that this bucket and all later buckets have a switch probability below .05",
        "if this bucket does not exist",
        at_least=0,
    )
    threshold_line = Column(
        float,
        "the difference at which a line falls to .05. The line is fitted by least squares to the switch probabilities at the middles of "
        "the buckets. Buckets after the first bucket with a switch probability of 0 are not used",
        "if this difference does not exist",
    )


class Leaders(Switches):
    """The rows of table ``switches`` for pairs in which both runs are among those with the highest baseline means."""

    unstable = Column(bool, "whether switch_probability is above .05", "if switch_probability is null")


def switches(runs: tuple[str, ...], baseline: FloatArray, wins: IntArray, sets: int, setting: RunOptions) -> pl.DataFrame:
    """Returns table ``switches``.

    Args:
        runs: The runs, length R.
        baseline: The scores under the baseline, shape (R, T).
        wins: The number of sets in which run i has a higher mean than run j, shape (R, R).
        sets: The number of sets.
        setting: The executor and the progress function of the computation.
    """
    better, worse = observed_pairs(baseline)
    difference = mean_differences(baseline, better, worse)
    apart = np.abs(difference) > TOLERANCE
    return Switches.frame(
        better=[runs[run] for run in better.tolist()],
        worse=[runs[run] for run in worse.tolist()],
        difference=difference,
        switch_probability=np.where(apart, wins[worse, better] / sets, np.nan),
        p_value=t.p_values(baseline, better, worse, setting),
    ).sort("switch_probability", "better", "worse", descending=[True, False, False], nulls_last=True)


def leaders(switched: pl.DataFrame, runs: tuple[str, ...], baseline: FloatArray, top: int) -> pl.DataFrame:
    """Returns table ``leaders``: the rows of ``switches`` for pairs among the `top` runs with the highest baseline means."""
    ranks, _ = average_ranks(-means(baseline))
    best = [runs[run] for run in np.argsort(ranks, kind="stable")[:top].tolist()]
    among = switched.filter(pl.col("better").is_in(best) & pl.col("worse").is_in(best))
    return Leaders.typed(among.with_columns(unstable=pl.col("switch_probability") > UNSTABLE))


def buckets(switched: pl.DataFrame) -> pl.DataFrame:
    """Returns table ``buckets``, from table ``switches``."""
    pairs = switched.drop_nulls("switch_probability")
    index = np.floor(100 * pairs["difference"].to_numpy() + 1e-9).astype(np.int64)
    probability = pairs["switch_probability"].to_numpy()
    there, place = np.unique(index, return_inverse=True)
    count = np.bincount(place, minlength=len(there))
    # with fsum, the result does not depend on the order of the pairs
    mean = [math.fsum(probability[place == number].tolist()) / count[number] for number in range(len(there))]
    return Buckets.frame(lower=there / 100, upper=(there + 1) / 100, pairs=count, switch_probability=mean)


def summary(rho: FloatArray, bucketed: pl.DataFrame) -> pl.DataFrame:
    """Returns table ``summary``, computed from table ``buckets`` and from each set's correlation coefficient, which is NaN if undefined."""
    known = rho[~np.isnan(rho)].tolist()
    line = falling_line(bucketed)
    unstable = np.flatnonzero(bucketed["switch_probability"].to_numpy() >= UNSTABLE)
    first = int(unstable[-1]) + 1 if len(unstable) else 0  # the first bucket after the last unstable bucket
    row = (
        math.fsum(known) / len(known) if known else None,
        min(known, default=None),
        sum(value > STRONG + TOLERANCE for value in known) / len(known) if known else None,
        float(bucketed["lower"][first]) if first < bucketed.height else None,
        None if line is None else (UNSTABLE - line[0]) / line[1],
    )
    return SetsSummary.of_rows([row])
