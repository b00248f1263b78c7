"""Charts of the decrease of measures and of curves as ideal runs are disturbed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import polars as pl

from inexmetrics.measures.base import Axes
from inexmetrics.report.charts.layout import FLAT, Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import BELOW, SYMBOLS, category, line_channels, marks, over, quantity, sized
from inexmetrics.report.charts.style import INK, MOVES, PAGE, Spec

__all__ = ["degradation_figure"]

WIDTH: Final = 300
HEIGHT: Final = 240
LABELS: Final = 3
"""Maximum number of labelled curves after the first; a label is the probability of moving a result."""
HALO: Final[Spec] = {"fill": PAGE, "stroke": PAGE, "strokeWidth": 4}
"""Outline of a text in the colour of the page, which keeps the text legible on a line."""


def degradation_figure(tables: Tables, axes: Mapping[str, Axes]) -> Figure:
    """Draws the means of all measures against the probability of moving a result, and the curves of each measure, one per probability."""
    rows = tables["degradation"].drop_nulls("value")
    measures, curves = rows.filter(pl.col("level").is_null()), rows.drop_nulls("level")
    conditions = dict(by_condition(measures))
    values = [part.select("move", "value", condition=pl.lit(title)) for title, part in conditions.items()]
    # a legend next to the panel would separate the panels, so the legend is below, in as many columns as fit
    columns = max(1, WIDTH // (7 * max(map(len, conditions), default=1) + 30))
    title = "mean over topics" if len(conditions) > 1 else f"mean {next(iter(conditions), '')}"
    falls: Spec = {
        **sized(pl.concat(values) if values else measures.select("move", "value"), WIDTH, HEIGHT),
        **marks(
            {"type": "line", "strokeWidth": 2, "point": {"size": 36, "filled": True}},
            x=quantity("move", "probability of moving"),
            y=quantity("value", title, scale={"domain": [0, 1]}),
            **line_channels("condition", [*conditions], {**SYMBOLS, **BELOW, "columns": columns} if len(conditions) > 1 else None),
        ),
    }
    parts = [Panel("measures", falls, ["against the probability of moving"])]
    parts += [Panel(title, _curves(part, axes[part["measure"][0]])) for title, part in by_condition(curves)]
    notes = ["curves: one for each probability of moving, which is written on some of them"] if curves.height else []
    return ["mean over topics, of ideal runs whose elements were moved up or down their trees", *notes], Panels(
        parts, abreast=2, lowest=FLAT
    )


def _curves(rows: pl.DataFrame, axes: Axes) -> Spec:
    """Draws the curves of one condition, darker for less disturbance; some curves are labelled with the probability of moving a result."""
    moves = rows["move"].unique().sort().to_list()
    x = quantity("level", axes.level, scale={"domain": [0, 1]})
    y = quantity("value", axes.value, scale={"domain": [0, 1]})
    apart = (len(MOVES) - 1) / max(len(moves) - 1, 1)  # the shades are evenly spread over the probabilities
    shades = [MOVES[round(place * apart) % len(MOVES)] for place in range(len(moves))]
    color = category("move", scale={"domain": moves, "range": shades}, legend=None)
    lines = marks({"type": "line", "strokeWidth": 1.6, "interpolate": "linear"}, x=x, y=y, color=color)
    labelled = moves[:: -(-(len(moves) - 1) // LABELS) or 1]
    texts = [
        marks({"type": "text", "fontSize": 11, **look}, x=x, y=y, text=quantity("move", format="~g")) for look in (HALO, {"fill": INK})
    ]
    # curves are labelled at the level at which the smallest distance between labelled curves is largest
    gaps = {
        level: min((abs(first - second) for first, second in pairwise(sorted(part["value"]))), default=0.0)
        for (level,), part in rows.filter(pl.col("move").is_in(labelled)).group_by("level", maintain_order=True)
    }
    named = rows.filter(pl.col("move").is_in(labelled), pl.col("level") == max(gaps, key=lambda level: gaps[level]))
    return {
        **sized(rows.select("move", "level", "value"), WIDTH, HEIGHT),
        "layer": [lines, *(over(named.select("move", "level", "value"), text) for text in texts)],
    }
