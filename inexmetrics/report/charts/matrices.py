"""Results drawn as matrices: runs against runs, conditions against conditions. Tables go in; specifications come out."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.messages import plural
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition, field, values_of
from inexmetrics.report.charts.style import BETTER, FAINT, GAINS, PAGE, SIGNS, WORSE, Spec

__all__ = ["number_grid", "predictions_figure", "significance_figure"]


SIGNED: Final = 12
"""Side of the smallest cells with a sign in them."""
LABELLED: Final = 9
"""Side of the smallest cells of which each has its name, and a line around it."""


def significance_figure(tables: Tables) -> Figure:
    """Runs against runs: which of two is significantly better. Runs keep their place in all panels, the best under the first condition first."""
    order = _order(next(part for _, part in by_condition(tables["pairs"])))
    parts = []
    for title, part in by_condition(tables["pairs"]):
        pairs, found = part.height, int(part["significant"].sum())
        parts.append(Panel(title, _verdicts(part, order), [title, f"{found} of {plural(pairs, 'pair')} significant"]))
    notes = [": ".join(parts[0].lines)] if len(parts) == 1 else []
    first = "" if len(parts) == 1 else " under the first condition"
    some = "" if _cell_size(len(order), largest=22, smallest=3) >= LABELLED else "; not all runs are named"
    shown = f"row significantly better (blue, upwards) or worse (orange, downwards) than column; runs by mean{first}, the best first{some}"
    return [shown, *notes], Panels(parts, abreast=2)


def _order(pairs: pl.DataFrame) -> list[str]:
    """The runs by mean: each pair occurs once, better before worse, so that they stand by how often they are the better one."""
    wins = pairs.group_by(pl.col("better").alias("run_id")).len()
    runs = pl.concat([pairs["better"], pairs["worse"]]).unique().sort().alias("run_id").to_frame()
    ordered = runs.join(wins, on="run_id", how="left").fill_null(0).sort("len", "run_id", descending=[True, False])
    return ordered["run_id"].to_list()


def _verdicts(pairs: pl.DataFrame, order: list[str]) -> Spec:
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
    size = _cell_size(len(order), largest=22, smallest=3)
    named = size >= LABELLED  # else cells without a verdict are not drawn at all: there are tens of thousands
    verdicts = {"domain": ["better", "worse", "open"], "range": [BETTER, WORSE, "transparent"]}
    labels = {"ticks": False, "domain": False, "labelFontSize": max(7, min(11, size - 1)), "labelOverlap": not named}
    rects: Spec = {
        "mark": {"type": "rect", "stroke": FAINT, "strokeWidth": 0.3 if named else 0, "aria": named},
        "encoding": {
            "color": field("verdict", "nominal", None, scale=verdicts, legend=None),
            "tooltip": [{"field": name} for name in ("row", "column", "verdict", "p_value")],
        },
    }
    signs: Spec = {
        "name": SIGNS,
        "transform": [{"filter": "datum.verdict !== 'open'"}],
        "mark": {"type": "point", "filled": True, "size": size * size // 7, "color": PAGE, "opacity": 1},
        "encoding": {"shape": {"condition": {"test": "datum.verdict === 'better'", "value": "triangle-up"}, "value": "triangle-down"}},
    }
    return {
        "data": values_of(cells if named else cells.filter(pl.col("verdict") != "open")),
        "width": size * len(order),
        "height": size * len(order),
        "encoding": {
            "y": field("row", "nominal", None, sort=order, scale={"domain": order}, axis=labels),
            "x": field(
                "column",
                "nominal",
                None,
                sort=order if named else None,
                scale={"domain": order},
                axis={**labels, "orient": "bottom", "labelAngle": -90},
            ),
        },
        "layer": [rects, signs] if size >= SIGNED else [rects],
    }


def predictions_figure(tables: Tables) -> Figure:
    """F1 of every pair of conditions, and its interval below it where there is one."""
    rows = tables["agreement"].select("measure", "predictor", "truth", value="f1")
    shown = "F1 of the conclusions (significant directed pairs): row as predictor, column as truth"
    if "intervals" in tables:
        intervals = tables["intervals"].filter(statistic="f1").select("measure", "predictor", "truth", "low", "high")
        rows = rows.join(intervals, on=["measure", "predictor", "truth"], how="left", nulls_equal=True, maintain_order="left")
        shown += "; below it, its interval over topics"
    names = pl.concat([rows["predictor"], rows["truth"]]).unique(maintain_order=True).to_list()
    across = [name for name in names if name in set(rows["truth"])]
    down = [name for name in names if name in set(rows["predictor"])]
    parts = [
        Panel(
            str(measure),
            number_grid(part.drop("measure").rename({"predictor": "row", "truth": "column"}), (down, across), (0.0, 1.0), GAINS),
        )
        for (measure,), part in rows.group_by("measure", maintain_order=True)
    ]
    return [shown], Panels(parts)


def number_grid(rows: pl.DataFrame, names: tuple[list[str], list[str]], bounds: tuple[float, float], colours: tuple[str, ...]) -> Spec:
    """A matrix of numbers, each written in its cell, with its interval below it if the rows have low and high."""
    down, across = names
    bounded = "low" in rows.columns
    size = _cell_size(max(len(down), len(across)), largest=52, smallest=46 if bounded else 26)
    labels = {"ticks": False, "domain": False}
    place = {
        "y": field("row", "nominal", None, sort=down, axis=labels),
        "x": field("column", "nominal", None, sort=across, axis={**labels, "labelAngle": -35}),
    }
    low, high = bounds
    dark = low + 0.7 * (high - low) if low >= 0 else 0.77  # from here on white is read more easily than black
    ink: Spec = {"condition": {"test": f"datum.value > {dark}", "value": "white"}, "value": "#1b1f23"}
    return {
        "data": values_of(rows.drop_nulls("value")),
        "width": size * len(across),
        "height": max(26, size * 2 // 3) * len(down),
        "encoding": place,
        "layer": [
            {
                "mark": {"type": "rect", "stroke": PAGE, "strokeWidth": 1.5},
                "encoding": {
                    "color": field(
                        "value", "quantitative", None, scale={"domain": _stops(bounds, len(colours)), "range": list(colours)}, legend=None
                    )
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11 if size >= 36 else 8, "dy": -5 if bounded else 0},
                "encoding": {"text": field("value", "quantitative", None, format=".2f"), "color": ink},
            },
            *([_bounds(ink)] if bounded else []),
        ],
    }


def _bounds(ink: Spec) -> Spec:
    """The layer that writes low and high below the numbers."""
    text = "isValid(datum.low) ? format(datum.low, '.2f') + ' to ' + format(datum.high, '.2f') : ''"
    return {
        "transform": [{"calculate": text, "as": "interval"}],
        "mark": {"type": "text", "fontSize": 8, "dy": 7},
        "encoding": {"text": {"field": "interval", "type": "nominal"}, "color": ink},
    }


def _stops(bounds: tuple[float, float], count: int) -> list[float]:
    low, high = bounds
    return [low + (high - low) * step / (count - 1) for step in range(count)]


def _cell_size(count: int, largest: int = 46, smallest: int = 9, whole_side: int = 620) -> int:
    """Side of a matrix's cells, by their number in a row."""
    return max(smallest, min(largest, whole_side // max(count, 1)))
