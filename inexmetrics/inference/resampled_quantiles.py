"""Quantiles of the resampled differences of pairs of runs, taken exactly from the tails in which they lie.

Sorting all differences of a pair takes several times as long as computing them. The first samples say well enough where a quantile
lies to leave a tenth of the differences to be sorted; that these are the lowest or the highest of all makes the answer exact, whatever
the first samples said.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray

__all__ = ["places_of", "quantiles_of_rows"]

FIRST = 32
"""One in so many samples says where a quantile lies."""
SURE = 2.5
"""Standard errors of the first samples' answer by which a tail is taken longer, so that it seldom turns out too short."""
LEAST = 0.055
"""Share of the differences that a tail has at least: numpy finds the places of more than a tenth of them all several times faster."""


def quantiles_of_rows(rows: FloatArray, quantiles: tuple[float, float]) -> FloatArray:
    """Two quantiles of each row of finite values, interpolated linearly between the two values beside them: two x rows.

    The two lie inside (0, 1), as far from 1/2 as each other, the lower first.

    Examples:
        >>> quantiles_of_rows(np.array([[3.0, 1.0, 0.0, 2.0, 4.0]]), (0.125, 0.875)).tolist()
        [[0.5], [3.5]]
    """
    samples = rows.shape[1]
    positions, before, beside = places_of(samples, quantiles)
    few = samples // FIRST
    end = _end(quantiles[0], few)
    values = _in_tails(rows, beside, few, (end, -1 - end)) if 2 * end < few else np.sort(rows, axis=1)[:, beside].T
    return values[0::2] + (positions - before)[:, None] * (values[1::2] - values[0::2])


def places_of(samples: int, quantiles: tuple[float, float]) -> tuple[FloatArray, IntArray, IntArray]:
    """Where two quantiles lie among so many samples in order: their positions, the places before these, and all four places beside them.

    Examples:
        >>> positions, before, beside = places_of(5, (0.125, 0.75))
        >>> positions.tolist(), before.tolist(), beside.tolist()
        ([0.5, 3.0], [0, 3], [0, 1, 3, 4])
    """
    positions = np.array(quantiles) * (samples - 1)
    before = positions.astype(np.int64)
    return positions, before, np.stack([before, np.minimum(before + 1, samples - 1)], axis=1).reshape(-1)


def _in_tails(rows: FloatArray, places: IntArray, few: int, ends: tuple[int, int]) -> FloatArray:
    """The values at four places of each row in order, two in its lower tail and two in its upper one: places x rows.

    The first `few` samples say where the tails end: at the two places `ends` among them in order.
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
    # all that is up to `low` is in the lower tail, and all from `high` on in the upper: in order it stands as in the whole row
    known = ((edges[:-1] <= at) & (at < edges[1:])).all(axis=0) & (values[1] <= low) & (values[2] >= high)
    if not known.all():
        values[:, ~known] = np.sort(rows[~known], axis=1)[:, places].T
    return values


def _end(share: float, few: int) -> int:
    """The place among the first samples in order at which a tail ends that has the quantile of this share, and a share of `LEAST`."""
    return math.ceil(max(few * share + SURE * math.sqrt(few * share * (1 - share)), few * LEAST)) + 1
