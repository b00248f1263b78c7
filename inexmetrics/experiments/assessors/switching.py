"""Pairs of runs that other assessors might have ranked in the other order, and how large a difference guards against it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tables import Column, Table
from inexmetrics.inference.classical import t
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.inference.pairs import mean_differences, observed_pairs
from inexmetrics.inference.ranks import UNSTABLE, average_ranks, falling_line

__all__ = ["Buckets", "Correlations", "Leaders", "Summary", "Switches", "buckets", "leaders", "summary", "switches"]

WIDTH: Final = 0.01
"""Width of a bucket of differences."""
STRONG: Final = 0.98
"""A coefficient above this is very strong."""


class Correlations(Table):
    """The rank correlation of each synthetic set with the baseline."""

    set = Column.count("the number of the set", at_least=1)
    rho = Column.coefficient(
        "Spearman's rho of the runs' means on the set with those of the baseline, tied means sharing the mean of their ranks",
        "where all runs tie",
    )


class Switches(Table):
    """Each pair of runs in the direction of the baseline's means (equal ones: by run_id), the most often switched first."""

    better = Column(str, "the run with the higher mean by the baseline")
    worse = Column(str, "the other run")
    difference = Column(float, "the difference of their means by the baseline", at_least=-TOLERANCE)
    switch_probability = Column.share(
        "the share of sets in which the two stand strictly in the opposite order", "where the baseline ties them"
    )
    p_value = Column.share("the p-value of a two-tailed paired t test on the baseline's scores by topic")


class Buckets(Table):
    """The pairs by difference in steps of .01; pairs that the baseline ties are in none, and empty buckets have no row."""

    lower = Column(float, "the lower edge, which is in the bucket", at_least=0)
    upper = Column(float, "the upper edge, which is not", at_least=0)
    pairs = Column.count("the number of pairs of runs", at_least=1)
    switch_probability = Column.share("the mean of their switch probabilities")


class Summary(Table):
    """How sure the ranking is over all sets, one row."""

    mean_rho = Column.coefficient("the mean of rho over the sets", "where it is null for all")
    min_rho = Column.coefficient("the lowest rho", "where it is null for all")
    share_above_0_98 = Column.share("the share of sets with a rho above .98", "where it is null for all")
    threshold_bucket = Column(
        float, "the lower edge of the first bucket from which on all are below .05", "where there is none", at_least=0
    )
    threshold_line = Column(
        float,
        "the difference at which the least-squares line through (middle, value) of the buckets, up to and including the first "
        "of value 0, falls to .05",
        "where there is none",
    )


class Leaders(Switches):
    """The rows of ``switches`` among the runs that the baseline ranks highest."""

    unstable = Column(bool, "whether switch_probability is above .05", "where it is null")


def switches(runs: tuple[str, ...], baseline: FloatArray, wins: IntArray, sets: int, setting: RunOptions) -> pl.DataFrame:
    """Table ``switches``, from the baseline's scores, R x T, and in how many sets run i has a higher mean than run j, R x R."""
    better, worse = observed_pairs(baseline)
    difference = mean_differences(baseline, better, worse)
    apart = np.abs(difference) > TOLERANCE
    return Switches.frame(
        better=[runs[run] for run in better.tolist()],
        worse=[runs[run] for run in worse.tolist()],
        difference=difference,
        switch_probability=np.where(apart, wins[worse, better] / sets, np.nan),
        p_value=t.p_values(baseline, better, worse, setting),
    ).sort("switch_probability", "better", "worse", descending=[True, False, False], nulls_last=True)


def leaders(switched: pl.DataFrame, runs: tuple[str, ...], baseline: FloatArray, top: int) -> pl.DataFrame:
    """Table ``leaders``: the pairs of ``switches`` among so many runs that the baseline ranks highest; of tied means the earlier ones."""
    ranks, _ = average_ranks(-means(baseline))
    best = [runs[run] for run in np.argsort(ranks, kind="stable")[:top].tolist()]
    among = switched.filter(pl.col("better").is_in(best) & pl.col("worse").is_in(best))
    return Leaders.typed(among.with_columns(unstable=pl.col("switch_probability") > UNSTABLE))


def buckets(switched: pl.DataFrame) -> pl.DataFrame:
    """Table ``buckets``, from table ``switches``."""
    pairs = switched.drop_nulls("switch_probability")
    index = np.floor(100 * pairs["difference"].to_numpy() + 1e-9).astype(np.int64)
    probability = pairs["switch_probability"].to_numpy()
    there, place = np.unique(index, return_inverse=True)
    count = np.bincount(place, minlength=len(there))
    # fsum: the order of the pairs does not matter to the last bit
    mean = [math.fsum(probability[place == number].tolist()) / count[number] for number in range(len(there))]
    return Buckets.frame(lower=there / 100, upper=(there + 1) / 100, pairs=count, switch_probability=mean)


def summary(rho: FloatArray, bucketed: pl.DataFrame) -> pl.DataFrame:
    """Table ``summary``, from the coefficients of the sets, NaN where undefined, and table ``buckets``."""
    known = rho[~np.isnan(rho)].tolist()
    line = falling_line(bucketed)
    row = (
        math.fsum(known) / len(known) if known else None,
        min(known, default=None),
        sum(value > STRONG + TOLERANCE for value in known) / len(known) if known else None,
        _threshold_bucket(bucketed),
        None if line is None else (UNSTABLE - line[0]) / line[1],
    )
    return Summary.of_rows([row])


def _threshold_bucket(bucketed: pl.DataFrame) -> float | None:
    """Lower edge of the first bucket from which on all switch less often than `UNSTABLE`."""
    stable = (bucketed["switch_probability"] < UNSTABLE).to_numpy()
    unstable = np.flatnonzero(~stable)
    first = int(unstable[-1]) + 1 if len(unstable) else 0
    return float(bucketed["lower"][first]) if first < bucketed.height else None
