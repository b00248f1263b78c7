"""A weighted sample of documents, drawn from judgements that are complete; expected gains stand for the other documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_documents
from inexmetrics.common import errors, messages
from inexmetrics.judgements.base import INSIDE
from inexmetrics.judgements.cheap_judge import JUDGE, check_scales, classes_of, grades_of, highest_gain, judged_by
from inexmetrics.judgements.estimating import Estimating, Sample
from inexmetrics.judgements.weighted_samples import Weights, budget_of, drawn, expectations, pilot, pool_of, probabilities, sizes
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Integer, Number, parameter, required, word

__all__ = ["WeightedSample", "weighted"]


@word("weighted")
@dataclass(frozen=True, slots=True, repr=False)
class WeightedSample(Estimating):
    """Estimates scores from the judgements of a weighted sample of documents, drawn from judgements that are complete.

    The sample answers a question about cheaper judgements: which conclusions would this share of the judgements have led to? The documents
    of a topic's pool are those that have a weight under the measure in at least one run, for example the first ten documents of every run
    under `P@10`. Documents without a judgement are treated as judged not relevant.

    The share is of the pools of all topics together. In a first stage, 15 % of these documents are drawn uniformly. Their judgements show
    how often documents with each grade of the judge are relevant. In a second stage, each document is drawn with a probability that grows
    with the differences between the runs and with the uncertainty about its gain. The expected gain stands for every document that is not
    judged, and the gain of a drawn document corrects it. The mean of the estimated score over all possible second stages is the score under
    all judgements, topic by topic. Tests over topics are therefore valid as they are.

    The proof: given the first stage, p and pi are fixed numbers. A document has the value p + (g - p)/pi with probability pi, and otherwise
    p. The mean of its value is p + pi (g - p)/pi = g. The weights w are fixed by the runs, so that the mean of the score is the sum of w g.
    The difference of two runs on a topic is therefore the true difference plus an error of mean 0, which the variance over topics contains.

    The measure must be linear in gains, such as `P@k`, `RBP` or `nDCG@k`. `nDCG@k` is divided by the score of the ideal list that is
    known before the second stage. Expected differences between runs keep their signs on each topic, but topics get other weights, so that a
    difference of means may change its sign. Its means cannot be compared with means under all judgements. `DCG@k` is not divided. Estimated
    scores may be below 0 or above 1. If the share is below 1, every topic with a pool is defined, even if no judged document is relevant.

    Formula:
        s = sum_(d) w_d v_d
        v = g "if the document is certain"
        v = p + (g - p) / pi "if it was drawn in the second stage"
        v = p "otherwise"
        pi = min(1, lambda a)
        a = sqrt(sum_(r < q) (w_r - w_q)^2) sqrt(max(p (1 - p), .02))
        where
            w_d: the weight of document d at its rank in the run
            v: the value that stands for the gain of a document
            g: the gain of a document
            p: the expected gain, from the certain documents with the same grade of the judge
            pi: the probability with which the document is drawn
            lambda: the number for which the probabilities add up to the number of documents
            a: the size of a document, at least .1 of the mean size
            r: a run
            q: another run

    Args:
        share: The share of the documents in the pools of all topics that are judged, above 0 and at most 1. With a share of 1, all
            judgements are used.
        quantisation: The complete judgements, such as those of an assessor; omitted for all judgements.
        judge: The judgements of a cheap judge, such as a language model, which covers all documents. Its grades are on the scale of the
            complete judgements; under binary measures such as `P@k`, any scale is valid. If None, all documents have the same expected gain.
        seed: The seed of the random number generator, ``PCG64(SeedSequence(seed))``.

    Raises:
        FormulaError: The measure is not linear in gains, the share is not above 0 and at most 1, or the judge is not a selection of
            judgements.
        CollectionError: The collection lacks runs, the share is less than two documents, or the judge used another scale.

    Source: Horvitz & Thompson (1952), with a control variate; Aslam & Pavlu (2007); Zrnic & Candes (2024).

    Examples:
        >>> from inexmetrics import P, assessor, from_frames, run, scores, weighted
        >>> scores(P @ 10, weighted(0.25, assessor("human"), judge=assessor("llm")))
        scores(P@10 ~ weighted(0.25, assessor("human"), judge=assessor("llm")))

        Run x ranks a, b, c, d and run y ranks d, c, b, a. Document a and document c are relevant; P@2 of both runs is 1/2:

        >>> found = {
        ...     "x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}},
        ...     "y": {"1": {"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}},
        ... }
        >>> judged = from_frames({"1": {"a": 1, "b": 0, "c": 1, "d": 0}}, found)
        >>> run(scores(P @ 2, weighted(1)), judged).table["mean"].to_list()
        [0.5, 0.5]

        With half of the judgements, the estimates vary with the seed; their mean over many seeds is near 1/2:

        >>> estimated = run(
        ...     scores(P @ 2, tuple(weighted(0.5, seed=seed) for seed in range(200))), judged
        ... ).table
        >>> round(estimated["mean"].mean(), 1)
        0.5
    """

    names = "only selects judgements"

    share: float = field(metadata=required(Number(above=0.0, at_most=1.0), "0.25"))
    quantisation: Criterion | None = parameter(None, INSIDE)
    judge: Criterion | None = parameter(None, JUDGE)
    seed: int = parameter(0, Integer(0))

    @property
    def manner(self) -> str:
        return f"in a weighted sample of {messages.canonical(self.share)}"

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        return self.share

    def redrawn(self, draw: int) -> Criterion:
        return self if self.share == 1.0 else replace(self, seed=self.seed + draw)

    def sample(self, assessments: Assessments, runs: Runs, weights: Weights) -> Sample | None:
        if self.share == 1.0:
            return None
        complete = assessed_documents(self.read(assessments, runs)).filter(pl.col("grade") >= 0.0)
        pool = pool_of(runs, weights, tuple(complete["topic_id"].unique().sort().to_list()))
        count = pool.documents.height
        budget = budget_of(self.share, count)
        if budget < 2:
            raise errors.CollectionError(
                f"expected a share of at least 2 of {messages.plural(count, 'pooled document')}, found {messages.plural(budget, 'document')}"
            )
        grades = grades_of(pool, complete)
        gains = weights.gains_of(np.nan_to_num(grades, nan=0.0))
        judge = None if self.judge is None else judged_by(self.judge, assessments, runs, pool)
        check_scales(weights, grades, judge)
        classes = classes_of(judge, count)
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed)))
        certain = pilot(budget, np.zeros(count, dtype=np.bool_), generator)
        highest = highest_gain(weights, grades[certain], judge)
        expected = expectations(gains, certain, classes, highest)
        chances = np.ones(count)
        others = np.flatnonzero(~certain)
        chances[others] = probabilities(sizes(pool.spread[others], expected[others] / highest), budget - int(certain.sum()))
        judged = certain.copy()
        judged[others] = drawn(chances[others], generator.random())
        return Sample(pool, np.where(judged, gains, 0.0), judged, chances, expected, int(np.isnan(grades).sum()))

    def warnings(self, sample: Sample) -> Iterator[str]:
        if sample.unjudged:
            there = messages.plural(sample.pool.documents.height, "pooled document", "was", "were")
            yield f"{sample.unjudged} of {there} not judged, and count as judged not relevant"
        yield from sample.warnings()


weighted: Final = WeightedSample
