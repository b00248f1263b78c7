"""Charts of runs: a dot, a line or a range of ranks for each run, and the means of runs against a numeric parameter of the conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import polars as pl

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.common.messages import canonical
from inexmetrics.measures.base import Axes, Cut, Measure
from inexmetrics.report.charts import parts as draw
from inexmetrics.terms import Integer, parameters

__all__ = ["Condition", "Sweep", "curve_figure", "rank_labels", "ranks_figure", "scores_figure", "sweep_notes", "swept", "swept_means"]

Condition = tuple[str, str]
"""A condition, identified by the names of its measure and its quantisation."""
FEWEST: Final = 3
"""Minimum number of conditions in a shared panel; two conditions are easier to compare in two panels side by side."""
LABELLED: Final = 8
"""Maximum number of runs that are all coloured and labelled; if there are more runs, only the best few are coloured and labelled."""
STANDING_OUT: Final = 5
WIDE: Final = 8
"""Minimum ratio of the largest to the smallest value for a logarithmic axis."""
DOTS: Final = 24
"""Maximum number of values on the axis for which every value has a dot and a label."""
WIDTH, HEIGHT = 360, 280


@dataclass(frozen=True, slots=True)
class Sweep:
    """Conditions that differ in one number, such as a cutoff.

    Attributes:
        name: The measure with "…" in place of the number, such as ``char_rec(budget=…)``.
        quantisation: The quantisation of all conditions, as a string.
        axis: The name of the parameter in which the conditions differ.
        values: The value of the parameter under each condition.
    """

    name: str
    quantisation: str
    axis: str
    values: Mapping[Condition, float]


def swept(conditions: Iterable[tuple[Measure, Condition]]) -> dict[Condition, Sweep]:
    """Maps each condition to its sweep; conditions without a sweep are omitted.

    A sweep contains at least three conditions with the same quantisation, whose measures differ only in one number.

    Examples:
        >>> from inexmetrics import MAP, char_rec
        >>> measures = [MAP, *(char_rec(budget=n) for n in (100, 200, 400))]
        >>> found = swept((measure, (str(measure), "1")) for measure in measures)
        >>> [(sweep.name, sweep.axis, [*sweep.values.values()]) for sweep in found.values()][:1], len(found)
        ([('char_rec(budget=…)', 'budget', [100, 200, 400])], 3)
    """
    alike: dict[tuple[str, str, str], dict[Condition, float]] = {}
    of: dict[Condition, list[tuple[str, str, str]]] = {}
    for measure, condition in conditions:
        term, cut = (measure.family, f"@{canonical(measure.at)}") if isinstance(measure, Cut) else (measure, "")
        # for each numeric parameter: its name, its value, and the text of the measure with "…" in place of the value
        numbers = [
            (parameter, value, term.text_without(parameter) + cut)
            for parameter in parameters(type(term))
            if isinstance(value := getattr(term, parameter), int | float) and not isinstance(value, bool)
        ]
        if isinstance(measure, Cut):
            at = "rank" if isinstance(measure.family.cuts, Integer) else "recall level"
            numbers.append((at, measure.at, f"{measure.family}@…"))
        for axis, value, name in numbers:
            key = (name, condition[1], axis)
            alike.setdefault(key, {})[condition] = value
            of.setdefault(condition, []).append(key)
    chosen = {condition: max(keys, key=lambda key: len(alike[key])) for condition, keys in of.items()}
    members = {key: {each: value for each, value in values.items() if chosen[each] == key} for key, values in alike.items()}
    sweeps = {key: Sweep(*key, values) for key, values in members.items() if len(values) >= FEWEST}
    return {condition: sweeps[key] for condition, key in chosen.items() if key in sweeps}


def swept_means(rows: pl.DataFrame, sweep: Sweep) -> draw.Spec:
    """Returns a view of the means of a sweep, with a line for each run; the best runs are labelled at the ends of their lines."""
    points = rows.select(
        "run_id",
        "mean",
        "low",
        "high",
        at=pl.Series([sweep.values[key] for key in rows.select("measure", "quantisation").rows()], dtype=pl.Float64),
    ).sort("at", maintain_order=True)
    heights = points.group_by("run_id").agg(pl.col("mean").mean()).sort("mean", "run_id", descending=[True, False])
    runs = heights["run_id"].to_list()
    named = runs if len(runs) <= LABELLED else runs[:STANDING_OUT]
    numbers = points["at"].unique().sort()
    first, last = numbers[0], numbers[-1]
    wide = first > 0 and last >= WIDE * first
    scale: draw.Spec = {"type": "log" if wide else "linear", "domain": [first, last], "nice": False, "zero": False}
    few = len(numbers) <= DOTS
    axis: draw.Spec = {**({"values": numbers.to_list()} if few else {}), "format": ".6~r", "grid": False, "labelOverlap": True}
    lowest, highest = min(0.0, *points["mean"]), max(points["mean"]) * 1.04 or 1.0
    x = draw.quantity("at", sweep.axis + (" (log scale)" if wide else ""), scale=scale, axis=axis)
    y = draw.quantity("mean", f"mean {sweep.name}", scale={"domain": [lowest, highest], "nice": False})
    color = draw.category(
        "run_id",
        scale={"domain": named, "range": [draw.CATEGORIES[place % len(draw.CATEGORIES)] for place in range(len(named))]},
        legend=None,
    )
    shown = pl.col("run_id").is_in(named)
    ends = points.filter(shown & (pl.col("at") == last)).select("run_id", "at", "mean")
    dot: draw.Spec = {"type": "point", "filled": True, "size": 30 if few else 0, "opacity": 1, "stroke": draw.PAGE, "strokeWidth": 0.6}
    layers = [
        draw.over(points.filter(shown), draw.marks({"type": "line", "strokeWidth": 2}, x=x, y=y, color=color)),
        draw.over(points.filter(shown), draw.marks(dot, x=x, y=y, color=color, tooltip=draw.tips("run_id", "at", "mean", "low", "high"))),
        draw.end_labels(heights.select("run_id").join(ends, on="run_id", maintain_order="left"), color, x=x, y=y, height=HEIGHT),
    ]
    if len(named) < len(runs):
        thin: draw.Spec = {"type": "line", "strokeWidth": 0.7, "color": draw.FAINT}
        layers.insert(0, draw.over(points.filter(~shown), draw.marks(thin, x=x, y=y, detail={"field": "run_id", "type": "nominal"})))
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def sweep_notes(runs: int) -> list[str]:
    """Returns the notes below the title of a sweep's chart, given the number of runs."""
    best = [f"the {STANDING_OUT} runs with the highest means, of {runs}, stand out"] if runs > LABELLED else []
    return ["lines: mean over topics of each run, against the number in which the measures differ", *best]


