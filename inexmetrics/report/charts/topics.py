"""What more topics would give, drawn: power and reliability by their number."""

from __future__ import annotations

import polars as pl

from inexmetrics.common.messages import canonical
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import BELOW, DASHED, SYMBOLS, line_channels, marks, over, quantity
from inexmetrics.report.charts.style import Spec

__all__ = ["power_figure", "reliability_figure"]


def power_figure(tables: Tables) -> Figure:
    """Power against the number of topics, a line for each difference; the power asked for, and the topics that reach it."""
    needed = dict(by_condition(tables["needed"]))
    parts = []
    for title, part in by_condition(tables["power"].drop_nulls("power")):
        lines = part.select("topics", value="power", line=pl.col("difference").map_elements(canonical, return_dtype=pl.String))
        level = needed[title].select(value="power")
        asked: Spec = over(level.head(1), marks({"type": "rule", **DASHED}, y=quantity("value", "power")))
        parts.append(Panel(title, _lines(lines, "difference", "power", [asked])))
    power = canonical(float(tables["needed"]["power"][0]))
    notes = [f"{title}: {_needed(part)}" for title, part in needed.items()]
    return [f"power of the t test against the number of topics; dashed: power {power}", *notes], Panels(parts, abreast=2)


def _needed(rows: pl.DataFrame) -> str:
    texts = [
        f"{'more than 2^53' if topics is None else topics} topics for {canonical(difference)}"
        for difference, topics in rows.select("difference", "topics").iter_rows()
    ]
    return ", ".join(texts)


def reliability_figure(tables: Tables) -> Figure:
    """E rho^2 and Phi against the number of topics."""
    parts = []
    for title, part in by_condition(tables["reliability"]):
        long = part.unpivot(["e_rho2", "phi"], index="topics", variable_name="line").drop_nulls("value")
        named = long.with_columns(pl.col("line").replace({"e_rho2": "E rho^2 (order of runs)", "phi": "Phi (means)"}))
        parts.append(Panel(title, _lines(named.unique(maintain_order=True), None, "reliability", [])))
    return ["share of the variance that is due to runs, against the number of topics"], Panels(parts, abreast=2)


def _lines(rows: pl.DataFrame, legend: str | None, value: str, under: list[Spec]) -> Spec:
    """Lines over the number of topics, a colour and a dash each."""
    named = rows["line"].unique(maintain_order=True).to_list()
    legend_below: Spec | None = {**SYMBOLS, **BELOW} if len(named) > 1 else None
    lines = marks(
        {"type": "line", "strokeWidth": 2, "point": {"size": 36, "filled": True}},
        x=quantity("topics", "topics", scale={"zero": True}),
        y=quantity("value", value, scale={"domain": [0, 1]}),
        **line_channels("line", named, legend, legend_below),
    )
    return {"width": 320, "height": 260, "layer": [*under, over(rows, lines)]}
