"""Scores runs on every topic under each condition, and averages the scores over topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.messages import enumerate_texts
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores, Scored, scored, with_left_out
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.findings import (
    percentage,
)
from inexmetrics.experiments.scores_result import Means, PerTopic, ScoresResult
from inexmetrics.experiments.tested import INTERVAL
from inexmetrics.inference.means import means_among, ranking, sample_deviations, student_margins
from inexmetrics.scoring.evaluate import undefined_topics
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice
from inexmetrics.terms.term import parameter

__all__ = ["ScoresResult", "Scoring", "scores"]


MANY_TOPICS: Final = 10
"""Number of topics from which a warning names runs whose mean depends on a single topic."""
LARGE_SHARE: Final = 1 / 3


@word("scores")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Scoring(Measured[ScoresResult]):
    """Scores runs on every topic under each condition, and averages the scores over topics.

    The confidence interval of a mean is Student's t interval. A topic that a run does not answer scores 0. A topic without relevant
    material under the condition is undefined and excluded for every run. With the official evaluator's rules (compat), the mean of each run
    and its interval use only the topics that the run answers.

    Formula:
        low, high = mean -+ q sd / sqrt(n)
        where
            mean: the mean of a run's scores
            q: the quantile at (1 + interval) / 2 of Student's distribution with n-1 degrees of freedom
            sd: the standard deviation of the scores, with n-1 in its denominator
            n: the number of topics

    Args:
        interval: The confidence level of ``low`` and ``high``.
        undefined: The treatment of a topic for which the measure is undefined, for example because nothing is relevant. With
            ``"excluded"``, the topic is excluded from the mean of every run. With ``"zero"``, the topic has the score 0 for every run, as
            in the means of trec_eval.

    Notes:
        * Independence: the interval treats the topics as independent draws from the population of topics. If topics are clustered, the
          interval is too narrow.
        * Number of topics: Student's t interval assumes that means are approximately normal. With few topics and skewed scores, the
          coverage of the interval is below its confidence level. If one of at least 10 topics contributes more than a third of the sum of a
          run's scores, a warning names the run and the topic.
        * Ties: runs with equal means are sorted by run_id.
        * Topics of a mean: Topics are in lexicographic order. With ``compat="inex_eval"``, the means of `scores` and `curve` exclude
          topics that a run does not answer, and a warning says so.
        * Intervals and differences: An interval applies to one run. The intervals of two runs may overlap although their difference is
          significant, because `significance` compares the runs topic by topic.

    Examples:
        >>> from inexmetrics import Gen5, MAep, nxCG, scores
        >>> scores((MAep, nxCG @ 10), Gen5)
        scores(MAep + nxCG@10 ~ Gen5)

        Two runs with scores from another program on three topics have the means (.4 + .6 + .5) / 3 = .5 and (.1 + .2 + .3) / 3 = .2:

        >>> import polars as pl
        >>> from inexmetrics import MAP
        >>> import numpy as np
        >>> from inexmetrics import run, scores_from
        >>> board = scores_from(np.array([[0.4, 0.1], [0.6, 0.2], [0.5, 0.3]]))
        >>> run(scores(MAP), board).table.select("run_id", "topics", pl.col("mean").round(4)).rows()
        [('1', 3, 0.5), ('2', 3, 0.2)]

        Nothing is relevant on the second topic. The mean is that of the first topic, or (1 + 0) / 2. A warning names the topic:

        >>> import warnings
        >>> from inexmetrics import RR, from_frames
        >>> judged = from_frames({"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}})
        >>> with warnings.catch_warnings(action="ignore"):
        ...     [
        ...         run(scores(RR, undefined=rule), judged).table["mean"].item()
        ...         for rule in ("excluded", "zero")
        ...     ]
        [1.0, 0.5]
    """

    interval: float = parameter(0.95, INTERVAL)
    undefined: Literal["excluded", "zero"] = parameter("excluded", Choice(("excluded", "zero")))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> ScoresResult:
        found = scored(self, source, setting) if self.undefined == "excluded" else self._with_zeros(source, setting)
        means, per_topic = [], []
        for condition in found.conditions:
            means.append(_means(condition, found.answered, self.interval))
            rows = PerTopic.frame(
                run_id=np.repeat(np.array(condition.runs, dtype=object), len(condition.topics)).tolist(),
                topic_id=list(condition.topics) * len(condition.runs),
                **condition.names,
                score=condition.matrix.reshape(-1),
            )
            per_topic.append(rows if found.answered is None else rows.filter(pl.Series(found.answered.reshape(-1))))
        tables: dict[str, pl.DataFrame] = {"scores": Means.concat(means), "per_topic": PerTopic.concat(per_topic)}
        warnings = (*with_left_out(found.warnings, source, found.answered), *_rests_on_one_topic(found.conditions))
        return ScoresResult(self, tables, found.origin, setting.compat, warnings)

    def _with_zeros(self, source: Collection | Scores, setting: RunOptions) -> Scored:
        """Returns the scores, with 0 for each topic that a condition uses and for which the measure is undefined."""
        every = np.ones(len(source.topics), dtype=np.bool_)
        found = scored(self, source, setting, {condition.texts: every for condition in self.conditions})
        undefined = {
            of_condition.texts: asked.chosen(source.topics) & ~of_condition.defined
            for asked, of_condition in zip(self.conditions, found.conditions, strict=True)
        }
        conditions = tuple(condition.with_zeros(undefined[condition.texts]) for condition in found.conditions)
        counted = undefined_topics(source.topics, undefined, setting.compat, counted=True)
        return replace(found, conditions=conditions, warnings=tuple(dict.fromkeys((*found.warnings, *counted))))


def _rests_on_one_topic(conditions: Iterable[ConditionScores]) -> Iterator[str]:
    """Yields a warning that names runs with one topic that contributes more than a third of the sum of the run's scores.

    On fewer than 10 topics, and for scores of both signs, such a share is not unusual, and no warning is yielded.
    """
    cases = []
    for condition in conditions:
        sizes = np.abs(condition.scores)
        if sizes.shape[1] < MANY_TOPICS or (condition.scores.min() < 0.0 < condition.scores.max()):
            continue
        with np.errstate(over="ignore"):  # no topic contributes much to an infinite sum
            total = sizes.sum(axis=1)
        shares = np.divide(sizes.max(axis=1), total, out=np.zeros(len(total)), where=total > 0.0)
        topics = np.array(condition.topics)[condition.defined]
        for run in np.flatnonzero(shares > LARGE_SHARE).tolist():
            topic = topics[int(sizes[run].argmax())]
            cases.append(f"{condition.runs[run]} in {condition.text} (topic {topic}: {percentage(float(shares[run]))})")
    if cases:
        yield (
            f"scores: one topic contributes more than a third of the total score of {enumerate_texts(cases)}; "
            f"{'the interval of this mean is' if len(cases) == 1 else 'the intervals of these means are'} uncertain"
        )


def _means(condition: ConditionScores, answered: BoolArray | None, interval: float) -> pl.DataFrame:
    if answered is None:
        topics, means = np.full(len(condition.runs), condition.scores.shape[1]), condition.means
        deviations = sample_deviations(condition.scores)
    else:
        topics, means = answered.sum(axis=1), means_among(condition.matrix, answered)
        rows = zip(condition.matrix, answered, strict=True)
        deviations = np.concatenate([sample_deviations(scores[None, among]) for scores, among in rows])
    margins = student_margins(deviations, topics, interval)
    best_first = ranking(means)
    return Means.frame(
        run_id=[condition.runs[run] for run in best_first],
        **condition.names,
        topics=topics[best_first],
        mean=means[best_first],
        low=(means - margins)[best_first],
        high=(means + margins)[best_first],
    )


scores: Final = Scoring
