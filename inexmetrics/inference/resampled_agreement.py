"""How sure agreement is: conclusions found anew on resampled topics, and how far each pair of conditions agrees on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.conclusions import Overlap, conclude, overlap

__all__ = ["Resampling", "resampled_overlaps"]

TASK = 20
"""Resamples that one task takes at most; each has random numbers of its own."""
WORK = 2**24
"""Differences (pairs x topics) that make a task worth sending."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often topics are resampled, where the random numbers start, and the confidence of the percentile intervals that follow."""

    resamples: int
    seed: int
    interval: float

    def percentiles(self, values: Sequence[float | None]) -> tuple[float | None, float | None]:
        """The ends of the percentile interval, interpolated linearly; undefined values are left out, and None are the ends of none.

        Examples:
            >>> Resampling(5, 0, 0.5).percentiles([0.5, None, 0.25, 0.75, 1.0])
            (0.4375, 0.8125)
        """
        defined = np.array([value for value in values if value is not None])
        if not len(defined):
            return None, None
        low, high = np.quantile(defined, ((1 - self.interval) / 2, (1 + self.interval) / 2)).tolist()
        return low, high


def resampled_overlaps(
    matrices: Sequence[FloatArray],
    pairs: Sequence[tuple[int, int]],
    rule: tuple[SignificanceTest, Correction],
    resampling: Resampling,
    setting: RunOptions,
) -> list[list[Overlap]]:
    """The rejections that pairs of conditions share on resampled topics: for each resample, the overlap of each pair.

    The topics for which a condition is defined are drawn with replacement, as many as there are, the same for all conditions; each
    condition is tested on those of them for which it is defined.

    Args:
        matrices: Scores under each condition, runs x topics; NaN in the whole column of a topic that is undefined.
        pairs: Places of the condition that predicts, and of the truth.
        rule: The significance test and the correction.
        resampling: How often.
        setting: Where it runs; 20 resamples are one task, or fewer where that is work enough.
    """
    defined = np.stack([~np.isnan(matrix[0]) for matrix in matrices])
    known = defined.any(axis=0)
    kept = [np.ascontiguousarray(matrix[:, known]) for matrix in matrices]
    each = sum(len(matrix) * matrix.size for matrix in kept)
    size = max(1, min(TASK, WORK // max(each, 1)))
    tasks = [range(start, min(start + size, resampling.resamples)) for start in range(0, resampling.resamples, size)]
    function = partial(_overlaps, list(zip(kept, defined[:, known], strict=True)), tuple(pairs), rule, resampling.seed)
    return [overlaps for task in setting.map("resamples", function, tasks) for overlaps in task]


def _overlaps(
    conditions: Sequence[tuple[FloatArray, BoolArray]],
    pairs: Sequence[tuple[int, int]],
    rule: tuple[SignificanceTest, Correction],
    seed: int,
    resamples: range,
) -> list[list[Overlap]]:
    """The overlaps on some of the resamples."""
    here, topics = RunOptions(), conditions[0][0].shape[1]
    found = []
    for resample in resamples:
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(resample,))))
        drawn = random.integers(0, topics, size=(topics,))
        rejected = [conclude(np.ascontiguousarray(matrix[:, drawn[there[drawn]]]), *rule, here).rejected for matrix, there in conditions]
        found.append([overlap(rejected[predictor], rejected[truth]) for predictor, truth in pairs])
    return found
