"""Charts of simulated runs.

`degradation_figure` shows ideal runs whose results were moved. `fidelity_figure` shows runs with expected orderings, in a lattice and as
curves. Pehcevski and Thom's Figures 3 and 4 show the lattice and the curves of their simulated runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import polars as pl

from inexmetrics.inference.means import TOLERANCE
from inexmetrics.measures.base import Axes
from inexmetrics.report.charts import parts as draw
from inexmetrics.simulations.passage_runs import run_of

__all__ = ["degradation_figure", "fidelity_figure"]

DEGRADED_WIDTH: Final = 300
DEGRADED_HEIGHT: Final = 240
LABELS: Final = 3
"""Maximum number of curves with a label, apart from the first curve. The label is the probability that a result is moved."""
HALO: Final[draw.Spec] = {"fill": draw.PAGE, "stroke": draw.PAGE, "strokeWidth": 4}
"""Outline of a text in the colour of the page, which keeps the text legible on a line."""


def degradation_figure(tables: draw.Tables, axes: Mapping[str, Axes]) -> draw.Figure:
    """Plots the means under all measures in one panel, against the probability of moving a result.

    For each measure with curves, a further panel shows one curve for each probability of moving a result.
    """
    rows = tables["degradation"].drop_nulls("value")
    measures, curves = rows.filter(pl.col("level").is_null()), rows.drop_nulls("level")
    conditions = dict(draw.by_condition(measures))
    values = [part.select("move", "value", condition=pl.lit(title)) for title, part in conditions.items()]
    # a legend next to the panel would separate the panels, so the legend is below, in as many columns as fit
    columns = max(1, DEGRADED_WIDTH // (7 * max(map(len, conditions), default=1) + 30))
    title = "mean over topics" if len(conditions) > 1 else f"mean {next(iter(conditions), '')}"
    falls: draw.Spec = {
        **draw.sized(pl.concat(values) if values else measures.select("move", "value"), DEGRADED_WIDTH, DEGRADED_HEIGHT),
        **draw.marks(
            {"type": "line", "strokeWidth": 2, "point": {"size": 36, "filled": True}},
            x=draw.quantity("move", "probability of moving"),
            y=draw.quantity("value", title, scale={"domain": [0, 1]}),
            **draw.line_channels(
                "condition", [*conditions], {**draw.SYMBOLS, **draw.BELOW, "columns": columns} if len(conditions) > 1 else None
            ),
        ),
    }
    parts = [draw.Panel("measures", falls, ["against the probability of moving"])]
    parts += [draw.Panel(title, _degraded_curves(part, axes[part["measure"][0]])) for title, part in draw.by_condition(curves)]
    notes = ["one curve for each probability that an element moves; some curves are labelled with it"] if curves.height else []
    return ["mean over topics, of ideal runs whose elements were moved up or down their trees", *notes], draw.Panels(
        parts, abreast=2, lowest=draw.FLAT
    )


def _degraded_curves(rows: pl.DataFrame, axes: Axes) -> draw.Spec:
    """Plots one condition's curves, darker if fewer results are moved; some curves are labelled with the probability of moving a result."""
    moves = rows["move"].unique().sort().to_list()
    x = draw.quantity("level", axes.level, scale={"domain": [0, 1]})
    y = draw.quantity("value", axes.value, scale={"domain": [0, 1]})
    apart = (len(draw.MOVES) - 1) / max(len(moves) - 1, 1)  # the shades are evenly spread over the probabilities
    shades = [draw.MOVES[round(place * apart) % len(draw.MOVES)] for place in range(len(moves))]
    color = draw.category("move", scale={"domain": moves, "range": shades}, legend=None)
    lines = draw.marks({"type": "line", "strokeWidth": 1.6, "interpolate": "linear"}, x=x, y=y, color=color)
    labelled = moves[:: -(-(len(moves) - 1) // LABELS) or 1]
    texts = [
        draw.marks({"type": "text", "fontSize": 11, **look}, x=x, y=y, text=draw.quantity("move", None, format="~g"))
        for look in (HALO, {"fill": draw.INK})
    ]
    # labels are written at the level at which the smallest distance between two labelled curves is largest
    gaps = {
        level: min((abs(first - second) for first, second in pairwise(sorted(part["value"]))), default=0.0)
        for (level,), part in rows.filter(pl.col("move").is_in(labelled)).group_by("level", maintain_order=True)
    }
    named = rows.filter(pl.col("move").is_in(labelled), pl.col("level") == max(gaps, key=lambda level: gaps[level]))
    return {
        **draw.sized(rows.select("move", "level", "value"), DEGRADED_WIDTH, DEGRADED_HEIGHT),
        "layer": [lines, *(draw.over(named.select("move", "level", "value"), text) for text in texts)],
    }


WIDTH, HEIGHT = 340, 250
COLUMNS: Final = ("SLD", "SL", "S", "SS", "SST")
"""Names of the sets of retrieved document parts, one set per column of the lattice. The two runs of each expected ordering are in the same
column or in neighbouring columns."""
ROWS: Final = {"R": (0.0, 0), "RS": (-0.2, 1), "RI": (0.2, 2), "RSI": (0.0, 3)}
"""Position of each document ranking in the lattice: horizontal offset from the centre of the column, and row, counted from the top."""
KEY: Final = (
    "parts: passages (S), the elements around them (SL), their documents (SLD), elements inside them (SS), without children (SST); "
    "rankings: right (R), first two documents exchanged (RS), one not relevant ahead (RI), both (RSI)"
)

SHADES: Final = [step / (len(draw.GAINS) - 1) for step in range(len(draw.GAINS))]
"""Mean scores that correspond to the shades of the lattice, from light to dark."""
FAILED: Final = "datum.upheld === false"
TIED: Final = f"abs(datum.difference) <= {TOLERANCE}"


def fidelity_figure(tables: draw.Tables, axes: Mapping[str, Axes]) -> draw.Figure:
    """Plots the mean of each run in a lattice of document parts and document rankings; lines show whether each expected ordering holds."""
    placed = pl.DataFrame(
        [
            (run_of(parts, ranking), parts, ranking, column + aside, row)
            for column, parts in enumerate(COLUMNS)
            for ranking, (aside, row) in ROWS.items()
        ],
        schema=["run_id", "parts", "ranking", "x", "y"],
        orient="row",
    )
    parts = []
    for (measure,), orderings in tables["orderings"].group_by("measure", maintain_order=True):
        means = tables["means"].filter(pl.col("measure") == measure)
        difference = orderings["difference"].drop_nulls()
        outcomes = {"in order": difference > TOLERANCE, "tied": difference.abs() <= TOLERANCE, "reversed": difference < -TOLERANCE}
        counts = ", ".join(f"{found.sum()} {outcome}" for outcome, found in outcomes.items())
        title = [str(measure), f"{counts} of {orderings.height}"]
        parts.append(draw.Panel(str(measure), _lattice(means, orderings, placed), title))
    notes = [": ".join(parts[0].lines)] if len(parts) == 1 else []
    if "curves" in tables:
        of_best = tables["curves"].filter(pl.col("ranking") == next(iter(ROWS)))
        for (measure,), rows in of_best.group_by("measure", maintain_order=True):
            if ((1.0 - rows["value"]).abs() <= TOLERANCE).all():
                notes.append(f"{measure}: every curve is 1 at every level, and is not drawn")
            else:
                title = [f"{measure}: curves", "runs in ranking R"]
                parts.append(draw.Panel(f"{measure} curves", _curves(rows, axes[str(measure)]), title))
    lines = "lines: pairs of runs with an expected order, in this order (blue), tied (grey, dotted) or reversed (orange, dashed)"
    shown = "means of the simulated runs; better parts are in the middle, better rankings above"
    return [shown, lines, KEY, *notes], draw.Panels(parts, abreast=2, lowest=draw.FLAT)


def _lattice(means: pl.DataFrame, orderings: pl.DataFrame, placed: pl.DataFrame) -> draw.Spec:
    nodes = placed.join(means, on=["parts", "ranking"], how="left", maintain_order="left").drop("measure").drop_nulls("mean")
    at = placed.select("run_id", "x", "y")
    lines = (
        orderings.drop("measure")
        .join(at, left_on="expected_better", right_on="run_id", how="left", maintain_order="left")
        .join(at, left_on="expected_worse", right_on="run_id", how="left", maintain_order="left", suffix="_worse")
    )
    x = {"scale": {"domain": [-0.6, len(COLUMNS) - 0.4], "nice": False}, "axis": _names(COLUMNS, orient="top")}
    y = {"scale": {"domain": [len(ROWS) - 0.6, -0.4], "nice": False}, "axis": _names(tuple(ROWS), orient="left")}
    edges = draw.marks(
        {"type": "rule", "strokeWidth": 2},
        x=draw.quantity("x", None, **x),
        y=draw.quantity("y", None, **y),
        x2={"field": "x_worse"},
        y2={"field": "y_worse"},
        color={"condition": [{"test": FAILED, "value": draw.WORSE}, {"test": TIED, "value": draw.FAINT}], "value": draw.SPAN},
        strokeDash={"condition": [{"test": FAILED, "value": [5, 3]}, {"test": TIED, "value": [2, 2]}], "value": [1, 0]},
        tooltip=draw.tips("expected_better", "expected_worse", "difference", "wins", "ties", "losses", "p_value"),
    )
    place = {"x": draw.quantity("x", None), "y": draw.quantity("y", None)}
    boxes = draw.marks(
        {"type": "rect", "width": 40, "height": 17, "cornerRadius": 3, "stroke": draw.PAGE},
        **place,
        color=draw.quantity("mean", None, scale={"domain": SHADES, "range": list(draw.GAINS)}, legend=None),
        tooltip=draw.tips("run_id", "mean"),
    )
    numbers = draw.marks(
        {"type": "text", "fontSize": 10},
        **place,
        text=draw.quantity("mean", None, format=".4f"),
        color={"condition": {"test": "datum.mean > 0.7", "value": "white"}, "value": "#1b1f23"},
    )
    layers = [draw.over(rows, drawn) for rows, drawn in ((lines, edges), (nodes, boxes), (nodes, numbers))]
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def _curves(rows: pl.DataFrame, axes: Axes) -> draw.Spec:
    """Plots one curve for each of the five sets of document parts, from runs with the same document ranking."""
    of_parts = [
        ("S", draw.MAIN, [1, 0]),
        ("SL", draw.GREEN, [7, 2]),
        ("SLD", draw.FAINT, [2, 2]),
        ("SS", draw.YELLOW, [1, 0]),
        ("SST", draw.RED, [8, 3, 2, 3]),
    ]
    names, colours, dashes = (list(column) for column in zip(*of_parts, strict=True))
    return {
        **draw.sized(rows.select("parts", "level", "value").drop_nulls("value"), WIDTH, HEIGHT),
        **draw.marks(
            {"type": "line", "strokeWidth": 2},
            x=draw.quantity("level", axes.level, scale={"domain": [0, 1]}),
            y=draw.quantity("value", axes.value, scale={"domain": [0, 1]}),
            color=draw.category("parts", scale={"domain": names, "range": colours}, legend=draw.SYMBOLS),
            strokeDash=draw.category("parts", scale={"domain": names, "range": dashes}, legend=draw.SYMBOLS),
        ),
    }


def _names(names: tuple[str, ...], orient: str) -> draw.Spec:
    """Returns an axis whose labels are names in place of the numbers 0, 1, 2 and so on."""
    listed = ", ".join(f"'{name}'" for name in names)
    labels = {"values": list(range(len(names))), "labelExpr": f"[{listed}][datum.value]", "orient": orient, "grid": False}
    return {**labels, **draw.UNRULED, "labelPadding": 6, "labelFontSize": 12}
