"""The names from which your own quantisations, measures, navigation models and experiments are made.

These names keep their meaning from version to version; the modules that define them may move. Import them from here:

    from inexmetrics.extend import Column, Measured, OfCondition, Result, TableOf, scored, word

An experiment consists of three classes: a table (a subclass of `OfCondition` or `Table`, whose columns are `Column`), a result (a subclass of
`Result`, whose tables are `TableOf`), and the experiment (a subclass of `Measured`, named by `word`), whose method ``answer`` computes the
result from the scores that `scored` returns.
"""

from __future__ import annotations

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, Scored, scored
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.tables import RUN_ID, TOPIC_ID, Column, OfCondition, Table, TableOf
from inexmetrics.measures.custom import measure
from inexmetrics.measures.custom_links import links
from inexmetrics.quantisations.derived import quantisation
from inexmetrics.report.charts.parts import MAIN, Figure, Panel, Panels, by_condition, category, marks, quantity, sized
from inexmetrics.terms import Bool, Choice, Integer, Number, Optional, Text, parameter, word

__all__ = [
    "RUN_ID", "TOPIC_ID", "Bool", "Choice", "Collection", "Column", "ConditionScores", "Figure", "Integer", "Measured", "Number", "OfCondition",
    "Optional", "Result", "RunOptions", "Scored", "Scores", "Table", "TableOf", "Text", "dots", "links", "measure", "parameter", "quantisation",
    "scored", "word",
]  # fmt: skip


def dots(table: pl.DataFrame, value: str, note: str, *, name: str = "run_id") -> Figure:
    """Returns the content of a chart with a dot for each row of a table, and a panel for each condition.

    Args:
        table: A table with the columns of `OfCondition`.
        value: The column of numbers on the horizontal axis; rows without a number have no dot.
        note: A description of the chart, as a line above it.
        name: The column of names on the vertical axis.

    Returns:
        The value that the method ``figure`` of a result returns.

    Examples:
        >>> import polars as pl
        >>> table = pl.DataFrame(
        ...     {"measure": ["MAP"], "quantisation": ["1"], "run_id": ["a"], "deviation": [0.1]}
        ... )
        >>> notes, panels = dots(table, "deviation", "standard deviation of scores")
        >>> notes, panels.names
        (['standard deviation of scores'], ['MAP'])
    """
    layer = [marks({"type": "point", "color": MAIN}, y=category(name), x=quantity(value, value.replace("_", " ")))]
    views = ((condition, {**sized(rows.drop_nulls(value), 300, {"step": 16}), "layer": layer}) for condition, rows in by_condition(table))
    return [note], Panels([Panel(*view) for view in views])
