"""Error rates of tests: rejections without true differences, and rejections that other topics contradict.

Runs without true differences are simulated from real scores, for example by permuting the scores for each topic among the runs. Conclusions
on one half of the topics are checked on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import conclusions, corrections
from inexmetrics.inference.base import Correction, SignificanceTest, generator
from inexmetrics.inference.means import TOLERANCE, ahead, mean_differences, means, sample_deviations, student_margins

__all__ = ["Claims", "Errors", "Null", "claims_on_boards", "clopper_pearson", "errors_on_halves", "halves", "null_board", "wilson"]


@dataclass(frozen=True, slots=True)
class Errors:
    """Number of hypotheses that one test rejects on the first halves of the topics, and how many of these rejections are errors.

    Attributes:
        rejected: Number of rejections on the first half of each split, summed over splits.
        errors: Number of rejections on the first half of a split that the second half contradicts, because its mean difference is not
            positive.
        both_halves: Number of hypotheses that the test rejects on both halves of a split, summed over splits.
        by_split: Numbers of rejections and of errors in each split.
    """

    rejected: int
    errors: int
    both_halves: int
    by_split: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    @property
    def error_rate(self) -> float | None:
        """Share of the rejections that are errors; None without rejections."""
        return self.errors / self.rejected if self.rejected else None

    def interval(self, confidence: float) -> tuple[float | None, float | None]:
        """Returns the confidence interval for the error rate, treating each split as one observation.

        The error rate is a ratio of two sums over splits. Let e be the number of errors and r the number of rejections in a split. By
        linearisation, the standard error of the error rate equals the standard error of the mean of ``(e - rate r) / mean(r)`` over splits.
        The interval is Student's, clipped to [0, 1]. Both ends are None if there are no rejections or fewer than two splits, or if the
        standard error is 0.

        Examples:
            >>> of = Errors(30, 3, 20, by_split=((10, 0), (12, 1), (8, 2)))
            >>> [round(end, 4) for end in of.interval(0.95)]
            [0.0, 0.3766]
        """
        rate = self.error_rate
        if rate is None or len(self.by_split) < 2:
            return None, None
        rejected, errors = np.array(self.by_split, dtype=np.float64).T
        residuals = (errors - rate * rejected) / means(rejected)
        margin = float(student_margins(sample_deviations(residuals[None, :]), len(residuals), confidence)[0])
        return (max(rate - margin, 0.0), min(rate + margin, 1.0)) if margin else (None, None)


def halves(topics: int, seed: int, split: int) -> tuple[IntArray, IntArray]:
    """Splits n topics at random into floor(n/2) topics and the remaining topics; both halves keep the order of the topics.

    Each split has its own random numbers, derived from the seed and the number of the split.

    Examples:
        >>> first, second = halves(5, seed=0, split=3)
        >>> len(first), sorted([*first.tolist(), *second.tolist()])
        (2, [0, 1, 2, 3, 4])
    """
    order = generator(seed, split).permutation(topics)
    return np.sort(order[: topics // 2]), np.sort(order[topics // 2 :])


def errors_on_halves(
    scores: FloatArray, tests: Sequence[SignificanceTest], splits: int, seed: int, setting: RunOptions
) -> tuple[Errors, ...]:
    """Counts, for each test, how many conclusions on one half of the topics fail on the other half; all tests use the same splits.

    On the first half of each split, a one-tailed test tests both directions of every pair of runs. A two-tailed test tests every pair once,
    and a rejection is assigned to the direction of the higher mean. A hypothesis is rejected if p <= 0.05. A rejection is an error if the
    mean difference on the second half of the topics is at most 0 (within 1e-12). Each split is a separate task.

    Source: Ogilvie & Lalmas (2006), section 3.3.
    """
    counted = setting.map("splits", partial(_count_on_split, scores, tuple(tests), seed), range(splits))
    by_test = np.stack(list(counted), axis=1)
    totals = by_test.sum(axis=1).tolist()
    return tuple(
        Errors(rejected, errors, both_halves, tuple((of_split[0], of_split[1]) for of_split in splits_of_test))
        for (rejected, errors, both_halves), splits_of_test in zip(totals, by_test.tolist(), strict=True)
    )


def _count_on_split(scores: FloatArray, tests: tuple[SignificanceTest, ...], seed: int, split: int) -> IntArray:
    """Returns three counts for each test on one split: rejections, errors, and hypotheses rejected on both halves; shape (tests, 3)."""
    first, second = (scores[:, half] for half in halves(scores.shape[1], seed, split))
    mean = means(second)
    wrong = ~(mean[:, None] - mean > TOLERANCE)
    here = RunOptions()
    counts = np.empty((len(tests), 3), dtype=np.int64)
    for row, test in zip(counts, tests, strict=True):
        rejected = conclusions.conclude(first, test, corrections.unadjusted, here).rejected
        # Only these hypotheses are tested again. A two-tailed p-value belongs to the direction of the higher mean.
        better, worse = np.nonzero(rejected)
        again = corrections.unadjusted.rejects(test.p_values(second, better, worse, here))
        if test.two_tailed:
            again &= ahead(second, better, worse)
        row[:] = len(better), np.count_nonzero(wrong[better, worse]), np.count_nonzero(again)
    return counts


Null: TypeAlias = Literal["runs", "means", "none"]
"""How the true means of simulated score matrices are set: "runs" if the scores of all runs have the same distribution, "means" if only their
means are equal, and "none" if the runs keep their means."""


def wilson(found: int, tries: int, interval: float = 0.95) -> tuple[float, float]:
    """Returns Wilson's confidence interval for a proportion, without a continuity correction.

    Formula:
        (p + z^2 / (2 n) -+ z sqrt(p (1 - p) / n + z^2 / (4 n^2))) / (1 + z^2 / n)
        where
            p: the observed proportion
            n: the number of trials
            z: the (1 + c) / 2 quantile of the standard normal distribution, for the confidence level c

    Source: Wilson (1927).

    Examples:
        >>> [round(end, 4) for end in wilson(10, 200)]
        [0.0274, 0.0896]
    """
    from scipy.special import ndtri  # takes 0.3 s to import

    z = float(ndtri((1 + interval) / 2))
    share, spread = found / tries, z * z / tries
    centre = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / tries + spread / (4 * tries))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if found == 0 else max(low, 0.0)), (1.0 if found == tries else min(high, 1.0))


def clopper_pearson(found: int, tries: int, interval: float = 0.95) -> tuple[float, float]:
    """Returns the exact confidence interval for a proportion.

    Formula:
        low = B^(-1)((1 - c) / 2; x, n - x + 1)
        high = B^(-1)((1 + c) / 2; x + 1, n - x)
        where
            x: the number of successes; low is 0 if x is 0, and high is 1 if x is n
            n: the number of trials
            c: the confidence level
            B^(-1): the quantile function of the beta distribution

    Source: Clopper & Pearson (1934). For x = 0, high is about 3.7 / n.

    Examples:
        >>> (
        ...     [round(end, 4) for end in clopper_pearson(0, 100)],
        ...     [round(end, 4) for end in clopper_pearson(7, 200)],
        ... )
        ([0.0, 0.0362], [0.0142, 0.0708])
    """
    from scipy.special import betaincinv  # takes 0.3 s to import

    beyond = (1 - interval) / 2
    low = 0.0 if found == 0 else float(betaincinv(found, tries - found + 1, beyond))
    high = 1.0 if found == tries else float(betaincinv(found + 1, tries - found, 1 - beyond))
    return low, high


def null_board(scores: FloatArray, clusters: Sequence[int] | None, seed: int, board: int, null: Null = "runs") -> FloatArray:
    """Returns a score matrix with known true differences, simulated from the given scores, shape (runs, topics).

    With null="runs", the scores for each topic are permuted among the runs. Topics are permuted independently; topics of one cluster share
    a permutation. With null="means", each new topic is a random mixture of two topics, after the mean of each run was subtracted: all true
    means are 0, and the covariances of the runs are the observed ones. A topic is not simply drawn with replacement, because rare topics
    would then be missing or repeated too often. With null="none", the runs' means are added again. Whole clusters are mixed; they must have
    equal sizes. Each matrix has its own random numbers, derived from the seed and the number of the matrix.

    Formula:
        column = sqrt(u) Z_i + sqrt(1 - u) Z_j
        where
            Z_i: the scores of all runs on topic i, minus the runs' means
            i, j: topics drawn with replacement
            u: a uniform random number between 0 and 1

    Args:
        scores: Scores, shape (runs, topics).
        clusters: Cluster of each topic, counted from 0; None if topics are independent.
        seed: Seed of the random numbers of all matrices.
        board: Number of the score matrix, counted from 0.
        null: How the true means are set.

    Source: Silverman & Young (1987), on smoothed resampling; the mixture of two topics is a definition of inexmetrics.

    Examples:
        >>> scores = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]])
        >>> null_board(scores, None, seed=0, board=2).tolist()
        [[0.5, 0.2, 0.3], [0.1, 0.6, 0.7]]
        >>> null_board(scores, (0, 0, 0), seed=0, board=2).tolist()
        [[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]]
        >>> null_board(np.array([[0.1, 0.2, 0.6]]), None, seed=0, board=2, null="means").round(2).tolist()
        [[-0.19, 0.41, -0.14]]
    """
    runs, topics = scores.shape
    random = generator(seed, board)
    units = np.arange(topics) if clusters is None else np.asarray(clusters, dtype=np.int64)
    count = int(units.max(initial=-1)) + 1
    if null == "runs":
        orders = random.permuted(np.tile(np.arange(runs), (count, 1)), axis=1)
        permuted: FloatArray = scores[orders[units].T, np.arange(topics)]
        return permuted
    if not topics:
        return scores.copy()
    mean = means(scores)[:, None]
    centred = scores - mean
    first, second = random.integers(0, count, (2, count))
    share = random.random(count)[units]
    # The topics of cluster c are those of the clusters first[c] and second[c], in their order.
    members = np.argsort(units, kind="stable").reshape(count, -1)
    place = np.empty(topics, dtype=np.int64)
    place[members.ravel()] = np.tile(np.arange(members.shape[1]), count)
    mixed: FloatArray = (
        np.sqrt(share) * centred[:, members[first[units], place]] + np.sqrt(1 - share) * centred[:, members[second[units], place]]
    )
    return mixed if null == "means" else mixed + mean


@dataclass(frozen=True, slots=True)
class Claims:
    """The significant differences that one test finds on simulated score matrices.

    Attributes:
        found: Number of matrices with at least one significant difference.
        claims: Number of significant differences, summed over matrices.
        size: Sum of the absolute differences of these claims.
        true_size: Sum of the absolute true differences of these claims.
        by_board: Number of claims, and of claims in the wrong direction, for each matrix. A claim about two runs with equal true means is in
            the wrong direction.
    """

    found: int
    claims: int
    size: float
    true_size: float
    by_board: tuple[tuple[int, int], ...]

    @property
    def wrong(self) -> Errors:
        """The claims, of which those in the wrong direction are errors."""
        return Errors(self.claims, sum(wrong for _, wrong in self.by_board), 0, self.by_board)

    @property
    def exaggeration(self) -> float | None:
        """Mean absolute difference of the claims, divided by their mean absolute true difference; None if the latter is 0."""
        return self.size / self.true_size if self.true_size else None


def claims_on_boards(
    scores: FloatArray,
    rules: Sequence[tuple[SignificanceTest, Correction]],
    boards: int,
    seed: int,
    *,
    null: Null = "runs",
    setting: RunOptions,
) -> tuple[Claims, ...]:
    """Returns, for each test with its correction, the significant differences that it finds on simulated score matrices.

    All tests use the same matrices, except tests on clusters: in their matrices, the topics of a cluster share a permutation, or are mixed
    together. Each matrix is a separate task.

    Args:
        scores: Finite scores, shape (runs, topics).
        rules: Tests with their corrections; a test on clusters already contains the cluster of each topic.
        boards: Number of simulated score matrices.
        seed: Seed of the simulated score matrices.
        null: How the true means of the matrices are set.
        setting: The executor and the progress function of the computation.
    """
    found = setting.map("boards", partial(_count_claims, scores, tuple(rules), null, seed), range(boards))
    by_rule = np.stack(list(found), axis=1)
    return tuple(
        Claims(
            int(np.count_nonzero(counts[:, 0])),
            int(counts[:, 0].sum()),
            float(counts[:, 2].sum()),
            float(counts[:, 3].sum()),
            tuple((int(claims), int(wrong)) for claims, wrong in counts[:, :2].tolist()),
        )
        for counts in by_rule
    )


def _count_claims(
    scores: FloatArray, rules: Sequence[tuple[SignificanceTest, Correction]], null: Null, seed: int, board: int
) -> FloatArray:
    """Returns four numbers for each test on one simulated matrix, shape (tests, 4).

    The numbers are: claims, claims in the wrong direction, and the sums of the absolute differences and of the absolute true differences.
    """
    true = means(scores) if null == "none" else np.zeros(len(scores))
    made: dict[tuple[int, ...] | None, FloatArray] = {}
    counts = np.empty((len(rules), 4))
    for row, (test, correction) in zip(counts, rules, strict=True):
        clusters = None if test.grouping is None else test.grouping.codes
        if clusters not in made:
            made[clusters] = null_board(scores, clusters, seed, board, null)
        better, worse = np.nonzero(conclusions.conclude(made[clusters], test, correction, RunOptions()).rejected)
        difference, claimed = true[better] - true[worse], mean_differences(made[clusters], better, worse)
        row[:] = len(better), np.count_nonzero(difference <= TOLERANCE), np.abs(claimed).sum(), np.abs(difference).sum()
    return counts
