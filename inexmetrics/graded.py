"""Graded rankings: the gains that ranked results bring, beside those of an ideal ranking; and gains from assessments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.arrays import FloatArray, IntArray
from inexmetrics.errors import CollectionError, Problem
from inexmetrics.quantisations.base import Quantisation, Scale

__all__ = ["TOLERANCE", "Graded", "Hits", "gains_of", "in_decreasing_order"]

TOLERANCE: Final = 1e-9
"""Sums of gains closer than this share of a topic's whole gain are equal: they differ only by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The results that bring a gain, by run, topic and rank.

    Attributes:
        rows: Number of the ranked list, run * T + topic.
        ranks: Rank in the list, from 1.
        gains: The gain it brings, above 0.
        cumulated: Gain of the list down to this rank.
    """

    rows: IntArray
    ranks: IntArray
    gains: FloatArray
    cumulated: FloatArray


@dataclass(frozen=True, eq=False)
class Graded:
    """Gains of retrieved and of ideal results. R runs, T topics, K ranks, N ideal results; 0 past the end of a list.

    Attributes:
        gains: Gain of each result by rank, R x T x K.
        lengths: Results retrieved, R x T.
        ideal: Gains of the ideal results, decreasing, T x N.
        counts: Ideal results with a gain above 0, T.
    """

    gains: FloatArray
    lengths: IntArray
    ideal: FloatArray
    counts: IntArray

    @cached_property
    def cumulated(self) -> FloatArray:
        """Gain of each list down to each rank (xCG), R x T x K; added rank by rank, so that padding changes no bit."""
        return np.add.accumulate(self.gains, axis=2)

    @cached_property
    def ideal_cumulated(self) -> FloatArray:
        """Gain of the ideal list down to each rank (xCI), T x N."""
        return np.add.accumulate(self.ideal, axis=1)

    @cached_property
    def totals(self) -> FloatArray:
        """Gain of the whole ideal list (G), T; 0 where nothing is relevant."""
        return self.ideal_cumulated[:, -1] if self.ideal.shape[1] else np.zeros(len(self.ideal))

    @cached_property
    def hits(self) -> Hits:
        """The results that bring a gain, in order of list and rank."""
        lists = self.gains.reshape(-1, self.gains.shape[2])
        rows, places = np.nonzero(lists > 0.0)
        return Hits(rows, places + 1, lists[rows, places], self.cumulated.reshape(lists.shape)[rows, places])


def in_decreasing_order(values: FloatArray, topics: IntArray, count: int) -> FloatArray:
    """The values of each topic in decreasing order, topics x the most that any topic has; 0 past the end of the shorter.

    Args:
        values: Values of at least 0.
        topics: The topic of each value, ascending.
        count: How many topics there are.
    """
    sizes = np.bincount(topics, minlength=count)
    firsts = np.concatenate(([0], np.cumsum(sizes)))
    padded = np.zeros((count, int(sizes.max(initial=0))))
    padded[topics, np.arange(len(values)) - firsts[topics]] = values
    return -np.sort(-padded, axis=1)


def gains_of(elements: pl.DataFrame, scale: Scale | None, quantisation: Quantisation) -> FloatArray:
    """The gain of each assessed element under a quantisation.

    Args:
        elements: Assessed elements, with the columns `ELEMENTS`.
        scale: The scale of their exhaustivity; None where it was not asked.
        quantisation: The quantisation.

    Returns:
        One gain a row, finite and at least 0.

    Raises:
        CollectionError: The quantisation is of another scale, needs what the assessments do not hold, or gives an
            impossible gain.
    """
    if scale is not None and scale not in quantisation.scales:
        expected = " or ".join(_years(scale) for scale in sorted(quantisation.scales))
        raise CollectionError(f"{quantisation}: expected assessments on the scale of {expected}, found the scale of {_years(scale)}")
    if quantisation.needs_exhaustivity and elements["exhaustivity"].null_count():
        raise CollectionError(f"{quantisation}: expected assessments with exhaustivity, found assessments of highlighting alone")
    if quantisation.needs_size and elements["size"].null_count():
        raise CollectionError(f"{quantisation}: expected assessments with the size of each element, found none")
    # "too small" is no number: as a number it is missing
    e = pl.col("exhaustivity").cast(pl.String).cast(pl.Float64, strict=False)
    gain = quantisation.gain(e, pl.col("specificity"), pl.col("size")).cast(pl.Float64).fill_null(0.0)
    try:
        gains = elements.with_columns(gain.alias("gain"))["gain"].to_numpy()
    except pl.exceptions.PolarsError as error:
        raise CollectionError(f"{quantisation}: the gain cannot be computed: {error}") from error
    impossible = np.flatnonzero(~(np.isfinite(gains) & (gains >= 0.0)))
    if len(impossible):
        element = elements.row(int(impossible[0]), named=True)
        place = element["doc_id"] if element["path"] is None else f"{element['doc_id']} {element['path']}"
        found = f"found {gains[impossible[0]]} for {place}"
        raise CollectionError(Problem(f"{quantisation}: expected gains that are finite and at least 0, {found}", topic_id=element["topic_id"]))
    return gains


def _years(scale: Scale) -> str:
    return {"inex2004": "INEX 2004", "inex2005": "INEX 2005"}[scale]
