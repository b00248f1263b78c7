"""Precision and recall of conclusions against a threshold on the difference, drawn."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import DASHED, SYMBOLS, line_channels, marks, over, quantity
from inexmetrics.report.charts.style import Spec

__all__ = ["thresholds_figure"]

RATIOS: Final = ("precision", "recall")


def thresholds_figure(tables: Tables, at_least: float) -> Figure:
    """Return a panel for each pair of conditions: precision and recall of the predictor that claims differences of a size and above."""
    parts = []
    for (measure, predictor, truth), part in tables["thresholds"].group_by("measure", "predictor", "truth", maintain_order=True):
        title = f"{'' if measure is None else f'{measure}: '}{predictor}, {truth}"
        parts.append(Panel(title, _lines(part.select("at_least", *RATIOS), at_least)))
    notes = ["precision and recall of the conclusions that the predictor claims", f"dashed: the threshold asked for, {at_least:g}"]
    return notes, Panels(parts, abreast=2, legend="shared")


def _lines(rows: pl.DataFrame, at_least: float) -> Spec:
    long = rows.unpivot(RATIOS, index="at_least", variable_name="ratio", value_name="value").drop_nulls("value")
    end = max([at_least, *rows["at_least"]])
    x = quantity("at_least", "difference under the predictor of at least", scale={"domain": [0, end], "nice": True})
    line: Spec = {"type": "line", "strokeWidth": 2, "interpolate": "step-before"}
    y = quantity("value", "share", scale={"domain": [0, 1]})
    lines = marks(line, x=x, y=y, **line_channels("ratio", RATIOS, None, SYMBOLS))
    rule = over(pl.DataFrame({"at_least": [at_least]}), marks({"type": "rule", **DASHED}, x=x))
    return {"width": 300, "height": 220, "layer": [rule, over(long, lines)]}
