"""Effects of other assessors: Trotman and Jenkinson's Figures 2 to 5. Tables go in; panels come out."""

from __future__ import annotations

import math
from typing import Final

import polars as pl

from inexmetrics.inference.switching import UNSTABLE, falling_line
from inexmetrics.report.charts.layout import Figure, Tables, field, panels, values_of
from inexmetrics.report.charts.style import FAINT, MAIN, WORSE, Spec

__all__ = ["assessors_figure"]

WIDTH: Final = 380
HEIGHT: Final = 220
DASHES: Final = [4, 3]
LABELLED: Final = 10
"""Steps between the labels of an axis, at most."""


def assessors_figure(tables: Tables) -> Figure:
    """Coefficients of the sets, and how often pairs of runs switch: all, in buckets, and those among the best runs."""
    leaders = tables["leaders"].drop_nulls("switch_probability")
    best = len({*tables["leaders"]["better"], *tables["leaders"]["worse"]})
    parts = [
        ("rank correlation with the baseline, in steps of .01", _coefficients(tables["correlations"])),
        ("all pairs of runs", _pairs(tables["switches"].drop_nulls("switch_probability"))),
        ("all pairs, in buckets of .01, and the line through them", _buckets(tables["buckets"])),
        (f"pairs of the best {best} runs", _pairs(leaders)),
    ]
    axis = f"share of the synthetic sets that switch two runs, by their difference under the baseline; dashed: {UNSTABLE:.0%}"
    return [f"{tables['correlations'].height} synthetic assessment sets", axis], panels(parts)


def _coefficients(rows: pl.DataFrame) -> Spec:
    # coefficients are ratios: one that is a step's edge but for rounding belongs to the step that it begins
    step = (100 * pl.col("rho") + 1e-9).floor()
    counts = rows.drop_nulls("rho").group_by(step.alias("step")).agg(pl.len().alias("sets")).sort("step")
    bars = counts.select("sets", lower=pl.col("step") / 100, upper=(pl.col("step") + 1) / 100)
    return {
        "data": values_of(bars.select("lower", "upper", "sets")),
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "rect", "color": MAIN, "stroke": "white", "strokeWidth": 1},
        "encoding": {
            "x": field(
                "lower",
                "quantitative",
                "Spearman's rho",
                scale={"zero": False},
                axis={"values": _edges(bars), "format": ".2f", "grid": False},
            ),
            "x2": {"field": "upper"},
            "y": field("sets", "quantitative", "sets", scale={"zero": True}),
            "y2": {"datum": 0},
            "tooltip": [{"field": name, "type": "quantitative"} for name in ("lower", "upper", "sets")],
        },
    }


def _edges(bars: pl.DataFrame) -> list[float]:
    """The labelled edges of steps of .01: all, or at most `LABELLED`."""
    if bars.is_empty():
        return []
    first, last = round(100 * bars["lower"][0]), round(100 * bars["upper"][-1])
    return [edge / 100 for edge in range(first, last + 1, math.ceil((last - first) / LABELLED))]


def _pairs(rows: pl.DataFrame) -> Spec:
    tips = [{"field": name, "type": "nominal"} for name in ("better", "worse")]
    tips += [{"field": name, "type": "quantitative"} for name in ("difference", "switch_probability", "p_value")]
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 26, "opacity": 0.7},
        "encoding": {
            "x": _difference("difference"),
            "y": _switched("switch_probability"),
            "color": {"condition": {"test": f"datum.switch_probability > {UNSTABLE}", "value": WORSE}, "value": MAIN},
            "tooltip": tips,
        },
    }
    shown = rows.select("better", "worse", "difference", "switch_probability", "p_value")
    return {"data": values_of(shown), "width": WIDTH, "height": HEIGHT, "layer": [points, _level()]}


def _buckets(rows: pl.DataFrame) -> Spec:
    bars: Spec = {
        "mark": {"type": "rect", "color": MAIN, "opacity": 0.8, "stroke": "white", "strokeWidth": 1},
        "encoding": {
            "x": _difference("lower"),
            "x2": {"field": "upper"},
            "y": _switched("switch_probability"),
            "y2": {"datum": 0},
            "tooltip": [{"field": name, "type": "quantitative"} for name in ("lower", "upper", "pairs", "switch_probability")],
        },
    }
    layers = [bars, _level()]
    if (line := falling_line(rows)) is not None:
        intercept, slope = line
        ends = [{"difference": 0.0, "fitted": intercept}, {"difference": -intercept / slope, "fitted": 0.0}]
        layers.append(
            {
                "data": {"values": ends},
                "mark": {"type": "line", "color": WORSE, "strokeWidth": 1.6},
                "encoding": {"x": _difference("difference"), "y": _switched("fitted")},
            }
        )
    return {"data": values_of(rows), "width": WIDTH, "height": HEIGHT, "layer": layers}


def _difference(name: str) -> Spec:
    return field(name, "quantitative", "difference of means", scale={"zero": True}, axis={"grid": False})


def _switched(name: str) -> Spec:
    return field(name, "quantitative", "sets that switch", axis={"format": "~%", "tickCount": 6}, scale={"zero": True, "nice": 6})


def _level() -> Spec:
    """The share of sets above which a pair is unstable."""
    return {"mark": {"type": "rule", "strokeDash": DASHES, "color": FAINT}, "encoding": {"y": {"datum": UNSTABLE}}}
