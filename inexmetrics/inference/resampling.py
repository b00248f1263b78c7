"""Base classes of tests that resample the topics, and functions that draw resamples and compute exact sums.

Every resample assigns each topic a weight. In the bootstrap, the weight is the number of times that the topic was drawn. In the
randomisation test, the weight is 1 if the sign of the topic's differences changes, and 0 otherwise. Weighted sums of scores are computed
once per run instead of once per pair, because the sum of differences is the difference between the sums. Scores are first rounded to
integers, so that the sums are exact in float64 in any order and for blocks of any size.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Self, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest, generator
from inexmetrics.inference.means import alike, among_rows, check_finite, mean_differences, strips, tiles
from inexmetrics.terms import Integer, parameter

__all__ = [
    "BLOCK", "CHUNK", "Family", "RandomTest", "ResamplingParameters", "ResamplingTest", "drawn_weights", "exact_sums", "grid",
    "grid_bits", "kept", "runs_held", "sample_sums",
]  # fmt: skip

T = TypeVar("T")
V = TypeVar("V")

Family: TypeAlias = tuple[T, tuple[int, ...], bytes]
"""Key of cached values: a test, and the shape and the bytes of the scores of all runs."""

MOST = 10_000_000
"""Maximum number of resamples of a test."""
BLOCK = 500
"""Number of resamples in a block. Each block has its own random number generator: block i uses the spawn key (i,) of the seed, on every
executor."""
CHUNK = 20 * BLOCK
"""Maximum number of resamples whose sums are in memory at once."""
RUNS = 256
"""The pairs of runs in one task contain at most twice this number of different runs."""
WEIGHTS = 2**20
"""Maximum number of weights (resamples x topics) that are drawn at once."""
PRODUCT = 2**18
"""Maximum number of multiplications of a matrix product for which OpenBLAS does not start threads."""
SUMS = 2**25
"""Maximum number of resampled sums in one task, unless a single pair of runs needs more."""
WORK = 2**28
"""Approximate number of comparisons in a task: large enough that computing takes longer than sending the task.

Drawing a topic takes as long as about 16 comparisons.
"""
NEAR = 16
"""Number of runs whose sums are computed, and compared, at once, so that the sums stay in the processor's cache."""
FEW = 64
"""Maximum number of topics or clusters of which drawn weights are kept; 64 blocks then take at most 16 MB."""
KEPT = 4
"""Maximum number of results in a cache. Each result belongs to one test and one score matrix."""
GRID_BITS = 40
"""Scores are rounded to multiples of 2^-40, unless a larger unit is needed for exact sums."""


class ResamplingParameters(TypedDict, total=False):
    """Keyword arguments of a resampling test."""

    b: int
    seed: int


@dataclass(frozen=True, slots=True, repr=False)
class RandomTest(SignificanceTest, ABC):
    """Test that compares the observed statistic with the statistics of many random resamples.

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


class ResamplingTest(RandomTest, ABC):
    """Test that compares two runs on many resamples of the topics."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def weights(random: np.random.Generator, samples: int, units: int) -> IntArray:
        """Draws nonnegative weights of topics or clusters, shape (resamples, units); a row sums to at most the number of units."""

    def sides(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, ...]:
        """Returns the weighted sums of the runs for each tail of the test, shape (runs, resamples); `totals` are the unweighted sums.

        For each tail, a resample is counted if the better run's sum does not exceed the worse run's. A one-tailed test returns one array.
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
        if self.two_tailed:  # the p-value is the same in both directions, and is computed for the run with the higher sum
            totals = units.sum(axis=1)
            ahead = totals[better] >= totals[worse]
            better, worse = np.where(ahead, better, worse), np.where(ahead, worse, better)
        tasks = []  # each task has the indices of some hypotheses and a range of resamples
        for places in tiles(better, worse, runs_held(CHUNK)):
            samples = CHUNK * max(1, WORK // (CHUNK * (len(places) + 16 * drawn.shape[1])))
            tasks += [(places, start, min(self.b, start + samples)) for start in range(0, self.b, samples)]
        sent = ((*among_rows(units, better[places], worse[places]), start, stop) for places, start, stop in tasks)
        found = setting.map(self.word, partial(_not_ahead, self), sent, total=len(tasks), threads=True)
        for (places, _, _), counted in zip(tasks, found, strict=True):
            counts[places] += counted
        p_values = self.from_counts(counts)
        p_values[alike(drawn, better, worse)] = 1.0
        return p_values

    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        return mean_differences(scores, better, worse)


def grid(scores: FloatArray) -> FloatArray:
    """Returns finite scores as integer multiples of a small unit, whose sums are exact, shape (runs, topics).

    The unit is 2^-40, or a larger power of two if the scores of a run could otherwise sum to 2^52 units or more. Therefore all partial sums
    are exact in float64. The rounding error of a score is at most half a unit.

    Examples:
        >>> (grid(np.array([[0.0, 0.5, 1.0]])) / 2**40).tolist()
        [[0.0, 0.5, 1.0]]
    """
    return np.rint(np.ldexp(scores, grid_bits(scores)))


def grid_bits(scores: FloatArray) -> int:
    """Returns n if the unit of `grid` is 2^-n, such as 40 for 2^-40."""
    _, exponent = math.frexp(np.max(np.abs(scores), initial=0.0))
    topics: int = scores.shape[1]
    return min(GRID_BITS, 52 - exponent - topics.bit_length())


def runs_held(samples: int) -> int:
    """Returns the argument `runs` of `tiles`, given the number of resamples; a task contains at most twice as many different runs."""
    return max(1, min(RUNS, SUMS // (2 * samples)))


def _not_ahead(test: ResamplingTest, task: tuple[FloatArray, IndexArray, IndexArray, int, int]) -> IndexArray:
    """Counts, for each hypothesis of a task, the resamples of the task in which the better run is not ahead of the worse run.

    Rounding to units may change the difference on each topic by one unit. Therefore two runs are treated as tied if their weighted sums
    over T topics differ by at most T units. In a tie, neither run is ahead.
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
    """Counts, for both directions of each pair, the resamples in which the first run is not ahead, and adds them to `counts`.

    A run is ahead if its sum exceeds the sum of the other run by more than `tie`. Sums are compared as float32, which takes half as long as
    comparing float64. Rounding is monotonic: x <= y implies round(x) <= round(y). Therefore round(x) < round(y) implies x < y. Let a and b
    be the sums of two runs, and #{...} the number of resamples with the property in braces. Then ::

        # {a + tie < b as float32} <= #{a + tie < b} <= #{a - tie <= b} <= #{a - tie <= b as float32}

    If the first of these four counts equals the last, all counts are equal, and the comparison of rounded sums is exact. Otherwise,
    rounding may have changed some comparisons, and the second and third counts are computed from the unrounded sums.
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


def kept(values: dict[Family[T], V], test: T, scores: FloatArray, make: Callable[[], V]) -> V:
    """Returns the cached value of a test for all runs, or computes it; a pair's p-value and its confidence interval need the same value."""
    family = test, scores.shape, np.ascontiguousarray(scores).tobytes()
    if family not in values:
        for earlier in list(values)[: 1 - KEPT]:
            values.pop(earlier, None)
        values[family] = make()
    return values[family]


