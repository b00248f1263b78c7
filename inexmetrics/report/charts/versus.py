"""Charts of differences: runs against their opponents, and forest plots of differences on several datasets.

Verdicts on runs and their opponents are shown as a grid, as in Cherukuri's Figures 8 to 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.common import errors, messages
from inexmetrics.report.charts import parts as draw
from inexmetrics.report.forms import lead

__all__ = ["meta_figure", "versus_figure"]

ROW: Final = 15
"""Height, in pixels, of the row of one opponent in a chart."""
CELL: Final = 26
"""Width, in pixels, of a cell of the grid."""
SIGNS: Final = {"better": "triangle-up", "worse": "triangle-down", "open": "stroke"}
"""Symbol of each verdict: the run is significantly better, significantly worse, or neither ("open")."""


def versus_figure(
    tables: draw.Tables, confidence: float, corrected: str, margin: float | None = None, lower: Sequence[str] = ()
) -> draw.Figure:
    """Plots verdicts as a grid with a column for each run and condition, and differences between means with their intervals.

    For a single run under a single condition, one panel shows both the verdicts and the differences. All panels list the opponents in the
    order of the table, which begins with the best opponent under the first condition. An equivalence or non-inferiority margin is drawn as
    a band around 0. `confidence` is the level of the intervals, `corrected` says how the p-values are corrected, and `lower` contains the
    measures whose lower scores are better.
    """
    rows = tables["versus"].drop_nulls("difference")
    if rows.is_empty():
        raise errors.CollectionError("there is nothing to draw: the measure is undefined for every topic")
    order = rows["opponent"].unique(maintain_order=True).to_list()
    runs = rows["run_id"].unique(maintain_order=True).to_list()
    compared = [
        (run, title, part)
        for title, condition in draw.by_condition(rows)
        for (run,), part in condition.group_by("run_id", maintain_order=True)
    ]
    conditions = {title for _, title, _ in compared}

    def named(run: object, title: str) -> str:
        if len(runs) == 1:
            return title
        return str(run) if len(conditions) == 1 else f"{run}: {title}"

    columns = [named(run, title) for run, title, _ in compared]
    verdict = pl.when(~pl.col("significant")).then(pl.lit("open")).when(lead(lower) > 0.0).then(pl.lit("better"))
    cells = pl.concat(
        part.select("opponent", "difference", "p_value", column=pl.lit(name), verdict=verdict.otherwise(pl.lit("worse")))
        for name, (_, _, part) in zip(columns, compared, strict=True)
    )
    if len(compared) == 1:  # a single column of symbols is placed next to the differences and shares their row labels
        both = [_grid(cells, columns, order, headed=False), _differences(rows, order, margin, lower, named=False)]
        parts = [draw.Panel(columns[0], {"hconcat": both, "spacing": 4})]
    else:
        parts = [draw.Panel("grid", _grid(cells, columns, order), ["significant differences"])]
        parts += [draw.Panel(name, _differences(part, order, margin, lower)) for name, (_, _, part) in zip(columns, compared, strict=True)]
    subject = runs[0] if len(runs) == 1 else "the run"
    return [
        f"grid: {subject} is significantly better (blue, upwards) or worse (orange, downwards) than the opponent, or neither (dash)",
        f"dots: mean of {subject} minus that of the opponent; line: its {draw.level_text(confidence)} interval; filled: significant, {corrected}",
        *(
            []
            if margin is None
            else [f"band: differences smaller than {messages.canonical(margin)}; diamond: difference shown to be within the band"]
        ),
    ], draw.Panels(parts, kinds=draw.kinds_of_rows(rows, "opponent"))


def _grid(cells: pl.DataFrame, columns: list[str], order: list[str], *, headed: bool = True) -> draw.Spec:
    """Plots the grid of verdicts, with opponents in rows, and runs and conditions in columns."""
    verdicts = list(SIGNS)
    head = {"orient": "top", **draw.UNRULED, "labelAngle": -40} if headed else None
    ink = {"condition": {"test": "datum.verdict === 'open'", "value": draw.FAINT}, "value": draw.PAGE}
    rects = draw.marks(
        {"type": "rect", "stroke": draw.FAINT, "strokeWidth": 0.5},
        color=draw.category("verdict", scale={"domain": verdicts, "range": [draw.BETTER, draw.WORSE, "transparent"]}, legend=None),
        tooltip=draw.tips("opponent", "column", "verdict", "difference", "p_value"),
    )
    signs = draw.marks(
        {"type": "point", "filled": True, "size": 42, "opacity": 1, "strokeWidth": 1.2},
        shape=draw.category("verdict", scale={"domain": verdicts, "range": list(SIGNS.values())}, legend=None),
        color=ink,
        stroke=ink,
    )
    return {
        **draw.sized(cells, {"step": CELL}, {"step": ROW}),
        "encoding": {
            "y": draw.category("opponent", sort=order, scale={"domain": order}, axis=draw.UNRULED),
            "x": draw.category("column", sort=columns, axis=head),
        },
        "layer": [rects, signs],
    }


def _differences(rows: pl.DataFrame, order: list[str], margin: float | None, lower: Sequence[str], *, named: bool = True) -> draw.Spec:
    ahead = f"datum.difference {'<=' if rows['measure'][0] in lower else '>='} 0"
    side: draw.Spec = {"condition": {"test": ahead, "value": draw.BETTER}, "value": draw.WORSE}
    significant = [{"test": f"datum.significant{more}", "value": of} for more, of in ((f" && {ahead}", draw.BETTER), ("", draw.WORSE))]
    place = draw.category("opponent", sort=[each for each in order if each in set(rows["opponent"])], axis=draw.UNRULED if named else None)
    within = () if margin is None else ("p_equivalent", "equivalent")
    shown = ("opponent", "difference", "low", "high", "p_value", *within)
    same: draw.Spec = {"shape": {"condition": {"test": "datum.equivalent", "value": "diamond"}, "value": "circle"}} if within else {}
    dots = draw.marks(
        {"type": "point", "size": 50, "strokeWidth": 1.6, "opacity": 1},
        y=place,
        x=draw.quantity("difference", "difference of means", axis={"tickCount": 5}, scale={"zero": True}),
        stroke=side,
        fill={"condition": significant, "value": draw.PAGE},
        **same,
        tooltip=draw.tips(*shown),
    )
    zero = draw.marks({"type": "rule", "color": draw.FAINT}, x={"datum": 0})
    band: list[draw.Spec] = []
    if margin is not None:  # one band for all opponents, because overlapping bands would be too dark
        edges = {"x": {"datum": -margin}, "x2": {"datum": margin}}
        band.append({"data": {"values": [{}]}, **draw.marks({"type": "rect", "color": draw.FAINT, "opacity": 0.25}, **edges)})
    return {
        **draw.sized(rows.select(*shown, "significant"), 320, {"step": ROW}),
        "layer": [*band, zero, draw.interval(place, "difference of means", color=side), dots],
    }


DATASET_ROW: Final = 17
"""Height, in pixels, of the row of one dataset in a chart."""
EACH: Final = 2
"""For each condition, the pairs of runs with the smallest p-values are drawn, up to this number of pairs. The same number of other pairs is
drawn, too: the pairs whose differences vary most between datasets."""
TITLE: Final = "difference of means"
PAIR: Final = ("measure", "quantisation", "better", "worse")


def meta_figure(tables: draw.Tables, confidence: float) -> draw.Figure:
    """Draws forest plots of all pairs of runs, or only of those with the smallest p-values and those with the most variable differences."""
    whole = tables["meta"]
    parts = [part for _, part in whole.group_by("measure", "quantisation", maintain_order=True)]
    varying = [part.slice(EACH).sort("tau2", descending=True, maintain_order=True) for part in parts]
    pairs = pl.concat(rows.head(EACH) for ordered in zip(parts, varying, strict=True) for rows in ordered)
    several = whole.n_unique(["measure", "quantisation"]) > 1
    panels = []
    ends = {key: _ends(part, tables["datasets"]) for key, part in pairs.group_by("measure", "quantisation")}
    for row in pairs.select(PAIR).iter_rows(named=True):
        of_pair = [pl.col(name) == value for name, value in row.items()]
        name = f"{row['better']} minus {row['worse']}"
        title = f"{condition_text(row['measure'], row['quantisation'])}: {name}" if several else name
        along = ends[row["measure"], row["quantisation"]]
        panels.append(draw.Panel(title, _forest(whole.filter(of_pair), tables["datasets"].filter(of_pair), along)))
    share = draw.level_text(confidence)
    notes = [
        f"square: the better run minus the worse on a dataset (size: number of topics); line: {share} interval",
        f"diamond: the mean over all datasets; dashed: {share} prediction interval of the true difference on one more dataset",
    ]
    if pairs.height < whole.height:
        notes.append(f"{pairs.height} of {whole.height} pairs: those with the smallest p-values, then those whose differences vary most")
    return notes, draw.Panels(panels, abreast=3)


def _ends(pairs: pl.DataFrame, of_datasets: pl.DataFrame) -> list[float]:
    """Returns the ends of the axis of all pairs of a condition, whose lengths can then be compared; the axis contains 0."""
    rows = of_datasets.join(pairs, on=PAIR, how="semi", nulls_equal=True)
    both = [rows[name] for name in ("difference", "low", "high")]
    both += [pairs[name] for name in ("difference", "low", "high", "low_prediction", "high_prediction")]
    drawn = [0.0, *pl.concat([values.cast(pl.Float64).rename("x") for values in both]).drop_nulls().to_list()]
    return [min(drawn), max(drawn)]


def _forest(pair: pl.DataFrame, of_datasets: pl.DataFrame, ends: list[float]) -> draw.Spec:
    """Returns the forest plot of a pair of runs from the pair's row in table ``meta`` and the pair's rows in table ``datasets``."""
    taken = of_datasets["dataset"].to_list()
    mean, another = (name if name not in taken else f"({name})" for name in ("all datasets", "one more dataset"))
    # the mean over all datasets is in the first row, because the last rows may be omitted in print
    names = [mean, *([] if pair["low_prediction"][0] is None else [another]), *taken]
    place = draw.category("dataset", sort=names, scale={"domain": names}, axis={**draw.UNRULED, "labelPadding": 6})
    axis: draw.Spec = {"axis": {"tickCount": 5}, "scale": {"domain": ends, "nice": True}}
    along = draw.quantity("difference", TITLE, **axis)
    shown = ("dataset", "topics", "difference", "low", "high")
    square = draw.marks(
        {"type": "point", "shape": "square", "filled": True, "color": draw.MAIN, "opacity": 1},
        y=place,
        x=along,
        size=draw.quantity("topics", None, scale={"domain": [0, max(of_datasets["topics"])], "range": [0, 90]}, legend=None),
        tooltip=draw.tips(*shown),
    )
    over_all = pair.with_columns(dataset=pl.lit(mean))
    of_another = pair.select(dataset=pl.lit(another), low="low_prediction", high="high_prediction")
    diamond: draw.Spec = {"type": "point", "shape": "diamond", "filled": True, "size": 150, "color": draw.RED, "opacity": 1}
    predicted = draw.interval(place, TITLE, {"value": draw.RED})
    predicted["mark"] = {"type": "rule", "strokeWidth": 1.6, "opacity": 1, "strokeDash": [4, 3]}
    return {
        **draw.sized(of_datasets.select(shown), 220, {"step": DATASET_ROW}),
        "layer": [
            draw.marks({"type": "rule", "color": draw.FAINT}, x={"datum": 0}),
            draw.interval(place, TITLE, color={"value": draw.MAIN}, **axis),
            square,
            draw.over(over_all, draw.interval(place, TITLE, {"value": draw.RED})),
            draw.over(
                over_all, draw.marks(diamond, y=place, x=along, tooltip=draw.tips("difference", "low", "high", "tau2", "i2", "p_adjusted"))
            ),
            draw.over(of_another, predicted),
        ],
    }
