"""Charts of power, reliability, agreement and the cost of experiment plans as functions of the number of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.common import cells, errors, messages
from inexmetrics.inference.power import effect_size, power_of_t, unbeaten
from inexmetrics.inference.variance_components import Components
from inexmetrics.report.charts import parts as draw

__all__ = ["design_figure", "draws_figure", "power_figure", "reliability_figure"]

POINTS: Final = 100
"""Number of points at which a curve is computed, in addition to the points that are marked with dots."""
AT_LEAST: Final = 100
"""The axis extends to at least this number of topics."""
BEYOND: Final = 1.2
"""End of the axis as a multiple of the number of topics needed."""
WIDTH, HEIGHT = 320, 260
LOWEST: Final = 0.65
"""Minimum height of a panel, as a share of the panel's full height."""
AXIS: Final = "topics (log scale)"
TICKS: Final = [base * 10**power for power in range(16) for base in (1, 2, 5)]


def power_figure(tables: draw.Tables, alpha: float, tails: int) -> draw.Figure:
    """Plots power against the number of topics, with one curve for each difference.

    Dots mark given numbers of topics, and dashed lines mark the numbers of topics needed for the requested power.
    """
    needed = dict(draw.by_condition(tables["needed"].drop_nulls("sd")))
    x = draw.quantity("topics", AXIS)
    text: draw.Spec = {"type": "text", "align": "left", "baseline": "bottom", "dx": 3, "fontSize": 11, "fill": "currentColor", "dy": -3}
    drop = draw.marks({"type": "rule", **draw.DASHED}, x=x, y=draw.quantity("power", "power"), y2={"datum": 0})
    foot = draw.marks(text, x=x, y={"datum": 0}, text=draw.quantity("topics", None, format="d"))
    parts = []
    for title, part in draw.by_condition(tables["power"].drop_nulls("power")):
        reached = needed[title].select("topics", "power", line=_lines_of(needed[title])).drop_nulls("topics")
        dots = part.select("topics", value="power", line=_lines_of(part))
        end = max(AT_LEAST, *dots["topics"], *(math.ceil(BEYOND * topics) for topics in reached["topics"]))
        at = _numbers(end, {*dots["topics"], *reached["topics"]})
        asked = needed[title].select(_lines_of(needed[title]), "difference", "sd").iter_rows()
        powers = {line: [power_of_t(effect_size(difference, sd), topics, alpha, tails) for topics in at] for line, difference, sd in asked}
        # a line from the curve down to the axis marks each number of topics needed for the requested power
        crossings = [draw.over(reached, {"layer": [drop, foot]})] if reached.height else []
        parts.append(draw.Panel(title, _lines(_points(at, powers), dots, "power", needed[title]["power"][0], lowest=0.0, under=crossings)))
    power = messages.canonical(float(tables["needed"]["power"][0]))
    notes = []
    for title, part in needed.items():
        found = part.select("topics", _lines_of(part)).iter_rows()
        counts = ", ".join(f"{'more than 2^53' if topics is None else topics} topics for {line}" for topics, line in found)
        notes.append(f"{title}: {counts}")
    each = "difference"
    if "repeats" in tables["power"].columns:
        several = tables["power"]["difference"].n_unique() > 1
        each = f"number of runs of each system{', and each difference' if several else ''}"
    shown = f"power of the t test by the number of topics, a curve for each {each}; dashed: power {power}, and the topics needed"
    return [shown, *notes], draw.Panels(parts, abreast=2, lowest=LOWEST)


def _lines_of(rows: pl.DataFrame) -> pl.Series:
    """Returns the label of each row's curve: the difference, the number of runs, or both."""
    differences = [messages.canonical(difference) for difference in rows["difference"]]
    if "repeats" not in rows.columns:
        return pl.Series("line", differences, pl.String)
    runs = [messages.plural(repeats, "run") for repeats in rows["repeats"]]
    alone = rows["difference"].n_unique() == 1
    return pl.Series("line", runs if alone else [f"{text}, {each}" for text, each in zip(differences, runs, strict=True)], pl.String)


