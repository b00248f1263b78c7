"""Degradation drawn: how measures, and their curves, fall as ideal runs are disturbed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from inexmetrics.measures.base import Axes
from inexmetrics.report.charts.layout import FLAT, SYMBOLS, Figure, Panel, Panels, Tables, by_condition, field, line_channels, values_of
from inexmetrics.report.charts.style import MOVES, Spec

__all__ = ["degradation_figure"]

WIDTH: Final = 300
HEIGHT: Final = 240


def degradation_figure(tables: Tables, axes: Mapping[str, Axes]) -> Figure:
    """All measures against the probability of moving; then the curve of each, a line for each probability."""
    rows = tables["degradation"].drop_nulls("value")
    measures, curves = rows.filter(pl.col("level").is_null()), rows.drop_nulls("level")
    parts = [Panel("measures", _falls(measures), ["against the probability of moving"])]
    parts += [Panel(title, _curves(part, axes[part["measure"][0]])) for title, part in by_condition(curves)]
    notes = ["curves: one for each probability of moving"] if curves.height else []
    return ["mean over topics, of ideal runs whose elements were moved up or down their trees", *notes], Panels(
        parts, abreast=2, lowest=FLAT
    )


def _falls(rows: pl.DataFrame) -> Spec:
    """Each condition's value by the probability of moving."""
    parts = [part.select("move", "value", condition=pl.lit(title)) for title, part in by_condition(rows)]
    named = [title for title, _ in by_condition(rows)]
    # below, so that long names do not part the panels; in as many columns as there is room for
    columns = max(1, WIDTH // (7 * max(map(len, named), default=1) + 30))
    legend: Spec = {**SYMBOLS, "orient": "bottom", "direction": "horizontal", "columns": columns}
    return {
        "data": values_of(pl.concat(parts) if parts else rows.select("move", "value")),
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 36, "filled": True}},
        "encoding": {
            "x": field("move", "quantitative", "probability of moving"),
            "y": field("value", "quantitative", "mean over topics", scale={"domain": [0, 1]}),
            **line_channels("condition", named, None, legend),
        },
    }


def _curves(rows: pl.DataFrame, axes: Axes) -> Spec:
    """The curves of one condition, the darker the less its run was disturbed."""
    moves = rows["move"].unique().sort().to_list()
    return {
        "data": values_of(rows.select("move", "level", "value")),
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "line", "strokeWidth": 1.6, "interpolate": "linear"},
        "encoding": {
            "x": field("level", "quantitative", axes.recall, scale={"domain": [0, 1]}),
            "y": field("value", "quantitative", axes.precision, scale={"domain": [0, 1]}),
            "color": field(
                "move",
                "nominal",
                "moving",
                scale={"domain": moves, "range": _shades(len(moves))},
                legend={"symbolType": "stroke", "symbolStrokeWidth": 3, "format": "~g"},
            ),
        },
    }


def _shades(count: int) -> list[str]:
    """So many of the shades of lines, from the first to the last, as far apart as there are."""
    return [MOVES[round(place * (len(MOVES) - 1) / max(count - 1, 1)) % len(MOVES)] for place in range(count)]
