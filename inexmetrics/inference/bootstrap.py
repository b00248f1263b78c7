"""The bootstrap test and the randomisation test over topics."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import ClassVar, Final, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import expected_quantiles, means
from inexmetrics.inference.base import Grouping
from inexmetrics.inference.resampling import CHUNK, ResamplingParameters, ResamplingTest, grid, grid_bits, runs_held, sample_sums
from inexmetrics.inference.student import student_tail
from inexmetrics.terms import Integer, Optional, Text, parameter, word

__all__ = ["Bootstrap", "Randomisation", "bootstrap", "randomisation"]


class RandomisationParameters(ResamplingParameters, total=False):
    """Keyword arguments of the randomisation test."""

    tails: int
    clusters: str | None


@word("randomisation")
@dataclass(frozen=True, slots=True, repr=False)
class Randomisation(ResamplingTest):
    """Randomisation test: the p-value is the share of random exchanges of scores that give at least the observed difference.

    Under the null hypothesis, the difference on each topic is equally likely to have the opposite sign. The signs of the differences are
    drawn b times. Let S be the sum of those observed differences whose signs are changed. The resampled mean is at least the observed mean
    if and only if S <= 0. If |S| is at most n 2^-40, S is treated as 0, because it may be a rounding error. A warning is issued if b is too
    small for the correction.

    ``clusters="column"`` changes the signs of whole clusters of topics, such as the tasks of one family. The p-values are valid for clusters
    of any sizes. The confidence interval is that of ``t(clusters="column")``, which is too narrow if the sizes differ much; a warning says
    so.

    Formula:
        p = (1 + #{i : |mean_i| >= |mean|}) / (b + 1) "with two tails"
        p = (1 + #{i : mean_i >= mean}) / (b + 1) "with one tail"
        where
            i: one of the b draws of signs
            mean_i: the mean difference with the signs of draw i
            mean: the observed mean difference

    Args:
        tails: Number of tails of the test, 2 by default. With 2 tails, p is the probability of a result at least as extreme as the observed
            result, in either direction. With 1 tail, p counts only results in the direction of the hypothesis.
        clusters: Name of the column of a score matrix that contains the cluster of each topic; None if topics are independent.

    Source: Smucker, Allan & Carterette (2007), section 3.1.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import randomisation
        >>> randomisation, randomisation(b=999)
        (randomisation, randomisation(b=999))
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> p = randomisation.p_values(scores, np.array([0]), np.array([1]), RunOptions())
        >>> bool(abs(p[0] - 2 / 8) < 0.02)
        True
    """

    changes_signs: ClassVar[bool] = True

    tails: int = parameter(2, Integer(1, 2))
    clusters: str | None = parameter(None, Optional(Text()))
    grouping: Grouping | None = None

    @property
    def two_tailed(self) -> bool:
        return self.tails == 2

    def __call__(self, **changes: Unpack[RandomisationParameters]) -> Self:
        return self._changed(changes)

    @staticmethod
    def weights(random: np.random.Generator, samples: int, units: int) -> IntArray:
        return random.integers(0, 2, size=(samples, units))

    def sides(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, ...]:
        # The resampled mean is at most -1 times the observed mean if and only if the sum of the differences that keep their signs is at
        # most 0.
        return (sums, totals[:, None] - sums) if self.two_tailed else (sums,)

    def from_counts(self, counts: IntArray) -> FloatArray:
        # A resample is counted for both tails only if the observed mean is 0. Every resample is then counted, and the count is limited to
        # b.
        return (np.minimum(counts, self.b) + 1) / (self.b + 1)

    def smallest_p_value(self, units: int) -> float:
        # Among the 2^n ways to choose signs, one keeps all signs and one changes all signs. About b/2^n of the b resamples therefore keep
        # all signs and equal the observed result, and about b/2^n change all signs and give the opposite result.
        return (1 + self.b * self.tails * math.ldexp(1.0, -units)) / (self.b + 1) if units >= 2 else 1.0


randomisation: Final = Randomisation()


FEW_CLUSTERS: Final = 40
"""Number of clusters below which the bootstrap gives a warning."""
FEW_TOPICS: Final = 10
"""Number of topics below which the bootstrap gives a warning: with fewer, equally good runs differ at a level of .05 more than twice as often
as they should.

A correction tests at smaller levels, and needs more topics (`enough_topics`). For normal scores, the bootstrap rejects at the level a if t of
n - 1 degrees of freedom exceeds z_a sqrt((n - 1) / n), nearly. The rule is that this probability is at most 2 a, where a is the first step of
the correction: 18 topics for 6 hypotheses with Holm, 51 for 90, 76 for 380. In simulations of 6,000 pairs of runs with normal scores on 10 to
80 topics, the bootstrap rejected 0.9 to 1.5 times as often as the formula says at levels of .05 to .00025: on 15 topics 2.1 times too often
at .01 and 10 times at .00025, on 50 topics 1.3 and 2.3 times.
"""
MOST_TOPICS: Final = 2**20
"""Number of topics on which the bootstrap is not asked whether it rejects too often."""
FEW_RESAMPLES: Final = 200
"""Number of resamples below which the bootstrap gives a warning: with fewer, less than 5 are beyond an end of a 95 % interval."""


class BootstrapParameters(ResamplingParameters, total=False):
    """Keyword arguments of the bootstrap test."""

    clusters: str | None


def enough_topics(level: float) -> int:
    """Returns the smallest number of topics on which the bootstrap rejects at most twice as often as `level` states; see `FEW_TOPICS`.

    Examples:
        >>> enough_topics(0.025), enough_topics(0.05 / 380)
        (10, 76)
    """
    z = -NormalDist().inv_cdf(level)
    return bisect_left(
        range(MOST_TOPICS), True, lo=2, key=lambda n: student_tail(n - 1, np.array([z * math.sqrt((n - 1) / n)]))[0] <= 2 * level
    )


@word("bootstrap")
@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(ResamplingTest):
    """Bootstrap test: the p-value is the share of resampled topic sets on which the supposedly better run does not have the higher mean.

    Draws b resamples of n topics with replacement. The test is a percentile bootstrap: the resampled differences are not centred. All pairs
    of runs share the resamples. If p is 0, the table shows ``<1/b`` instead, and a correction treats the p-value as 1/b. Without this rule,
    a small b, which gives p = 0 more often, would make more differences significant. A warning gives the number of resamples that a
    correction needs. The sum of the differences on a resample may be a rounding error if its absolute value is at most n 2^-40. The
    resample is then treated as a tie, in which neither run has the higher mean. Therefore p(A, B) + p(B, A) >= 1 for any two runs A and B.

    With few topics the bootstrap is anti-conservative, because it ignores degrees of freedom. For equally good runs on 14 topics of the
    built-in sample, without a correction and at alpha .05 in each direction, the bootstrap rejects the null hypothesis for about .16 of the
    pairs. The nominal rate is .10, and the rejection rate of the t test is .08. The bootstrap was proposed as a test that makes fewer
    errors than other tests. On the built-in sample, the bootstrap makes more errors than the t test. With scores under Gen5 on halves of
    the topics, .0396 of the rejections of the bootstrap and .0280 of the rejections of the t test are errors. At alpha .025 in each direction,
    the bootstrap rejects 2.0 times as often as it should for equally good runs with normal scores on 9 topics, 3.3 times on 5, and 10 times
    on 2. A warning is issued below ten topics, below 200 resamples, and if the test rejects more than twice as often as it should at the first
    step of the correction: with `Holm`, below 18 topics for 3 runs, 51 for 10 and 76 for 20.

    Topics in clusters, such as the tasks of one family or the questions about one document, are not independent draws.
    ``clusters="column"`` draws whole clusters with all their topics; the number of draws is the number of clusters. The mean of a resample
    is taken over the topics of the drawn clusters. With fewer than 40 clusters, or clusters of very different sizes, the bootstrap rejects
    too often. A warning then recommends ``t(clusters="column")``, whose error rate is nominal even with few clusters if their sizes are
    similar, or otherwise ``randomisation(clusters="column")``.

    Formula:
        p = (1 / b) #{i : mean_i <= 0}
        where
            i: one of the b resamples of topics
            mean_i: the mean difference between the two runs on resample i

    Args:
        clusters: Name of the column of a score matrix that contains the cluster of each topic; None if topics are independent.

    Notes:
        * Rounding: Scores are rounded to multiples of 2^-40, so that their sums are exact in any order.

    Source: Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import bootstrap
        >>> bootstrap, bootstrap(b=2000, seed=7)
        (bootstrap, bootstrap(b=2000, seed=7))
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.6]])
        >>> p = bootstrap.p_values(scores, np.array([0, 1]), np.array([1, 0]), RunOptions())
        >>> bool(p[0] < 0.05), bool(p.sum() >= 1.0)
        (True, True)
    """

    clusters: str | None = parameter(None, Optional(Text()))
    grouping: Grouping | None = None

    def __call__(self, **changes: Unpack[BootstrapParameters]) -> Self:
        return self._changed(changes)

    @staticmethod
    def weights(random: np.random.Generator, samples: int, units: int) -> IntArray:
        drawn = random.integers(0, units, size=(samples, units))
        drawn += units * np.arange(samples)[:, None]
        return np.bincount(drawn.ravel(), minlength=samples * units).reshape(samples, units)

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
        """Returns the (1-c)/2 and (1+c)/2 quantiles of the b resampled mean differences that the test itself uses, interpolated linearly.

        If topics are clustered, each resampled mean is taken over the topics of the drawn clusters.
        """
        means.check_finite(scores)
        drawn = self.units(scores)
        if drawn.shape[1] < 2:
            return np.full(len(better), np.nan), np.full(len(better), np.nan)
        sizes = None if self.grouping is None else self.grouping.sizes
        units = grid(drawn)
        order = np.argsort(-units.sum(axis=1), kind="stable")  # runs by decreasing sum
        first, second = np.argsort(order)[np.stack((better, worse))]
        tasks = means.tiles(first, second, runs_held(self.b))
        parts = (means.among_rows(units[order], first[task], second[task]) for task in tasks)
        find = partial(_quantiles, self, sizes, ((1 - interval) / 2, (1 + interval) / 2))
        ends = np.empty((2, len(first)))  # ends of intervals of sums, or of means if cluster sizes are given
        for task, found in zip(tasks, setting.map("intervals", find, parts, total=len(tasks), threads=True), strict=True):
            ends[:, task] = found
        low, high = np.ldexp(ends, -grid_bits(drawn)) / (drawn.shape[1] if sizes is None else 1)
        return low, high

    @property
    def resolution(self) -> float:
        return 1 / self.b

    def from_counts(self, counts: IntArray) -> FloatArray:
        return counts / self.b

    def smallest_p_value(self, units: int) -> float:
        return self.resolution if units >= 2 else 1.0

    def bounds_means(self, topics: int) -> bool:
        return False  # the bootstrap rejects too often with few topics

    def few_at(self, scores: FloatArray, level: float, stated: str) -> tuple[str, ...]:
        """Returns a warning if the test rejects too often at the level that a correction needs, `stated` in words, although not at .025."""
        # If a p-value of 1/b is above the level, no single difference is significant; another warning says so.
        usual = FEW_TOPICS if self.clusters is None else FEW_CLUSTERS
        if self.units(scores).shape[1] < usual or level < self.resolution:
            return ()
        return self.few_units(scores, enough_topics(level), at=f"at {stated} ")

    def cautions(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        few = self.few_units(scores, FEW_TOPICS if self.clusters is None else FEW_CLUSTERS)
        few = few or ResamplingTest.cautions(self, scores, better, worse, p_values)
        if self.b >= FEW_RESAMPLES or self.units(scores).shape[1] < 2:
            return few
        enough = Bootstrap(clusters=self.clusters, seed=self.seed)
        text = f"{self}: with fewer than {FEW_RESAMPLES} resamples, p-values and intervals depend strongly on the seed; write {enough}"
        return (*few, text)


def _quantiles(
    test: Bootstrap, sizes: IntArray | None, quantiles: tuple[float, float], task: tuple[FloatArray, IndexArray, IndexArray]
) -> FloatArray:
    """Returns quantiles of the resampled sums of differences or, given cluster sizes, of resampled mean differences, shape (2, pairs)."""
    units, first, second = task
    sums = np.empty((len(units), test.b))
    for start in range(0, test.b, CHUNK):
        stop = min(test.b, start + CHUNK)
        sums[:, start:stop] = sample_sums(test, units, start, stop)
        if sizes is not None:
            sums[:, start:stop] /= sample_sums(test, sizes[None, :].astype(np.float64), start, stop)
    weights = np.ones(units.shape[1]) if sizes is None else sizes
    each = units.sum(axis=1) / weights.sum()
    residuals = units - each[:, None] * weights
    whole = 1 if sizes is None else weights.sum()
    return expected_quantiles.quantiles_of_differences(sums, units.sum(axis=1) / whole, residuals / whole, (first, second), quantiles)


bootstrap: Final = Bootstrap()
