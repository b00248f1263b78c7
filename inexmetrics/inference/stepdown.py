"""The step-down test of all pairs of runs: studentised differences, compared with the largest random differences of the pairs not yet rejected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, NamedTuple, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.clusters import Grouping
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.inference.pairs import check_finite, deviations, mean_differences
from inexmetrics.inference.randomisation import Randomisation
from inexmetrics.inference.resampling import BLOCK, RandomTest, ResamplingParameters, drawn_weights, grid, grid_bits, kept
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Optional, Text
from inexmetrics.terms.term import parameter

__all__ = ["Stepdown", "stepdown"]

CHUNK: Final = 10 * BLOCK
"""Draws of one task: few enough for the statistics of a pair to fit in the processor's cache."""
TIE: Final = 1 - 1e-9
"""A statistic of a draw that is less than a relative 1e-9 below the observed one is treated as equal."""


class _Family(NamedTuple):
    """All pairs of the runs of a family, in the order of `numpy.triu_indices`, and the results of the draws.

    Attributes:
        p_values: The p-values, runs x runs.
        largest: The largest statistic of each draw in increasing order, b; infinite where its denominator is 0.
    """

    p_values: FloatArray
    largest: FloatArray


class _Pairs(NamedTuple):
    """Pairs of runs in increasing order of |t|.

    Attributes:
        first: The rows of their first runs.
        second: The rows of their second runs.
        weights: The factor from the difference of two runs on a draw to q.
        reached: The q at which a draw is as extreme as the observation.
    """

    first: IntArray
    second: IntArray
    weights: FloatArray
    reached: FloatArray


class StepdownParameters(ResamplingParameters, total=False):
    """Parameters of a step-down test."""

    clusters: str | None


_families: dict[tuple[Stepdown, tuple[int, ...], bytes], _Family] = {}