ROW: Final = 15
"""Height, in pixels, of the row of one run in a chart."""


# ------------------------------------------------------------------------------------------------ scores


def scores_figure(tables: draw.Tables, sweeps: Mapping[Condition, Sweep], confidence: float) -> draw.Figure:
    """Plots means of runs, with confidence intervals and interquartile ranges over topics; all panels list the runs in the same order.

    Conditions that differ only in one number share a panel, which shows the means against this number.
    """
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
    drawn: dict[str, tuple[Sweep | None, list[pl.DataFrame]]] = {}
    for title, part in draw.by_condition(rows):
        sweep = sweeps.get(part.select("measure", "quantisation").row(0))
        drawn.setdefault(title if sweep is None else condition_text(sweep.name, sweep.quantisation), (sweep, []))[1].append(part)
    parts: list[draw.Panel] = []
    for title, (sweep, of_panel) in drawn.items():
        if sweep is None:
            (part,) = of_panel
            # a measure has the same axis under each quantisation
            ends = rows.filter(measure=part["measure"][0]).select(pl.concat_list("mean", "low", "high", "lower", "upper").explode())
            low, high = (pick([0.0, *ends.to_series().drop_nulls()]) for pick in (min, max))
            room = 0.02 * (high - low) or 1.0
            parts.append(draw.Panel(title, _means(part, order, [low - room, high + room])))
        else:
            parts.append(draw.Panel(title, swept_means(pl.concat(of_panel), sweep)))
    without = rows["low"].null_count()
    lines = "; no line: no interval" if 0 < without < rows.height else ""
    dots = (
        "dot: mean over topics; no interval"
        if without == rows.height
        else f"dot and line: mean over topics, and its {draw.level_text(confidence)} interval{lines}"
    )
    shown = [dots, "bar and tick: middle half of the topics, and their median"]
    if rows["topics"].max() == 1:
        shown = ["dot: mean over topics; one topic: no interval"]
    if sweeps:
        bars = any(sweep is None for sweep, _ in drawn.values())
        shown = [*(shown if bars else []), *sweep_notes(len(order))]
    return shown, draw.Panels(parts)


