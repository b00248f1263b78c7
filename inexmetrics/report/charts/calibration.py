"""Calibration drawn: the share of null boards on which each test finds a difference, beside the share that was promised."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.cells import in_few_decimals
from inexmetrics.common.errors import CollectionError
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import DASHED, UNRULED, category, interval, marks, quantity, sized, tips
from inexmetrics.report.charts.style import MAIN, Spec

__all__ = ["calibration_figure"]

ROW: Final = 26
"""Height of a test's row."""


def calibration_figure(tables: Tables) -> Figure:
    """Return the shares of null boards with a finding and their intervals; a dashed line at the promised share."""
    rows = tables["calibration"].drop_nulls("share").with_columns(claims=pl.format("{} of {}", pl.col("found"), pl.col("boards")))
    if rows.is_empty():
        raise CollectionError("there is nothing to draw: no test can compare runs on fewer than two topics")
    nominal, boards = rows["nominal"][0], rows["boards"][0]
    [promised] = in_few_decimals([100 * nominal])
    highest = max(nominal, *rows["high"])
    return [
        f"share of {boards} boards without any difference on which the test claims one",
        f"line: 95 % interval (Wilson); dashed: the promised {promised} %",
    ], Panels([Panel(title, _shares(part, nominal, highest)) for title, part in by_condition(rows)], abreast=2)


def _shares(rows: pl.DataFrame, nominal: float, highest: float) -> Spec:
    named = rows.with_columns(
        rule=pl.when(pl.col("correction").str.starts_with("unadjusted")).then("test").otherwise(pl.format("{} | {}", "test", "correction"))
    )
    place = category("rule", sort=named["rule"].to_list(), axis={**UNRULED, "labelPadding": 6})
    end = min(highest * 1.05, 1.0)
    axis: Spec = {"scale": {"domain": [0, end], "nice": False}, "axis": {"format": "~%", "tickCount": 6}}
    dot: Spec = {"type": "point", "filled": True, "size": 46, "color": MAIN, "opacity": 1}
    text: Spec = {"type": "text", "align": "left", "dx": 6, "fill": "currentColor", "fontSize": 11}
    shown = ("rule", "share", "low", "high", "claims")
    return {
        **sized(named.select(shown), 300, {"step": ROW}),
        "layer": [
            marks({"type": "rule", **DASHED}, x={"datum": nominal}),
            interval(place, "boards with a claim", color={"value": MAIN}, **axis),
            marks(dot, y=place, x=quantity("share", "boards with a claim", **axis), tooltip=tips(*shown)),
            marks(text, y=place, x={"datum": end}, text={"field": "claims"}),
        ],
    }