def reliability_figure(tables: draw.Tables) -> draw.Figure:
    """Plots E rho^2 and Phi against the number of topics; for systems with several runs, plots only E rho^2, one curve per number of runs.

    Dots mark the available and the requested numbers of topics.
    """
    if "components" in tables:
        return _by_repeats(tables)
    names = {"e_rho2": "E rho^2", "phi": "Phi"}
    compared = []
    for title, part in draw.by_condition(tables["reliability"].drop_nulls(["e_rho2", "phi"])):
        run, topic, residual = part.select("var_run", "var_topic", "var_residual").row(0)
        at = _numbers(max(AT_LEAST, *part["topics"]), {*part["topics"]})
        found = [Components(run, topic, 0.0, 0.0, residual).reliability(topics) for topics in at]
        curves = _points(at, dict(zip(names.values(), zip(*found, strict=True), strict=True)))
        dots = part.unpivot([*names], index="topics", variable_name="line").unique(maintain_order=True)
        compared.append((title, curves, dots.with_columns(pl.col("line").replace(names)), None))
    return [
        "reliability (share of the variance due to runs) by the number of topics: E rho^2 for the order of runs, Phi for their means",
        "dots: the number of topics in the data, and the requested numbers",
    ], _reliabilities(compared)


def _by_repeats(tables: draw.Tables) -> draw.Figure:
    """Returns E rho^2 as a function of the number of topics, with one curve for each number of runs."""
    variances = {title: Components(*part["variance"]) for title, part in draw.by_condition(tables["components"].drop_nulls("variance"))}
    compared = []
    for title, part in draw.by_condition(tables["reliability"].drop_nulls("e_rho2")):
        at = _numbers(max(AT_LEAST, *part["topics"]), {*part["topics"]})
        of_repeats = {messages.plural(repeats, "run"): repeats for repeats in sorted({1, *part["repeats"]})}
        curves = {line: [variances[title].reliability(topics, repeats)[0] for topics in at] for line, repeats in of_repeats.items()}
        lines = pl.Series("line", [messages.plural(repeats, "run") for repeats in part["repeats"]], pl.String)
        dots = part.select("topics", lines, value="e_rho2").unique(maintain_order=True)
        compared.append((title, _points(at, curves), dots, part["e_rho2"][0]))
    return [
        "E rho^2, the reliability of the order of systems, by the number of topics; a curve for each number of runs of each system",
        "dashed: the reliability with the topics and runs of the data; dots: at these numbers, and at the requested numbers",
    ], _reliabilities(compared)


def _reliabilities(compared: Sequence[tuple[str, pl.DataFrame, pl.DataFrame, float | None]]) -> draw.Panels:
    """Returns a panel of reliability curves for each condition, with dots and an optional dashed line; all panels have the same scale."""
    lowest = min((math.floor(10 * min(curves["value"])) / 10 for _, curves, _, _ in compared), default=0.0)
    lowest = min(lowest, 0.9)  # the axis has a length even if all values are 1
    parts = [draw.Panel(title, _lines(curves, dots, "reliability", level, lowest=lowest)) for title, curves, dots, level in compared]
    return draw.Panels(parts, abreast=2, lowest=LOWEST)


def _numbers(end: int, marked: Set[int]) -> list[float]:
    """Returns the numbers of topics at which a curve is computed: geometrically spaced numbers up to `end`, and the numbers in `marked`."""
    first = min(2, *marked)
    return sorted({*map(float, marked), *np.geomspace(first, end, POINTS)[1:-1].tolist(), float(first), float(end)})


def _points(at: Sequence[float], curves: Mapping[str, Sequence[float | None]]) -> pl.DataFrame:
    return pl.concat(pl.DataFrame({"topics": at, "value": values, "line": [name] * len(at)}) for name, values in curves.items())


def _lines(
    curves: pl.DataFrame, dots: pl.DataFrame, value: str, level: float | None, *, lowest: float, under: Sequence[draw.Spec] = ()
) -> draw.Spec:
    """Returns a view of curves by number of topics, with dots, the name of each curve at its end, and a line at the target level."""
    first, end = curves["topics"][0], curves["topics"][-1]
    x = draw.quantity(
        "topics",
        AXIS,
        scale={"type": "log", "domain": [first, end], "nice": False},
        axis={"values": [tick for tick in TICKS if first <= tick <= end], "format": "d", "grid": False, "labelOverlap": True},
    )
    y = draw.quantity("value", value, scale={"domain": [lowest, 1.0], "nice": False}, axis={"tickCount": 6})
    names = curves["line"].unique(maintain_order=True).to_list()
    colours = [draw.CATEGORIES[place % len(draw.CATEGORIES)] for place in range(len(names))]
    colour = draw.category("line", scale={"domain": names, "range": colours}, legend=None)
    levels = [] if level is None else [draw.over(pl.DataFrame({"value": [level]}), draw.marks({"type": "rule", **draw.DASHED}, y=y))]
    line = draw.marks({"type": "line", "strokeWidth": 2}, x=x, y=y, color=colour)
    dot: draw.Spec = {"type": "point", "filled": True, "size": 36, "opacity": 1, "stroke": draw.PAGE, "strokeWidth": 0.8}
    dotted = draw.marks(dot, x=x, y=y, color=colour, tooltip=draw.tips("line", "topics", "value"))
    ends = curves.filter(pl.col("topics") == end).select("topics", "value", "line")
    labels = draw.end_labels(ends, colour, x=x, y=y, height=HEIGHT * LOWEST)
    return {"width": WIDTH, "height": HEIGHT, "layer": [*levels, *under, draw.over(curves, line), draw.over(dots, dotted), labels]}


