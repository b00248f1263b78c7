"""The randomised Tukey HSD test: compares each difference between runs with the range of all means under random permutations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import generator
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.inference.pairs import check_finite, mean_differences
from inexmetrics.inference.resampling import BLOCK, Family, RandomTest, grid, grid_bits, kept
from inexmetrics.terms.lexicon import word

__all__ = ["RandomisedTukey", "tukey"]

_ranges: dict[Family[RandomisedTukey], FloatArray] = {}


@word("tukey")
@dataclass(frozen=True, slots=True, repr=False)
class RandomisedTukey(RandomTest):
    """Randomised Tukey HSD test: compares each difference between runs with the largest differences under random permutations.

    Under the null hypothesis that all runs are equal, the k scores for a topic are exchangeable. The scores for each topic are permuted b
    times. The test is two-tailed, with one hypothesis per pair: that the two runs differ. Each difference is compared with the largest
    difference in each permutation. Therefore the p-values are already corrected for the number of pairs: `unadjusted` is the only valid
    correction and the default. Rejecting p <= alpha bounds the probability of at least one wrong rejection by alpha. The test assumes that
    the scores of equally good runs have the same distribution. If the variances of the runs differ widely, `tukey` rejects too often;
    `stepdown` does not. `versus` and `error_rate` do not accept this test, because the test needs all runs at once.

    Confidence intervals are simultaneous: the difference plus or minus the c-quantile of the ranges. This quantile is the smallest range
    that is at least as large as c*b of the b ranges.

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
    symmetric: ClassVar[bool] = True

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        if scores.shape[1] < 2:
            return np.ones(len(better))
        least = np.abs(mean_differences(scores, better, worse)) - TOLERANCE
        reached = self.b - np.searchsorted(self.ranges(scores, setting), least, side="left")
        return (1 + reached) / (self.b + 1)

    def intervals(
        self, scores: FloatArray, better: IntArray, worse: IntArray, interval: float, setting: RunOptions
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

        At least 2 topics are required. A block of 500 permutations is one task, with its own random numbers.
        """

        def drawn() -> FloatArray:
            blocks = setting.map(self.word, partial(_block_of_ranges, self, grid(scores)), range(math.ceil(self.b / BLOCK)), threads=True)
            found: FloatArray = np.ldexp(np.sort(np.concatenate(list(blocks))), -grid_bits(scores)) / scores.shape[1]
            found.setflags(write=False)
            return found

        return kept(_ranges, self, scores, drawn)


def _block_of_ranges(test: RandomisedTukey, units: FloatArray, block: int) -> FloatArray:
    """Returns the ranges of one block of permutations, as sums in units.

    The ranges depend only on the seed of the test and the number of the block.
    """
    random = generator(test.seed, block)
    of_topics = np.ascontiguousarray(units.T)
    permuted = np.empty_like(of_topics)
    ranges = np.empty(min(BLOCK, test.b - block * BLOCK))
    for sample in range(len(ranges)):
        random.permuted(of_topics, axis=1, out=permuted)
        ranges[sample] = np.ptp(permuted.sum(axis=0))  # sums of units are exact in any order
    return ranges


tukey: Final = RandomisedTukey()