def _means(rows: pl.DataFrame, order: list[str], reach: list[float]) -> draw.Spec:
    place = draw.category("run_id", sort=order, axis={"grid": True, "gridDash": [1, 3], **draw.UNRULED, "labelPadding": 6})
    score: draw.Spec = {"scale": {"domain": reach, "nice": False, "zero": False}, "axis": {"tickCount": 6}}
    bar: draw.Spec = {"type": "bar", "height": 8, "color": draw.FAINT, "fillOpacity": draw.PALE, "stroke": draw.FAINT, "strokeWidth": 0.8}
    tick: draw.Spec = {"type": "tick", "thickness": 1.5, "size": 8, "color": draw.FAINT, "opacity": 1}
    dot: draw.Spec = {"type": "point", "filled": True, "size": 40, "color": draw.MAIN, "opacity": 1}
    measure, shown = rows["measure"][0], draw.tips("run_id", "mean", "low", "high", "lower", "upper")
    return {
        **draw.sized(rows.select("run_id", "mean", "low", "high", "lower", "middle", "upper"), 300, {"step": ROW}),
        "layer": [
            draw.marks(bar, y=place, x=draw.quantity("lower", measure, **score), x2={"field": "upper"}),
            draw.marks(tick, y=place, x=draw.quantity("middle", measure, **score)),
            draw.interval(place, measure, color={"value": draw.MAIN}, **score),
            draw.marks(dot, y=place, x=draw.quantity("mean", measure, **score), tooltip=shown),
        ],
    }


# ------------------------------------------------------------------------------------------------ lines


def curve_figure(tables: draw.Tables, axes: Mapping[str, Axes]) -> draw.Figure:
    """Plots the curves of the runs for each measure and, for measures based on gains, also the curve of the ideal ranking.

    If a chart has many runs, only the best runs are coloured.
    """
    rows = tables["curve"].drop_nulls("value")
    gains = dict(draw.by_condition(tables["gains"].drop_nulls("xcg"))) if "gains" in tables else {}
    parts = []
    for title, part in draw.by_condition(rows):
        parts.append(draw.Panel(title, _lines(part, axes[part["measure"][0]], _best_first(part))))
        if title in gains:
            # the cumulated gain of each run at each rank, with the ideal ranking as a dashed line
            along_ranks, of_runs = Axes("rank", "cumulated gain, xCG"), gains[title]
            view = _lines(of_runs.select("run_id", level="rank", value="xcg"), along_ranks, _best_first(part))
            ideal = (
                of_runs.group_by("rank").agg(pl.col("xci").mean()).sort("rank").select(level="rank", value="xci", name=pl.lit("ideal, xCI"))
            )
            along, layers = _along(ideal, along_ranks), view["layer"]
            line = draw.over(ideal, draw.marks({"type": "line", "strokeWidth": 2, "interpolate": "linear", **draw.DASHED}, **along))
            label = draw.over(ideal.tail(1), draw.marks({"type": "text", "align": "right", "dy": -8}, **along, text={"field": "name"}))
            parts.append(draw.Panel(f"gain, {title}", {**view, "layer": [*(layers if isinstance(layers, list) else []), line, label]}))
    runs = rows["run_id"].n_unique()
    notes = [f"the {STANDING_OUT} runs with the highest curves, of {runs}, stand out"] if runs > LABELLED else []
    return ["means over topics", *notes], draw.Panels(parts, abreast=2, lowest=draw.FLAT)


def _best_first(rows: pl.DataFrame) -> list[str]:
    """Returns the runs, sorted by the mean of their curves, highest first."""
    heights = rows.group_by("run_id").agg(pl.col("value").mean()).sort("value", "run_id", descending=[True, False])
    return heights["run_id"].to_list()


def _along(rows: pl.DataFrame, axes: Axes) -> draw.Spec:
    """Returns the x channel, which encodes levels, and the y channel, which encodes values."""
    domain = [0, rows["level"].max()] if axes.level == "rank" else [0, 1]
    x = draw.quantity("level", axes.level, scale={"domain": domain})
    return {"x": x, "y": draw.quantity("value", axes.value, scale={"zero": True})}


def _lines(rows: pl.DataFrame, axes: Axes, order: Sequence[str]) -> draw.Spec:
    named = order if len(order) <= LABELLED else order[:STANDING_OUT]
    along = _along(rows, axes)
    points = rows.select("run_id", "level", "value")
    shown = pl.col("run_id").is_in(named)
    thick, thin = {"type": "line", "strokeWidth": 2, "interpolate": "linear"}, {"type": "line", "strokeWidth": 0.7, "color": draw.FAINT}
    layers = [draw.over(points.filter(shown), draw.marks(thick, **along, **draw.line_channels("run_id", named, draw.SYMBOLS)))]
    if len(named) < len(order):
        others = draw.marks(thin, **along, detail={"field": "run_id", "type": "nominal"})
        layers.insert(0, draw.over(points.filter(~shown), others))
    return {"width": 440, "height": 300, "layer": layers}


FEW: Final = 40
"""Maximum number of runs for which rows have the usual height; with more runs, rows are lower and some runs are not named."""
ASIDE: Final = 9
"""Distance, in pixels, between the columns in which tier numbers are written."""
EVERY_RANK: Final = 12
"""Maximum number of runs for which the axis labels every rank."""
LABELS: Final = 10
"""Maximum number of labels between the first and the last rank if the axis does not label every rank."""


