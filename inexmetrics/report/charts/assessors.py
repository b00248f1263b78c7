"""Charts of the effects of replacing the assessors (Trotman and Jenkinson's Figures 2 to 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.inference.ranks import UNSTABLE, falling_line
from inexmetrics.report.charts.parts import DASHED, FLAT, Figure, Panel, Panels, Tables, apart, marks, over, quantity, sized
from inexmetrics.report.charts.style import FAINT, MAIN, PAGE, WORSE, Spec

__all__ = ["assessors_figure"]

WIDTH: Final = 310
HEIGHT: Final = 220
LEVEL: Final = marks({"type": "rule", **DASHED}, y={"datum": UNSTABLE})
"""Horizontal line at `UNSTABLE`, the maximum share of assessment sets that may reverse the order of a stable pair of runs."""
LABELLED: Final = 10
"""Maximum number of intervals between the labels of an axis."""
NAMED: Final = 10
"""Maximum number of pairs of runs whose names are written next to their points."""
SELDOM: Final = 0.01
"""The axis of differences omits a pair of runs only if at most this share of the assessment sets reverses the order of the runs."""
CUT: Final = 0.7
"""The axis of differences is shortened only if its new end is below this share of the largest difference."""
LINES: Final = 11
"""Number of labels that fit one below another in a panel."""


def assessors_figure(tables: Tables) -> Figure:
    """Plots the rank correlations of the assessment sets, and the share of sets that reverse the order of two runs.

    The share is shown for each pair of runs, for pairs grouped by the size of their difference, and for the pairs of the best runs.
    """
    leaders = tables["leaders"].drop_nulls("switch_probability")
    best = len({*tables["leaders"]["better"], *tables["leaders"]["worse"]})
    pairs = tables["switches"].drop_nulls("switch_probability")
    line = falling_line(tables["buckets"])
    reached = [*pairs.filter(pl.col("switch_probability") > SELDOM)["difference"], *([] if line is None else [-line[0] / line[1]])]
    last = math.ceil(100 * max(reached, default=0.0)) / 100  # runs with a larger difference rarely switch
    end = last if 0 < last < CUT * max(pairs["difference"], default=0.0) else None
    drawn = pairs if end is None else pairs.filter(pl.col("difference") <= end)
    rows = tables["buckets"] if end is None else tables["buckets"].filter(pl.col("lower") < end - 1e-9)
    layers = [_bars(rows, _difference("lower", end), _switched("switch_probability")), LEVEL]
    if line is not None:
        intercept, slope = line
        ends = [{"difference": 0.0, "fitted": intercept}, {"difference": -intercept / slope, "fitted": 0.0}]
        fitted = marks({"type": "line", "color": WORSE, "strokeWidth": 1.6}, x=_difference("difference", end), y=_switched("fitted"))
        layers.append({"data": {"values": ends}, **fitted})
    coefficients = tables["correlations"].drop_nulls("rho")
    panels = [
        (coefficients, Panel("correlations", _coefficients(coefficients), ["rank correlation with the baseline, in steps of .01"])),
        (drawn, Panel("switches", _pairs(drawn, end=end), ["all pairs of runs"])),
        (
            rows,
            Panel("buckets", {**sized(rows, WIDTH, HEIGHT), "layer": layers}, ["all pairs, in buckets of .01, and the line through them"]),
        ),
        (leaders, Panel("leaders", _pairs(leaders, _names(leaders)), [f"pairs of the best {best} runs"])),
    ]
    parts = [panel for data, panel in panels if data.height]
    undefined = [f"not drawn, as it is undefined: {'; '.join(panel.lines)}" for data, panel in panels if not data.height]
    axis = f"share of the synthetic sets that switch two runs, by their difference under the baseline; dashed: {UNSTABLE * 100:g} %"
    named = [f"named: pairs of the best runs that more than {UNSTABLE * 100:g} % of the sets switch, with the p-value of their difference"]
    beyond = []
    if end is not None:
        left = pairs.filter(pl.col("difference") > end)
        seldom = f"at most {SELDOM * 100:g} % of the sets switch" if (left["switch_probability"] > 0.0).any() else "no set switches"
        beyond = [f"not drawn: {left.height} pairs that differ by more than {end:g}, which {seldom}"]
    unstable = leaders["switch_probability"] > UNSTABLE
    notes = [f"{tables['correlations'].height} synthetic assessment sets", axis, *beyond, *undefined, *(named if unstable.any() else [])]
    return notes, Panels(parts, lowest=FLAT)


def _coefficients(rows: pl.DataFrame) -> Spec:
    # bins of width 0.01; because of the small summand, rounding errors do not move a coefficient on an edge into the lower bin
    step = (100 * pl.col("rho") + 1e-9).floor()
    counts = rows.group_by(step.alias("step")).agg(pl.len().alias("sets")).sort("step")
    bars = counts.select(lower=pl.col("step") / 100, upper=(pl.col("step") + 1) / 100, sets="sets")
    edges: list[float] = []  # the labelled edges of bins
    if bars.height:
        first, last = round(100 * bars["lower"][0]), round(100 * bars["upper"][-1])
        edges = [edge / 100 for edge in range(first, last + 1, math.ceil((last - first) / LABELLED))]
    axis = {"values": edges, "format": ".2f", "grid": False}
    rho = quantity("lower", "Spearman's rho", scale={"zero": False}, axis=axis)
    return {**sized(bars, WIDTH, HEIGHT), **_bars(bars, rho, quantity("sets", "sets", scale={"zero": True}))}


def _bars(rows: pl.DataFrame, x: Spec, y: Spec) -> Spec:
    """Draws a bar from `lower` to `upper` for each row; the bar shows the values of the row on hover."""
    bar: Spec = {"type": "rect", "color": MAIN, "stroke": PAGE, "strokeWidth": 1}
    return marks(bar, x=x, x2={"field": "upper"}, y=y, y2={"datum": 0}, tooltip=_numbers(*rows.columns))


def _numbers(*names: str) -> list[Spec]:
    return [{"field": name, "type": "quantitative"} for name in names]


def _pairs(rows: pl.DataFrame, under: Sequence[Spec] = (), end: float | None = None) -> Spec:
    runs, numbers = ("better", "worse"), ("difference", "switch_probability", "p_value")
    points = marks(
        {"type": "point", "filled": True, "size": 26, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.4},
        x=_difference("difference", end),
        y=_switched("switch_probability"),
        color={"condition": {"test": f"datum.switch_probability > {UNSTABLE}", "value": WORSE}, "value": MAIN},
        tooltip=[*({"field": name, "type": "nominal"} for name in runs), *_numbers(*numbers)],
    )
    return {**sized(rows.select(*runs, *numbers), WIDTH, HEIGHT), "layer": [*under, points, LEVEL]}


def _names(rows: pl.DataFrame) -> list[Spec]:
    """Returns layers that label the most unstable pairs of runs; a label contains the runs' names and the p-value of their difference."""
    unstable = rows.filter(pl.col("switch_probability") > UNSTABLE)
    listed = unstable.sort("switch_probability", "better", "worse", descending=[True, False, False]).head(NAMED)
    if listed.is_empty():
        return []
    shares: list[float] = listed["switch_probability"].to_list()
    gap = shares[0] / LINES
    p_values = pl.Series([f"p = {p:.2f}" if p >= 0.005 else "p < 0.01" for p in listed["p_value"]])
    labels = listed.select(
        "difference",
        "switch_probability",
        at=pl.lit(max(listed["difference"]) + 0.06 * max(rows["difference"])),
        height=pl.Series(apart(shares, gap, max(UNSTABLE + gap / 2, gap))),
        label=pl.format("{}, {} ({})", "better", "worse", p_values),
    )
    line: Spec = {"type": "rule", "strokeWidth": 0.6, "color": FAINT}
    text: Spec = {"type": "text", "align": "left", "dx": 3, "fontSize": 10, "limit": 260, "fill": "currentColor"}
    ends: Spec = {"x2": {"field": "at"}, "y2": {"field": "height"}}
    leader = marks(line, x=_difference("difference"), y=_switched("switch_probability"), **ends)
    named = marks(text, x=_difference("at"), y=_switched("height"), text={"field": "label"})
    return [over(labels, {"layer": [leader, named]})]


def _difference(name: str, end: float | None = None) -> Spec:
    scale: Spec = {"zero": True} if end is None else {"domain": [0, end], "nice": False}
    return quantity(name, "difference of means", scale=scale, axis={"grid": False})


def _switched(name: str) -> Spec:
    return quantity(name, "sets that switch", axis={"format": "~%", "tickCount": 6}, scale={"zero": True, "nice": 6})
