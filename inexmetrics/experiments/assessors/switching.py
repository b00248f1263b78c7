"""Pairs of runs that other assessors might have ranked in the other order, and how large a difference guards against it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.classical import t
from inexmetrics.inference.pairs import TOLERANCE, mean_differences, means, observed_pairs
from inexmetrics.inference.ranks import average_ranks

__all__ = ["UNSTABLE", "buckets", "correlated", "falling_line", "leaders", "summary", "switches"]

UNSTABLE: Final = 0.05
"""A pair that switches in more than this share of the sets is not stable."""
WIDTH: Final = 0.01
"""Width of a bucket of differences."""
STRONG: Final = 0.98
"""A coefficient above this is very strong."""


def switches(runs: tuple[str, ...], baseline: FloatArray, wins: IntArray, sets: int, setting: RunOptions) -> pl.DataFrame:
    """Table ``switches``: every pair of runs, those that switch most often first, then by better and worse.

    Args:
        runs: The runs, R.
        baseline: Scores by the baseline, R x T.
        wins: In how many sets run i has a higher mean than run j, R x R.
        sets: How many sets there were.
        setting: Where it runs.
    """
    better, worse = observed_pairs(baseline)
    difference = mean_differences(baseline, better, worse)
    apart = np.abs(difference) > TOLERANCE
    return pl.DataFrame(
        {
            "better": [runs[run] for run in better.tolist()],
            "worse": [runs[run] for run in worse.tolist()],
            "difference": difference,
            "switch_probability": pl.Series(np.where(apart, wins[worse, better] / sets, np.nan), nan_to_null=True),
            "p_value": t(tails=2).p_values(baseline, better, worse, setting),
        }
    ).sort("switch_probability", "better", "worse", descending=[True, False, False], nulls_last=True)


def leaders(switched: pl.DataFrame, runs: tuple[str, ...], baseline: FloatArray, top: int) -> pl.DataFrame:
    """Table ``leaders``: the pairs among the runs that the baseline ranks highest, and whether they are unstable.

    Args:
        switched: Table ``switches``.
        runs: The runs, R.
        baseline: Scores by the baseline, R x T.
        top: How many runs; of tied means the earlier ones.
    """
    ranks, _ = average_ranks(-means(baseline))
    best = [runs[run] for run in np.argsort(ranks, kind="stable")[:top].tolist()]
    among = switched.filter(pl.col("better").is_in(best) & pl.col("worse").is_in(best))
    return among.with_columns(unstable=pl.col("switch_probability") > UNSTABLE)


def buckets(switched: pl.DataFrame) -> pl.DataFrame:
    """Table ``buckets``: the pairs by their difference, in steps of .01; pairs that the baseline ties are in none.

    Args:
        switched: Table ``switches``.
    """
    pairs = switched.drop_nulls("switch_probability")
    index = np.floor(100 * pairs["difference"].to_numpy() + 1e-9).astype(np.int64)
    probability = pairs["switch_probability"].to_numpy()
    there, place = np.unique(index, return_inverse=True)
    count = np.bincount(place, minlength=len(there))
    # fsum: the order of the pairs does not matter to the last bit
    mean = [math.fsum(probability[place == number].tolist()) / count[number] for number in range(len(there))]
    return pl.DataFrame(
        {"lower": there / 100, "upper": (there + 1) / 100, "pairs": count, "switch_probability": mean},
        schema_overrides={"pairs": pl.Int64, "switch_probability": pl.Float64},
    )


def summary(rho: FloatArray, bucketed: pl.DataFrame) -> pl.DataFrame:
    """Table ``summary``: one row.

    Args:
        rho: Coefficients, S; NaN where undefined.
        bucketed: Table ``buckets``.
    """
    known = rho[~np.isnan(rho)].tolist()
    line = falling_line(bucketed)
    return pl.DataFrame(
        {
            "mean_rho": math.fsum(known) / len(known) if known else None,
            "min_rho": min(known, default=None),
            "share_above_0_98": sum(value > STRONG + TOLERANCE for value in known) / len(known) if known else None,
            "threshold_bucket": _threshold_bucket(bucketed),
            "threshold_line": None if line is None else (UNSTABLE - line[0]) / line[1],
        },
        schema=dict.fromkeys(("mean_rho", "min_rho", "share_above_0_98", "threshold_bucket", "threshold_line"), pl.Float64),
    )


def correlated(rho: FloatArray) -> pl.DataFrame:
    """Table ``correlations``: the sets, from 1, with their coefficients."""
    return pl.DataFrame({"set": np.arange(1, len(rho) + 1), "rho": pl.Series(rho, nan_to_null=True)})


def _threshold_bucket(bucketed: pl.DataFrame) -> float | None:
    """Lower edge of the first bucket from which on all switch less often than `UNSTABLE`."""
    stable = (bucketed["switch_probability"] < UNSTABLE).to_numpy()
    unstable = np.flatnonzero(~stable)
    first = int(unstable[-1]) + 1 if len(unstable) else 0
    return float(bucketed["lower"][first]) if first < bucketed.height else None


def falling_line(bucketed: pl.DataFrame) -> tuple[float, float] | None:
    """Intercept and slope of the least-squares line through the buckets, up to the first that never switches.

    Points are (middle of the bucket, switch probability). None where there are not two points, or the line does not fall.

    Args:
        bucketed: Table ``buckets``.

    Examples:
        >>> rows = pl.DataFrame({"lower": [0.0, 0.01, 0.02], "upper": [0.01, 0.02, 0.03], "switch_probability": [0.4, 0.0, 0.3]})
        >>> intercept, slope = falling_line(rows)
        >>> round(intercept, 12), round(slope, 12)
        (0.6, -40.0)
    """
    y = bucketed["switch_probability"].to_numpy()
    zeros = np.flatnonzero(y == 0.0)
    used = int(zeros[0]) + 1 if len(zeros) else len(y)
    if used < 2:
        return None
    y = y[:used]
    x = ((bucketed["lower"] + bucketed["upper"]) / 2).to_numpy()[:used]
    x_middle, y_middle = math.fsum(x.tolist()) / used, math.fsum(y.tolist()) / used
    slope = math.fsum(((x - x_middle) * (y - y_middle)).tolist()) / math.fsum(((x - x_middle) ** 2).tolist())
    return (y_middle - slope * x_middle, slope) if slope < 0.0 else None
