"""Matrix charts, which compare runs with runs or conditions with conditions, and scatter plots of two conditions."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.collection.condition_names import plain_name
from inexmetrics.common.messages import canonical, enumerate_texts, plural
from inexmetrics.common.schema import of_measures
from inexmetrics.inference.correlations import COEFFICIENTS, highest
from inexmetrics.report.charts import parts as draw

__all__ = ["correlation_figure", "number_grid", "predictions_figure", "significance_figure"]

SIGNED: Final = 12
"""Minimum side, in pixels, of matrix cells that contain a symbol."""
NONE: Final = ("no pair", "significant")
"""Lines in the middle of a matrix without verdicts."""
ROOM: Final = 80
"""Minimum side, in pixels, of a matrix that contains these lines."""
LABELLED: Final = 9
"""Minimum size of matrix cells, in pixels, at which all rows and columns are named and the cells are outlined."""


def significance_figure(tables: draw.Tables, margin: float | None = None) -> draw.Figure:
    """Plots, for each pair of runs, which run is significantly better.

    In all panels, the runs are sorted by mean under the first condition, best first.
    """
    conditions = list(draw.by_condition(tables["pairs"]))
    by_mean: dict[str, None] = {}
    # `better` contains the run with the higher mean of each pair, so that runs with higher means occur more often in this column
    for _, pairs in conditions:
        wins = pairs.group_by(pl.col("better").alias("run_id")).len()
        runs = pl.concat([pairs["better"], pairs["worse"]]).unique().sort().alias("run_id").to_frame()
        ordered = runs.join(wins, on="run_id", how="left").fill_null(0).sort("len", "run_id", descending=[True, False])
        by_mean |= dict.fromkeys(ordered["run_id"])
    order = [*by_mean]
    apart: set[frozenset[str]] = (
        set()
    )  # pairs of runs for which two conditions disagree on the significance or the direction of the difference
    if len(conditions) == 2:
        first, second = ({*part.filter("significant").select("better", "worse").iter_rows()} for _, part in conditions)
        tested, both = ({frozenset(pair) for pair in part.select("better", "worse").iter_rows()} for _, part in conditions)
        apart = {frozenset(pair) for pair in first ^ second} & tested & both
    parts = []
    for title, part in conditions:
        found = f"{int(part['significant'].sum())} of {plural(part.height, 'pair')} significant"
        parts.append(draw.Panel(title, _verdicts(part, order, apart), [title, found]))
    notes = [": ".join(parts[0].lines)] if len(parts) == 1 else []
    if apart and _cell_size(len(order), largest=22, smallest=3) >= LABELLED:
        notes = [f"outlined: {plural(len(apart), 'pair')} on which the two conditions disagree"]
    under = "" if len(parts) == 1 else " under the first condition"
    some = "" if _cell_size(len(order), largest=22, smallest=3) >= LABELLED else "; not all runs are named"
    same = "" if margin is None else f", or the same within {canonical(margin)} (grey, round)"
    shown = f"row significantly better (blue, upwards) or worse (orange, downwards) than column{same}; runs by mean{under}, the best first{some}"
    return [shown, *notes], draw.Panels(parts, abreast=2)


def _verdicts(pairs: pl.DataFrame, order: list[str], apart: set[frozenset[str]]) -> draw.Spec:
    """Returns the verdicts as cells; a cell has an outline if another condition disagrees on the pair of runs."""
    found = pl.when("significant")
    equivalent = "equivalent" in pairs.columns
    other = pl.when("equivalent").then(pl.lit("same")).otherwise(pl.lit("open")) if equivalent else pl.lit("open")
    cells = pl.concat(
        pairs.select(row=row, column=column, p_value="p_value", verdict=found.then(pl.lit(verdict)).otherwise(other))
        for row, column, verdict in (("better", "worse", "better"), ("worse", "better", "worse"))
    )
    size = _cell_size(len(order), largest=22, smallest=3)
    named = size >= LABELLED  # if cells are smaller, only cells with a verdict are drawn, because there may be tens of thousands of others
    looks = {"better": draw.BETTER, "worse": draw.WORSE, **({"same": draw.FAINT} if equivalent else {}), "open": "transparent"}
    verdicts = {"domain": list(looks), "range": list(looks.values())}
    labels = {**draw.UNRULED, "labelFontSize": max(7, min(11, size - 1)), "labelOverlap": not named}
    below = {**labels, "orient": "bottom", "labelAngle": -90}
    rects = draw.marks(
        {"type": "rect", "stroke": draw.FAINT, "strokeWidth": 0.3 if named else 0, "aria": named},
        color=draw.category("verdict", scale=verdicts, legend=None),
        tooltip=draw.tips("row", "column", "verdict", "p_value"),
    )
    upwards = {"test": "datum.verdict === 'better'", "value": "triangle-up"}
    round_sign = {"test": "datum.verdict === 'same'", "value": "circle"}
    signs: draw.Spec = {
        "name": draw.SIGNS,
        "transform": [{"filter": "datum.verdict !== 'open'"}],
        **draw.marks(
            {"type": "point", "filled": True, "size": size * size // 7, "color": draw.PAGE, "opacity": 1},
            shape={"condition": [upwards, round_sign] if equivalent else upwards, "value": "triangle-down"},
        ),
    }
    outlined = cells.filter(
        pl.Series([frozenset(pair) in apart for pair in cells.select("row", "column").iter_rows()], dtype=pl.Boolean)
    ).select("row", "column")
    outlines = draw.over(outlined, draw.marks({"type": "rect", "fill": "transparent", "stroke": draw.INK, "strokeWidth": 1.6}))
    some = cells.filter(pl.col("verdict") != "open")
    inside = size * len(order) >= ROOM  # otherwise, the text is beside the matrix
    middle = {"x": {"value": {"expr": "width / 2" if inside else "width + 8"}}, "y": {"value": {"expr": "height / 2"}}}
    none = draw.over(
        cells.select(pl.lit(0).alias("found")).head(1),
        draw.marks(
            {
                "type": "text",
                "text": [*NONE],
                "align": "center" if inside else "left",
                "baseline": "middle",
                "fontSize": 11,
                "color": draw.INK,
            },
            **middle,
        ),
    )
    return {
        **draw.sized(cells if named else some, size * len(order), size * len(order)),
        "encoding": {
            "y": draw.category("row", sort=order, scale={"domain": order}, axis=labels),
            "x": draw.category("column", sort=order if named else None, scale={"domain": order}, axis=below),
        },
        "layer": [rects, *([signs] if size >= SIGNED else []), *([outlines] if apart and named else []), *([] if some.height else [none])],
    }


def predictions_figure(tables: draw.Tables, confidence: float) -> draw.Figure:
    """Plots F1 for every pair of conditions in a matrix; the confidence interval, if computed, is below the number."""
    rows = tables["agreement"].select("measure", "predictor", "truth", value="f1")
    shown = "F1 of the conclusions (significant directed pairs): row as predictor, column as truth"
    if "intervals" in tables:
        intervals = tables["intervals"].filter(statistic="f1").select("measure", "predictor", "truth", "low", "high")
        rows = rows.join(intervals, on=["measure", "predictor", "truth"], how="left", nulls_equal=True, maintain_order="left")
        shown += f"; below it, its {draw.level_text(confidence)} interval over topics"
    cells = rows.rename({"predictor": "row", "truth": "column"})
    parts = [
        draw.Panel(str(measure), number_grid(part.drop("measure"), (0.0, 1.0), draw.GAINS))
        for (measure,), part in cells.group_by("measure", maintain_order=True)
    ]
    return [shown], draw.Panels(parts)


def number_grid(rows: pl.DataFrame, bounds: tuple[float, float], colours: tuple[str, ...]) -> draw.Spec:
    """Plots a matrix of numbers, each written in its cell; if the table has columns `low` and `high`, the interval is below the number."""
    names = pl.concat([rows["row"], rows["column"]]).unique(maintain_order=True).to_list()
    down, across = ([name for name in names if name in set(rows[side])] for side in ("row", "column"))
    bounded = "low" in rows.columns
    size = _cell_size(max(len(down), len(across)), largest=52, smallest=46 if bounded else 26)
    low, high = bounds
    scale = {"domain": [low + (high - low) * step / (len(colours) - 1) for step in range(len(colours))], "range": list(colours)}
    dark = low + 0.7 * (high - low) if low >= 0 else 0.77  # white text is more legible than black text in cells with values above `dark`
    ink: draw.Spec = {"condition": {"test": f"datum.value > {dark}", "value": "white"}, "value": "#1b1f23"}
    number: draw.Spec = {"type": "text", "fontSize": 11 if size >= 36 else 8, "dy": -5 if bounded else 0}
    layers = [
        draw.marks({"type": "rect", "stroke": draw.PAGE, "strokeWidth": 1.5}, color=draw.quantity("value", None, scale=scale, legend=None)),
        draw.marks(number, text=draw.quantity("value", None, format=".2f"), color=ink),
    ]
    if bounded:
        text = "isValid(datum.low) ? format(datum.low, '.2f') + ' to ' + format(datum.high, '.2f') : ''"
        below = draw.marks({"type": "text", "fontSize": 8, "dy": 7}, text={"field": "interval", "type": "nominal"}, color=ink)
        layers.append({"transform": [{"calculate": text, "as": "interval"}], **below})
    return {
        **draw.sized(rows.drop_nulls("value"), size * len(across), max(26, size * 2 // 3) * len(down)),
        "encoding": {
            "y": draw.category("row", sort=down, axis=draw.UNRULED),
            "x": draw.category("column", sort=across, axis={**draw.UNRULED, "labelAngle": -35}),
        },
        "layer": layers,
    }


def _cell_size(count: int, largest: int, smallest: int) -> int:
    """Returns the side of a matrix's cells in pixels, given the number of cells in a row."""
    return max(smallest, min(largest, 620 // max(count, 1)))


SIDE: Final = 300
CROWD: Final = 20
"""A disc marks the largest group of coinciding points if the group has at least this number of points. The subtitle describes the disc."""
POINTS: Final = 2000
"""Maximum number of points that are drawn."""


def correlation_figure(tables: draw.Tables, lower: Sequence[str] = ()) -> draw.Figure:
    """Plots the scores of runs, or of runs and topics, under two conditions as points; for more conditions, plots the coefficients.

    Args:
        tables: The tables of the result.
        lower: The measures whose lower scores are better; coefficients are those of their negated scores.
    """
    rows = tables["correlation"]
    of, method = rows.select("of", "method").row(0)
    of_what = "run and topic" if of == "topics" else "run"
    name = COEFFICIENTS[method]
    turned = [
        plain_name(measure)
        for measure in lower
        if rows.select(of_measures("first", [measure]) | of_measures("second", [measure])).to_series().any()
    ]
    signs = [f"lower is better: {enumerate_texts(turned)}; the coefficients are those of negated scores"] if turned else []
    if rows.height > 1:
        cells = rows.select(row="first", column="second", value="coefficient")
        return [f"{name}, a point for each {of_what}", *signs], draw.Panels(
            [draw.Panel("coefficients", number_grid(cells, (-1.0, 1.0), draw.SIDES))]
        )
    n, coefficient, p_value = rows.select("n", "coefficient", "p_value").row(0)
    p = "" if p_value is None else ", p < .0001" if p_value < 0.0001 else f", p = {p_value:.4f}"
    notes = [f"{name} {draw.coefficient_text(coefficient)}{p}; {n} points, one for each {of_what}", *signs]
    points = tables["points"].with_columns(top=pl.lit(value=False))
    if "parts" in tables:
        (top, above), (_, below) = tables["parts"].select("n", "coefficient").iter_rows()
        notes.append(
            f"triangles: the {top} highest points ({draw.coefficient_text(above)} among them, {draw.coefficient_text(below)} among the others)"
        )
        values = [
            pl.when(of_measures(name, lower)).then(-pl.col(f"{name}_value")).otherwise(f"{name}_value") for name in ("first", "second")
        ]
        x, y = (column.to_numpy() for column in points.select(first=values[0], second=values[1]))
        points = points.with_columns(top=pl.Series(highest(x, y, top)))
    crowd = (
        points.group_by("first_value", "second_value", maintain_order=True)
        .len("count")
        .sort("count", descending=True, maintain_order=True)
        .head(1)
    )
    crowd = crowd.filter(pl.col("count") >= CROWD)
    notes += [f"disc: {count} points are at ({x:g}, {y:g})" for x, y, count in crowd.rows()]
    every = max(-(-n // POINTS), 1)
    if every > 1:
        notes.append(f"drawn: every {every}th of {n} points")
    return notes, draw.Panels([draw.Panel("points", _scatter(points.gather_every(every), crowd))])


def _scatter(rows: pl.DataFrame, crowd: pl.DataFrame) -> draw.Spec:
    """Plots points whose coordinates are scores under the first and second condition; a disc marks a large number of coinciding points."""
    first, second = rows.select("first", "second").row(0) if rows.height else ("", "")
    dense = rows.height > SIDE
    x = draw.quantity("first_value", textwrap.wrap(first, SIDE // 6), axis={"tickCount": 6})
    y = draw.quantity("second_value", textwrap.wrap(second, SIDE // 6), axis={"tickCount": 6})
    dots = draw.marks(
        {"type": "point", "filled": not dense, "size": 16 if dense else 40, "strokeWidth": 0.8, "opacity": 1},
        x=x,
        y=y,
        color={"condition": {"test": "datum.top", "value": draw.WORSE}, "value": draw.MAIN},
        shape={"condition": {"test": "datum.top", "value": "triangle-up"}, "value": "circle"},
        tooltip=draw.tips("run_id", "topic_id", "first_value", "second_value"),
    )
    disc = draw.over(
        crowd,
        draw.marks({"type": "point", "filled": True, "size": 110, "color": draw.MAIN, "opacity": 1}, x=x, y=y, tooltip=draw.tips("count")),
    )
    return {**draw.sized(rows.drop("first", "second"), SIDE, SIDE), "layer": [dots, *([disc] if crowd.height else [])]}
