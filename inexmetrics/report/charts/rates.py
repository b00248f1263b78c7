"""Charts of error rates of tests: how often tests reject without true differences, and how often other topics contradict a rejection."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common import cells, errors, messages
from inexmetrics.inference.corrections import unadjusted
from inexmetrics.report.charts import parts as draw

__all__ = ["calibration_figure", "error_figure", "signs_figure"]

ROW: Final = 26
"""Height, in pixels, of the row of one test in a chart."""
LEVEL: Final = unadjusted.alpha
"""Significance level of the tests on each half of the topics."""
DOT: Final[draw.Spec] = {"type": "point", "filled": True, "size": 46, "color": draw.MAIN, "opacity": 1}
BAR: Final[draw.Spec] = {"type": "bar", "height": 15, "color": draw.MAIN, "fillOpacity": draw.PALE, "stroke": draw.MAIN, "strokeWidth": 1}


def calibration_figure(tables: draw.Tables) -> draw.Figure:
    """Plots, for each test, the share (with interval) of null leaderboards with any rejection; a dashed line marks the nominal share."""
    rows = tables["calibration"].drop_nulls("share").with_columns(claims=pl.format("{} of {}", pl.col("found"), pl.col("boards")))
    if rows.is_empty():
        raise errors.CollectionError("there is nothing to draw: no test can compare runs on fewer than two topics")
    named = rows.with_columns(rule=_rule())
    nominal, boards = rows["nominal"][0], rows["boards"][0]
    [promised] = cells.in_few_decimals([100 * nominal])
    end = min(max(nominal, *rows["high"]) * 1.05, 1.0)
    return [
        f"share of {boards} leaderboards without true differences on which the test finds a difference",
        f"line: 95 % interval (Wilson); dashed: the nominal level, {promised} %",
    ], _panels(named, ("rule", "share", "low", "high", "claims"), "leaderboards with a difference", nominal, end=end, mark=DOT)


def signs_figure(tables: draw.Tables) -> draw.Figure:
    """Plots, for each test, the share (with interval) of significant differences in the wrong direction."""
    shown = tables["signs"].drop_nulls("wrong_direction").with_columns(rule=_rule(), numbers=pl.format("{} claims", "claims"))
    if shown.is_empty():
        raise errors.CollectionError("there is nothing to draw: no test finds a difference")
    highest = max(*shown["high"].drop_nulls().to_list(), *shown["wrong_direction"].to_list(), 0.001)
    return [
        f"share of the significant differences on {shown['boards'][0]} leaderboards whose direction is wrong; each run keeps its mean",
        "line: 95 % interval, with leaderboards as observations",
    ], _panels(
        shown, ("rule", "wrong_direction", "low", "high", "numbers"), "share in the wrong direction", None, end=highest * 1.05, mark=DOT
    )


def _rule() -> pl.Expr:
    return pl.when(pl.col("correction").str.starts_with("unadjusted")).then("test").otherwise(pl.format("{} | {}", "test", "correction"))


def error_figure(tables: draw.Tables, splits: int) -> draw.Figure:
    """Plots the error rate of each test, and a dashed line at the significance level.

    The tests use one half of the topics. The error rate is the share of rejections that the other half contradicts.
    """
    rows = tables["error_rate"].join(tables["intervals"], on=["measure", "quantisation", "test"], how="left", maintain_order="left")
    shown = rows.drop_nulls("error_rate").with_columns(rejections=pl.format("{} of {}", pl.col("errors"), pl.col("rejected")))
    highest = shown["high"].max()
    end = max(LEVEL, highest if isinstance(highest, float) else 0.0) * 1.02
    return [
        "share (and number) of the rejections that the other half of the topics contradicts",
        f"line: 95 % interval over {messages.plural(splits, 'random split')} of the topics; dashed: the level of the tests, {LEVEL * 100:g} %",
    ], _panels(shown, ("test", "error_rate", "low", "high", "rejections"), "error rate", LEVEL, end=end, mark=BAR)


def _panels(rows: pl.DataFrame, columns: tuple[str, ...], title: str, level: float | None, *, end: float, mark: draw.Spec) -> draw.Panels:
    """Returns a panel for each condition; the row of a test shows the error rate, the interval, and, at the end of the row, the counts."""
    name, rate, *_, counts = columns
    axis: draw.Spec = {"scale": {"domain": [0, end], "nice": False}, "axis": {"format": "~%", "tickCount": 6}}
    text: draw.Spec = {"type": "text", "align": "left", "dx": 6, "fill": "currentColor", "fontSize": 11}
    parts = []
    for condition, part in draw.by_condition(rows):
        place = draw.category(name, sort=part[name].to_list(), axis={**draw.UNRULED, "labelPadding": 6})
        rule = [] if level is None else [draw.marks({"type": "rule", **draw.DASHED}, x={"datum": level})]
        line = draw.interval(place, title, color={"value": draw.MAIN}, **axis)
        rates = draw.marks(mark, y=place, x=draw.quantity(rate, title, **axis), tooltip=draw.tips(*columns))
        layers = [rates, line, *rule] if mark is BAR else [*rule, line, rates]  # intervals are drawn in front of bars and behind dots
        layers.append(draw.marks(text, y=place, x={"datum": end}, text={"field": counts}))
        parts.append(draw.Panel(condition, {**draw.sized(part.select(columns), 300, {"step": ROW}), "layer": layers}))
    return draw.Panels(parts, abreast=2)
