"""Paired tests whose statistic has a known distribution: their base class, the sign test, and Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.means import TOLERANCE, check_finite, differences_in_parts, means, of_pairs
from inexmetrics.inference.ranks import EXACT_RANKS, average_ranks, rank_sum_tails
from inexmetrics.terms import Integer, parameter, word

__all__ = ["ClassicalTest", "SignTest", "TailsParameters", "WilcoxonSignedRank", "sign", "wilcoxon"]

FEW_DIFFERENCES: Final = 12
"""Up to this number of differences, the normal approximation of Wilcoxon's test may fall below the smallest exact p-value."""
AGAINST: Final = 0.05
"""Maximum two-sided p-value of a test in the direction against the means that is warned of."""


class TailsParameters(TypedDict, total=False):
    """Keyword argument of a classical test."""

    tails: int


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

    def two_sided(self, differences: FloatArray) -> FloatArray:
        """Returns the two-tailed p-value for each row of differences: twice the one-tailed p-value in the direction of the mean difference.

        A test of ranks or signs may favour the run with the lower mean. The p-value then is no evidence for the direction of the means, and
        is 1, as it is if the means are equal.
        """
        mean = means(differences)
        one_sided = self.one_sided(np.where(mean[:, None] > 0.0, differences, -differences))
        return np.where(np.abs(mean) <= TOLERANCE, 1.0, np.minimum(1.0, 2.0 * one_sided))

    def against_means(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        """Returns a warning if the test favours the run with the lower mean in some pairs, with a p-value of at most `AGAINST`."""
        some = np.flatnonzero(p_values == 1.0) if self.two_tailed else np.array([], dtype=np.intp)
        found = 0
        for _, part in differences_in_parts(scores, better[some], worse[some]):
            there = part[part.any(axis=1)]
            found += int((2.0 * np.minimum(self.one_sided(there), self.one_sided(-there)) <= AGAINST).sum()) if len(there) else 0
        if not found:
            return ()
        pairs = plural(found, "pair")
        return (
            f"{self}: in {pairs} the test favours the run without the higher mean (two-sided p of at most {AGAINST}), because few topics decide the "
            "means; no difference is claimed there, and the p-value is 1",
        )

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        units = self.units(scores)
        if units.shape[1] < 2:
            return np.ones(len(better))
        return of_pairs(self.word, partial(_p_values, self), units, (better, worse), setting)

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        found = np.empty(len(better))
        for rows, part in differences_in_parts(self.units(scores), better, worse):
            found[rows] = self.statistic(part)
        return found

    def __call__(self, **changes: Unpack[TailsParameters]) -> Self:
        return self._changed(changes)


def _p_values(test: ClassicalTest, task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Returns the p-values of the hypotheses of one task."""
    scores, better, worse = task
    p_values = np.ones(len(better))
    for rows, difference in differences_in_parts(scores, better, worse):
        some = np.flatnonzero(difference.any(axis=1))
        p_values[rows.start + some] = test.two_sided(difference[some]) if test.two_tailed else test.one_sided(difference[some])
    return p_values


@word("wilcoxon")
@dataclass(frozen=True, slots=True, repr=False)
class WilcoxonSignedRank(ClassicalTest):
    """Wilcoxon's signed-rank test: ranks differences by absolute value and compares the rank sums of positive and negative differences.

    The one-tailed p = P(W >= w) is exact for up to 50 nonzero differences without ties. If there are ties or more than 50 nonzero
    differences, p is computed from the normal approximation of W, without a continuity correction. With few topics, this approximation may
    be below the smallest exact p-value; a warning then says so. The two-tailed p is twice the one-tailed p in the direction of the means, and at most 1.
    The hypothesis is not about means: a warning counts the significant differences that `t` does not find.

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

    Notes:
        * Zero differences and ties: Zero differences are dropped, and ties (equal within 1e-12) share the mean of their ranks.

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
    not_means: ClassVar[str] = "ranks of differences"

    def bounds_means(self, topics: int) -> bool:
        return False

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

    def cautions(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        against = self.against_means(scores, better, worse, p_values)
        if scores.shape[1] > FEW_DIFFERENCES:
            return against
        count = np.zeros(len(better), dtype=np.int64)
        for some, part in differences_in_parts(scores, better, worse):
            count[some] = np.count_nonzero(part, axis=1)
        smallest = np.minimum(1.0, self.tails * 0.5**count)
        below = np.flatnonzero(p_values < smallest * (1 - 1e-9))
        if not below.size:
            return against
        at, pairs = below[0], plural(len(below), "pair", "is", "are")
        there = f"{plural(int(count[at]), 'difference')} that are not 0, {smallest[at]:.3g}"
        return (
            *against,
            f"{self}: {'the p-value' if len(below) == 1 else 'p-values'} of {pairs} below the smallest exact p-value (for {there}), because ties "
            "are approximated by a normal distribution; the p-values of sign are exact",
        )

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
    size = np.abs(differences)
    order = np.argsort(size, axis=1)
    ordered, positive = np.take_along_axis(size, order, axis=1), np.take_along_axis(differences > 0.0, order, axis=1)
    zeros = np.count_nonzero(ordered == 0.0, axis=1)
    # Without ties, the rank of a difference is its place among the nonzero differences, and any order of the zeros is right.
    places = np.arange(1, differences.shape[1] + 1)
    rank_sum: FloatArray = (positive @ places - zeros * np.count_nonzero(positive, axis=1)).astype(np.float64)
    ties = np.zeros(len(differences), dtype=np.int64)
    tied = np.flatnonzero(((np.diff(ordered, axis=1) <= TOLERANCE) & (ordered[:, :-1] > 0.0)).any(axis=1))
    if tied.size:
        ranks, of_ties = average_ranks(size[tied])
        # The test drops zero differences. They have the lowest ranks and form one group of ties. Therefore the number of zeros is
        # subtracted from all other ranks.
        rank_sum[tied] = np.sum(np.where(differences[tied] > 0.0, ranks - zeros[tied, None], 0.0), axis=1)
        ties[tied] = of_ties - (zeros[tied] ** 3 - zeros[tied])
    return rank_sum, differences.shape[1] - zeros, ties


@word("sign")
@dataclass(frozen=True, slots=True, repr=False)
class SignTest(ClassicalTest):
    """Sign test: tests whether the better run has the higher score on more topics than expected by chance.

    Zero differences are dropped. If the run with the lower mean is ahead on more topics, the two-tailed p is 1, because the difference of the
    means has the other direction. The hypothesis is not about means: a warning counts the significant differences that `t` does not find.

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
    not_means: ClassVar[str] = "numbers of topics"

    def bounds_means(self, topics: int) -> bool:
        return False

    def cautions(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        return self.against_means(scores, better, worse, p_values)

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


wilcoxon: Final = WilcoxonSignedRank()
sign: Final = SignTest()
