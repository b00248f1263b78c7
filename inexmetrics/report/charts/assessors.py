"""Charts of judges compared with a truth, and of the effects of replacing the assessors (Trotman and Jenkinson's Figures 2 to 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.inference.ranks import UNSTABLE, falling_line, fitted_buckets
from inexmetrics.report.charts import parts as draw
from inexmetrics.report.charts.favours import favour_panels

__all__ = ["assessors_figure", "judges_figure", "ppi_figure"]

WIDTH: Final = 310
HEIGHT: Final = 220
LEVEL: Final = draw.marks({"type": "rule", **draw.DASHED}, y={"datum": UNSTABLE})
"""Horizontal line at `UNSTABLE`, the maximum share of assessment sets that may reverse the order of a stable pair of runs."""
LABELLED: Final = 10
"""Maximum number of intervals between the labels of an axis."""
NAMED: Final = 10
"""Maximum number of pairs of runs whose names are written next to their points."""
SELDOM: Final = 0.01
"""The axis of differences covers every pair of runs whose order is reversed by more than this share of the assessment sets."""
CUT: Final = 0.7
"""The axis of differences is shortened only if its new end is below this share of the largest difference."""
LINES: Final = 11
"""Number of labels that fit one below another in a panel."""


def assessors_figure(tables: draw.Tables) -> draw.Figure:
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
    fitted = fitted_buckets(tables["buckets"])
    through = (
        "them" if rows.height == fitted else f"the first {fitted}" + (f", of which {rows.height} are drawn" if rows.height < fitted else "")
    )
    layers = [_bars(rows, _difference("lower", end), _switched("switch_probability")), LEVEL]
    if line is not None:
        intercept, slope = line
        ends = [{"difference": 0.0, "fitted": intercept}, {"difference": -intercept / slope, "fitted": 0.0}]
        falling = draw.marks(
            {"type": "line", "color": draw.WORSE, "strokeWidth": 1.6}, x=_difference("difference", end), y=_switched("fitted")
        )
        layers.append({"data": {"values": ends}, **falling})
    coefficients = tables["correlations"].drop_nulls("rho")
    panels = [
        (coefficients, draw.Panel("correlations", _coefficients(coefficients), ["rank correlation with the baseline, in steps of .01"])),
        (drawn, draw.Panel("switches", _pairs(drawn, end=end), ["all pairs of runs"])),
        (
            rows,
            draw.Panel(
                "buckets",
                {**draw.sized(rows, WIDTH, HEIGHT), "layer": layers},
                [f"all pairs, in buckets of .01, and the line through {through}"],
            ),
        ),
        (leaders, draw.Panel("leaders", _pairs(leaders, _names(leaders)), [f"pairs of the best {best} runs"])),
    ]
    parts = [panel for data, panel in panels if data.height]
    undefined = [f"not drawn, as it is undefined: {'; '.join(panel.lines)}" for data, panel in panels if not data.height]
    axis = f"share of the synthetic sets in which two runs switch, by the difference of the runs under the baseline; dashed: {UNSTABLE * 100:g} %"
    beyond = []
    if end is not None:
        left = pairs.filter(pl.col("difference") > end)
        seldom = f"at most {SELDOM * 100:g} % of the sets switch" if (left["switch_probability"] > 0.0).any() else "no set switches"
        beyond = [f"not drawn: {left.height} pairs that differ by more than {end:g}, which {seldom}"]
    unstable = int((leaders["switch_probability"] > UNSTABLE).sum())
    these = f"{NAMED} of the {unstable} pairs" if unstable > NAMED else "pairs"
    which = f"{these} of the best runs that switch in more than {UNSTABLE * 100:g} % of the sets"
    named = [f"named: {which}, with the p-value of their difference"]
    notes = [f"{tables['correlations'].height} synthetic assessment sets", axis, *beyond, *undefined, *(named if unstable else [])]
    return notes, draw.Panels(parts, lowest=draw.FLAT)


def _coefficients(rows: pl.DataFrame) -> draw.Spec:
    # bins of width 0.01; because of the small summand, rounding errors do not move a coefficient on an edge into the lower bin
    step = (100 * pl.col("rho") + 1e-9).floor()
    counts = rows.group_by(step.alias("step")).agg(pl.len().alias("sets")).sort("step")
    bars = counts.select(lower=pl.col("step") / 100, upper=(pl.col("step") + 1) / 100, sets="sets")
    edges: list[float] = []  # the labelled edges of bins
    if bars.height:
        first, last = round(100 * bars["lower"][0]), round(100 * bars["upper"][-1])
        edges = [edge / 100 for edge in range(first, last + 1, math.ceil((last - first) / LABELLED))]
    axis = {"values": edges, "format": ".2f", "grid": False}
    rho = draw.quantity("lower", "Spearman's rho", scale={"zero": False}, axis=axis)
    return {**draw.sized(bars, WIDTH, HEIGHT), **_bars(bars, rho, draw.quantity("sets", "sets", scale={"zero": True}))}


def _bars(rows: pl.DataFrame, x: draw.Spec, y: draw.Spec) -> draw.Spec:
    """Draws a bar from `lower` to `upper` for each row; the bar shows the values of the row on hover."""
    bar: draw.Spec = {"type": "rect", "color": draw.MAIN, "stroke": draw.PAGE, "strokeWidth": 1}
    return draw.marks(bar, x=x, x2={"field": "upper"}, y=y, y2={"datum": 0}, tooltip=_numbers(*rows.columns))


def _numbers(*names: str) -> list[draw.Spec]:
    return [{"field": name, "type": "quantitative"} for name in names]


def _pairs(rows: pl.DataFrame, under: Sequence[draw.Spec] = (), end: float | None = None) -> draw.Spec:
    runs, numbers = ("better", "worse"), ("difference", "switch_probability", "p_value")
    points = draw.marks(
        {"type": "point", "filled": True, "size": 26, "opacity": 1, "stroke": draw.PAGE, "strokeWidth": 0.4},
        x=_difference("difference", end),
        y=_switched("switch_probability"),
        color={"condition": {"test": f"datum.switch_probability > {UNSTABLE}", "value": draw.WORSE}, "value": draw.MAIN},
        tooltip=[*({"field": name, "type": "nominal"} for name in runs), *_numbers(*numbers)],
    )
    return {**draw.sized(rows.select(*runs, *numbers), WIDTH, HEIGHT), "layer": [*under, points, LEVEL]}


def _names(rows: pl.DataFrame) -> list[draw.Spec]:
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
        height=pl.Series(draw.apart(shares, gap, max(UNSTABLE + gap / 2, gap))),
        label=pl.format("{}, {} ({})", "better", "worse", p_values),
    )
    line: draw.Spec = {"type": "rule", "strokeWidth": 0.6, "color": draw.FAINT}
    text: draw.Spec = {"type": "text", "align": "left", "dx": 3, "fontSize": 10, "limit": 260, "fill": "currentColor"}
    ends: draw.Spec = {"x2": {"field": "at"}, "y2": {"field": "height"}}
    leader = draw.marks(line, x=_difference("difference"), y=_switched("switch_probability"), **ends)
    named = draw.marks(text, x=_difference("at"), y=_switched("height"), text={"field": "label"})
    return [draw.over(labels, {"layer": [leader, named]})]


def _difference(name: str, end: float | None = None) -> draw.Spec:
    scale: draw.Spec = {"zero": True} if end is None else {"domain": [0, end], "nice": False}
    return draw.quantity(name, "difference of means", scale=scale, axis={"grid": False})


def _switched(name: str) -> draw.Spec:
    return draw.quantity(name, "sets that switch", axis={"format": "~%", "tickCount": 6}, scale={"zero": True, "nice": 6})


ROW: Final = 17
"""Height, in pixels, of the row of one judge in a chart."""
FOUND: Final = {"found": draw.MAIN, "missed": "transparent", "open": draw.FAINT, "against": draw.WORSE}
"""Colours of the parts of a bar, in order: conclusions that judge and truth share, conclusions of the truth only, and conclusions of the
judge that the truth leaves open or speaks against."""
RANKINGS: Final = {"tau": "circle", "tau_ap": "triangle-up"}
"""Symbol in the chart for each rank correlation coefficient."""
GRADES: Final = {"kappa": "circle", "kappa_weighted": "square", "alpha": "triangle-up"}
"""Symbol in the chart for each coefficient of agreement between grades."""


HEADING: Final = "tau / tau_AP"
"""The heading of the rank correlations beside the bars."""


def judges_figure(tables: draw.Tables, confidence: float) -> draw.Figure:
    """Plots each judge's conclusions (as bars) and rank correlations for each measure; without a measure, plots the agreement of grades.

    Further panels plot the favours of each judge. The whole chart contains them only for a single judge under a single measure.

    If confidence intervals are given, rank correlations are points in a panel next to the bars, with lines for the intervals. Otherwise,
    rank correlations are numbers at the ends of the bars.
    """
    rows, intervals = tables["judges"], tables.get("intervals")
    truth = rows["truth"][0]
    if rows["measure"][0] is None:
        grades = draw.Panel("grades", _rank_correlations(rows, GRADES, "coefficient of agreement", intervals))
        return [f"agreement of grades with {truth}, beyond chance", *_of_intervals(intervals, confidence)], draw.Panels([grades])
    others = {
        "overstated": f"others that {truth} leaves open or that the judge overstates",
        "opposite": f"others that {truth} leaves open or finds the opposite of",
    }
    against = _against(rows)
    bars = (
        f"significant differences of {truth} that each judge finds or misses, and "
        f"{others.get(against, f'others that {truth} leaves open or speaks against')}"
    )
    correlations = f"rank correlations of the runs' means with those of {truth}"
    by_measure = [(str(measure), part) for (measure,), part in rows.group_by("measure", maintain_order=True)]
    if intervals is None:
        parts = [draw.Panel(measure, _with_correlations(part, against)) for measure, part in by_measure]
        return _with_favours([f"bars: {bars}", f"beside them: {correlations}"], parts, tables, confidence)
    parts = []
    for measure, part in by_measure:
        beside = _rank_correlations(part, RANKINGS, "rank correlation", intervals, beside=True)
        parts.append(draw.Panel(measure, {"hconcat": [_conclusions(part, _step(RANKINGS), against), beside], "spacing": 16}))
    return _with_favours([f"left: {bars}", f"right: {correlations}", *_of_intervals(intervals, confidence)], parts, tables, confidence)


def _with_favours(notes: list[str], parts: list[draw.Panel], tables: draw.Tables, confidence: float) -> draw.Figure:
    """Returns the figure with panels of favours."""
    favours = favour_panels(tables["favoured"], confidence)
    one = len(favours) == 1
    parts = [replace(part, notes=notes) for part in parts]
    return [*notes, *(favours[0].notes if one else [])], draw.Panels(
        [*parts, *favours],
        abreast=1,
        legend="shared",
        drawn=None if one else len(parts),
        kinds=draw.kinds_of_rows(tables["favoured"], "run_id"),
    )


def _place(rows: pl.DataFrame, *, named: bool = True) -> draw.Spec:
    axis = {**draw.UNRULED, "grid": False, "labelPadding": 6} if named else None
    return draw.category("judge", sort=rows["judge"].to_list(), axis=axis)


def _against(rows: pl.DataFrame) -> str:
    """Returns the name of the conclusions that the truth speaks against: of the kind to which they all belong, if there is only one."""
    opposite, overstated = (rows[name].sum() for name in ("n_opposite", "n_overstated"))
    return "against" if bool(opposite) == bool(overstated) else "opposite" if opposite else "overstated"


def _conclusions(rows: pl.DataFrame, height: draw.Spec, against: str) -> draw.Spec:
    looks = {against if name == "against" else name: colour for name, colour in FOUND.items()}
    stacked = (
        _counts(rows)
        .rename({"against": against})
        .unpivot(list(looks), index=["judge", "recall", "precision"], variable_name="conclusions", value_name="count")
    )
    layers = stacked.with_columns(layer=pl.col("conclusions").replace_strict(list(looks), range(len(looks)), return_dtype=pl.Int64))
    scale, legend = {"domain": list(looks), "range": list(looks.values())}, {"symbolStrokeColor": draw.FAINT, "symbolStrokeWidth": 1}
    return {
        **draw.sized(layers, 320, height),
        **draw.marks(
            {"type": "bar", "height": 11, "stroke": draw.FAINT, "strokeWidth": 1},
            y=_place(rows),
            x=_number_of_differences(),
            order={"field": "layer", "type": "quantitative"},
            fill=draw.category("conclusions", scale=scale, legend={**draw.BELOW, **legend}),
            tooltip=draw.tips("judge", "conclusions", "count", "recall", "precision"),
        ),
    }


def _with_correlations(rows: pl.DataFrame, against: str) -> draw.Spec:
    """Returns a bar for each judge, which shows the judge's numbers of conclusions, with the rank correlations as text after the bar.

    The heading of these texts is part of the plot, because charts for papers have no subtitle.
    """
    bars = _conclusions(rows, {"step": ROW}, against)
    size = {name: bars.pop(name) for name in ("width", "height")}
    ends = _counts(rows).select("judge", count=pl.sum_horizontal(*FOUND).max())
    labels = pl.Series(
        "label", [f"{draw.coefficient_text(tau)} / {draw.coefficient_text(tau_ap)}" for tau, tau_ap in rows.select("tau", "tau_ap").rows()]
    )
    text: draw.Spec = {"type": "text", "align": "left", "dx": 8, "fontSize": 11, "fill": "currentColor"}
    numbers = draw.marks(text, y=_place(rows), x=_number_of_differences(), text={"field": "label", "type": "nominal"})
    above: draw.Spec = {**text, "baseline": "bottom"}
    heading = draw.marks(above, y={"value": -2}, x=_number_of_differences(), text={"value": HEADING})
    return {**size, "layer": [bars, draw.over(ends.with_columns(labels), numbers), draw.over(ends.select("count").head(1), heading)]}


def _counts(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns the number of conclusions of each kind for each judge."""
    missed = pl.col("n_truth") - pl.col("n_both")
    against = pl.col("n_opposite") + pl.col("n_overstated").fill_null(0)
    return rows.select("judge", "recall", "precision", found="n_both", missed=missed, open="n_open", against=against)


