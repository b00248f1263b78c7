"""A chart for results without a figure of their own: the first number of each row of the first table."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import UNRULED, category, marks, quantity, sized
from inexmetrics.report.charts.style import MAIN, Spec
from inexmetrics.report.forms import CONDITION

__all__ = ["default_figure"]

ROWS: Final = 50
"""Rows of a panel, at most."""


def default_figure(tables: Tables) -> Figure:
    """A bar for each row of the first table, a panel for each condition; numbers with decimals before counts."""
    name, rows = next(iter(tables.items()))
    numbers = [column for column, dtype in rows.schema.items() if dtype.is_numeric()]
    if not numbers:
        raise CollectionError(f"there is nothing to draw: {name} has no numbers")
    value = next((column for column in numbers if rows.schema[column].is_float()), numbers[0])
    texts = [column for column, dtype in rows.schema.items() if dtype.base_type() in {pl.String, pl.Enum} and column not in CONDITION]
    label = pl.concat_str([pl.col(column).cast(pl.String) for column in texts], separator=", ", ignore_nulls=True) if texts else pl.lit("")
    bars = rows.with_columns(label=pl.format("{}. {}", pl.int_range(1, pl.len() + 1), label)).drop_nulls(value)
    parts = by_condition(bars) if set(CONDITION) <= set(rows.columns) else iter([(name, bars)])
    left = f"; the first {ROWS} of each panel" if rows.height > ROWS else ""
    return [f"{value}, by row of the table {name}{left}"], Panels([Panel(title, _bars(part.head(ROWS), value)) for title, part in parts])


def _bars(rows: pl.DataFrame, value: str) -> Spec:
    return {
        **sized(rows.select("label", value), 320, {"step": 15}),
        **marks(
            {"type": "bar", "height": 9, "color": MAIN},
            y=category("label", sort=None, axis=UNRULED),
            x=quantity(value, value, scale={"zero": True}, axis={"tickCount": 5}),
            tooltip=[{"field": "label", "type": "nominal"}, {"field": value, "type": "quantitative"}],
        ),
    }
