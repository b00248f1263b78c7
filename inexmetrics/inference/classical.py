"""Paired tests whose statistic has a known distribution: t test, sign test, and Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Grouping, SignificanceTest
from inexmetrics.inference.means import (
    TOLERANCE,
    check_finite,
    differences,
    mean_differences,
    means,
    noise_below,
    of_pairs,
    sample_deviations,
)
from inexmetrics.inference.ranks import EXACT_RANKS, average_ranks, rank_sum_tails
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number, Optional, Text
from inexmetrics.terms.term import parameter

__all__ = ["ClassicalTest", "PairedT", "SignTest", "WilcoxonSignedRank", "sign", "t", "wilcoxon"]

CELLS = 2**20
"""Maximum number of differences (hypotheses x topics) in memory at once."""


class TailsParameters(TypedDict, total=False):
    """Keyword argument of a classical test."""

    tails: int


class TParameters(TailsParameters, total=False):
    """Keyword arguments of the t test."""

    clusters: str | None
    floor: float


@dataclass(frozen=True, slots=True, repr=False)
class ClassicalTest(SignificanceTest, ABC):
    """Test whose p-value for a pair of runs depends only on the differences D between the scores of the two runs.

    Args:
        tails: Number of tails of the test, 2 by default. With 2 tails, p is the probability of a result at least as extreme as the observed
            result, in either direction. With 1 tail, p counts only results in the direction of the hypothesis.
    """

    tails: int = parameter(2, Integer(1, 2))

    @property
    def two_tailed(self) -> bool:
        return self.tails == 2

    @abstractmethod
    def statistic(self, differences: FloatArray) -> FloatArray:
        """Returns the test statistic for each row of differences, shape (hypotheses, topics); NaN if the statistic is undefined."""

    @abstractmethod
    def one_sided(self, differences: FloatArray) -> FloatArray:
        """Returns the one-tailed p-value for each row of differences, shape (hypotheses, topics).

        Each row has at least one nonzero difference.
        """

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        units = self.units(scores)
        if units.shape[1] < 2:
            return np.ones(len(better))
        return of_pairs(self.word, partial(_p_values, self), units, (better, worse), setting)

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        return self.statistic(differences(self.units(scores), better, worse))

    def __call__(self, **changes: Unpack[TailsParameters]) -> Self:
        return self._changed(changes)


def _p_values(test: ClassicalTest, task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Returns the p-values of the hypotheses of one task."""
    scores, better, worse = task
    p_values, step = np.ones(len(better)), max(1, CELLS // scores.shape[1])
    for start in range(0, len(better), step):
        difference = differences(scores, better[start : start + step], worse[start : start + step])
        some = np.flatnonzero(difference.any(axis=1))
        found = test.one_sided(difference[some])
        if test.two_tailed:
            found = np.minimum(1.0, 2.0 * np.minimum(found, test.one_sided(-difference[some])))
        p_values[start + some] = found
    return p_values


@word("t")
@dataclass(frozen=True, slots=True, repr=False)
class PairedT(ClassicalTest):
    """Paired t test: tests whether the mean difference is large relative to its standard error.

    Under Student's distribution with n-1 degrees of freedom, p is the probability of a t at least as far from 0 as the observed t
    (tails=2), or at least as large as the observed t (tails=1). If the differences are equal on all topics (within 1e-12), their standard
    deviation is 0 and t is infinite. If t is infinite, p is 0; with tails=1, p is 1 if t is negative infinity.

    Topics in clusters, such as the tasks of one family or the questions about one document, are not independent draws.
    ``clusters="column"`` treats the clusters as the independent draws. The standard error is computed from the variation between C
    clusters, and t has C-1 degrees of freedom. If all clusters have the same size, the test is the t test on the cluster means. The
    confidence interval uses the clustered standard error; the effect size is computed from the differences by topic.

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
        from scipy.special import stdtr  # takes 0.3 s to import

        return stdtr(differences.shape[1] - 1, -self.statistic(differences))

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        return self.with_floor(ClassicalTest.p_values(self, scores, better, worse, setting), scores, better, worse, setting)

    def with_floor(self, p_values: FloatArray, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        """Returns the p-values of hypotheses with the test's floor, given the p-values without a floor or with a lower floor."""
        from scipy.special import stdtr  # takes 0.3 s to import

        some, statistic, degrees = self._raised(scores, better, worse, setting)
        if not len(some):
            return p_values
        raised = stdtr(degrees, -statistic)
        if self.two_tailed:
            raised = np.minimum(1.0, 2.0 * np.minimum(raised, stdtr(degrees, statistic)))
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

    def spreads(self, units: FloatArray, first: IntArray, second: IntArray, setting: RunOptions) -> FloatArray:
        spread = ClassicalTest.spreads(self, units, first, second, setting)
        noise = noise_below(units, self.floor)
        return np.hypot(spread, np.hypot(noise[first], noise[second]))  # hypot(x, 0) is x

    def _raised(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> tuple[IntArray, FloatArray, int]:
        """Returns the positions of the hypotheses with a raised variance, their t, and the degrees of freedom of t."""
        units = self.units(scores)
        noise = noise_below(units, self.floor)
        some = np.flatnonzero((noise[better] > 0.0) | (noise[worse] > 0.0))
        if not len(some):
            return some, np.empty(0), 0
        pairs, n = (better[some], worse[some]), units.shape[1]
        return some, mean_differences(scores, *pairs) / (self.spreads(units, *pairs, setting) / math.sqrt(n)), n - 1

    def smallest_p_value(self, units: int) -> float:
        return 0.0 if units >= 2 else 1.0


@word("wilcoxon")
@dataclass(frozen=True, slots=True, repr=False)
class WilcoxonSignedRank(ClassicalTest):
    """Wilcoxon's signed-rank test: ranks differences by absolute value and compares the rank sums of positive and negative differences.

    Zero differences are dropped, and ties (equal within 1e-12) share the mean of their ranks. The one-tailed p = P(W >= w) is exact for up
    to 50 nonzero differences without ties. If there are ties or more than 50 nonzero differences, p is computed from the normal
    approximation of W, without a continuity correction.

    Formula:
        w = sum_(D > 0) rank(|D|)
        mean(W) = n (n + 1) / 4
        var(W) = n (n + 1) (2 n + 1) / 24 - (1 / 48) sum_(g) (g^3 - g)
        where
            D: the difference on a topic, above 0 if the better run is ahead
            rank(D): the rank of the difference by absolute value
            W: the sum of the ranks of positive differences under the null hypothesis
            n: the number of nonzero differences
            g: the number of differences in a group of ties

    Source: Wilcoxon (1945); compared with the bootstrap in Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import wilcoxon
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5, 0.3], [0.1, 0.2, 0.3, 0.3]])
        >>> wilcoxon.p_values(scores, np.array([0]), np.array([1]), RunOptions()).tolist()
        [0.25]
    """

    counts_ties: ClassVar[bool] = True

    def statistic(self, differences: FloatArray) -> FloatArray:
        return _signed_ranks(differences)[0]

    def one_sided(self, differences: FloatArray) -> FloatArray:
        rank_sum, n, ties = _signed_ranks(differences)
        exact = (n <= EXACT_RANKS) & (ties == 0)
        p_values = np.empty(len(differences))
        p_values[exact] = rank_sum_tails()[n[exact], rank_sum[exact].astype(np.int64)]
        if not exact.all():
            from scipy.special import ndtr  # takes 0.3 s to import

            count = n[~exact].astype(np.float64)
            mean = count * (count + 1) / 4
            variance = count * (count + 1) * (2 * count + 1) / 24 - ties[~exact] / 48
            p_values[~exact] = ndtr((mean - rank_sum[~exact]) / np.sqrt(variance))
        return p_values

    def smallest_p_value(self, units: int) -> float:
        if units < 2:
            return 1.0
        # The p-value is smallest if all differences have the same sign. Without ties, the smallest p-value is exact. With ties, it is
        # computed from the largest possible z = sqrt(n'), which occurs if all differences are tied.
        exact = math.ldexp(1.0, -min(units, EXACT_RANKS))
        normal = math.erfc(math.sqrt(units / 2)) / 2
        return self.tails * min(exact, normal)


def _signed_ranks(differences: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Returns three values for each row: W+, the number of nonzero differences, and the sum of t^3 - t over the groups of t ties.

    W+ is the sum of the ranks of the positive differences.
    """
    zeros = np.count_nonzero(differences == 0.0, axis=1)
    ranks, ties = average_ranks(np.abs(differences))
    # The test drops zero differences. They have the lowest ranks and form one group of ties. Therefore the number of zeros is subtracted
    # from all other ranks.
    rank_sum: FloatArray = np.sum(np.where(differences > 0.0, ranks - zeros[:, None], 0.0), axis=1)
    return rank_sum, differences.shape[1] - zeros, ties - (zeros**3 - zeros)


@word("sign")
@dataclass(frozen=True, slots=True, repr=False)
class SignTest(ClassicalTest):
    """Sign test: tests whether the better run has the higher score on more topics than expected by chance.

    Zero differences are dropped.

    Formula:
        p = min(1, 2 P(B >= k)) "with two tails"
        p = P(B >= k) "with one tail"
        where
            k: the number of topics on which the better run is ahead
            B: the number of heads if a fair coin is tossed once per topic with a nonzero difference (binomial)
            P: the probability

    Source: Compared with the bootstrap in Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import sign
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5, 0.3], [0.1, 0.2, 0.3, 0.3]])
        >>> sign.p_values(scores, np.array([0]), np.array([1]), RunOptions()).tolist()
        [0.25]
    """

    counts_ties: ClassVar[bool] = True

    def statistic(self, differences: FloatArray) -> FloatArray:
        positive: FloatArray = np.count_nonzero(differences > 0.0, axis=1).astype(np.float64)
        return positive

    def one_sided(self, differences: FloatArray) -> FloatArray:
        from scipy.special import betainc  # takes 0.3 s to import

        k = self.statistic(differences)
        n = np.count_nonzero(differences, axis=1)
        # P(Bin(n, 1/2) >= k) = I_{1/2}(k, n-k+1) for k >= 1.
        return np.where(k == 0, 1.0, betainc(np.maximum(k, 1.0), n - k + 1, 0.5))

    def smallest_p_value(self, units: int) -> float:
        return self.tails * math.ldexp(1.0, -units) if units >= 2 else 1.0


t: Final = PairedT()
wilcoxon: Final = WilcoxonSignedRank()
sign: Final = SignTest()