@word("stepdown")
@dataclass(frozen=True, slots=True, repr=False)
class Stepdown(RandomTest):
    """The step-down test of Romano and Wolf: is this difference larger than the largest random difference of all remaining pairs?

    The test compares all pairs of runs at once. A pair's statistic is the mean difference over its standard error. Random draws
    change the signs of the topics' centred differences, for the same topics in all pairs, b times. Pairs are taken by decreasing size
    of the statistic. Each is compared with the largest random statistic of it and of the pairs after it. This corrects the p-values:
    the only further correction is `unadjusted`, which is the default, and rejecting p <= alpha bounds the probability of any wrong
    rejection by alpha. The test is two-tailed, with one hypothesis per pair. It needs all runs at once, so that `versus` and
    `error_rate` reject it.

    ``clusters="column"`` treats clusters of topics, such as the tasks of one family, as the independent draws: sums of differences
    by cluster replace the differences by topic, and whole clusters change their sign.

    The test assumes that the differences of equal runs are symmetric around 0. If they are not, for example for runs of equal
    means and unequal skewness, it rejects too often. A warning says so if most of its claims do not survive a correction for skewness.

    Confidence intervals are simultaneous: the difference -+ q se, with q the smallest number that the largest statistic does not exceed
    in at least a share c of the draws. They are null where q is infinite, as with two topics.

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
            m_dk: the largest |t'| on draw d of pair k and the pairs after it
            s_di: the sign that draw d gives to topic i, 1 or -1
            n: the number of topics, or of clusters

    Computed: scores are rounded to multiples of 2^-40; a pair whose differences have a standard deviation of at most 1e-12 enters no
    maximum, and its t is infinite, or p is 1 where its mean is at most 1e-12 too; t' reaches t to within a relative 1e-9.

    Args:
        clusters: The column of a score matrix that names each topic's cluster; None for independent topics.

    Source: Romano & Wolf (2005); Westfall & Young (1993).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import stepdown
        >>> stepdown, stepdown(b=2000, clusters="family")
        (stepdown, stepdown(b=2000, clusters="family"))

        The differences .3 .4 .2 have t = 5.1962, and 0 .1 -.1 when centred. Signs that differ on the last two topics give |t'| = 2,
        all others 0: no draw reaches t.

        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> stepdown.p_values(scores, np.array([0]), np.array([1]), RunOptions()).round(4).tolist()
        [0.0001]
    """

    two_tailed: ClassVar[bool] = True
    simultaneous: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True

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
        self, scores: FloatArray, better: IntArray, worse: IntArray, interval: float, setting: RunOptions
    ) -> tuple[FloatArray, FloatArray]:
        """Returns simultaneous intervals: the difference -+ q standard errors; NaN where q is infinite, or with fewer than 2 topics."""
        check_finite(scores)
        difference = mean_differences(scores, better, worse)
        margin = np.full(len(better), np.nan)
        units = self.units(scores)
        if (count := units.shape[1]) >= 2:
            quantile = self._family(scores, setting).largest[math.ceil(interval * self.b - 1e-9) - 1]
            if math.isfinite(quantile):
                margin = quantile * deviations(_on_grid(units), better, worse, setting) * math.sqrt(count) / scores.shape[1]
        return difference - margin, difference + margin

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        units = self.units(scores)
        error = deviations(_on_grid(units), better, worse, RunOptions()) * math.sqrt(units.shape[1]) / scores.shape[1]
        t_values: FloatArray = np.divide(
            mean_differences(scores, better, worse), error, out=np.full(len(better), np.nan), where=error > 0.0
        )
        return t_values

    def smallest_p_value(self, units: int) -> float:
        return 1 / (self.b + 1) if units >= 2 else 1.0

    def _family(self, scores: FloatArray, setting: RunOptions) -> _Family:
        """Returns the p-values and draws of all pairs of runs, on at least 2 topics or clusters."""
        family = (self, scores.shape, np.ascontiguousarray(scores).tobytes())
        return kept(_families, family, lambda: self._drawn(self.units(scores), setting))

    def _drawn(self, scores: FloatArray, setting: RunOptions) -> _Family:
        """Returns the same for the drawn units: runs x topics, or runs x clusters' sums."""
        runs, count = scores.shape
        units = grid(scores)
        first, second = np.triu_indices(runs, 1)
        mean = np.abs(np.ldexp(units.sum(axis=1)[first] - units.sum(axis=1)[second], -grid_bits(scores))) / count
        deviation = deviations(_on_grid(scores), first, second, setting)
        flat: BoolArray = deviation <= TOLERANCE
        # A draw's |t*| grows with q = |M| / sqrt(sum Z^2), which is sqrt(n) where its denominator is 0. Therefore q is compared with its value at t.
        ratio = np.divide(mean, deviation, out=np.full(len(mean), np.inf), where=~flat) * math.sqrt(count / (count - 1))
        reached = TIE * np.sqrt(count / (1.0 + np.divide(1.0, np.square(ratio), out=np.full(len(ratio), np.inf), where=ratio > 0.0)))
        order = np.argsort(ratio, kind="stable")
        rising = order[~flat[order]]
        weights = 2.0 / (np.ldexp(deviation[rising], grid_bits(scores)) * math.sqrt(count - 1))
        task = partial(_on_draws, self, units, _Pairs(first[rising], second[rising], weights, reached[rising]))
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
        # |t*| of q = |M| / sqrt(sum Z^2)
        left = count - np.square(largest)
        infinite = largest >= TIE * math.sqrt(count)
        found: FloatArray = np.where(infinite, np.inf, largest * np.sqrt((count - 1) / np.where(infinite, 1.0, left)))
        return _Family(matrix, found)


def _on_grid(scores: FloatArray) -> FloatArray:
    """Returns scores rounded to multiples of a unit for exact sums."""
    return np.ldexp(grid(scores), -grid_bits(scores))


def _on_draws(test: Stepdown, units: FloatArray, pairs: _Pairs, draws: range) -> tuple[IntArray, FloatArray]:
    """Returns the results of a chunk of draws for pairs in increasing order of |t|.

    Returns:
        For each pair, the draws in which q of this or an earlier pair reaches its threshold; and the largest q of each draw.
    """
    count = units.shape[1]
    # With flips f, M = sum (1 - 2 f) Z = -2 (sum f U - mean(U) sum f). Sums of units are exact; each run's part of M is rounded alone.
    sides = np.empty((len(units), len(draws)))
    mean = units.sum(axis=1) / count
    for flips, drawn in drawn_weights(Randomisation.weights, test.seed, count, draws.start, draws.stop):
        sides[:, drawn] = units @ flips.T.astype(np.float64) - mean[:, None] * flips.sum(axis=1)
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