PAIR: Final = ("measure", "predictor", "truth")
RATIOS: Final = {"precision": "precision", "recall": "recall", "f1": "F1"}
SIDE: Final = 200
SPAN: Final = (0.025, 0.975)


BY: Final = {"topics": "topics", "share": "share of the judgements"}
"""The numbers against which draws are plotted, each with the title of the axis."""


def draws_figure(tables: draw.Tables, drawn: Mapping[str, tuple[float, str]], by: Literal["topics", "share"] = "topics") -> draw.Figure:
    """Plots precision, recall and F1 against the number of topics, or against the share of the judgements, in one panel each.

    Each panel shows the value over all samples, and the range that contains the values of 95 % of the samples.

    Args:
        tables: The tables ``agreement`` and ``draws``.
        drawn: Maps each predictor that uses a sample to two values: the number of topics or the share in the sample, and the name of the
            series to which the predictor belongs.
        by: The meaning of the numbers.
    """
    ratios = tables["draws"].group_by(PAIR, maintain_order=True).agg(
        *(pl.col(name).quantile(share, "linear").alias(f"{name}_{end}") for name in RATIOS for end, share in zip(("low", "high"), SPAN, strict=True))
    )  # fmt: skip
    # table ``agreement`` has a column precision_high with another meaning
    rows = tables["agreement"].select(*PAIR, *RATIOS).join(ratios, on=PAIR, how="left", nulls_equal=True, maintain_order="left")
    rows = rows.filter(pl.col("predictor").is_in(list(drawn)))
    on_all = rows.filter(~pl.col("truth").is_in(list(drawn)))
    rows = on_all if on_all.height else rows
    if rows.is_empty():
        raise errors.CollectionError("there is nothing to draw: no predictor uses a sample of the topics or of the judgements")
    named = rows.with_columns(
        pl.col("predictor").replace_strict({name: n for name, (n, _) in drawn.items()}, return_dtype=pl.Float64).alias(by),
        series=pl.col("predictor").replace_strict({name: series for name, (_, series) in drawn.items()}, return_dtype=pl.String),
    )
    alone = by == "share" and named.select("measure", "truth").n_unique() == 1
    if not alone:  # one truth is named in the note, so that the legend holds the ways to judge
        of_measure = pl.when(pl.col("measure").is_null()).then("series").otherwise(_condition("series"))
        named = named.with_columns(series=of_measure + " predicts " + _condition("truth"))
    last = max(drawn[name][0] for name in named["predictor"])
    lines = named["series"].unique(maintain_order=True).to_list()
    ticks: draw.Spec = {"tickMinStep": 1} if by == "topics" else {}
    x = draw.quantity(by, BY[by], scale={"domain": [0, last], "nice": True}, axis={**ticks, "tickCount": 5, "grid": False})
    channels = draw.line_channels("series", lines, draw.SYMBOLS if len(lines) > 1 else None)
    colour = {**channels["color"]} if isinstance(channels["color"], dict) else draw.category("series")
    dot: draw.Spec = {"type": "point", "filled": True, "size": 44, "opacity": 1}
    parts = []
    for name, title in RATIOS.items():
        shown = named.select("series", by, value=name, low=f"{name}_low", high=f"{name}_high").drop_nulls("value")
        y = draw.quantity("value", title, scale={"domain": [0, 1]}, axis={"tickCount": 6})
        layers = [
            draw.marks({"type": "line", "strokeWidth": 2}, x=x, y=y, **channels),
            draw.marks({"type": "rule", "strokeWidth": 1.6}, x=x, y=draw.quantity("low", title), y2={"field": "high"}, color=colour),
            draw.marks(dot, x=x, y=y, color=colour, tooltip=draw.tips("series", by, "value", "low", "high")),
        ]
        parts.append(draw.Panel(title, {**draw.sized(shown, SIDE, SIDE), "layer": layers}))
    number = "number of topics" if by == "topics" else BY[by]
    truth = f"; truth: {named['truth'][0]}" if alone else ""
    notes = f"by the predictor's {number}{truth}; dots: all draws together; bars: from the 2.5 % to the 97.5 % quantile of the draws"
    return [notes], draw.Panels(parts, legend="shared", room=200)


