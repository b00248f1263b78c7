"""Tests that resample the topics: random numbers, exact sums, and one pass over all pairs of runs.

Every resample gives each topic a weight: how often it was drawn, or whether its difference changes sign. Weighted sums of
scores are computed once per run, not per pair, because the sum of differences is the difference of sums. Scores are first
rounded to integers, so that these sums are exact in float64 in any order and for any blocks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.pair_tasks import among_rows, strips, tiles
from inexmetrics.inference.pairs import alike, check_finite, mean_differences
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import parameter

__all__ = [
    "BLOCK", "CHUNK", "RandomTest", "ResamplingParameters", "ResamplingTest", "drawn_weights", "grid", "grid_bits", "kept", "runs_held", "sample_sums",
]  # fmt: skip

K = TypeVar("K")
V = TypeVar("V")

MOST = 10_000_000
"""The largest number of resamples of a test."""
BLOCK = 500
"""Resamples that share one generator: block i draws from the seed's spawn key (i,) on every executor."""
CHUNK = 20 * BLOCK
"""Resamples whose sums are in memory at once."""
RUNS = 256
"""Runs, twice, whose resamples are in one task."""
WEIGHTS = 2**20
"""Weights (resamples x topics) that are drawn at once."""
SUMS = 2**25
"""The largest number of resampled sums in a task, unless two runs have more."""
WORK = 2**28
"""The number of comparisons that makes a task worth sending; drawing a topic costs about 16 of them."""
NEAR = 16
"""Runs whose sums stay in the processor's cache while others are compared with them."""
KEPT = 4
"""Families of runs whose draws are cached."""
GRID_BITS = 40
"""Scores are rounded to multiples of 2^-40 if sums are then exact."""


class ResamplingParameters(TypedDict, total=False):
    """The parameters of a resampling test."""

    b: int
    seed: int


@dataclass(frozen=True, slots=True, repr=False)
class RandomTest(SignificanceTest, ABC):
    """A test that compares the observed result with many random resamples.

    Args:
        b: Number of resamples, 10000 by default.
        seed: Seed of the random number generator, 0 by default; equal seeds give equal p-values.
    """

    b: int = parameter(10_000, Integer(1, MOST))
    seed: int = parameter(0, Integer(0))

    def enough(self, units: int, level: float) -> int | None:
        def reaches(b: int) -> bool:
            return replace(self, b=b).smallest_p_value(units) <= level

        return bisect_left(range(1, MOST), True, key=reaches) + 1 if reaches(MOST) else None

    def __call__(self, **changes: Unpack[ResamplingParameters]) -> Self:
        return self._changed(changes)


@dataclass(frozen=True, slots=True, repr=False)
class ResamplingTest(RandomTest, ABC):
    """A test that compares two runs on many resamples of the topics."""

    @staticmethod
    @abstractmethod
    def weights(random: np.random.Generator, samples: int, units: int) -> IntArray:
        """Draws the weights of topics or clusters in the next resamples: resamples x units, nonnegative, with sum at most their number."""

    def sides(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, ...]:
        """Returns the weighted sums of runs x resamples in which the better run must not be ahead; totals are the sums without weights.

        A resample counts once for each. A one-tailed test has one.
        """
        return (sums,)

    @abstractmethod
    def from_counts(self, counts: IntArray) -> FloatArray:
        """Returns p-values from the number of resamples in which the better run's weighted sum does not exceed the worse run's."""

    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        check_finite(scores)
        drawn = self.units(scores)
        if drawn.shape[1] < 2:
            return np.ones(len(better))
        units, counts = grid(drawn), np.zeros(len(better), dtype=np.int64)
        if self.two_tailed:  # the p-value is the same in both directions; resamples are counted in that of the higher sum
            totals = units.sum(axis=1)
            ahead = totals[better] >= totals[worse]
            better, worse = np.where(ahead, better, worse), np.where(ahead, worse, better)
        tasks = list(_tasks(better, worse, self.b, drawn.shape[1]))
        sent = ((*among_rows(units, better[places], worse[places]), start, stop) for places, start, stop in tasks)
        found = setting.map(self.word, partial(_not_ahead, self), sent, total=len(tasks), threads=True)
        for (places, _, _), counted in zip(tasks, found, strict=True):
            counts[places] += counted
        p_values = self.from_counts(counts)
        p_values[alike(drawn, better, worse)] = 1.0
        return p_values

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        return mean_differences(scores, better, worse)


