"""Charts of experiment plans: the power and the F1 of each plan against the cost of the plan."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.cells import in_few_decimals
from inexmetrics.common.errors import CollectionError
from inexmetrics.inference.power import unbeaten
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import DASHED, marks, over, quantity, tips
from inexmetrics.report.charts.style import CATEGORIES, FAINT, PAGE, Spec

__all__ = ["design_figure"]

WIDTH, HEIGHT = 300, 220
WIDE: Final = 20
"""Minimum ratio of the highest to the lowest cost for which the axis of costs is logarithmic."""
VALUES: Final = {"power": "power", "f1": "F1 of the conclusions"}


def design_figure(tables: Tables, power: float) -> Figure:
    """Draws the power and the F1 of plans against their costs, for each measure; a line connects the plans that are not dominated."""
    rows = tables["design"].drop_nulls("power")
    if rows.is_empty():
        raise CollectionError("there is nothing to draw: how much the runs' differences vary is not known")
    conditions = rows["quantisation"].unique(maintain_order=True).to_list()
    several = rows["measure"].n_unique() > 1
    parts = []
    for (measure,), part in rows.group_by("measure", maintain_order=True):
        for name, title in VALUES.items():
            shown = part.drop_nulls(name)
            if shown.height:
                panel = f"{measure}: {title}" if several else title
                parts.append(Panel(panel, _panel(shown, name, title, conditions, power if name == "power" else None)))
    [level] = in_few_decimals([power])
    notes = f"each point is a plan, with its number of topics; line: plans without a cheaper plan that is as good; dashed: power {level}"
    return [notes], Panels(parts, abreast=2, legend="shared")


def _panel(rows: pl.DataFrame, name: str, title: str, conditions: list[str], level: float | None) -> Spec:
    lowest, highest = float(rows["cost"].to_numpy().min()), float(rows["cost"].to_numpy().max())
    log: Spec = {"type": "log", "nice": True} if lowest > 0 and highest / lowest >= WIDE else {"zero": True, "nice": True}
    x = quantity("cost", "cost", scale=log, axis={"format": "~s", "tickCount": 5, "labelOverlap": True, "grid": False})
    y = quantity("value", title, scale={"domain": [0, 1]}, axis={"tickCount": 6})
    shown = rows.select("quantisation", "topics", "judgements", "cost", value=name).with_columns(
        best=pl.Series(unbeaten(rows["cost"].to_numpy(), rows[name].to_numpy()))
    )
    colours = [CATEGORIES[place % len(CATEGORIES)] for place in range(len(conditions))]
    shapes = [("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")[place % 6] for place in range(len(conditions))]
    legend = {"title": "judged by"} if len(conditions) > 1 else None
    channels = {
        channel: {"field": "quantisation", "type": "nominal", "title": None, "sort": conditions, "scale": {"domain": conditions, "range": values}, "legend": legend}
        for channel, values in (("color", colours), ("shape", shapes))
    }  # fmt: skip
    frontier = over(
        shown.filter("best").sort("cost", "value"),
        marks({"type": "line", "strokeWidth": 1.6, "color": FAINT}, x=x, y=y, order=quantity("cost")),
    )
    dot: Spec = {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.8}
    text: Spec = {"type": "text", "align": "left", "dx": 5, "dy": -8, "fontSize": 11, "fill": "currentColor"}
    layers: list[Spec] = [
        frontier,
        marks(dot, x=x, y=y, **channels, tooltip=tips("quantisation", "topics", "judgements", "cost", "value")),
        marks(text, x=x, y=y, text=quantity("topics", format="d")),
    ]
    if level is not None:
        layers.insert(0, over(pl.DataFrame({"value": [level]}), marks({"type": "rule", **DASHED}, y=y)))
    return {"data": {"values": shown.to_dicts()}, "width": WIDTH, "height": HEIGHT, "layer": layers}
