"""Tests whether two conditions differ in the difference between two runs: the gap between the conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.inference import conclusions, corrections, paired_t
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.judgements.incomplete import topics_of
from inexmetrics.measures.base import Measure
from inexmetrics.scoring.condition import Condition

__all__ = ["Gaps", "further", "why_untested"]


def further(correction: Correction) -> Correction:
    """Returns the correction of the further tests of an experiment: `Holm` if the experiment's correction is `unadjusted`.

    The p-values of `tukey` and `stepdown` are corrected by the tests, which do not correct the further tests.

    Examples:
        >>> from inexmetrics import BY, unadjusted
        >>> further(BY), further(unadjusted(alpha=0.1))
        (BY, Holm(alpha=0.1))
    """
    return corrections.Holm(alpha=correction.alpha) if isinstance(correction, corrections.Unadjusted) else correction


def why_untested(first: Condition[Measure], second: Condition[Measure], *, fresh: bool = False) -> str:
    """Returns why the differences under two conditions are not tested against each other; empty if the conditions differ only in judgements.

    With `fresh`, the second condition uses only topics that the first does not use.

    Examples:
        >>> from inexmetrics import MAP, P, assessor, topics
        >>> people, llm = (Condition(MAP, assessor(name)) for name in ("human", "llm"))
        >>> why_untested(people, llm)
        ''
        >>> why_untested(people, Condition(P @ 10, assessor("llm")))
        'two measures may have different scales'
        >>> why_untested(people, Condition(MAP, topics(25, assessor("human"))))
        'the two conditions use different topics'
    """
    if first.measure != second.measure:
        return "two measures may have different scales"
    if first.quantisation != second.quantisation:
        return "two quantisations may have different scales"
    chosen = [topics_of(condition.criterion) for condition in (first, second)]
    drawn = [None if choice is None else (choice.n, choice.seed) for choice in chosen]
    return "the two conditions use different topics" if fresh or drawn[0] != drawn[1] else ""


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Whether each difference between two runs under a predictor differs from the difference between these runs under the truth.

    Attributes:
        p_values: Corrected p-values of the two-tailed paired t tests of E - D, where E and D are the differences between two runs by topic
            under the predictor and under the truth, shape (R, R). Each pair of runs is one hypothesis. NaN on the diagonal.
        overstated: Whether the predictor's difference, run i minus run j, is significantly higher than the truth's, shape (R, R).
    """

    p_values: FloatArray
    overstated: BoolArray

    @classmethod
    def between(
        cls, predictor: ConditionScores, truth: ConditionScores, rule: tuple[SignificanceTest, Correction], setting: RunOptions
    ) -> Self:
        """Returns the tests of all pairs of runs on the topics for which the measure is defined under both conditions.

        Args:
            predictor: The scores under the predictor.
            truth: The scores of the same runs under the truth.
            rule: The experiment's test, whose clusters are used, and the experiment's correction.
            setting: The executor and the progress function of the computation.
        """
        test, correction = rule
        both = predictor.defined & truth.defined
        of_predictor, of_truth = predictor.on(both), truth.on(both)
        gap = of_predictor.scores - of_truth.scores
        on_clusters = paired_t.t(clusters=test.clusters).on_clusters(of_truth.clusters)
        adjusted = conclusions.conclude(gap, on_clusters, correction := further(correction), setting).adjusted
        p_values = np.fmax(adjusted, adjusted.T)  # each pair is tested in one of its two directions
        mean = means(gap)
        return cls(p_values, correction.rejects(p_values) & (mean[:, None] - mean > TOLERANCE))
