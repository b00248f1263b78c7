"""Quantiles of the resampled differences between runs, computed exactly by sorting only the tails that contain them.

Sorting all differences of a pair takes several times as long as computing them. The first resamples predict the position of a quantile
accurately enough that only a tenth of the differences need to be sorted. The result is exact even if the prediction is inaccurate,
because each sorted tail consists of the lowest or the highest differences of a pair.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray

__all__ = ["places_of", "quantiles_of_rows"]

FIRST = 32
"""Divisor of the number of resamples b: the first b / 32 resamples predict the position of a quantile."""
SURE = 2.5
"""Number of standard errors by which a tail extends beyond the predicted position of the quantile, so that the tail rarely lacks the
quantile."""
LEAST = 0.055
"""Minimum number of differences in each tail, as a share of all resampled differences of a pair. `numpy.nonzero` is several times faster if
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
    end = math.ceil(max(beyond + SURE * math.sqrt(beyond * (1 - quantiles[0])), few * LEAST)) + 1
    values = _in_tails(rows, beside, few, (end, -1 - end)) if 2 * end < few else np.sort(rows, axis=1)[:, beside].T
    return values[0::2] + (positions - before)[:, None] * (values[1::2] - values[0::2])


def places_of(samples: int, quantiles: tuple[float, float]) -> tuple[FloatArray, IntArray, IntArray]:
    """Returns the positions of two quantiles in sorted resamples, and the indices next to these positions, in three arrays.

    The first array contains the two fractional positions, and the second array these positions rounded down. The third array contains four
    indices: each position rounded down, and the next index (at most the last index).

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
