"""Charts of the agreement between two conditions (Ogilvie and Lalmas' Figure 1), and of precision and recall by size of difference."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Final, NamedTuple

import polars as pl

from inexmetrics.inference.base import LEVEL_ROUNDING
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.report.charts import parts as draw
from inexmetrics.report.charts.matrices import predictions_figure

__all__ = ["PANELS", "agreement_figure", "thresholds_figure"]

PANELS: Final = 12
"""Maximum number of pairs of conditions that are each drawn in a panel; if there are more pairs, the chart shows only their F1."""
POINTS: Final = 2000
"""Maximum number of pairs of runs that a panel shows as points; the histograms in the margins count all pairs of runs."""
WHOLE: Final = 280
PART: Final = 176
"""Side, in pixels, of each panel if the chart has several panels; the side of a single panel is `WHOLE`."""
BAR: Final = 7
"""Width, in pixels, of a bar of the histograms in the margins of a panel."""
MARGIN: Final = 44
"""Height, in pixels, of the histograms in the margins of a panel."""

SIGN, SYMBOL = 6, 30
"""Widths, in pixels, of a character in a legend, and of the symbol and the space before each name."""

LOOKS: Final = {
    "both": ("#006bab", "circle"),
    "predictor": ("#c06c00", "triangle-up"),
    "overstated": ("#8a2400", "triangle-right"),
    "truth": ("#00402f", "square"),
    "opposite": ("#b5397a", "diamond"),
    "equivalent": ("#240a33", "triangle-down"),
    "neither": (draw.FAINT, "cross"),
}
"""Colour and shape of each verdict, in legend order; the colours can also be told apart in greyscale.

