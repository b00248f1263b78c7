"""Error rates of tests: conclusions on one half of the topics are checked on the other half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest, generator
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.corrections import unadjusted
from inexmetrics.inference.means import TOLERANCE, means, sample_deviations, student_margins

__all__ = ["Errors", "errors_on_halves", "halves"]


@dataclass(frozen=True, slots=True)
class Errors:
    """Conclusions of one test on the first halves of the topics, and their errors on the second halves, summed over splits.

    Attributes:
        rejected: Number of rejections on the first halves.
        errors: Number of rejections on the first halves for which the mean difference on the second half is not positive.
        both_halves: Number of rejections on the first halves that the test also makes on the second half.
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
        """Returns the confidence interval for the error rate, treating each split as one observation; None without rejections or variation.

        The error rate is a ratio of two sums over splits. By linearisation, the standard error of the rate is that of the mean of ``(e -
        rate r) / mean(r)``, where e is the number of errors in a split and r the number of rejections. The interval is Student's, clipped
        to [0, 1].

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

    On the first half of each split, all pairs of runs are tested in both directions (by a two-tailed test in the direction of the higher
    mean). A hypothesis is rejected if p <= 0.05. A rejection is an error if the mean difference on the second half is at most 0 (within
    1e-12). Each split is one task.

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
    """Returns the numbers of rejections, of errors and of rejections on both halves for one split, shape (tests, 3)."""
    first, second = (scores[:, half] for half in halves(scores.shape[1], seed, split))
    mean = means(second)
    wrong = ~(mean[:, None] - mean > TOLERANCE)
    here = RunOptions()
    counts = np.empty((len(tests), 3), dtype=np.int64)
    for row, test in zip(counts, tests, strict=True):
        rejected, again = (conclude(half, test, unadjusted, here).rejected for half in (first, second))
        row[:] = np.count_nonzero(rejected), np.count_nonzero(rejected & wrong), np.count_nonzero(rejected & again)
    return counts
