"""Tests of all pairs of runs at once: the randomised Tukey HSD test and the step-down test.

Tukey's test compares each difference between runs with the range of all means under random permutation. The step-down test compares
studentised differences with the largest random differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, NamedTuple, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import bootstrap, resampling
from inexmetrics.inference.base import Grouping, generator
from inexmetrics.inference.means import TOLERANCE, check_finite, deviations, mean_differences
from inexmetrics.terms import Optional, Text, parameter, word

__all__ = ["RandomisedTukey", "Stepdown", "stepdown", "tukey"]

_ranges: dict[resampling.Family[RandomisedTukey], FloatArray] = {}


@word("tukey")
@dataclass(frozen=True, slots=True, repr=False)
class RandomisedTukey(resampling.RandomTest):
    """Randomised Tukey HSD test: compares each difference between runs with the largest differences under random permutations.

    Under the null hypothesis that all runs are equal, the k scores for a topic are exchangeable. The scores for each topic are permuted b
    times. The test is two-tailed, with one hypothesis per pair: that the two runs differ. Each difference is compared with the largest
    difference in each permutation. Therefore the p-values are already corrected for the number of pairs: `unadjusted` is the only valid
    correction and the default. If all hypotheses with p <= alpha are rejected, the probability of at least one wrong rejection is at most
    alpha. The test assumes that the scores of equally good runs have the same distribution. If the variances of the runs differ widely,
    `tukey` rejects too often; `stepdown` does not. `versus` and `error_rate` do not accept this test, because the test needs all runs at
    once.

    Confidence intervals are simultaneous. For the confidence level c, each interval is the difference plus or minus the c-quantile of the
    ranges. If the b ranges are sorted in increasing order, the c-quantile is the range at position ``c * b``, rounded up.

    Formula:
        p = (1 + #{i : q_i >= |D|}) / (b + 1)
        where
            i: one of the b permutations
            q_i: the range of the runs' means on permutation i, the highest minus the lowest
            D: the difference between the means of the two runs

    Computed: q_i is treated as at least D if q_i is smaller than D by at most 1e-12.

    Args:
        b: Number of permutations, 10000 by default.
        seed: Seed of the random number generator, 0 by default.

    Source: Carterette (2012), section 4.2; Sakai (2018), section 4.6.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import tukey
        >>> tukey, tukey(b=2000, seed=7)
        (tukey, tukey(b=2000, seed=7))
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> p = tukey.p_values(scores, np.array([0]), np.array([1]), RunOptions())
        >>> bool(abs(p[0] - 2 / 8) < 0.02)
        True
    """

    two_tailed: ClassVar[bool] = True
    simultaneous: ClassVar[bool] = True

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        if scores.shape[1] < 2:
            return np.ones(len(better))
        least = np.abs(mean_differences(scores, better, worse)) - TOLERANCE
        reached = self.b - np.searchsorted(self.ranges(scores, setting), least, side="left")
        return (1 + reached) / (self.b + 1)

    def intervals(
        self,
        scores: FloatArray,
        better: IntArray,
        worse: IntArray,
        interval: float,
        setting: RunOptions,
        *,
        deviation: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Returns simultaneous intervals: the difference plus or minus a quantile of the ranges, for the confidence level `interval`."""
        check_finite(scores)
        difference = mean_differences(scores, better, worse)
        margin = np.nan
        if scores.shape[1] >= 2:
            margin = self.ranges(scores, setting)[math.ceil(interval * self.b - 1e-9) - 1]
        return difference - margin, difference + margin

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        return mean_differences(scores, better, worse)

    def smallest_p_value(self, units: int) -> float:
        return 1 / (self.b + 1) if units >= 2 else 1.0

    def ranges(self, scores: FloatArray, setting: RunOptions) -> FloatArray:
        """Returns, for each of the b permutations, the range of the means of all runs (highest minus lowest), in increasing order.

        At least 2 topics are required. Each block of 500 permutations is a separate task with its own random numbers.
        """

        def drawn() -> FloatArray:
            blocks = setting.map(
                self.word,
                partial(_block_of_ranges, self, resampling.grid(scores)),
                range(math.ceil(self.b / resampling.BLOCK)),
                threads=True,
            )
            found: FloatArray = np.ldexp(np.sort(np.concatenate(list(blocks))), -resampling.grid_bits(scores)) / scores.shape[1]
            found.setflags(write=False)
            return found

        return resampling.kept(_ranges, self, scores, drawn)


def _block_of_ranges(test: RandomisedTukey, units: FloatArray, block: int) -> FloatArray:
    """Returns, for each permutation in one block, the highest minus the lowest sum of a run's scores, in units of `grid`.

    The permutations depend only on the seed of the test and the number of the block.
    """
    random = generator(test.seed, block)
    of_topics = np.ascontiguousarray(units.T)
    permuted = np.empty_like(of_topics)
    ranges = np.empty(min(resampling.BLOCK, test.b - block * resampling.BLOCK))
    for sample in range(len(ranges)):
        random.permuted(of_topics, axis=1, out=permuted)
        ranges[sample] = np.ptp(permuted.sum(axis=0))  # sums of integers are exact in any order
    return ranges


tukey: Final = RandomisedTukey()


CHUNK: Final = 10 * resampling.BLOCK
"""Number of draws in one task: few enough that the statistics of a pair fit into the processor's cache."""
FEW_UNITS: Final = 8
"""Number of topics or clusters from which on the step-down test keeps its level."""
TIE: Final = 1 - 1e-9
"""A drawn statistic is treated as at least as large as the observed statistic if the ratio of the two is at least this value."""


class _Results(NamedTuple):
    """Results of the step-down test for all pairs of runs.

    Attributes:
        p_values: p-values, shape (runs, runs).
        largest: Largest statistic of each draw, shape (b,). The b values are sorted in increasing order. A value is infinite if the
            denominator of the statistic is 0.
    """

    p_values: FloatArray
    largest: FloatArray


class _Pairs(NamedTuple):
    """Pairs of runs in increasing order of |t|.

    Attributes:
        first: Row index of the first run of each pair.
        second: Row index of the second run of each pair.
        weights: Factors by which the difference between the runs of each pair is multiplied to obtain the statistic q.
        reached: Threshold of q for each pair, computed from the observed difference. The p-value counts the draws in which the largest q is
            at least this threshold.
    """

    first: IntArray
    second: IntArray
    weights: FloatArray
    reached: FloatArray


class StepdownParameters(resampling.ResamplingParameters, total=False):
    """Keyword arguments of the step-down test."""

    clusters: str | None


_families: dict[resampling.Family[Stepdown], _Results] = {}


@word("stepdown")
@dataclass(frozen=True, slots=True, repr=False)
class Stepdown(resampling.RandomTest):
    """Step-down test of Romano and Wolf: compares each difference with the largest difference of the remaining pairs under random signs.

    The test compares all pairs of runs at once. The statistic of a pair is the mean difference divided by its standard error. In each of b
    random draws, the signs of the centred differences are changed on a random set of topics, which is the same for all pairs. Pairs are
    tested in decreasing order of the statistic. Each statistic is compared with the largest random statistic among its own pair and all
    later pairs. The p-values are therefore already corrected for multiple comparisons. Only `unadjusted`, the default, is accepted as the
    correction. If all hypotheses with p <= alpha are rejected, the probability of at least one wrong rejection is at most alpha. The test
    is two-tailed, with one hypothesis per pair. `versus` and `error_rate` do not accept this test, because the test needs all runs at once.

    With ``clusters="column"``, clusters of topics, such as the tasks of one family, are treated as independent. The differences on
    the topics of each cluster are summed, and signs are changed for whole clusters. If the sizes of the clusters differ much, the intervals
    are too narrow; a warning says so.

    The test assumes that the differences between two equally good runs are distributed symmetrically around 0. If the distribution of the
    differences is not symmetric, for example because runs with equal means have unequal skewness, the test rejects true null hypotheses too
    often: on 9 % of simulated leaderboards with skewed scores like those of the built-in sample, and on 36 % with lognormal scores (see the
    page "What tests and intervals guarantee"). A warning is issued if significant differences depend on runs whose scores hardly vary (see
    `t`, ``floor``). Most of these leaderboards get no warning, because few topics do not show how skewed the differences are. A warning about
    the pairs that only `stepdown` finds would nearly always be issued.

    With fewer than eight topics or clusters, random signs give few different statistics, and the test rejects too often; a warning says so.
    On 3 topics, at least one pair was significant on 55 % of 150 simulated leaderboards of 6 equal runs, and on all leaderboards of 30 runs;
    on 5 topics, on 4 % and 26 %.

    Confidence intervals are simultaneous. Each interval is the difference plus or minus q standard errors. The largest absolute
    statistic of all pairs is computed on each of the b draws. For the confidence level c, q is the c-quantile of these b values. If the
    values are sorted in increasing order, the c-quantile is the value at position ``c * b``, rounded up. The intervals are null if q is
    infinite, for example with two topics.

    Formula:
        t_j = S_j / sqrt((n / (n - 1)) (sum_(i) U_ij^2 - S_j^2 / n))
        M_dj = sum_(i) s_di Z_ij
        t'_dj = M_dj / sqrt((n / (n - 1)) (sum_(i) Z_ij^2 - M_dj^2 / n))
        p_j = max_(k <= j) (1 + #{d : m_dk >= |t_k|}) / (b + 1)
        where
            i: a topic, or a cluster
            j: a pair of runs, counted by decreasing size of t
            k: another pair
            U_ij: the difference of pair j on topic i, or its sum in cluster i
            S_j: the sum of U_ij over the topics, or the clusters
            Z_ij: U_ij minus the mean of pair j
            d: one of the b draws
            m_dk: the largest |t'| on draw d among pair k and all later pairs
            s_di: the sign that draw d gives to topic i, 1 or -1
            n: the number of topics, or of clusters

    Computed: scores are rounded to multiples of 2^-40. A pair whose differences have a standard deviation of at most 1e-12 is excluded from
    all maxima. If its mean difference is also at most 1e-12, its p-value is 1. Otherwise its t is infinite. |t'| and |t| are compared after
    the transformation x / sqrt(x^2 + n - 1), which preserves their order. If the transformed |t'| is smaller by at most a relative 1e-9,
    |t'| is treated as at least |t|.

    Args:
        clusters: Name of the column of a score matrix that contains the cluster of each topic; None if topics are independent.

    Source: Romano & Wolf (2005); Westfall & Young (1993).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import stepdown
        >>> stepdown, stepdown(b=2000, clusters="family")
        (stepdown, stepdown(b=2000, clusters="family"))

        The example has fewer topics than a valid test. The differences are .3, .4 and .2, so t = 5.1962. The centred differences are 0, .1 and -.1. If a draw changes the sign of only one
        of the last two, |t'| is 2. Otherwise |t'| is 0. No draw reaches t:

        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> stepdown.p_values(scores, np.array([0]), np.array([1]), RunOptions()).round(4).tolist()
        [0.0001]
    """

    two_tailed: ClassVar[bool] = True
    simultaneous: ClassVar[bool] = True
    changes_signs: ClassVar[bool] = True

    clusters: str | None = parameter(None, Optional(Text()))
    grouping: Grouping | None = None

    def __call__(self, **changes: Unpack[StepdownParameters]) -> Self:
        return self._changed(changes)

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        if self.units(scores).shape[1] < 2:
            return np.ones(len(better))
        found: FloatArray = self._family(scores, setting).p_values[better, worse]
        return found

    def intervals(
        self,
        scores: FloatArray,
        better: IntArray,
        worse: IntArray,
        interval: float,
        setting: RunOptions,
        *,
        deviation: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Returns simultaneous intervals: the difference plus or minus q standard errors; NaN with fewer than 2 topics or infinite q."""
        check_finite(scores)
        difference = mean_differences(scores, better, worse)
        margin = np.full(len(better), np.nan)
        units = self.units(scores)
        if (count := units.shape[1]) >= 2:
            quantile = self._family(scores, setting).largest[math.ceil(interval * self.b - 1e-9) - 1]
            if math.isfinite(quantile):
                margin = quantile * deviations(_round_to_grid(units), better, worse, setting) * math.sqrt(count) / scores.shape[1]
        return difference - margin, difference + margin

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        units = self.units(scores)
        error = deviations(_round_to_grid(units), better, worse, RunOptions()) * math.sqrt(units.shape[1]) / scores.shape[1]
        t_values: FloatArray = np.divide(
            mean_differences(scores, better, worse), error, out=np.full(len(better), np.nan), where=error > 0.0
        )
        return t_values

    def smallest_p_value(self, units: int) -> float:
        return 1 / (self.b + 1) if units >= 2 else 1.0

    def bounds_means(self, topics: int) -> bool:
        return self.clusters is None and topics >= FEW_UNITS

    def cautions(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        return (*self.few_units(scores, FEW_UNITS, " | Holm"), *resampling.RandomTest.cautions(self, scores, better, worse, p_values))

    def _family(self, scores: FloatArray, setting: RunOptions) -> _Results:
        """Returns the results for all pairs of runs, from scores for at least 2 topics or clusters; the results are cached."""
        return resampling.kept(_families, self, scores, lambda: self._drawn(self.units(scores), setting))

    def _drawn(self, scores: FloatArray, setting: RunOptions) -> _Results:
        """Computes the p-values of all pairs, and the largest statistic of each draw.

        The scores have shape (runs, units). A unit is a topic or a cluster; the score for a cluster is the sum of the scores for its
        topics.
        """
        runs, count = scores.shape
        units = resampling.grid(scores)
        first, second = np.triu_indices(runs, 1)
        mean = np.abs(np.ldexp(units.sum(axis=1)[first] - units.sum(axis=1)[second], -resampling.grid_bits(scores))) / count
        deviation = deviations(_round_to_grid(scores), first, second, setting)
        flat: BoolArray = deviation <= TOLERANCE
        # |t'| of a draw increases with q = |M| / sqrt(sum Z^2), and q is sqrt(n) if the denominator of t' is 0. Therefore draws are
        # compared by q.
        ratio = np.divide(mean, deviation, out=np.full(len(mean), np.inf), where=~flat) * math.sqrt(count / (count - 1))
        reached = TIE * np.sqrt(count / (1.0 + np.divide(1.0, np.square(ratio), out=np.full(len(ratio), np.inf), where=ratio > 0.0)))
        order = np.argsort(ratio, kind="stable")
        rising = order[~flat[order]]
        weights = 2.0 / (np.ldexp(deviation[rising], resampling.grid_bits(scores)) * math.sqrt(count - 1))
        task = partial(_evaluate_draws, self, units, _Pairs(first[rising], second[rising], weights, reached[rising]))
        counts, parts = np.zeros(len(rising), dtype=np.int64), []
        chunks = [range(start, min(start + CHUNK, self.b)) for start in range(0, self.b, CHUNK)]
        for counted, largest in setting.map(self.word, task, chunks, threads=True):
            counts += counted
            parts.append(largest)
        largest = np.sort(np.concatenate(parts))
        p_values = np.empty(len(first))
        p_values[flat] = 1 + np.count_nonzero(largest >= TIE * math.sqrt(count))
        p_values[rising] = np.maximum.accumulate(1 + counts[::-1])[::-1]
        p_values /= self.b + 1
        p_values[flat & (mean <= TOLERANCE)] = 1.0
        matrix = np.ones((runs, runs))
        matrix[first, second] = matrix[second, first] = p_values
        # converts q = |M| / sqrt(sum Z^2) into |t'|
        left = count - np.square(largest)
        infinite = largest >= TIE * math.sqrt(count)
        found: FloatArray = np.where(infinite, np.inf, largest * np.sqrt((count - 1) / np.where(infinite, 1.0, left)))
        return _Results(matrix, found)


def _round_to_grid(scores: FloatArray) -> FloatArray:
    """Returns scores rounded to multiples of a unit, so that sums are exact."""
    return np.ldexp(resampling.grid(scores), -resampling.grid_bits(scores))


def _evaluate_draws(test: Stepdown, units: FloatArray, pairs: _Pairs, draws: range) -> tuple[IntArray, FloatArray]:
    """Computes counts and largest statistics on a range of draws; the pairs are in increasing order of |t|.

    Returns:
        Two arrays. The first array contains one count for each pair. On each draw, the largest q of a pair and all earlier pairs is
        compared with the pair's threshold. The count is the number of draws on which this q is at least the threshold. The second array
        contains, for each draw, the largest q of all pairs.
    """
    count = units.shape[1]
    # With flips f, M = sum (1 - 2 f) Z = -2 (sum f U - mean(U) sum f). Sums of integers are exact. Only the contribution of each run to M
    # is rounded.
    sides = np.empty((len(units), len(draws)))
    mean = units.sum(axis=1) / count
    for flips, drawn in resampling.drawn_weights(bootstrap.Randomisation.weights, test.seed, count, draws.start, draws.stop):
        sides[:, drawn] = resampling.exact_sums(units, flips) - mean[:, None] * flips.sum(axis=1)
    largest, statistic, verdicts = np.zeros(len(draws)), np.empty(len(draws)), np.empty(len(draws), dtype=np.bool_)
    counts = []
    for first, second, weight, reached in zip(*(column.tolist() for column in pairs), strict=True):
        np.subtract(sides[first], sides[second], out=statistic)
        np.abs(statistic, out=statistic)
        np.multiply(statistic, weight, out=statistic)
        np.maximum(largest, statistic, out=largest)
        counts.append(np.count_nonzero(np.greater_equal(largest, reached, out=verdicts)))
    return np.array(counts, dtype=np.int64), largest


stepdown: Final = Stepdown()
