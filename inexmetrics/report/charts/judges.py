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
    rows, intervals = tables["judges"], tables.get("intervals")
    truth = rows["truth"][0]
    if rows["measure"][0] is None:
        grades = Panel("grades", _coefficients(rows, GRADES, "coefficient of agreement", intervals))
        return [f"agreement of grades with {truth}, beyond chance", *_of_intervals(intervals)], Panels([grades])
    parts = []
    for (measure,), part in rows.group_by("measure", maintain_order=True):
        sides = [
            _conclusions(part, {"step": ROW} if intervals is None else _step(RANKINGS)),
            _coefficients(part, RANKINGS, "rank correlation", intervals, beside=True),
        ]
        parts.append(Panel(str(measure), {"hconcat": sides, "spacing": 16}))
    shown = f"left: significant differences of {truth} that each judge finds and misses, and those that {truth} does not confirm"
    return [shown, f"right: rank correlation of the runs' means with those of {truth}", *_of_intervals(intervals)], Panels(
        parts, abreast=1, legend="shared"
    )


def _place(rows: pl.DataFrame, *, named: bool = True) -> Spec:
    axis = {**UNRULED, "grid": False, "labelPadding": 6} if named else None
    return category("judge", sort=rows["judge"].to_list(), axis=axis)


def _conclusions(rows: pl.DataFrame, height: Spec) -> Spec:
    counts = rows.select(
        "judge", "recall", "precision", found="n_both", missed=pl.col("n_truth") - pl.col("n_both"), false="false_discoveries"
    )
    stacked = counts.unpivot(list(FOUND), index=["judge", "recall", "precision"], variable_name="conclusions", value_name="count")
    layers = stacked.with_columns(layer=pl.col("conclusions").replace_strict(list(FOUND), range(len(FOUND)), return_dtype=pl.Int64))
    scale, legend = {"domain": list(FOUND), "range": list(FOUND.values())}, {"symbolStrokeColor": FAINT, "symbolStrokeWidth": 1}
    return {
        **sized(layers, 320, height),
        **marks(
            {"type": "bar", "height": 11, "stroke": FAINT, "strokeWidth": 1},
            y=_place(rows),
            x=quantity("count", "significant differences", axis={"tickCount": 6}),
            order={"field": "layer", "type": "quantitative"},
            fill=category("conclusions", scale=scale, legend={**BELOW, **legend}),
            tooltip=tips("judge", "conclusions", "count", "recall", "precision"),
        ),
    }


def _step(shapes: Mapping[str, str]) -> Spec:
    """Return the height of a judge's row in which the intervals of several coefficients are below each other."""
    return {"step": ROW * len(shapes), "for": "position"}


def _of_intervals(intervals: pl.DataFrame | None) -> list[str]:
    """Return what is said of the lines of intervals, where there are such."""
    return [] if intervals is None else ["lines: confidence intervals over topics"]


def _coefficients(
    rows: pl.DataFrame, shapes: Mapping[str, str], title: str, intervals: pl.DataFrame | None, *, beside: bool = False
) -> Spec:
    long = rows.select("judge", *shapes).unpivot(list(shapes), index="judge", variable_name="coefficient", value_name="value")
    points, shown, place = long.drop_nulls("value"), ["judge", "coefficient", "value"], {"y": _place(rows, named=not beside)}
    if intervals is not None:
        of_measure = intervals.filter(pl.col("measure").eq_missing(rows["measure"][0])).with_columns(coefficient="statistic")
        points = points.join(of_measure.select("judge", "coefficient", "low", "high"), on=["judge", "coefficient"], how="left")
        shown += ["low", "high"]
        place["yOffset"] = category("coefficient", scale={"domain": list(shapes), "paddingOuter": 1})
    low = min([0.0, *points["value"], *(points["low"].drop_nulls() if "low" in points.columns else [])])
    axis: Spec = {"scale": {"domain": [low, 1.0], "nice": True}, "axis": {"tickCount": 5}}
    dots = marks(
        {"type": "point", "size": 45, "color": MAIN, "opacity": 1, "strokeWidth": 1.6},
        **place,
        x=quantity("value", title, **axis),
        shape=category("coefficient", scale={"domain": list(shapes), "range": list(shapes.values())}, legend=BELOW),
        tooltip=tips(*shown),
    )
    room = sized(points, 150 if beside else 420, {"step": ROW} if intervals is None else _step(shapes))
    if intervals is None:
        return {**room, **dots}
    line: Spec = {"type": "rule", "strokeWidth": 1.6, "opacity": 1, "color": FAINT}
    lines = marks(line, **place, x=quantity("low", title, **axis), x2={"field": "high"})
    return {**room, "layer": [{"transform": [{"filter": "isValid(datum.low)"}], **lines}, dots]}