def _condition(quantisation: str) -> pl.Expr:
    """Returns the condition that combines a measure and a quantisation."""
    named = pl.concat_str("measure", pl.lit(" ~ "), quantisation)
    return pl.when(pl.col("measure").is_null()).then(quantisation).when(pl.col(quantisation) == "1").then("measure").otherwise(named)


PLAN_WIDTH, PLAN_HEIGHT = 300, 220
WIDE: Final = 10
"""Minimum ratio of the highest to the lowest cost for which the axis of costs is logarithmic."""
VALUES: Final = {"power": "power", "f1": "F1 of the conclusions"}


def design_figure(tables: draw.Tables, power: float) -> draw.Figure:
    """Plots the power and the F1 of plans against their costs, for each measure; a line connects the plans that are not dominated."""
    rows = tables["design"].drop_nulls("power")
    if rows.is_empty():
        raise errors.CollectionError("there is nothing to draw: the variance of the differences between runs is unknown")
    if "share" in rows.columns:  # a share of documents is another way to judge
        part_of = pl.format("{} (share {})", "quantisation", pl.col("share").map_elements(messages.canonical, return_dtype=pl.String))
        rows = rows.with_columns(quantisation=pl.when(pl.col("share") < 1.0).then(part_of).otherwise("quantisation"))
    conditions = rows["quantisation"].unique(maintain_order=True).to_list()
    several = rows["measure"].n_unique() > 1
    parts = []
    for (measure,), part in rows.group_by("measure", maintain_order=True):
        for name, title in VALUES.items():
            shown = part.drop_nulls(name)
            if shown.height:
                panel = f"{measure}: {title}" if several else title
                parts.append(
                    draw.Panel(panel, _panel(shown, name, title, conditions, costs=part["cost"], level=power if name == "power" else None))
                )
    [level] = cells.in_few_decimals([power])
    notes = f"each point is a plan; line: plans that no cheaper plan equals, with numbers of topics; dashed: power {level}"
    return [notes], draw.Panels(parts, abreast=2, legend="shared")


def _panel(rows: pl.DataFrame, name: str, title: str, conditions: list[str], *, costs: pl.Series, level: float | None) -> draw.Spec:
    lowest, highest = float(costs.to_numpy().min()), float(costs.to_numpy().max())  # of both panels, which have the same axis
    wide = lowest > 0 and highest / lowest >= WIDE
    log: draw.Spec = {"type": "log" if wide else "linear", "domain": [lowest if wide else 0, highest], "nice": True}
    x = draw.quantity("cost", "cost", scale=log, axis={"format": "~s", "tickCount": 5, "labelOverlap": True, "grid": False})
    y = draw.quantity("value", title, scale={"domain": [0, 1]}, axis={"tickCount": 6})
    shown = rows.select("quantisation", "topics", "judgements", "cost", value=name).with_columns(
        best=pl.Series(unbeaten(rows["cost"].to_numpy(), rows[name].to_numpy()))
    )
    colours = [draw.CATEGORIES[place % len(draw.CATEGORIES)] for place in range(len(conditions))]
    shapes = [("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")[place % 6] for place in range(len(conditions))]
    legend = {"title": "judged by"} if len(conditions) > 1 else None
    channels = {
        channel: {"field": "quantisation", "type": "nominal", "title": None, "sort": conditions, "scale": {"domain": conditions, "range": values}, "legend": legend}
        for channel, values in (("color", colours), ("shape", shapes))
    }  # fmt: skip
    frontier = draw.over(
        shown.filter("best").sort("cost", "value"),
        draw.marks({"type": "line", "strokeWidth": 1.6, "color": draw.FAINT}, x=x, y=y, order=draw.quantity("cost", None)),
    )
    dot: draw.Spec = {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": draw.PAGE, "strokeWidth": 0.8}
    text: draw.Spec = {"type": "text", "align": "left", "dx": 5, "dy": -8, "fontSize": 11, "fill": "currentColor"}
    layers: list[draw.Spec] = [
        frontier,
        draw.marks(dot, x=x, y=y, **channels, tooltip=draw.tips("quantisation", "topics", "judgements", "cost", "value")),
        draw.over(
            shown.filter("best"), draw.marks(text, x=x, y=y, text=draw.quantity("topics", None, format="d"))
        ),  # the text at all points would overlap
    ]
    if level is not None:
        layers.insert(0, draw.over(pl.DataFrame({"value": [level]}), draw.marks({"type": "rule", **draw.DASHED}, y=y)))
    return {"data": {"values": shown.to_dicts()}, "width": PLAN_WIDTH, "height": PLAN_HEIGHT, "layer": layers}
