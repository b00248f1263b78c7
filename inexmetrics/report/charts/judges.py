"""Judges on trial drawn: what each finds, misses and finds wrongly of the truth's conclusions, beside its rank correlations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import BELOW, UNRULED, category, marks, quantity, sized, tips
from inexmetrics.report.charts.style import FAINT, MAIN, WORSE, Spec

__all__ = ["judges_figure"]

ROW: Final = 17
"""Height of a judge's row."""
FOUND: Final = {"found": MAIN, "missed": "transparent", "false": WORSE}
"""What becomes of the truth's conclusions and, last, what is none of them; with its colour within a line around it."""
RANKINGS: Final = {"tau": "circle", "tau_ap": "triangle-up"}
GRADES: Final = {"kappa": "circle", "kappa_weighted": "square", "alpha": "triangle-up"}
"""Coefficients, each with its shape."""


def judges_figure(tables: Tables) -> Figure:
    """A row a judge: bars of conclusions and points of rank correlations for each measure; without one, points of the agreement of grades."""
    rows = tables["judges"]
    truth = rows["truth"][0]
    if rows["measure"][0] is None:
        grades = Panel("grades", _coefficients(rows, GRADES, "coefficient of agreement"))
        return [f"agreement of grades with {truth}, beyond chance"], Panels([grades])
    parts = []
    for (measure,), part in rows.group_by("measure", maintain_order=True):
        sides = [_conclusions(part), _coefficients(part, RANKINGS, "rank correlation", beside=True)]
        parts.append(Panel(str(measure), {"hconcat": sides, "spacing": 16}))
    shown = f"left: significant differences of {truth} that each judge finds and misses, and those that {truth} does not confirm"
    return [shown, f"right: rank correlation of the runs' means with those of {truth}"], Panels(parts, abreast=1, legend="shared")


def _place(rows: pl.DataFrame, *, named: bool = True) -> Spec:
    axis = {**UNRULED, "grid": False, "labelPadding": 6} if named else None
    return category("judge", sort=rows["judge"].to_list(), axis=axis)


def _conclusions(rows: pl.DataFrame) -> Spec:
    counts = rows.select(
        "judge", "recall", "precision", found="n_both", missed=pl.col("n_truth") - pl.col("n_both"), false="false_discoveries"
    )
    stacked = counts.unpivot(list(FOUND), index=["judge", "recall", "precision"], variable_name="conclusions", value_name="count")
    layers = stacked.with_columns(layer=pl.col("conclusions").replace_strict(list(FOUND), range(len(FOUND)), return_dtype=pl.Int64))
    scale, legend = {"domain": list(FOUND), "range": list(FOUND.values())}, {"symbolStrokeColor": FAINT, "symbolStrokeWidth": 1}
    return {
        **sized(layers, 320, {"step": ROW}),
        **marks(
            {"type": "bar", "height": 11, "stroke": FAINT, "strokeWidth": 1},
            y=_place(rows),
            x=quantity("count", "significant differences", axis={"tickCount": 6}),
            order={"field": "layer", "type": "quantitative"},
            fill=category("conclusions", scale=scale, legend={**BELOW, **legend}),
            tooltip=tips("judge", "conclusions", "count", "recall", "precision"),
        ),
    }


def _coefficients(rows: pl.DataFrame, shapes: Mapping[str, str], title: str, *, beside: bool = False) -> Spec:
    long = rows.select("judge", *shapes).unpivot(list(shapes), index="judge", variable_name="coefficient", value_name="value")
    points = long.drop_nulls("value")
    low = min([0.0, *points["value"]])
    return {
        **sized(points, 150 if beside else 420, {"step": ROW}),
        **marks(
            {"type": "point", "size": 45, "color": MAIN, "opacity": 1, "strokeWidth": 1.6},
            y=_place(rows, named=not beside),
            x=quantity("value", title, scale={"domain": [low, 1.0], "nice": True}, axis={"tickCount": 5}),
            shape=category("coefficient", scale={"domain": list(shapes), "range": list(shapes.values())}, legend=BELOW),
            tooltip=tips("judge", "coefficient", "value"),
        ),
    }