def sample_sums(test: ResamplingTest, units: FloatArray, start: int, stop: int) -> FloatArray:
    """Returns the weighted sums of the units of each run on the resamples from `start` to `stop` - 1, shape (runs, resamples).

    `start` is the first resample of a block. Sums are exact and therefore do not depend on the number of resamples drawn at a time.
    """
    sums = np.empty((len(units), stop - start))
    for weights, drawn in drawn_weights(test.weights, test.seed, units.shape[1], start, stop):
        sums[:, drawn] = exact_sums(units, weights)
    return sums


def exact_sums(units: FloatArray, weights: IntArray) -> FloatArray:
    """Returns the sums of the units of each run, weighted by each resample, shape (runs, resamples).

    The product is computed in parts, because tasks run on threads already. For a larger part, OpenBLAS would wake threads of its own, whose
    waiting takes many times the processor time of the product. Sums are exact and therefore do not depend on the parts.
    """
    sums = np.empty((len(units), len(weights)))
    samples = max(1, PRODUCT // (NEAR * max(units.shape[1], 1)))
    for sample in range(0, len(weights), samples):
        part = weights[sample : sample + samples].T.astype(np.float64)
        for run in range(0, len(units), NEAR):
            sums[run : run + NEAR, sample : sample + samples] = units[run : run + NEAR] @ part
    return sums


def drawn_weights(
    draw: Callable[[np.random.Generator, int, int], IntArray], seed: int, units: int, start: int, stop: int
) -> Iterator[tuple[IntArray, slice]]:
    """Yields the weights of the resamples from `start` to `stop` - 1, in parts.

    Each part consists of weights, shape (resamples, units), and the range of its resamples, counted from `start`. `start` is the first
    resample of a block. Each block has its own random number generator, which is seeded with the seed and the number of the block. To save
    memory, only a few resamples of a block are drawn at a time.
    """
    most = max(1, WEIGHTS // max(units, 1))
    for first in range(start, stop, BLOCK):
        end = min(first + BLOCK, stop)
        if units <= FEW and end - first == BLOCK:
            yield _block_of_few(draw, seed, units, first // BLOCK), slice(first - start, end - start)
            continue
        random = generator(seed, first // BLOCK)
        for sample in range(first, end, most):
            samples = min(most, end - sample)
            yield draw(random, samples, units), slice(sample - start, sample - start + samples)


@lru_cache(maxsize=64)
def _block_of_few(draw: Callable[[np.random.Generator, int, int], IntArray], seed: int, units: int, number: int) -> IntArray:
    """Returns the weights of a block of resamples of few units; kept, because simulated boards, splits and conditions share resamples."""
    weights = draw(generator(seed, number), BLOCK, units)
    weights.setflags(write=False)
    return weights
