"""Charts of the correlation of scores between conditions: points for two conditions, or a matrix of coefficients for more."""

from __future__ import annotations

import textwrap
from typing import Final

import polars as pl

from inexmetrics.inference.correlations import COEFFICIENTS, highest
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.matrices import number_grid
from inexmetrics.report.charts.parts import coefficient_text, marks, over, quantity, sized, tips
from inexmetrics.report.charts.style import MAIN, SIDES, WORSE, Spec

__all__ = ["correlation_figure"]

SIDE: Final = 300
CROWD: Final = 20
"""Minimum number of coinciding points that are drawn as a disc and reported in the subtitle."""
POINTS: Final = 2000
"""Maximum number of points that are drawn."""


def correlation_figure(tables: Tables) -> Figure:
    """Draws the scores of runs, or of runs and topics, under two conditions as points; for more conditions, draws the coefficients."""
    rows = tables["correlation"]
    of, method = rows.select("of", "method").row(0)
    of_what = "run and topic" if of == "topics" else "run"
    name = COEFFICIENTS[method]
    if rows.height > 1:
        cells = rows.select(row="first", column="second", value="coefficient")
        return [f"{name}, a point for each {of_what}"], Panels([Panel("coefficients", number_grid(cells, (-1.0, 1.0), SIDES))])
    n, coefficient, p_value = rows.select("n", "coefficient", "p_value").row(0)
    p = "" if p_value is None else ", p < .0001" if p_value < 0.0001 else f", p = {p_value:.4f}"
    notes = [f"{name} {coefficient_text(coefficient)}{p}; {n} points, one for each {of_what}"]
    points = tables["points"].with_columns(top=pl.lit(value=False))
    if "parts" in tables:
        (top, above), (_, below) = tables["parts"].select("n", "coefficient").iter_rows()
        notes.append(
            f"triangles: the {top} highest points, among themselves {coefficient_text(above)}; the others {coefficient_text(below)}"
        )
        points = points.with_columns(top=pl.Series(highest(points["first_value"].to_numpy(), points["second_value"].to_numpy(), top)))
    crowd = (
        points.group_by("first_value", "second_value", maintain_order=True)
        .len("count")
        .sort("count", descending=True, maintain_order=True)
        .head(1)
    )
    crowd = crowd.filter(pl.col("count") >= CROWD)
    notes += [f"disc: {count} points are at ({x:g}, {y:g})" for x, y, count in crowd.rows()]
    every = max(-(-n // POINTS), 1)
    if every > 1:
        notes.append(f"drawn: every {every}th of {n} points")
    return notes, Panels([Panel("points", _scatter(points.gather_every(every), crowd))])


def _scatter(rows: pl.DataFrame, crowd: pl.DataFrame) -> Spec:
    """Draws points by the scores under the first and the second condition; a disc marks a large number of coinciding points."""
    first, second = rows.select("first", "second").row(0) if rows.height else ("", "")
    dense = rows.height > SIDE
    x = quantity("first_value", textwrap.wrap(first, SIDE // 6), axis={"tickCount": 6})
    y = quantity("second_value", textwrap.wrap(second, SIDE // 6), axis={"tickCount": 6})
    dots = marks(
        {"type": "point", "filled": not dense, "size": 16 if dense else 40, "strokeWidth": 0.8, "opacity": 1},
        x=x,
        y=y,
        color={"condition": {"test": "datum.top", "value": WORSE}, "value": MAIN},
        shape={"condition": {"test": "datum.top", "value": "triangle-up"}, "value": "circle"},
        tooltip=tips("run_id", "topic_id", "first_value", "second_value"),
    )
    disc = over(crowd, marks({"type": "point", "filled": True, "size": 110, "color": MAIN, "opacity": 1}, x=x, y=y, tooltip=tips("count")))
    return {**sized(rows.drop("first", "second"), SIDE, SIDE), "layer": [dots, *([disc] if crowd.height else [])]}
