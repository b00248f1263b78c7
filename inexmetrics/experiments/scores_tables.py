"""Tables of `scores`, and sentences about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from inexmetrics.common.cells import decimal, decimals_of
from inexmetrics.common.messages import plural
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.marks import Marks
from inexmetrics.experiments.tables import MEASURE, QUANTISATION, RUN_ID, TOPIC_ID, Column, Table
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.report.forms import side_by_side

__all__ = ["FAR_BEYOND", "Means", "PerTopic", "describe_condition", "half_widths", "runs_ahead", "wide_table"]

FAR_BEYOND: Final = 0.1
"""Maximum distance by which an interval may extend below 0 or above 1 and still be displayed as mean ± half-width."""


class Means(Table):
    """The mean score of each run under each condition, the best mean first, then by run_id."""

    run_id = RUN_ID
    measure = MEASURE
    quantisation = QUANTISATION
    topics = Column.count("the number n of topics over which the mean is taken")
    mean = Column(
        float,
        "the mean score over these topics",
        "if the number of topics is 0, or, with compat, if the evaluator's mean is NaN",
        negated="mean",
    )
    low = Column(
        float,
        "the lower end of the mean's two-sided confidence interval, within the range of the measure if it has one",
        "with fewer than two topics",
        negated="high",
    )
    high = Column(
        float,
        "the upper end of the mean's two-sided confidence interval, within the range of the measure if it has one",
        "with fewer than two topics",
        negated="low",
    )


class PerTopic(Table):
    """The score of each run on each topic, sorted by condition, run_id, topic_id; with compat, only for the topics that the run answers."""

    run_id = RUN_ID
    topic_id = TOPIC_ID
    measure = MEASURE
    quantisation = QUANTISATION
    score = Column(
        float, "the score; 0 where the run does not answer the topic", "where the measure is undefined for the topic", negated="score"
    )


def runs_ahead(rows: Sequence[say.Row]) -> list[str]:
    """Returns the names of the runs with the best mean; the rows are sorted by mean, best first."""
    return [say.named_run(row["run_id"]) for row in rows if abs(rows[0]["mean"] - row["mean"]) <= TOLERANCE]


def describe_condition(rows: Sequence[say.Row], interval: float, unit: str, best: str) -> str:
    """Returns the finding for one condition, from the rows of the runs or systems that have a mean; `best` is highest or lowest."""
    first, last, measured = rows[0], rows[-1], say.under(rows[0])
    value, sure = say.number(first["mean"]), say.in_parentheses(say.interval_text(first["low"], first["high"], interval))
    best_runs = runs_ahead(rows)
    if len(rows) == 1:
        return f"The mean {measured} of {best_runs[0]} over {plural(first['topics'], 'topic')} is {value}{sure}."
    if len(best_runs) == len(rows):
        return f"{say.all_of(len(rows), unit).capitalize()} have the same mean {measured}, {value}."
    end, least = "lowest" if best == "highest" else "highest", say.number(last["mean"])
    far = f"is {least}" if least != value else f"differs from it by {say.number(abs(first['mean'] - last['mean']))}"
    worst = f"; the {end} {far}."
    if len(best_runs) == 1:
        return f"Of {len(rows)} {unit}s, {best_runs[0]} has the {best} mean {measured}, {value}{worst}"
    who = say.comma_list(best_runs) if len(best_runs) < 4 else str(len(best_runs))
    return f"Of {len(rows)} {unit}s, {who} share the {best} mean {measured}, {value}{worst}"


def half_widths(means: pl.DataFrame, interval: float) -> str:
    """Returns the smallest and the largest half of an interval of a mean; empty if there are no intervals.

    Args:
        means: Columns mean, low and high.
        interval: The confidence level of the intervals.

    Examples:
        >>> half_widths(pl.DataFrame({"mean": [0.5, 0.3], "low": [0.4, 0.1], "high": [0.6, 0.5]}), 0.95)
        'half of the 95 % interval of a mean: 0.1000 to 0.2000'
    """
    halves = means.select(half=pl.max_horizontal(pl.col("mean") - pl.col("low"), pl.col("high") - pl.col("mean")))["half"].drop_nulls()
    if halves.is_empty():
        return ""
    smallest, largest = (decimal(halves.sort()[place], decimals_of(halves.to_frame())["half"][place]) for place in (0, -1))
    ends = smallest if smallest == largest else f"{smallest} to {largest}"
    return f"half of the {say.confidence_text(interval)} interval of a mean: {ends}"


def wide_table(means: pl.DataFrame, cells: Iterable[str], marks: Marks) -> pl.DataFrame:
    """Returns a table with one row for each run and one column for each condition; markers are to the right of the means."""
    wide = side_by_side(means, "run_id", cells)
    for name, column in zip(wide.columns[1:], marks.above.values(), strict=False):
        widest = max(len(mark.text) for mark in column)
        texts = zip(wide[name], column, strict=True)
        wide = wide.with_columns(pl.Series(name, [f"{cell} {mark.text:<{widest}}" if widest else cell for cell, mark in texts]))
    return wide.insert_column(1, pl.Series("letter", marks.letters)) if marks.letters else wide