def _number_of_differences() -> draw.Spec:
    return draw.quantity("count", "significant differences", axis={"tickCount": 6})


def _step(shapes: Mapping[str, str]) -> draw.Spec:
    """Returns the height of each judge's row, in which the intervals of all coefficients are stacked."""
    return {"step": ROW * len(shapes), "for": "position"}


def _of_intervals(intervals: pl.DataFrame | None, confidence: float) -> list[str]:
    """Returns a note that the lines are confidence intervals; empty if the chart does not have intervals."""
    return [] if intervals is None else [f"lines: {draw.level_text(confidence)} intervals over topics"]


def _rank_correlations(
    rows: pl.DataFrame, shapes: Mapping[str, str], title: str, intervals: pl.DataFrame | None, *, beside: bool = False
) -> draw.Spec:
    long = rows.select("judge", *shapes).unpivot(list(shapes), index="judge", variable_name="coefficient", value_name="value")
    points, shown, place = long.drop_nulls("value"), ["judge", "coefficient", "value"], {"y": _place(rows, named=not beside)}
    if intervals is not None:
        of_measure = intervals.filter(pl.col("measure").eq_missing(rows["measure"][0])).with_columns(coefficient="statistic")
        points = points.join(of_measure.select("judge", "coefficient", "low", "high"), on=["judge", "coefficient"], how="left")
        shown += ["low", "high"]
        place["yOffset"] = draw.category("coefficient", scale={"domain": list(shapes), "paddingOuter": 1})
    low = min([0.0, *points["value"], *(points["low"].drop_nulls() if "low" in points.columns else [])])
    axis: draw.Spec = {"scale": {"domain": [low, 1.0], "nice": True}, "axis": {"tickCount": 5}}
    dots = draw.marks(
        {"type": "point", "size": 45, "color": draw.MAIN, "opacity": 1, "strokeWidth": 1.6},
        **place,
        x=draw.quantity("value", title, **axis),
        shape=draw.category("coefficient", scale={"domain": list(shapes), "range": list(shapes.values())}, legend=draw.BELOW),
        tooltip=draw.tips(*shown),
    )
    room = draw.sized(points, 150 if beside else 420, {"step": ROW} if intervals is None else _step(shapes))
    if intervals is None:
        return {**room, **dots}
    line: draw.Spec = {"type": "rule", "strokeWidth": 1.6, "opacity": 1, "color": draw.FAINT}
    lines = draw.marks(line, **place, x=draw.quantity("low", title, **axis), x2={"field": "high"})
    return {**room, "layer": [{"transform": [{"filter": "isValid(datum.low)"}], **lines}, dots]}