def ranks_figure(tables: draw.Tables) -> draw.Figure:
    """Plots the runs, sorted by mean; a bar is the range of a run's possible ranks, and a band behind several runs is a tier."""
    summary = {(row["measure"], row["quantisation"]): row for row in tables["summary"].iter_rows(named=True)}
    parts, said = [], []
    for title, part in draw.by_condition(tables["ranks"]):
        counts = summary[part["measure"][0], part["quantisation"][0]]
        said.append(f"{counts['tied_with_best']} of {counts['runs']} runs may be the best; tiers: {counts['tiers']}")
        parts.append(draw.Panel(title, _ranges(part), [title, said[-1]]))
    shown = "dot: rank by mean; bar: possible ranks; bands: tiers"
    if max(counts["runs"] for counts in summary.values()) > FEW:
        shown += ", with their numbers; not all runs are named"
    return [shown, *(said if len(said) == 1 else [])], draw.Panels(parts, abreast=2)


def rank_labels(runs: int) -> list[int]:
    """Returns the labelled ranks of the axis.

    With at most `EVERY_RANK` runs, every rank is labelled. With more runs, the first rank, the last rank and multiples of a step are
    labelled. The step is 5, 10, 20, 50, or a larger number of this sequence. A multiple within half a step of the last rank is not
    labelled.

    Examples:
        >>> rank_labels(2), rank_labels(23)
        ([1, 2], [1, 5, 10, 15, 20, 23])
    """
    if runs <= EVERY_RANK:
        return list(range(1, runs + 1))
    step = next(base * 10**power for power in count() for base in (5, 10, 20) if runs <= base * 10**power * LABELS)
    between = range(step, runs, step)
    return [1, *(rank for rank in between if runs - rank > step / 2), runs]


def _ranges(rows: pl.DataFrame) -> draw.Spec:
    runs = rows.height
    few = runs <= FEW
    height = 15 if few else 5
    axis: draw.Spec = {**draw.UNRULED, "labelFontSize": 11 if few else 9, "labelPadding": 6, "labelOverlap": not few}
    scale: draw.Spec = {"domain": [0.5, runs + 0.5], "nice": False, "zero": False}
    place = draw.category("run_id", sort=rows["run_id"].to_list(), scale={"paddingInner": 0.0, "paddingOuter": 0.0}, axis=axis)
    first = pl.col("tier") != pl.col("tier").shift(1).fill_null(0)
    drawn = rows.select(
        "run_id", "mean", "rank", "best_rank", "worst_rank", "tier",
        left=pl.col("best_rank") - 0.4, right=pl.col("worst_rank") + 0.4, edge=pl.lit(0.5), end=pl.lit(runs + 0.5),
        shade=pl.col("tier") % 2, label=pl.when(first).then(pl.format("tier {}" if few else "{}", pl.col("tier"))).otherwise(pl.lit("")),
    )  # fmt: skip
    ring: draw.Spec = {"stroke": draw.PAGE, "strokeWidth": 1} if few else {}
    shown = draw.tips("run_id", "mean", "rank", "best_rank", "worst_rank", "tier")
    bands = draw.marks(
        {"type": "rect", "color": draw.FAINT},
        y=place,
        x=draw.quantity("edge", "rank", scale=scale),
        x2={"field": "end"},
        opacity={"condition": {"test": "datum.shade == 1", "value": 0.22}, "value": 0.06},
    )
    bars = draw.marks(
        {"type": "bar", "height": height * 0.45, "color": draw.SPAN},
        y=place, x=draw.quantity("left", "rank", scale=scale), x2={"field": "right"}, tooltip=shown,
    )  # fmt: skip
    dots = draw.marks(
        {"type": "point", "filled": True, "size": (4 if few else 2.6) * height, "color": draw.MAIN, "opacity": 1, **ring},
        y=place,
        x=draw.quantity("rank", "rank", scale=scale, axis={"values": rank_labels(runs), "grid": False, "format": "d"}),
        tooltip=shown,
    )
    aside: object = 6 if few else {"expr": f"6 + {ASIDE} * (datum.tier - 1)"}  # with many runs, each tier number has its own column
    tiers = draw.marks(
        {"type": "text", "align": "left", "dx": aside, "fontSize": 10 if few else 9, "fill": "currentColor"},
        y=place, x=draw.quantity("end", "rank", scale=scale), text={"field": "label"},
    )  # fmt: skip
    return {**draw.sized(drawn, 420, {"step": height}), "layer": [{"name": draw.BANDS, **bands}, bars, dots, tiers]}
