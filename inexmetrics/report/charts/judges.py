"""Charts of judges compared with a truth: the conclusions that each judge finds, rank correlations, and prediction-powered means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from inexmetrics.report.charts.parts import (
    BELOW,
    UNRULED,
    Figure,
    Panel,
    Panels,
    Tables,
    category,
    coefficient_text,
    marks,
    over,
    quantity,
    sized,
    tips,
)
from inexmetrics.report.charts.style import FAINT, MAIN, WORSE, Spec

__all__ = ["judges_figure", "ppi_figure"]

ROW: Final = 17
"""Height, in pixels, of the row of one judge in a chart."""
FOUND: Final = {"found": MAIN, "missed": "transparent", "false": WORSE}
"""Colours of the parts of a bar, in order: conclusions with both judge and truth, with the truth alone, and with the judge alone."""
RANKINGS: Final = {"tau": "circle", "tau_ap": "triangle-up"}
"""Symbol in the chart for each rank correlation coefficient."""
GRADES: Final = {"kappa": "circle", "kappa_weighted": "square", "alpha": "triangle-up"}
"""Symbol in the chart for each coefficient of agreement between grades."""


def judges_figure(tables: Tables) -> Figure:
    """Plots each judge's conclusions (as bars) and rank correlations for each measure; without a measure, plots the agreement of grades.

    If confidence intervals are given, rank correlations are points in a panel next to the bars, with lines for the intervals. Otherwise,
    rank correlations are numbers at the ends of the bars.
    """
    rows, intervals = tables["judges"], tables.get("intervals")
    truth = rows["truth"][0]
    if rows["measure"][0] is None:
        grades = Panel("grades", _coefficients(rows, GRADES, "coefficient of agreement", intervals))
        return [f"agreement of grades with {truth}, beyond chance", *_of_intervals(intervals)], Panels([grades])
    bars = f"significant differences of {truth} that each judge finds and misses, and those that {truth} does not confirm"
    correlations = f"rank correlations of the runs' means with those of {truth}"
    by_measure = [(str(measure), part) for (measure,), part in rows.group_by("measure", maintain_order=True)]
    if intervals is None:
        parts = [Panel(measure, _with_correlations(part)) for measure, part in by_measure]
        return [f"bars: {bars}", f"beside them: {correlations}, tau / tau_ap"], Panels(parts, abreast=1, legend="shared")
    parts = []
    for measure, part in by_measure:
        beside = _coefficients(part, RANKINGS, "rank correlation", intervals, beside=True)
        parts.append(Panel(measure, {"hconcat": [_conclusions(part, _step(RANKINGS)), beside], "spacing": 16}))
    return [f"left: {bars}", f"right: {correlations}", *_of_intervals(intervals)], Panels(parts, abreast=1, legend="shared")


def _place(rows: pl.DataFrame, *, named: bool = True) -> Spec:
    axis = {**UNRULED, "grid": False, "labelPadding": 6} if named else None
    return category("judge", sort=rows["judge"].to_list(), axis=axis)


def _conclusions(rows: pl.DataFrame, height: Spec) -> Spec:
    stacked = _counts(rows).unpivot(list(FOUND), index=["judge", "recall", "precision"], variable_name="conclusions", value_name="count")
    layers = stacked.with_columns(layer=pl.col("conclusions").replace_strict(list(FOUND), range(len(FOUND)), return_dtype=pl.Int64))
    scale, legend = {"domain": list(FOUND), "range": list(FOUND.values())}, {"symbolStrokeColor": FAINT, "symbolStrokeWidth": 1}
    return {
        **sized(layers, 320, height),
        **marks(
            {"type": "bar", "height": 11, "stroke": FAINT, "strokeWidth": 1},
            y=_place(rows),
            x=_number_of_differences(),
            order={"field": "layer", "type": "quantitative"},
            fill=category("conclusions", scale=scale, legend={**BELOW, **legend}),
            tooltip=tips("judge", "conclusions", "count", "recall", "precision"),
        ),
    }


def _with_correlations(rows: pl.DataFrame) -> Spec:
    """Returns a bar for each judge, which shows the judge's numbers of conclusions, with the rank correlations as text after the bar."""
    bars = _conclusions(rows, {"step": ROW})
    size = {name: bars.pop(name) for name in ("width", "height")}
    ends = _counts(rows).select("judge", count=pl.sum_horizontal(*FOUND).max())
    labels = pl.Series(
        "label", [f"{coefficient_text(tau)} / {coefficient_text(tau_ap)}" for tau, tau_ap in rows.select("tau", "tau_ap").rows()]
    )
    text: Spec = {"type": "text", "align": "left", "dx": 8, "fontSize": 11, "fill": "currentColor"}
    numbers = marks(text, y=_place(rows), x=_number_of_differences(), text={"field": "label", "type": "nominal"})
    return {**size, "layer": [bars, over(ends.with_columns(labels), numbers)]}