PPI_ROW: Final = 18
"""Height, in pixels, of the row of one run in a chart."""
WAYS: Final = {"both": draw.MAIN, "truth alone": draw.FAINT, "judge alone": draw.WORSE}
"""Colour of each kind of mean, by the judgements from which the mean is computed."""
SHAPES: Final = ("circle", "square", "triangle-up")
"""Shape of the mark for each kind of mean, so that the kinds can also be told apart in greyscale."""
LINES_OF_JUDGES: Final = ("upper", "lower")
"""Names of the two horizontal lines in the row of one run. The upper line shows the mean and the interval from judge and truth together,
and the mean from the judge alone. The lower line shows the mean and the interval from the truth alone."""


def ppi_figure(tables: draw.Tables, confidence: float) -> draw.Figure:
    """Plots each run's mean from three sources: judge and truth together, the truth alone (both with intervals), and the judge alone."""
    summary = {(row["measure"], row["judge"]): row for row in tables["summary"].iter_rows(named=True)}
    parts = []
    for (measure, judge), part in tables["means"].group_by("measure", "judge", maintain_order=True):
        row = summary[str(measure), str(judge)]
        said = f"{row['topics_truth']} topics of {row['truth']}, {row['topics'] - row['topics_truth']} more of {judge}"
        name = f"{measure} ~ {judge}"
        parts.append(draw.Panel(name, _intervals(part, f"mean {measure}"), [name, said]))
    shown = [
        f"line: {draw.level_text(confidence)} interval of the mean from judge and truth, and from the topics of the truth alone",
        "triangle: mean by the judge alone",
    ]
    return shown, draw.Panels(parts, abreast=2, legend="shared")


