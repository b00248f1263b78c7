"""Quantiles of the resampled differences between runs, computed exactly by sorting only the differences near the quantiles.

Sorting all differences of a pair takes several times as long as computing them. The mean, variance, skewness and kurtosis of a resampled
sum of differences follow from the per-topic differences, and the Cornish-Fisher expansion predicts the quantiles from these moments.
Therefore only the differences in two narrow bands, one around each predicted quantile, are sorted; all other differences are only counted.
If the bands contain both quantiles of a pair of runs, the result is exact, however inaccurate the prediction was. Otherwise,
`quantiles_of_rows` predicts the positions of the quantiles from the first resamples, and sorts the tails that contain the quantiles. This
result is exact too, because each sorted tail consists of the lowest or the highest differences of a pair.

To find the differences in a band, sums are rounded to two-byte integers, because the processor handles four times as many two-byte numbers
as eight-byte numbers at once. The difference between two rounded sums has an error of at most one unit.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.inference.means import strips

__all__ = ["places_of", "quantiles_of_differences", "quantiles_of_rows"]

FIRST = 32
"""Divisor of the number of resamples: the limits of the two tails are estimated from the first 1/32 of the resamples."""
SURE_OF_TAIL = 2.5
"""Number of standard errors by which a tail extends beyond the predicted position of the quantile; large enough that the tail usually
contains the quantile."""
LEAST = 0.055
"""Minimum number of differences in each tail, as a share of all resampled differences of a pair. `numpy.nonzero` uses a faster algorithm if
more than a tenth of the values are True. Two tails of this size contain more than a tenth of the differences."""


def quantiles_of_rows(rows: FloatArray, quantiles: tuple[float, float]) -> FloatArray:
    """Returns two quantiles of each row of finite values, interpolated linearly between adjacent values, shape (2, rows).

    The quantiles are between 0 and 1 and symmetric around 1/2, the lower quantile first.

    Examples:
        >>> quantiles_of_rows(np.array([[3.0, 1.0, 0.0, 2.0, 4.0]]), (0.125, 0.875)).tolist()
        [[0.5], [3.5]]
    """
    samples = rows.shape[1]
    positions, before, beside = places_of(samples, quantiles)
    few = samples // FIRST
    beyond = few * quantiles[0]  # how many of the first resamples are expected to be below the lower quantile
    end = math.ceil(max(beyond + SURE_OF_TAIL * math.sqrt(beyond * (1 - quantiles[0])), few * LEAST)) + 1
    values = _in_tails(rows, beside, few, (end, -1 - end)) if 2 * end < few else np.sort(rows, axis=1)[:, beside].T
    return values[0::2] + (positions - before)[:, None] * (values[1::2] - values[0::2])


def places_of(samples: int, quantiles: tuple[float, float]) -> tuple[FloatArray, IntArray, IntArray]:
    """Returns the positions of two quantiles in sorted resamples, and the indices next to these positions, in three arrays.

    The first array contains the two fractional positions, and the second array these positions rounded down. The third array contains two
    indices for each position: the position rounded down, and the next index (at most the last index).

    Examples:
        >>> positions, before, beside = places_of(5, (0.125, 0.75))
        >>> positions.tolist(), before.tolist(), beside.tolist()
        ([0.5, 3.0], [0, 3], [0, 1, 3, 4])
    """
    positions = np.array(quantiles) * (samples - 1)
    before = positions.astype(np.int64)
    return positions, before, np.stack([before, np.minimum(before + 1, samples - 1)], axis=1).reshape(-1)


def _in_tails(rows: FloatArray, places: IntArray, few: int, ends: tuple[int, int]) -> FloatArray:
    """Returns the values at four positions of each sorted row (two in the lower tail, two in the upper), shape (positions, rows).

    Sorts the first n values of each row, where n is `few`. The values at the two positions `ends` in this sorted part are the limits of the
    tails.
    """
    samples = rows.shape[1]
    low, high = np.sort(rows[:, :few], axis=1)[:, ends].T
    found = ((rows <= low[:, None]) | (rows >= high[:, None])).reshape(-1).nonzero()[0]
    tails = rows.reshape(-1).take(found)
    edges = np.searchsorted(found, samples * np.arange(len(rows) + 1))
    for start, stop in pairwise(edges.tolist()):
        tails[start:stop].sort()
    at = np.concatenate([edges[:-1] + places[:2, None], edges[1:] - samples + places[2:, None]])
    values: FloatArray = tails.take(at, mode="clip")
    # The lower tail contains all values up to `low`, and the upper tail all values from `high` on. Therefore a value in the lower tail has
    # the same position in the sorted tail as in the sorted row, counted from the beginning. A value in the upper tail has the same position
    # in both, counted from the end.
    known = ((edges[:-1] <= at) & (at < edges[1:])).all(axis=0) & (values[1] <= low) & (values[2] >= high)
    if not known.all():
        values[:, ~known] = np.sort(rows[~known], axis=1)[:, places].T
    return values


ShortArray: TypeAlias = NDArray[np.int16]

LARGEST = 10_000
"""Maximum absolute value of the rounded sums, and of the middle of the bands. The difference between two sums therefore fits into two
bytes, even after the middle is subtracted."""
SURE = 3.5
"""Half-width of a band, in standard errors of the quantile's rank among the sorted values; large enough that the band usually contains the
quantile."""
MOST = 2**15 - 1
"""The largest two-byte integer."""
DIFFERENCES = 2**19
"""Maximum number of differences (pairs x resamples) in memory at once, so that the differences fit into the processor's cache."""
ROUNDING = 2.0**-48
"""Distance by which both ends of a band are moved inwards, as a share of the largest sum, to allow for rounding errors in differences of
means."""


