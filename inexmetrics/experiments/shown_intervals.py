"""Intervals of means and differences: limited to the range of the measure, and not displayed if the scores do not determine them."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

import polars as pl

from inexmetrics.common.messages import plural
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.report.forms import CONDITION
from inexmetrics.terms import Number

__all__ = ["INTERVAL", "LEAST_TOPICS", "Bounds", "ResultWithIntervals", "clipped_intervals", "shown_intervals"]

Bounds: TypeAlias = tuple[float, float] | None
"""The lowest and the highest possible score under a measure; None if unknown."""

INTERVAL: Final = Number(above=0.0, below=1.0)
"""Confidence level of an interval, between 0 and 1."""
LEAST_TOPICS: Final = 3
"""Minimum number of topics for which an interval is displayed; with fewer topics, intervals are too wide to be useful."""
VALUES: Final = ("mean", "difference", "mean_truth")
"""Columns of values that can have intervals. The interval of mean_truth is in low_truth and high_truth; the others are in low and high."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResultWithIntervals(Result, ABC):
    """Base class of results whose tables have intervals for means or for differences between scores."""

    experiment: Measured[Result]

    def completed(self) -> Self:
        result = Result.completed(self)  # slots leave `super` without its class
        return replace(result, tables=clipped_intervals(result.tables, self.experiment.bounds))

    @property
    def shown(self) -> Mapping[str, pl.DataFrame]:
        """Copies of the tables for text, charts and findings, in which intervals that the scores do not determine are null."""
        return shown_intervals(self.tables, self.origin.drawn or self.origin.topics)

    def as_displayed(self, table: str | None = None) -> pl.DataFrame:
        self.named(table)  # raises the error for an unknown table
        return self.shown[next(iter(self.tables)) if table is None else table]

    @property
    def notes(self) -> Mapping[str, str]:
        return self.reasons()

    def reasons(self) -> dict[str, str]:
        """Returns why values are displayed without an interval, by table name."""
        return {table: reason for table in self.tables if (reason := self.without_interval(table))}

    def without_interval(self, table: str) -> str:
        """Returns why some values of a table are displayed without an interval; empty if every interval is displayed."""
        before, after = self.tables[table], self.shown[table]
        reasons = dict[str, None]()
        for value, low, high in _ends(before):
            hidden = before.filter(before[low].is_not_null() & after[low].is_null())
            equal = pl.col(high) - pl.col(low) <= TOLERANCE
            few = hidden.filter(pl.col("topics") < LEAST_TOPICS if "topics" in hidden.columns else ~equal)
            if few.height:
                counts = few["topics"].unique().to_list() if "topics" in few.columns else []
                several = f"no interval with fewer than {LEAST_TOPICS} topics"
                reasons[f"{plural(counts[0], 'topic')}: no interval" if len(counts) == 1 else several] = None
            if hidden.height > few.height:
                reasons[f"no interval if all {'differences' if value == 'difference' else 'scores'} are equal"] = None
        return "; ".join(reasons)


PREDICTION: Final = ("low_prediction", "high_prediction")
"""Columns with the ends of the prediction interval for a difference."""


def clipped_intervals(tables: Mapping[str, pl.DataFrame], bounds: Mapping[str, Bounds]) -> dict[str, pl.DataFrame]:
    """Returns the tables with the intervals of means and differences clipped to the range of possible values.

    The interval of a mean of MAP is clipped to [0, 1], that of a difference to [-1, 1]. The true value is always in this range, so that the
    clipped interval contains it as often. An interval is not clipped if the value itself is outside the range, because scores that were
    read from a file may have another scale than the measure.

    Args:
        tables: The tables of a result, keyed by table name.
        bounds: The range of possible scores of each measure.
    """
    clipped = dict(tables)
    for name, frame in tables.items():
        ends = list(_ends(frame))
        if not ends:
            continue
        known = [bounds.get(measure) or (None, None) for measure in frame["measure"]]
        lows, highs = (pl.Series([pair[side] for pair in known], dtype=pl.Float64) for side in (0, 1))
        cut = []
        for value, low, high in ends:
            lowest, highest = (lows - highs, highs - lows) if value == "difference" else (lows, highs)
            within = frame[value].is_between(lowest, highest)
            for end, limited in ((low, pl.max_horizontal(low, lowest)), (high, pl.min_horizontal(high, highest))):
                cut.append(pl.when(within & pl.col(end).is_not_null()).then(limited).otherwise(end).alias(end))
        clipped[name] = frame.with_columns(cut)
    return clipped


def shown_intervals(tables: Mapping[str, pl.DataFrame], topics: int) -> dict[str, pl.DataFrame]:
    """Returns copies of the tables in which intervals that the scores do not determine are null.

    Both ends are null with fewer than 3 topics, or if the scores (or the differences) are the same on all topics.

    Args:
        tables: The tables of a result, keyed by table name.
        topics: The number of topics. Used if neither the table nor table ``summary`` has a column ``topics``.
    """
    summary = tables.get("summary", pl.DataFrame())
    counted = summary.select(*CONDITION, "topics") if {*CONDITION, "topics"} <= set(summary.columns) else None
    shown = dict(tables)
    for name, frame in tables.items():
        ends = list(_ends(frame))
        if not ends:
            continue
        counts = frame.get_column("topics", default=pl.repeat(topics, frame.height, eager=True))
        if counted is not None and "topics" not in frame.columns:
            counts = frame.select(CONDITION).join(counted, on=CONDITION, how="left", maintain_order="left")["topics"]
        held = []
        for _, low, high in ends:
            there = (counts >= LEAST_TOPICS) & (frame[high] - frame[low] > TOLERANCE).fill_null(value=False)
            held += [pl.when(there).then(end).alias(end) for end in (low, high)]
        shown[name] = frame.with_columns(held)
    return shown


def _ends(frame: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Yields three column names for each value that has an interval: the value, the interval's lower end and its upper end."""
    for value in VALUES:
        low, high = (end + value.removeprefix("mean").removeprefix("difference") for end in ("low", "high"))
        if {value, low, high} <= set(frame.columns) and not (value == "mean" and "difference" in frame.columns):
            yield value, low, high
    if {"difference", *PREDICTION} <= set(frame.columns):
        yield "difference", *PREDICTION