def _intervals(rows: pl.DataFrame, title: str) -> draw.Spec:
    upper, lower = LINES_OF_JUDGES
    none = pl.lit(None, pl.Float64)
    drawn = pl.concat(
        rows.select("run_id", way=pl.lit(way), line=pl.lit(line), mean=mean, low=low, high=high)
        for way, line, mean, low, high in (
            ("both", upper, "mean", "low", "high"),
            ("truth alone", lower, "mean_truth", "low_truth", "high_truth"),
            ("judge alone", upper, "mean_judge", none, none),
        )
    )
    axis = {**draw.UNRULED, "labelPadding": 6, "grid": True, "gridDash": [1, 3], "bandPosition": 0.5}
    scale: draw.Spec = {"scale": {"zero": False, "nice": True}, "axis": {"tickCount": 6}}
    place: draw.Spec = {
        "y": draw.category("run_id", sort=rows["run_id"].to_list(), axis=axis),
        "yOffset": {"field": "line", "type": "nominal", "scale": {"domain": list(LINES_OF_JUDGES), "paddingOuter": 0.3}},
        "color": draw.category("way", scale={"domain": list(WAYS), "range": list(WAYS.values())}, legend=draw.BELOW),
    }
    lines = draw.marks(
        {"type": "rule", "strokeWidth": 1.8, "opacity": 1}, **place, x=draw.quantity("low", title, **scale), x2={"field": "high"}
    )
    points = draw.marks(
        {"type": "point", "filled": True, "size": 32, "opacity": 1},
        **place,
        x=draw.quantity("mean", title, **scale),
        shape=draw.category("way", scale={"domain": list(WAYS), "range": list(SHAPES)}, legend=draw.BELOW),
        tooltip=draw.tips("run_id", "way", "mean", "low", "high"),
    )
    return {
        **draw.sized(drawn, 340, {"step": PPI_ROW, "for": "position"}),
        "layer": [{"transform": [{"filter": "isValid(datum.low)"}], **lines}, points],
    }