class _Rounded(NamedTuple):
    """Resampled sums as two-byte integers.

    Attributes:
        values: Resampled sums of each run minus their expected value, as multiples of `unit`, shape (runs, resamples).
        centres: Expected value of the resampled sums of each run, shape (runs,).
        unit: Value of the integer 1 in `values`, a power of two.
        margin: Distance by which both ends of a band are moved inwards; it exceeds the rounding error of a difference.
    """

    values: ShortArray
    centres: FloatArray
    unit: float
    margin: float

    @classmethod
    def of(cls, sums: FloatArray, centres: FloatArray) -> _Rounded:
        values = np.empty(sums.shape, dtype=np.int16)
        largest = max(float(np.abs(row - centre).max()) for row, centre in zip(sums, centres, strict=True))
        unit = math.ldexp(1.0, math.frexp(largest / LARGEST)[1])
        for rounded, row, centre in zip(values, sums, centres, strict=True):
            rounded[:] = np.rint((row - centre) / unit)
        return cls(values, centres, unit, unit + ROUNDING * float(np.abs(sums).max()))


class _Bands(NamedTuple):
    """Ranges of differences that probably contain the two quantiles, in multiples of `_Rounded.unit`, shape (runs, runs).

    The lower band extends from `middle` - `outer` to `middle` - `inner`, the upper band from `middle` + `inner` to `middle` + `outer`.
    """

    middle: ShortArray
    inner: ShortArray
    outer: ShortArray

    @classmethod
    def of(cls, residuals: FloatArray, unit: float, pairs: tuple[IndexArray, IndexArray], places: IntArray, samples: int) -> _Bands:
        """Returns, for each pair of runs, the two bands that are expected to contain the two quantiles of the resampled differences."""
        sure = SURE * math.sqrt(samples * (share := (places[1] + 1) / samples) * (1 - share))
        low, high = (places[0] - sure) / samples, (places[1] + 1 + sure) / samples
        z, nearest, farthest = (-NormalDist().inv_cdf(min(max(at, 1e-9), 0.499)) for at in (share, high, low))
        rows, columns = (slice(int(side.min()), int(side.max()) + 1) for side in pairs)
        variance, skewness, kurtosis = _moments(residuals / unit, rows, columns)
        deviation = np.sqrt(variance)
        further = kurtosis * (z**3 - 3 * z) / 24 - np.square(skewness) * (2 * z**3 - 5 * z) / 36
        bands = cls(*np.empty((3, len(residuals), len(residuals)), dtype=np.int16))
        bands.middle[rows, columns] = np.rint(np.clip(deviation * skewness * (z * z - 1) / 6, -LARGEST, LARGEST))
        bands.inner[rows, columns] = np.clip(deviation * (nearest + further), 0, MOST)
        bands.outer[rows, columns] = np.clip(deviation * (farthest + further) + 1, bands.inner[rows, columns], MOST)
        return bands


