"""Judges on trial drawn: what each finds, misses and finds wrongly of the truth's conclusions, and its rank correlations."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import BELOW, UNRULED, category, marks, over, quantity, sized, tips
from inexmetrics.report.charts.style import FAINT, MAIN, WORSE, Spec

__all__ = ["judges_figure"]

ROW: Final = 17
"""Height of a judge's row."""
FOUND: Final = {"found": MAIN, "missed": "transparent", "false": WORSE}
"""What becomes of the truth's conclusions and, last, what is none of them; with its colour within a line around it."""
GRADES: Final = {"kappa": "circle", "kappa_weighted": "square", "alpha": "triangle-up"}
"""Coefficients, each with its shape."""


def judges_figure(tables: Tables) -> Figure:
    """A row a judge: bars of conclusions and rank correlations beside them for each measure; without one, points of the agreement of grades."""
    rows = tables["judges"]
    truth = rows["truth"][0]
    if rows["measure"][0] is None:
        grades = Panel("grades", _coefficients(rows))
        return [f"agreement of grades with {truth}, beyond chance"], Panels([grades])
    parts = [Panel(str(measure), _conclusions(part)) for (measure,), part in rows.group_by("measure", maintain_order=True)]
    shown = f"bars: significant differences of {truth} that each judge finds and misses, and those that {truth} does not confirm"
    beside = f"beside them: rank correlations of the runs' means with those of {truth}, tau / tau_ap"
    return [shown, beside], Panels(parts, abreast=1, legend="shared")


def _place(rows: pl.DataFrame) -> Spec:
    return category("judge", sort=rows["judge"].to_list(), axis={**UNRULED, "grid": False, "labelPadding": 6})


def _conclusions(rows: pl.DataFrame) -> Spec:
    counts = rows.select(
        "judge", "recall", "precision", found="n_both", missed=pl.col("n_truth") - pl.col("n_both"), false="false_discoveries"
    )
    stacked = counts.unpivot(list(FOUND), index=["judge", "recall", "precision"], variable_name="conclusions", value_name="count")
    layers = stacked.with_columns(layer=pl.col("conclusions").replace_strict(list(FOUND), range(len(FOUND)), return_dtype=pl.Int64))
    scale, legend = {"domain": list(FOUND), "range": list(FOUND.values())}, {"symbolStrokeColor": FAINT, "symbolStrokeWidth": 1}
    x = quantity("count", "significant differences", axis={"tickCount": 6})
    bars = marks(
        {"type": "bar", "height": 11, "stroke": FAINT, "strokeWidth": 1},
        y=_place(rows),
        x=x,
        order={"field": "layer", "type": "quantitative"},
        fill=category("conclusions", scale=scale, legend={**BELOW, **legend}),
        tooltip=tips("judge", "conclusions", "count", "recall", "precision"),
    )
    ends = counts.with_columns(count=pl.sum_horizontal(*FOUND).max())
    numbers = ends.with_columns(
        label=pl.Series([f"{_number(tau)} / {_number(tau_ap)}" for tau, tau_ap in rows.select("tau", "tau_ap").rows()])
    )
    text: Spec = {"type": "text", "align": "left", "dx": 8, "fontSize": 11, "fill": "currentColor"}
    beside = over(numbers.select("judge", "count", "label"), marks(text, y=_place(rows), x=x, text={"field": "label", "type": "nominal"}))
    return {"width": 320, "height": {"step": ROW}, "layer": [over(layers, bars), beside]}


def _number(coefficient: float | None) -> str:
    return "undefined" if coefficient is None else f"{coefficient:.2f}"


def _coefficients(rows: pl.DataFrame) -> Spec:
    long = rows.select("judge", *GRADES).unpivot(list(GRADES), index="judge", variable_name="coefficient", value_name="value")
    points = long.drop_nulls("value")
    low = min([0.0, *points["value"]])
    return {
        **sized(points, 420, {"step": ROW}),
        **marks(
            {"type": "point", "size": 45, "color": MAIN, "opacity": 1, "strokeWidth": 1.6},
            y=_place(rows),
            x=quantity("value", "coefficient of agreement", scale={"domain": [low, 1.0], "nice": True}, axis={"tickCount": 5}),
            shape=category("coefficient", scale={"domain": list(GRADES), "range": list(GRADES.values())}, legend=BELOW),
            tooltip=tips("judge", "coefficient", "value"),
        ),
    }
