"""What is drawn of each result: its table turned into marks. Tables go in; Vega-Lite specifications come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from inexmetrics.report.style import BETTER, CATEGORIES, FAINT, GAINS, MAIN, SIDES, WORSE, Spec, cell_size, field, panels

__all__ = [
    "agreement_figure",
    "correlation_figure",
    "curve_figure",
    "error_figure",
    "scores_figure",
    "significance_figure",
    "versus_figure",
]

Tables = Mapping[str, pl.DataFrame]
Figure = tuple[list[str], Spec]
"""Lines that say what is shown, and the panels."""

LABELLED = 8
"""Curves that colours can tell apart; of more than these, the best few stand out."""
STANDING_OUT = 5
ROW = 15


def _by_condition(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each condition, and how a formula writes it."""
    for (measure, quantisation), part in rows.group_by("measure", "quantisation", maintain_order=True):
        yield str(measure) if quantisation == "1" else f"{measure} ~ {quantisation}", part


def _values(rows: pl.DataFrame) -> Spec:
    return {"values": rows.to_dicts()}


# ------------------------------------------------------------------------------------------------ scores, versus


def scores_figure(tables: Tables) -> Figure:
    """Means of runs, best first, with the middle half of their topics; runs keep their place from panel to panel."""
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
    parts = [(title, _means(part, order)) for title, part in _by_condition(rows)]
    return ["dot: mean over topics; bar: middle half of the topics; tick: median"], panels(parts, shared="shared")


def _means(rows: pl.DataFrame, order: list[str]) -> Spec:
    place = field("run_id", "nominal", None, sort=order, axis={"grid": True, "gridDash": [1, 3], "ticks": False, "domain": False})
    return {
        "data": _values(rows.select("run_id", "mean", "lower", "middle", "upper")),
        "width": 300,
        "height": {"step": ROW},
        "layer": [
            {
                "mark": {"type": "bar", "height": 5, "color": MAIN, "opacity": 0.22},
                "encoding": {"y": place, "x": field("lower", "quantitative", "score", scale={"zero": True}), "x2": {"field": "upper"}},
            },
            {
                "mark": {"type": "tick", "thickness": 1.5, "size": 7, "color": MAIN, "opacity": 0.55},
                "encoding": {"y": place, "x": field("middle", "quantitative", "score")},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 46, "color": MAIN, "opacity": 1},
                "encoding": {"y": place, "x": field("mean", "quantitative", "score"), "tooltip": _tips("run_id", "mean", "lower", "upper")},
            },
        ],
    }


def versus_figure(tables: Tables) -> Figure:
    """Differences between one run and each of the others; those found significant are filled."""
    rows = tables["versus"].drop_nulls("difference")
    subject = rows["run_id"][0] if rows.height else ""
    parts = []
    for title, part in _by_condition(rows):
        ordered = part.sort("difference", "opponent", descending=[True, False], maintain_order=True)
        parts.append((title, _differences(ordered, ordered["opponent"].to_list())))
    return [f"mean of {subject} less that of each opponent; filled: significant"], panels(parts)


def _differences(rows: pl.DataFrame, order: list[str]) -> Spec:
    side = {"condition": {"test": "datum.difference >= 0", "value": BETTER}, "value": WORSE}
    place = field("opponent", "nominal", None, sort=order, axis={"ticks": False, "domain": False})
    difference = field("difference", "quantitative", "difference of means")
    return {
        "data": _values(rows.select("opponent", "difference", "p_value", "significant")),
        "width": 320,
        "height": {"step": ROW},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.5},
                "encoding": {"y": place, "x": difference, "x2": {"datum": 0}, "color": side},
            },
            {
                "mark": {"type": "point", "size": 50, "strokeWidth": 1.6, "opacity": 1},
                "encoding": {
                    "y": place,
                    "x": difference,
                    "stroke": side,
                    "fill": {
                        "condition": [
                            {"test": "datum.significant && datum.difference >= 0", "value": BETTER},
                            {"test": "datum.significant", "value": WORSE},
                        ],
                        "value": "white",
                    },
                    "tooltip": _tips("opponent", "difference", "p_value"),
                },
            },
        ],
    }


def _tips(*names: str) -> list[Spec]:
    return [{"field": name, "type": "nominal" if name in {"run_id", "opponent", "better", "worse"} else "quantitative"} for name in names]


# ------------------------------------------------------------------------------------------------ matrices