def quantiles_of_differences(
    sums: FloatArray, centres: FloatArray, residuals: FloatArray, pairs: tuple[IndexArray, IndexArray], quantiles: tuple[float, float]
) -> FloatArray:
    """Returns two quantiles of the resampled differences of each pair of runs, interpolated linearly, shape (2, pairs).

    Args:
        sums: Sums or means on the resamples, shape (runs, resamples); all must be finite.
        centres: Expected value of the resampled sums of each run, shape (runs,).
        residuals: Score for each resampled unit (a topic or a cluster) minus the expected score for a unit of its size, shape (runs,
            units).
        pairs: Row indices of the first run and of the second run of each pair.
        quantiles: Two probabilities between 0 and 1, symmetric around 1/2, the lower first.

    Examples:
        >>> sums = np.array([[3.0, 1.0, 0.0, 2.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
        >>> pairs = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
        >>> centres, residuals = np.array([2.0, 0.0]), np.zeros((2, 3))
        >>> quantiles_of_differences(sums, centres, residuals, pairs, (0.125, 0.875)).tolist()
        [[0.5], [3.5]]
    """
    runs, samples = sums.shape
    positions, before, places = places_of(samples, quantiles)
    rounded = _Rounded.of(sums, centres)
    bands = _Bands.of(residuals, rounded.unit, pairs, places, samples)
    values, known = np.empty((4, runs, runs)), np.empty((runs, runs), dtype=np.bool_)
    together = max(1, DIFFERENCES // samples)
    for run, others in strips(*pairs, runs, together):
        values[:, run, others], known[run, others] = _in_bands(sums, rounded, bands, (run, others), places)
    of_pairs = values[:, *pairs]
    found: FloatArray = of_pairs[0::2] + (positions - before)[:, None] * (of_pairs[1::2] - of_pairs[0::2])
    unknown = np.flatnonzero(~known[pairs])
    few = max(1, together // 4)
    for start in range(0, len(unknown), few):
        part = unknown[start : start + few]
        first, second = (rows[part] for rows in pairs)
        found[:, part] = quantiles_of_rows(sums[first] - sums[second], quantiles)
    return found


def _moments(residuals: FloatArray, rows: slice, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns the variance, skewness and excess kurtosis of resampled sums of differences, each of shape (rows, columns).

    The moments of one draw are means over the topics. The cumulants of a sum of n independent draws are n times the cumulants of one draw.
    The last bits of matrix products differ between processors. These bits do not affect the quantiles, because the moments determine only
    in which bands the quantiles are searched. Skewness and kurtosis are 0 if the variance is 0.
    """
    powers = [residuals, np.square(residuals)]
    powers += [powers[1] * residuals, np.square(powers[1])]
    sums = [power.sum(axis=1) for power in powers]

    def product(first: int, second: int) -> FloatArray:
        of_runs: FloatArray = powers[first - 1][rows] @ powers[second - 1][columns].T
        return of_runs

    def alone(power: int) -> FloatArray:
        sign = -1 if power % 2 else 1
        both: FloatArray = sums[power - 1][rows][:, None] + sign * sums[power - 1][columns]
        return both

    second = np.maximum(alone(2) - 2 * product(1, 1), 0.0)
    third = alone(3) - 3 * (product(2, 1) - product(1, 2))
    fourth = alone(4) - 4 * (product(3, 1) + product(1, 3)) + 6 * product(2, 2)
    some = second > 0.0
    skewness, kurtosis = np.zeros((2, *second.shape))
    np.divide(third, second**1.5, out=skewness, where=some)
    np.divide(fourth, np.square(second), out=kurtosis, where=some)
    kurtosis[some] -= 3 / residuals.shape[1]
    return second, skewness, kurtosis


def _in_bands(
    sums: FloatArray, rounded: _Rounded, bands: _Bands, compared: tuple[int, slice], places: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Returns, for each pair of runs, the resampled differences at four positions in sorted order, and whether these differences are exact.

    `compared` contains the index of one run and the range of the other runs. Each pair consists of this run and one of the other runs.
    `places` contains the four positions in sorted order. The result contains four differences for each pair, shape (4, others). Only
    differences inside the bands are sorted. Values below the lower or above the upper band are more extreme than all values in the band,
    and values between the bands are less extreme. The four differences for a pair of runs are marked as exact if all of them are inside the
    bands, even if rounding errors are as large as possible.
    """
    run, others = compared
    samples = sums.shape[1]
    middle, inner, outer = (band[compared] for band in bands)
    held = np.zeros(-(-len(middle) * samples // 8) * 8, dtype=np.bool_)  # a multiple of eight, as `_true` requires
    verdicts = held[: len(middle) * samples].reshape(len(middle), samples)
    differences = rounded.values[run] - rounded.values[others]
    differences -= middle[:, None]
    below = _counts(np.less(differences, -outer[:, None], out=verdicts))
    apart = np.abs(differences, out=differences)
    above = _counts(np.greater(apart, outer[:, None], out=verdicts)) - below
    # A difference that lies between the two bands becomes negative here. A negative number, read as an unsigned integer, exceeds the width
    # of any band. Therefore one comparison tests both ends of a band.
    apart -= inner[:, None]
    np.less_equal(apart.view(np.uint16), (outer - inner).view(np.uint16)[:, None], out=verdicts)

    found = _true(held)
    starts = samples * np.arange(len(middle) + 1)
    edges = np.searchsorted(found, starts)
    inside = sums[run].take(found - np.repeat(starts[:-1], np.diff(edges)))
    inside -= sums[others].reshape(-1).take(found)
    for start, stop in pairwise(edges.tolist()):
        inside[start:stop].sort()
    at = np.concatenate([edges[:-1] - below + places[:2, None], edges[1:] + above - samples + places[2:, None]])
    if not len(inside):
        return np.zeros(at.shape), np.zeros(len(middle), dtype=np.bool_)
    values: FloatArray = inside.take(at, mode="clip")
    centre = rounded.centres[run] - rounded.centres[others] + rounded.unit * middle
    near, far = rounded.unit * inner + rounded.margin, rounded.unit * outer - rounded.margin
    known: BoolArray = ((edges[:-1] <= at) & (at < edges[1:])).all(axis=0)
    known &= (values[0] >= centre - far) & (values[1] <= centre - near) & (values[2] >= centre + near) & (values[3] <= centre + far)
    return values, known


def _counts(verdicts: BoolArray) -> IntArray:
    return np.array(list(map(np.count_nonzero, verdicts)))


def _true(verdicts: BoolArray) -> IntArray:
    """Returns the positions of the true values in an array whose length is a multiple of eight; fast if few values are true.

    `numpy.nonzero` is slow if few values are true, because it tests values one by one and the processor mispredicts branches. This function
    first tests groups of eight values. Checking a whole group takes as long as checking a single value. Only groups that contain True are
    then tested value by value.
    """
    words = verdicts.view(np.uint64)
    eight = (words != 0).nonzero()[0]
    among = words.take(eight).view(np.bool_).nonzero()[0]
    found: IntArray = eight.take(among >> 3)
    found <<= 3
    found += among & 7
    return found