*overstated* is the part of the verdict *predictor* that the truth's scores speak against. The other part is open.
"""
LAYERS: Final = pl.Enum(["neither", "both", "predictor", "overstated", "truth", "opposite", "equivalent"])
"""Verdicts on pairs of runs, in the order in which their points are drawn, from the bottom layer to the top layer."""
DISAGREE: Final = ~pl.col("verdict").cast(pl.String).is_in(["both", "neither", "equivalent"])


class Side(NamedTuple):
    """An axis of a panel: the column of differences, the title, and the range of the axis."""

    column: str
    title: str
    low: float
    high: float

    @property
    def scale(self) -> draw.Spec:
        return {"domain": [self.low, self.high], "nice": False, "zero": False}


def agreement_figure(tables: draw.Tables, alpha: float, confidence: float) -> draw.Figure:
    """Plots the difference of each pair of runs under the predictor and under the truth, and the verdict on the pair.

    If there are more than `PANELS` pairs of conditions, only the F1 of each pair of conditions is plotted.

    Args:
        tables: The tables ``agreement`` and ``differences``, and optionally ``intervals``.
        alpha: The level at which a difference under the predictor is significantly above that under the truth.
        confidence: The confidence level of the intervals.
    """
    rows = tables["agreement"]
    if rows.height > PANELS:
        return predictions_figure(tables, confidence)
    pairs = tables["differences"].drop_nulls(["difference_predictor", "difference_truth"])
    pairs = pairs.with_columns(_with_overstated(alpha).cast(LAYERS))
    tested = pairs["p_differs"].is_not_null().any()
    found = [verdict for verdict in LOOKS if verdict in set(pairs["verdict"])]
    by_conditions = pairs.partition_by("measure", "predictor", "truth", as_dict=True)
    intervals = tables["intervals"].partition_by("measure", "predictor", "truth", as_dict=True) if "intervals" in tables else {}
    any_pair = _names("predictor", "truth", tested=tested)
    parts: list[draw.Panel] = []
    counts = ""
    for measure, predictor, truth in rows.select("measure", "predictor", "truth").iter_rows():
        part = by_conditions.get((measure, predictor, truth), pairs.clear())
        numbers = dict(part["verdict"].value_counts().iter_rows())
        names = _names(predictor, truth, tested=tested)
        counts = "; ".join(f"{names[verdict]}: {numbers[verdict]}" for verdict in found if verdict in numbers)
        under = f"{measure}: " if rows["measure"].n_unique() > 1 else ""
        title = [f"{under}{predictor}, {truth}", counts]
        x = _side(part, "difference_predictor", f"{predictor} (predictor)")
        y = _side(part, "difference_truth", f"{truth} (truth)")
        size = WHOLE if rows.height == 1 else PART
        panel = _panel(part, x, y, {verdict: (names if rows.height == 1 else any_pair)[verdict] for verdict in found}, size)
        resampled = intervals.get((measure, predictor, truth))
        view = panel if resampled is None else {"vconcat": [panel, _ratios(resampled, size)], "spacing": 14}
        parts.append(draw.Panel(title[0], view, title))
    notes = [f"pairs of runs significant under {counts}"] if len(parts) == 1 else []
    if rows["pairs"][0] > POINTS:
        notes.append(f"points for every {_step(rows['pairs'][0])}th of {rows['pairs'][0]} pairs; bars count all")
    if rows["n_overstated"].null_count():
        notes.append("overstated differences were not tested")
    if not pairs.filter(DISAGREE).is_empty():
        notes.append("dashed: the largest differences on which the two disagree")
    if intervals:
        notes.append(f"below, dot and line: precision, recall and F1, and their {draw.level_text(confidence)} intervals over topics")
    return ["differences of the means of each pair of runs", *notes], draw.Panels(parts, legend="shared", room=220)


def _with_overstated(alpha: float) -> pl.Expr:
    """Returns the verdicts, in which overstated differences have a verdict of their own."""
    predicted = pl.col("difference_predictor")
    beyond = (predicted - pl.col("difference_truth")) * predicted.sign() > TOLERANCE
    overstated = (pl.col("verdict") == "predictor") & (pl.col("p_differs") <= alpha * LEVEL_ROUNDING) & beyond
    return pl.when(overstated).then(pl.lit("overstated")).otherwise(pl.col("verdict")).alias("verdict")


def _names(predictor: str, truth: str, *, tested: bool) -> dict[str, str]:
    """Returns the displayed name of each verdict, in which the names of the conditions replace "predictor" and "truth".

    If the difference of the two differences is tested, the names say which of the predictor's differences are open and which are overstated.
    """
    names = {verdict: verdict for verdict in LOOKS}
    alone = f"{predictor} only"
    return {
        **names,
        "predictor": f"{alone}, open" if tested else alone,
        "overstated": f"{alone}, overstated",
        "truth": f"{truth} only",
        "opposite": "both, in opposite directions",
        "equivalent": "neither, equivalent",
    }


def _step(pairs: int) -> int:
    """Returns the number n for which every n-th pair of runs is drawn as a point."""
    return max(-(-pairs // POINTS), 1)


def _side(pairs: pl.DataFrame, column: str, title: str) -> Side:
    """Returns an axis whose range contains 0 and all differences."""
    values = [0.0, *pairs[column]]
    low, high = min(values), max(values)
    room = 0.03 * (high - low) or 1.0
    return Side(column, title, low - room, high + room)


def _panel(pairs: pl.DataFrame, x: Side, y: Side, names: Mapping[str, str], size: int) -> draw.Spec:
    """Returns a panel with the pairs of runs as points, and histograms of the differences in the margins."""
    colours, shapes = ([LOOKS[verdict][place] for verdict in names] for place in (0, 1))
    verdicts = [*names.values()]
    abreast = max((WHOLE + MARGIN) // (SIGN * max(map(len, verdicts), default=1) + SYMBOL), 1) if size == WHOLE else max(5, len(verdicts))
    legend = {"title": "significant under", **draw.BELOW, "columns": abreast}
    colour = draw.category("verdict", scale={"domain": verdicts, "range": colours}, legend=legend)
    called = pl.col("verdict").cast(pl.String).replace(dict(names))
    axis = {"tickCount": size // 50, "labelOverlap": True}
    places = {
        channel: draw.quantity(side.column, textwrap.wrap(side.title, size // 6), scale=side.scale, axis=axis)
        for channel, side in (("x", x), ("y", y))
    }
    dots = draw.marks(
        {"type": "point", "filled": True, "size": 24, "opacity": 1, "stroke": draw.PAGE, "strokeWidth": 0.4},
        **places,
        color=colour,
        shape=draw.category("verdict", scale={"domain": verdicts, "range": shapes}, legend=legend),
        tooltip=draw.tips("better", "worse", x.column, y.column, "p_predictor", "p_truth", "verdict"),
    )
    largest: list[draw.Spec] = [
        {"data": {"values": [{side.column: at}]}, **draw.marks({"type": "rule", **draw.DASHED}, **{channel: places[channel]})}
        for channel, side in (("x", x), ("y", y))
        for at in sorted(pairs.filter(DISAGREE)[side.column], key=abs)[-1:]
    ]
    shown = pairs.sort("difference_truth", "better", "worse").gather_every(_step(pairs.height)).sort("verdict", maintain_order=True)
    points: draw.Spec = {
        **draw.sized(shown.drop("measure", "predictor", "truth").with_columns(called), size, size),
        "layer": [*largest, dots],
    }
    above, beside = (
        {
            **draw.sized(_binned(pairs, side, size // BAR).with_columns(called), *((size, MARGIN) if place == "x" else (MARGIN, size))),
            **draw.marks(
                {"type": "bar", "stroke": draw.PAGE, "strokeWidth": 0.4},
                **{
                    place: draw.quantity("lower", None, bin="binned", scale=side.scale, axis=None),
                    f"{place}2": {"field": "upper"},
                    other: draw.quantity("pairs", None, axis=None, stack="zero"),
                },
                color=colour,
                order={"field": "layer", "type": "quantitative"},
                tooltip=draw.tips("lower", "upper", "verdict", "pairs"),
            ),
        }
        for side, place, other in ((x, "x", "y"), (y, "y", "x"))
    )
    close: draw.Spec = {"spacing": 3, "bounds": "flush"}
    return {"vconcat": [above, {"hconcat": [points, beside], **close}], **close}


def _ratios(rows: pl.DataFrame, size: int) -> draw.Spec:
    """Returns a view of precision, recall and F1 with their intervals, with one row per coefficient."""
    named = rows.with_columns(pl.col("statistic").cast(pl.String).replace("f1", "F1"))
    place = draw.category("statistic", sort=None, scale={"domain": named["statistic"].to_list()}, axis={**draw.UNRULED, "labelPadding": 8})
    ratio: draw.Spec = {"scale": {"domain": [0, 1]}, "axis": {"tickCount": 5}}
    dot: draw.Spec = {"type": "point", "filled": True, "size": 40, "color": draw.MAIN, "opacity": 1}
    shown = ("statistic", "value", "low", "high")
    return {
        **draw.sized(named.select(shown), size, {"step": 15}),
        "layer": [
            draw.interval(place, "share", color={"value": draw.MAIN}, **ratio),
            draw.marks(dot, y=place, x=draw.quantity("value", "share", **ratio), tooltip=draw.tips(*shown)),
        ],
    }


def _binned(pairs: pl.DataFrame, side: Side, bins: int) -> pl.DataFrame:
    """Counts, by verdict, the pairs of runs in each bin of differences along an axis."""
    width = (side.high - side.low) / bins
    counts = pairs.group_by(((pl.col(side.column) - side.low) / width).floor().alias("bin"), "verdict").agg(pl.len().alias("pairs"))
    return counts.sort("bin", "verdict").select(
        "verdict",
        "pairs",
        lower=side.low + pl.col("bin") * width,
        upper=side.low + (pl.col("bin") + 1) * width,
        layer=pl.col("verdict").to_physical(),
    )


RATIOS: Final = ("precision", "recall")


def thresholds_figure(tables: draw.Tables, at_least: float) -> draw.Figure:
    """Plots, for each pair of conditions, precision and recall of a predictor that reports only differences of at least a minimum size."""
    parts = []
    for (measure, predictor, truth), part in tables["thresholds"].group_by("measure", "predictor", "truth", maintain_order=True):
        title = f"{'' if measure is None else f'{measure}: '}{predictor}, {truth}"
        rows = part.select("at_least", *RATIOS)
        long = rows.unpivot(RATIOS, index="at_least", variable_name="ratio", value_name="value").drop_nulls("value")
        end = max([at_least, *rows["at_least"]])
        x = draw.quantity("at_least", "difference under the predictor of at least", scale={"domain": [0, end], "nice": True})
        line: draw.Spec = {"type": "line", "strokeWidth": 2, "interpolate": "step-before"}
        y = draw.quantity("value", "share", scale={"domain": [0, 1]})
        lines = draw.marks(line, x=x, y=y, **draw.line_channels("ratio", RATIOS, draw.SYMBOLS))
        rule = draw.over(pl.DataFrame({"at_least": [at_least]}), draw.marks({"type": "rule", **draw.DASHED}, x=x))
        parts.append(draw.Panel(title, {"width": 300, "height": 220, "layer": [rule, draw.over(long, lines)]}))
    notes = ["precision and recall of the conclusions that the predictor claims", f"dashed: the threshold asked for, {at_least:g}"]
    return notes, draw.Panels(parts, abreast=2, legend="shared")