def significance_figure(tables: Tables) -> Figure:
    """Runs against runs, the best first: which of two is significantly better."""
    parts = []
    for title, part in _by_condition(tables["pairs"]):
        pairs, found = part.height, int(part["significant"].sum())
        parts.append((f"{title}: {found} of {pairs} pairs significant", _verdicts(part)))
    told = [parts[0][0]] if len(parts) == 1 else []
    return ["row significantly better (blue) or worse (orange) than column; runs by mean, the best first", *told], panels(parts, abreast=2)


def _verdicts(pairs: pl.DataFrame) -> Spec:
    # each pair stands once, better before worse: how often a run is the better one tells its place
    wins = pairs.group_by(pl.col("better").alias("run_id")).len()
    runs = pl.concat([pairs["better"], pairs["worse"]]).unique().sort().alias("run_id").to_frame()
    order = runs.join(wins, on="run_id", how="left").fill_null(0).sort("len", "run_id", descending=[True, False])["run_id"].to_list()
    found = pl.col("significant")
    cells = pl.concat(
        [
            pairs.select(
                row="better", column="worse", p_value="p_value", verdict=pl.when(found).then(pl.lit("better")).otherwise(pl.lit("open"))
            ),
            pairs.select(
                row="worse", column="better", p_value="p_value", verdict=pl.when(found).then(pl.lit("worse")).otherwise(pl.lit("open"))
            ),
        ]
    )
    size = cell_size(len(order), largest=22)
    verdicts = {"domain": ["better", "worse", "open"], "range": [BETTER, WORSE, "#c8ced433"]}
    labels = {"ticks": False, "domain": False, "labelFontSize": max(7, min(11, size - 1))}
    return {
        "data": _values(cells),
        "width": size * len(order),
        "height": size * len(order),
        "mark": {"type": "rect", "stroke": FAINT, "strokeWidth": 0.3},
        "encoding": {
            "y": field("row", "nominal", None, sort=order, axis=labels),
            "x": field("column", "nominal", None, sort=order, axis={**labels, "orient": "bottom", "labelAngle": -90}),
            "color": field("verdict", "nominal", None, scale=verdicts, legend=None),
            "tooltip": [{"field": name} for name in ("row", "column", "verdict", "p_value")],
        },
    }


def agreement_figure(tables: Tables) -> Figure:
    """How well each condition predicts the conclusions of each other; a single pair with its precision and recall."""
    rows = tables["agreement"]
    if rows.select("predictor", "truth").unique().height == 1:
        predictor, truth = rows.select("predictor", "truth").row(0)
        return [f"conclusions of {truth}, predicted by {predictor}"], _ratios(rows)
    names = pl.concat([rows["predictor"], rows["truth"]]).unique(maintain_order=True).to_list()
    across = [name for name in names if name in set(rows["truth"])]
    down = [name for name in names if name in set(rows["predictor"])]
    parts = [
        (str(measure), _grid(part.select(row="predictor", column="truth", value="f1"), (down, across), (0.0, 1.0), GAINS))
        for (measure,), part in rows.group_by("measure", maintain_order=True)
    ]
    return ["F1 of the conclusions (significant directed pairs): row as predictor, column as truth"], panels(parts)


def _ratios(rows: pl.DataFrame) -> Spec:
    ratios = ["precision", "recall", "f1"]
    long = rows.unpivot(on=ratios, index="measure", variable_name="ratio", value_name="value").drop_nulls("value")
    place = field("ratio", "nominal", None, sort=ratios, axis={"ticks": False, "domain": False})
    value = field("value", "quantitative", None, scale={"domain": [0, 1]})
    bars: Spec = {
        "width": 420,
        "height": {"step": 24},
        "layer": [
            {"mark": {"type": "bar", "height": 14, "color": MAIN}, "encoding": {"y": place, "x": value}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "fill": "currentColor", "fontSize": 11},
                "encoding": {"y": place, "x": value, "text": field("value", "quantitative", None, format=".4f")},
            },
        ],
    }
    return panels(
        [(str(measure), {**bars, "data": _values(part)}) for (measure,), part in long.group_by("measure", maintain_order=True)], abreast=1
    )


