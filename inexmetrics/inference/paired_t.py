"""The paired t test, with clusters of topics and with a floor for the standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Grouping
from inexmetrics.inference.classical import ClassicalTest, TailsParameters
from inexmetrics.inference.means import TOLERANCE, deviations, mean_differences, means, noise_below, sample_deviations
from inexmetrics.inference.student import student_tail
from inexmetrics.terms import Number, Optional, Text, parameter, word

__all__ = ["PairedT", "t"]


class TParameters(TailsParameters, total=False):
    """Keyword arguments of the t test."""

    clusters: str | None
    floor: float


@word("t")
@dataclass(frozen=True, slots=True, repr=False)
class PairedT(ClassicalTest):
    """Paired t test: tests whether the mean difference is large relative to its standard error.

    Under Student's distribution with n-1 degrees of freedom, p is the probability of a t at least as far from 0 as the observed t
    (tails=2), or at least as large as the observed t (tails=1). If the differences are equal on all topics (within 1e-12), their standard
    deviation is 0 and t is infinite. If t is infinite, p is 0; with tails=1, p is 1 if t is negative infinity. A warning says so if the
    difference would not be significant by the sign test, as with few topics.

    Topics in clusters, such as the tasks of one family or the questions about one document, are not independent draws.
    ``clusters="column"`` treats the clusters as the independent draws. The standard error is computed from the variation between C
    clusters, and t has C-1 degrees of freedom. If all clusters have the same size, the test is the t test on the cluster means. The
    confidence interval uses the clustered standard error; the effect size is computed from the differences by topic.

    If the sizes of the clusters differ much, the large clusters determine the mean, the clustered standard error is too small, and t rejects
    too often. At a level of .05, equally good runs differ in 5 % of simulations with 8 clusters of 3 topics, in 12 % with 12 clusters of 10
    to 153 topics, in 35 % with clusters of 1, 1, 1, 2, 2, 3, 10 and 40 topics, and in 82 % with nine clusters of 1 topic and one of 60. A
    warning then recommends ``randomisation(clusters="column")``, whose p-values are valid for any sizes. No interval is. The warning is
    issued if the squared deviations of the clusters' shares of the topics from equal shares sum to more than 0.04; below, the rate was at
    most 9 %.

    If runs have equal means but very different distributions, t rejects too often. This happens if a run scores near 0 on nearly all
    topics: its few good topics may be missing from the sample of topics, and its scores then seem to be constant. ``floor=f`` sets a lower
    bound for the standard deviation of each run's scores over topics: f times the standard deviation of the run with the median variance.
    The variance of a run below the bound is raised to the bound, as if the scores of the run contained independent noise. The default,
    ``floor=0``, is the ordinary t test. A p-value with a floor is never below the p-value without a floor. A warning recommends
    ``t(floor=0.5)`` if at least one difference would no longer be significant. The interval and equivalence tests use the raised
    variances; the effect size does not. Runs whose scores do not vary are ignored when the median is computed. With clusters, variances are
    those of the values of the clusters.

    Formula:
        t = mean(D) / (s / sqrt(n))
        s^2 = sd^2 + a_1 + a_2
        a_i = max(0, f^2 V - v_i)
        t = mean(D) / se "with clusters"
        se = sqrt((C / (C - 1)) sum_(c) (S_c - m_c mean(D))^2) / n
        where
            D: the differences between the two runs by topic
            mean(D): their mean
            s: their standard deviation, raised by the floor
            sd: their standard deviation, with n-1 in the denominator
            n: the number of topics
            f: the floor
            v_i: the variance over topics of the scores of run 1 or run 2 of the pair, with n-1 in the denominator
            V: the median variance of the runs whose variance is above 0
            C: the number of clusters
            S_c: the sum of D in cluster c
            m_c: the number of topics in cluster c

    Args:
        clusters: Name of the column of a score matrix that contains the cluster of each topic; None if topics are independent.
        floor: Lower bound for the standard deviation of each run's scores, as a fraction of the standard deviation of the run with the
            median variance; from 0, which is no bound, to 1.

    Source: Cherukuri (2010), section 4.2, figures 5 and 6, table 7; the floor is a definition of inexmetrics, after the constant that
        Tusher, Tibshirani & Chu (2001) add to the denominator of t.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import t
        >>> from inexmetrics.common.options import RunOptions
        >>> t, t(tails=1)
        (t, t(tails=1))
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> better, worse = np.array([0, 1]), np.array([1, 0])
        >>> t.p_values(scores, better, worse, RunOptions()).round(4).tolist()
        [0.0351, 0.0351]
        >>> t(tails=1).p_values(scores, better, worse, RunOptions()).round(4).tolist()
        [0.0175, 0.9825]

        Both runs have a standard deviation of .1. A third run scores 0 except for .02 on the last topic. With a floor of half the median
        standard deviation, its variance is raised from .0001 to .0025, and t falls from 8.49 to 7.64:

        >>> three = np.vstack([scores, [0.0, 0.0, 0.02]])
        >>> first, third = np.array([0]), np.array([2])
        >>> t.p_values(three, first, third, RunOptions()).round(4).tolist()
        [0.0136]
        >>> t(floor=0.5).p_values(three, first, third, RunOptions()).round(4).tolist()
        [0.0167]
    """

    clusters: str | None = parameter(None, Optional(Text()))
    floor: float = parameter(0.0, Number(at_least=0.0, at_most=1.0))
    grouping: Grouping | None = None

    def __call__(self, **changes: Unpack[TParameters]) -> Self:
        return self._changed(changes)

    def units(self, scores: FloatArray) -> FloatArray:
        return scores if self.grouping is None else self.grouping.values(scores)

    def statistic(self, differences: FloatArray) -> FloatArray:
        n = differences.shape[1]
        mean = means(differences)
        mean[np.abs(mean) <= TOLERANCE] = 0.0  # runs with equal means differ only by rounding errors
        with np.errstate(divide="ignore", invalid="ignore"):
            t_value: FloatArray = mean / (sample_deviations(differences) / math.sqrt(n))
        return t_value

    def one_sided(self, differences: FloatArray) -> FloatArray:
        return student_tail(differences.shape[1] - 1, self.statistic(differences))

    def two_sided(self, differences: FloatArray) -> FloatArray:
        return 2.0 * student_tail(differences.shape[1] - 1, np.abs(self.statistic(differences)))

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        return self.with_floor(ClassicalTest.p_values(self, scores, better, worse, setting), scores, better, worse, setting)

    def with_floor(self, p_values: FloatArray, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        """Returns the p-values of hypotheses with the test's floor, given the p-values without a floor or with a lower floor."""
        some, statistic, degrees = self._raised(scores, better, worse, setting)
        if not len(some):
            return p_values
        raised = 2.0 * student_tail(degrees, np.abs(statistic)) if self.two_tailed else student_tail(degrees, statistic)
        # A larger variance never makes p smaller. The maximum removes rounding errors; it also keeps p = 1 for runs with equal scores.
        larger = np.maximum(raised, p_values[some])
        found = p_values.copy()
        found[some] = larger if self.two_tailed else np.where(statistic >= 0.0, larger, raised)
        return found

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        found = ClassicalTest.statistics(self, scores, better, worse)
        some, raised, _ = self._raised(scores, better, worse, RunOptions())
        found[some] = raised
        return found

    def spreads(self, units: FloatArray, first: IntArray, second: IntArray, deviation: FloatArray) -> FloatArray:
        noise = noise_below(units, self.floor)
        return np.hypot(deviation, np.hypot(noise[first], noise[second]))  # hypot(x, 0) is x

    def _raised(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> tuple[IntArray, FloatArray, int]:
        """Returns the positions of the hypotheses with a raised variance, their t, and the degrees of freedom of t."""
        units = self.units(scores)
        noise = noise_below(units, self.floor)
        some = np.flatnonzero((noise[better] > 0.0) | (noise[worse] > 0.0))
        if not len(some):
            return some, np.empty(0), 0
        pairs, n = (better[some], worse[some]), units.shape[1]
        spread = self.spreads(units, *pairs, deviations(units, *pairs, setting))
        return some, mean_differences(scores, *pairs) / (spread / math.sqrt(n)), n - 1

    def smallest_p_value(self, units: int) -> float:
        return 0.0 if units >= 2 else 1.0


t: Final = PairedT()
