"""Prediction-powered means drawn: each run's interval, beside that of the topics of the truth alone and the judge's own mean."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import BELOW, UNRULED, category, marks, quantity, sized, tips
from inexmetrics.report.charts.style import FAINT, MAIN, WORSE, Spec

__all__ = ["ppi_figure"]

ROW: Final = 18
"""Height of a run's row."""
WAYS: Final = {"both": MAIN, "truth alone": FAINT, "judge alone": WORSE}
"""By whose judgements a mean is, with its colour."""
SHAPES: Final = ("circle", "square", "triangle-up")
"""A shape for each, so that they differ in grey too."""
LINES: Final = ("upper", "lower")
"""Lines of a run's row: the interval by both with the judge's mean, and that of the truth alone."""


def ppi_figure(tables: Tables) -> Figure:
    """Runs by mean; for each the interval by both judgements, that by the truth alone, and the mean by the judge alone."""
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
        **sized(drawn, 340, {"step": ROW, "for": "position"}),
        "layer": [{"transform": [{"filter": "isValid(datum.low)"}], **lines}, points],
    }