def _grid(rows: pl.DataFrame, names: tuple[list[str], list[str]], bounds: tuple[float, float], colours: tuple[str, ...]) -> Spec:
    """A matrix of numbers, each written in its cell."""
    down, across = names
    size = cell_size(max(len(down), len(across)), largest=52, smallest=26)
    labels = {"ticks": False, "domain": False}
    place = {
        "y": field("row", "nominal", None, sort=down, axis=labels),
        "x": field("column", "nominal", None, sort=across, axis={**labels, "labelAngle": -35}),
    }
    low, high = bounds
    dark = f"abs(datum.value) > {low + 0.62 * (high - low) if low >= 0 else 0.6}"
    return {
        "data": _values(rows.drop_nulls("value")),
        "width": size * len(across),
        "height": max(26, size * 2 // 3) * len(down),
        "encoding": place,
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "white", "strokeWidth": 1.5},
                "encoding": {
                    "color": field(
                        "value", "quantitative", None, scale={"domain": _stops(bounds, len(colours)), "range": list(colours)}, legend=None
                    )
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11 if size >= 36 else 8},
                "encoding": {
                    "text": field("value", "quantitative", None, format=".2f"),
                    "color": {"condition": {"test": dark, "value": "white"}, "value": "#1b1f23"},
                },
            },
        ],
    }


def _stops(bounds: tuple[float, float], count: int) -> list[float]:
    low, high = bounds
    return [low + (high - low) * step / (count - 1) for step in range(count)]


def correlation_figure(tables: Tables) -> Figure:
    """Correlation of every two conditions."""
    rows = tables["correlation"]
    of, method = rows.select("of", "method").row(0)
    names = pl.concat([rows["first"], rows["second"]]).unique(maintain_order=True).to_list()
    down = [name for name in names if name in set(rows["first"])]
    across = [name for name in names if name in set(rows["second"])]
    cells = rows.select(row="first", column="second", value="coefficient")
    point = "a point for each run and topic" if of == "topics" else "a point for each run"
    return [f"correlation ({method}), {point}"], panels([("", _grid(cells, (down, across), (-1.0, 1.0), SIDES))])


# ------------------------------------------------------------------------------------------------ bars and lines


def error_figure(tables: Tables) -> Figure:
    """How often a test's rejections on one half of the topics were contradicted by the other half."""
    rows = (
        tables["error_rate"]
        .drop_nulls("error_rate")
        .with_columns(told=pl.format("{} of {} rejections", pl.col("errors"), pl.col("rejected")))
    )
    return ["share of rejections on half of the topics that the other half contradicts"], panels(
        [(title, _rates(part)) for title, part in _by_condition(rows)], abreast=2
    )


def _rates(rows: pl.DataFrame) -> Spec:
    place = field("test", "nominal", None, sort=rows["test"].to_list(), axis={"ticks": False, "domain": False})
    rate = field("error_rate", "quantitative", "error rate", scale={"zero": True}, axis={"format": "~%"})
    return {
        "data": _values(rows.select("test", "error_rate", "told")),
        "width": 300,
        "height": {"step": 26},
        "layer": [
            {"mark": {"type": "bar", "height": 15, "color": MAIN}, "encoding": {"y": place, "x": rate}},
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fill": "currentColor", "fontSize": 11},
                "encoding": {"y": place, "x": rate, "text": {"field": "told"}},
            },
        ],
    }


def curve_figure(tables: Tables) -> Figure:
    """Curves of runs; the best stand out where there are many."""
    rows = tables["curve"].drop_nulls("value")
    parts = [(title, _lines(part)) for title, part in _by_condition(rows)]
    runs = rows["run_id"].n_unique()
    told = [f"the {STANDING_OUT} runs with the highest curves, of {runs}, stand out"] if runs > LABELLED else []
    return ["value against recall level, mean over topics", *told], panels(parts, abreast=2)


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
            "data": _values(rows.filter(pl.col("run_id").is_in(named)).select("run_id", "level", "value")),
            "mark": {"type": "line", "strokeWidth": 2, "interpolate": "linear"},
            "encoding": {"x": x, "y": y, "color": run},
        }
    ]
    if len(named) < len(order):
        others = rows.filter(~pl.col("run_id").is_in(named)).select("run_id", "level", "value")
        faint: Spec = {
            "data": _values(others),
            "mark": {"type": "line", "strokeWidth": 0.8, "color": FAINT, "opacity": 0.5},
            "encoding": {"x": x, "y": y, "detail": {"field": "run_id", "type": "nominal"}},
        }
        layers.insert(0, faint)
    return {"width": 440, "height": 300, "layer": layers}