def _tasks(better: IntArray, worse: IntArray, b: int, topics: int) -> Iterator[tuple[IntArray, int, int]]:
    """Splits the computation into tasks: some of the hypotheses, by their indices, on a range of resamples."""
    for places in tiles(better, worse, runs_held(CHUNK)):
        samples = CHUNK * max(1, WORK // (CHUNK * (len(places) + 16 * topics)))
        for start in range(0, b, samples):
            yield places, start, min(b, start + samples)


def grid(scores: FloatArray) -> FloatArray:
    """Returns finite scores, runs x topics, as integers in a unit so small that rounding does not matter and so large that sums are exact.

    The unit is 2^-40, or the next power of two with which T scores sum to less than 2^52: integers whose
    partial sums are all exact in float64. The rounding error of a score is at most half a unit.

    Examples:
        >>> (grid(np.array([[0.0, 0.5, 1.0]])) / 2**40).tolist()
        [[0.0, 0.5, 1.0]]
    """
    return np.rint(np.ldexp(scores, grid_bits(scores)))


def grid_bits(scores: FloatArray) -> int:
    """Returns the unit of `grid` as the exponent of its power of two: 40 for a unit of 2^-40."""
    _, exponent = math.frexp(np.max(np.abs(scores), initial=0.0))
    topics: int = scores.shape[1]
    return min(GRID_BITS, 52 - exponent - topics.bit_length())


def runs_held(samples: int) -> int:
    """Returns the number of runs, twice, whose sums of this number of resamples are in one task."""
    return max(1, min(RUNS, SUMS // (2 * samples)))


def _not_ahead(test: ResamplingTest, task: tuple[FloatArray, IndexArray, IndexArray, int, int]) -> IndexArray:
    """Counts for each hypothesis the resamples, in a range, in which its better run is not ahead.

    Each topic's difference may have an error of one unit, so a weighted sum of differences of up to T units is a tie. A tie
    is not ahead in either direction.
    """
    units, better, worse, first, end = task
    compared = list(strips(np.minimum(better, worse), np.maximum(better, worse), len(units), NEAR))
    counts = np.zeros((len(units), len(units)), dtype=np.int32)
    for start in range(first, end, CHUNK):
        sums = sample_sums(test, units, start, min(end, start + CHUNK))
        for side in test.sides(sums, units.sum(axis=1)):
            _count_not_ahead(side, units.shape[1], compared, counts)
    return counts[better, worse]


def _count_not_ahead(sums: FloatArray, tie: int, compared: Sequence[tuple[int, slice]], counts: IndexArray) -> None:
    """Adds to the counts of both directions of each pair the resamples in which the first run's sum is at most `tie` above the second's.

    Sums are compared as float32, which takes half the time. Rounding keeps order: if x <= y, then x rounded <= y rounded, and so x < y
    if x rounded < y rounded. With sums a and b of two runs, ::

        # {a + tie < b as float32} <= #{a + tie < b} <= #{a - tie <= b} <= #{a - tie <= b as float32}

    If the first count equals the last, all are equal and distinct. Otherwise some sums are close to each other, and the middle counts
    are computed.
    """
    rounded = sums.astype(np.float32)
    verdicts = np.empty((NEAR, sums.shape[1]), dtype=np.bool_)

    def count(compare: np.ufunc, row: FloatArray, others: NDArray[np.floating]) -> IndexArray:
        verdict = compare(row.astype(others.dtype), others, verdicts[: len(others)])
        return np.array(list(map(np.count_nonzero, verdict)), dtype=np.int32)

    for run, others in compared:
        below, above = sums[run] - tie, sums[run] + tie
        not_ahead, behind = count(np.less_equal, below, rounded[others]), count(np.less, above, rounded[others])
        if (near := np.flatnonzero(not_ahead != behind)).size:
            exact = sums[others][near]
            not_ahead[near], behind[near] = count(np.less_equal, below, exact), count(np.less, above, exact)
        counts[run, others] += not_ahead
        counts[others, run] += sums.shape[1] - behind


def kept(values: dict[K, V], family: K, make: Callable[[], V]) -> V:
    """Returns the cached value for a family of runs, or computes it. The last few are cached, because a pair's p-value and its interval use the same one."""
    if family not in values:
        for earlier in list(values)[: 1 - KEPT]:
            values.pop(earlier, None)
        values[family] = make()
    return values[family]


def sample_sums(test: ResamplingTest, units: FloatArray, start: int, stop: int) -> FloatArray:
    """Returns the weighted sums of each run's units on the resamples from `start`, where a block begins, to before `stop`: runs x resamples.

    They are exact, so the number of resamples drawn at a time does not matter.
    """
    sums = np.empty((len(units), stop - start))
    for weights, drawn in drawn_weights(test.weights, test.seed, units.shape[1], start, stop):
        sums[:, drawn] = units @ weights.T.astype(np.float64)
    return sums


def drawn_weights(
    draw: Callable[[np.random.Generator, int, int], IntArray], seed: int, units: int, start: int, stop: int
) -> Iterator[tuple[IntArray, slice]]:
    """Draws weights for the resamples from `start`, where a block begins, to before `stop`: resamples x units, with the indices of the resamples.

    Each block of resamples has its own generator, made from the seed and the block's number; a few of its resamples are in memory at a time.
    """
    most = max(1, WEIGHTS // max(units, 1))
    for first in range(start, stop, BLOCK):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(first // BLOCK,))))
        end = min(first + BLOCK, stop)
        for sample in range(first, end, most):
            samples = min(most, end - sample)
            yield draw(random, samples, units), slice(sample - start, sample - start + samples)
