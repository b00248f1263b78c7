"""Charts of the rank of each run, the range of the run's possible ranks, and the tiers."""

from __future__ import annotations

from itertools import count
from typing import Final

import polars as pl

from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables, by_condition
from inexmetrics.report.charts.parts import UNRULED, category, marks, quantity, sized, tips
from inexmetrics.report.charts.style import BANDS, FAINT, MAIN, PAGE, SPAN, Spec

__all__ = ["rank_labels", "ranks_figure"]

FEW: Final = 40
"""Maximum number of runs for which rows have the usual height; with more runs, rows are lower and some runs are not named."""
ASIDE: Final = 9
"""Distance in pixels between the columns in which tier numbers are written."""
EVERY_RANK: Final = 12
"""Maximum number of runs for which the axis labels every rank."""
LABELS: Final = 10
"""Maximum number of labels between the first and the last rank if the axis does not label every rank."""


def ranks_figure(tables: Tables) -> Figure:
    """Draws the runs, sorted by mean; a bar is the range of a run's possible ranks, and a band behind several runs is a tier."""
    summary = {(row["measure"], row["quantisation"]): row for row in tables["summary"].iter_rows(named=True)}
    parts, said = [], []
    for title, part in by_condition(tables["ranks"]):
        counts = summary[part["measure"][0], part["quantisation"][0]]
        said.append(f"{counts['tied_with_best']} of {counts['runs']} runs may be the best; tiers: {counts['tiers']}")
        parts.append(Panel(title, _ranges(part), [title, said[-1]]))
    shown = "dot: rank by mean; bar: possible ranks; bands: tiers"
    if max(counts["runs"] for counts in summary.values()) > FEW:
        shown += ", with their numbers; not all runs are named"
    return [shown, *(said if len(said) == 1 else [])], Panels(parts, abreast=2)


def rank_labels(runs: int) -> list[int]:
    """Returns the labelled ranks of the axis: every rank, or the first rank, the last rank and multiples of 5 (or 10, 20, 50, …) between.

    Examples:
        >>> rank_labels(2), rank_labels(23)
        ([1, 2], [1, 5, 10, 15, 20, 23])
    """
    if runs <= EVERY_RANK:
        return list(range(1, runs + 1))
    step = next(base * 10**power for power in count() for base in (5, 10, 20) if runs <= base * 10**power * LABELS)
    between = range(step, runs, step)
    return [1, *(rank for rank in between if runs - rank > step / 2), runs]


def _ranges(rows: pl.DataFrame) -> Spec:
    runs = rows.height
    few = runs <= FEW
    height = 15 if few else 5
    axis: Spec = {**UNRULED, "labelFontSize": 11 if few else 9, "labelPadding": 6, "labelOverlap": not few}
    scale: Spec = {"domain": [0.5, runs + 0.5], "nice": False, "zero": False}
    place = category("run_id", sort=rows["run_id"].to_list(), scale={"paddingInner": 0.0, "paddingOuter": 0.0}, axis=axis)
    first = pl.col("tier") != pl.col("tier").shift(1).fill_null(0)
    drawn = rows.select(
        "run_id", "mean", "rank", "best_rank", "worst_rank", "tier",
        left=pl.col("best_rank") - 0.4, right=pl.col("worst_rank") + 0.4, edge=pl.lit(0.5), end=pl.lit(runs + 0.5),
        shade=pl.col("tier") % 2, label=pl.when(first).then(pl.format("tier {}" if few else "{}", pl.col("tier"))).otherwise(pl.lit("")),
    )  # fmt: skip
    ring: Spec = {"stroke": PAGE, "strokeWidth": 1} if few else {}
    shown = tips("run_id", "mean", "rank", "best_rank", "worst_rank", "tier")
    bands = marks(
        {"type": "rect", "color": FAINT},
        y=place,
        x=quantity("edge", "rank", scale=scale),
        x2={"field": "end"},
        opacity={"condition": {"test": "datum.shade == 1", "value": 0.22}, "value": 0.06},
    )
    bars = marks(
        {"type": "bar", "height": height * 0.45, "color": SPAN},
        y=place, x=quantity("left", "rank", scale=scale), x2={"field": "right"}, tooltip=shown,
    )  # fmt: skip
    dots = marks(
        {"type": "point", "filled": True, "size": (4 if few else 2.6) * height, "color": MAIN, "opacity": 1, **ring},
        y=place,
        x=quantity("rank", "rank", scale=scale, axis={"values": rank_labels(runs), "grid": False, "format": "d"}),
        tooltip=shown,
    )
    aside: object = 6 if few else {"expr": f"6 + {ASIDE} * (datum.tier - 1)"}  # with many runs, each tier number has its own column
    tiers = marks(
        {"type": "text", "align": "left", "dx": aside, "fontSize": 10 if few else 9, "fill": "currentColor"},
        y=place, x=quantity("end", "rank", scale=scale), text={"field": "label"},
    )  # fmt: skip
    return {**sized(drawn, 420, {"step": height}), "layer": [{"name": BANDS, **bands}, bars, dots, tiers]}