def _counts(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns the number of conclusions of each kind for each judge."""
    missed = pl.col("n_truth") - pl.col("n_both")
    return rows.select("judge", "recall", "precision", found="n_both", missed=missed, false="false_discoveries")


def _number_of_differences() -> Spec:
    return quantity("count", "significant differences", axis={"tickCount": 6})


def _step(shapes: Mapping[str, str]) -> Spec:
    """Returns the height of each judge's row, in which the intervals of all coefficients are stacked."""
    return {"step": ROW * len(shapes), "for": "position"}


def _of_intervals(intervals: pl.DataFrame | None) -> list[str]:
    """Returns a note that the lines are confidence intervals; empty if the chart does not have intervals."""
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


PPI_ROW: Final = 18
"""Height, in pixels, of the row of one run in a chart."""
WAYS: Final = {"both": MAIN, "truth alone": FAINT, "judge alone": WORSE}
"""Colour of each kind of mean, by the judgements from which the mean is computed."""
SHAPES: Final = ("circle", "square", "triangle-up")
"""Shape of the mark for each kind of mean, so that the kinds can also be told apart in greyscale."""
LINES: Final = ("upper", "lower")
"""Names of the two horizontal lines in the row of one run. The upper line shows the mean and the interval from judge and truth together,
and the mean from the judge alone. The lower line shows the mean and the interval from the truth alone."""


def ppi_figure(tables: Tables) -> Figure:
    """Plots each run's mean from three sources: judge and truth together, the truth alone (both with intervals), and the judge alone."""
    summary = {(row["measure"], row["judge"]): row for row in tables["summary"].iter_rows(named=True)}
    parts = []
    for (measure, judge), part in tables["means"].group_by("measure", "judge", maintain_order=True):
        row = summary[str(measure), str(judge)]
        said = f"{row['topics_truth']} topics of {row['truth']}, {row['topics'] - row['topics_truth']} more of {judge}"
        name = f"{measure} ~ {judge}"
        parts.append(Panel(name, _intervals(part, f"mean {measure}"), [name, said]))
    shown = ["line: confidence interval of the mean by both, and by the topics of the truth alone", "triangle: mean by the judge alone"]
    return shown, Panels(parts, abreast=2, legend="shared")


def _intervals(rows: pl.DataFrame, title: str) -> Spec:
    upper, lower = LINES
    none = pl.lit(None, pl.Float64)
    drawn = pl.concat(
        rows.select("run_id", way=pl.lit(way), line=pl.lit(line), mean=mean, low=low, high=high)
        for way, line, mean, low, high in (
            ("both", upper, "mean", "low", "high"),
            ("truth alone", lower, "mean_truth", "low_truth", "high_truth"),
            ("judge alone", upper, "mean_judge", none, none),
        )
    )
    axis = {**UNRULED, "labelPadding": 6, "grid": True, "gridDash": [1, 3], "bandPosition": 0.5}
    scale: Spec = {"scale": {"zero": False, "nice": True}, "axis": {"tickCount": 6}}
    place: Spec = {
        "y": category("run_id", sort=rows["run_id"].to_list(), axis=axis),
        "yOffset": {"field": "line", "type": "nominal", "scale": {"domain": list(LINES), "paddingOuter": 0.3}},
        "color": category("way", scale={"domain": list(WAYS), "range": list(WAYS.values())}, legend=BELOW),
    }
    lines = marks({"type": "rule", "strokeWidth": 1.8, "opacity": 1}, **place, x=quantity("low", title, **scale), x2={"field": "high"})
    points = marks(
        {"type": "point", "filled": True, "size": 32, "opacity": 1},
        **place,
        x=quantity("mean", title, **scale),
        shape=category("way", scale={"domain": list(WAYS), "range": list(SHAPES)}, legend=BELOW),
        tooltip=tips("run_id", "way", "mean", "low", "high"),
    )
    return {
        **sized(drawn, 340, {"step": PPI_ROW, "for": "position"}),
        "layer": [{"transform": [{"filter": "isValid(datum.low)"}], **lines}, points],
    }
