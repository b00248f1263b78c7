"""Results drawn run by run: dots, bars and lines. Tables go in; Vega-Lite specifications come out."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Tables, by_condition, field, interval, panels, values_of
from inexmetrics.report.charts.style import CATEGORIES, FAINT, MAIN, Spec

__all__ = ["curve_figure", "error_figure", "scores_figure"]

LABELLED: Final = 8
"""Curves that have colours of their own; of more, the best few."""
STANDING_OUT: Final = 5
ROW: Final = 15
"""Height of a run's row."""


# ------------------------------------------------------------------------------------------------ scores


def scores_figure(tables: Tables) -> Figure:
    """Means of runs, best first, with their intervals and the middle half of their topics; runs keep their place in all panels."""
    means, topics = tables["scores"], tables["per_topic"]
    spread = (
        topics.drop_nulls("score")
        .group_by("run_id", "measure", "quantisation")
        .agg(
            pl.col("score").quantile(0.25, "linear").alias("lower"),
            pl.col("score").median().alias("middle"),
            pl.col("score").quantile(0.75, "linear").alias("upper"),
        )
    )
    rows = means.drop_nulls("mean").join(spread, on=["run_id", "measure", "quantisation"], how="left", maintain_order="left")
    order = rows["run_id"].unique(maintain_order=True).to_list()
    parts = [(title, _means(part, order)) for title, part in by_condition(rows)]
    shown = ["dot and line: mean over topics, and its confidence interval", "bar and tick: middle half of the topics, and their median"]
    return shown, panels(parts, shared="shared")


def _means(rows: pl.DataFrame, order: list[str]) -> Spec:
    place = field("run_id", "nominal", None, sort=order, axis={"grid": True, "gridDash": [1, 3], "ticks": False, "domain": False})
    return {
        "data": values_of(rows.select("run_id", "mean", "low", "high", "lower", "middle", "upper")),
        "width": 300,
        "height": {"step": ROW},
        "layer": [
            {
                "mark": {"type": "bar", "height": 8, "color": MAIN, "opacity": 0.18},
                "encoding": {"y": place, "x": field("lower", "quantitative", "score", scale={"zero": True}), "x2": {"field": "upper"}},
            },
            {
                "mark": {"type": "tick", "thickness": 1.5, "size": 8, "color": MAIN, "opacity": 0.55},
                "encoding": {"y": place, "x": field("middle", "quantitative", "score")},
            },
            interval(place, "score", color={"value": MAIN}),
            {
                "mark": {"type": "point", "filled": True, "size": 40, "color": MAIN, "opacity": 1},
                "encoding": {
                    "y": place,
                    "x": field("mean", "quantitative", "score"),
                    "tooltip": _tips("run_id", "mean", "low", "high", "lower", "upper"),
                },
            },
        ],
    }


# ------------------------------------------------------------------------------------------------ bars and lines


def error_figure(tables: Tables) -> Figure:
    """How often a test's rejections on one half of the topics were contradicted by the other half."""
    rows = (
        tables["error_rate"]
        .drop_nulls("error_rate")
        .with_columns(rejections=pl.format("{} of {} rejections", pl.col("errors"), pl.col("rejected")))
    )
    return ["share of rejections on half of the topics that the other half contradicts"], panels(
        [(title, _rates(part)) for title, part in by_condition(rows)], abreast=2
    )


def _rates(rows: pl.DataFrame) -> Spec:
    place = field("test", "nominal", None, sort=rows["test"].to_list(), axis={"ticks": False, "domain": False})
    rate = field("error_rate", "quantitative", "error rate", scale={"zero": True}, axis={"format": "~%"})
    return {
        "data": values_of(rows.select("test", "error_rate", "rejections")),
        "width": 300,
        "height": {"step": 26},
        "layer": [
            {"mark": {"type": "bar", "height": 15, "color": MAIN}, "encoding": {"y": place, "x": rate}},
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fill": "currentColor", "fontSize": 11},
                "encoding": {"y": place, "x": rate, "text": {"field": "rejections"}},
            },
        ],
    }


def curve_figure(tables: Tables) -> Figure:
    """Curves of runs; the best stand out where there are many."""
    rows = tables["curve"].drop_nulls("value")
    parts = [(title, _lines(part)) for title, part in by_condition(rows)]
    runs = rows["run_id"].n_unique()
    notes = [f"the {STANDING_OUT} runs with the highest curves, of {runs}, stand out"] if runs > LABELLED else []
    return ["value against recall level, mean over topics", *notes], panels(parts, abreast=2)


def _lines(rows: pl.DataFrame) -> Spec:
    heights = rows.group_by("run_id").agg(pl.col("value").mean()).sort("value", "run_id", descending=[True, False])
    order = heights["run_id"].to_list()
    named = order if len(order) <= LABELLED else order[:STANDING_OUT]
    x = field("level", "quantitative", "recall level", scale={"domain": [0, 1]})
    y = field("value", "quantitative", "value", scale={"zero": True})
    run = field(
        "run_id",
        "nominal",
        None,
        sort=named,
        scale={"domain": named, "range": list(CATEGORIES[: len(named)])},
        legend={"symbolStrokeWidth": 3},
    )
    layers: list[Spec] = [
        {
            "data": values_of(rows.filter(pl.col("run_id").is_in(named)).select("run_id", "level", "value")),
            "mark": {"type": "line", "strokeWidth": 2, "interpolate": "linear"},
            "encoding": {"x": x, "y": y, "color": run},
        }
    ]
    if len(named) < len(order):
        others = rows.filter(~pl.col("run_id").is_in(named)).select("run_id", "level", "value")
        faint: Spec = {
            "data": values_of(others),
            "mark": {"type": "line", "strokeWidth": 0.8, "color": FAINT, "opacity": 0.5},
            "encoding": {"x": x, "y": y, "detail": {"field": "run_id", "type": "nominal"}},
        }
        layers.insert(0, faint)
    return {"width": 440, "height": 300, "layer": layers}
