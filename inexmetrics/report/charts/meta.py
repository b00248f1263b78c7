"""Forest plots of differences on several datasets, with a row per dataset, for the mean, and for the prediction on a further dataset."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.collection.score_matrices import condition_text
from inexmetrics.common.messages import canonical
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import UNRULED, category, interval, marks, over, quantity, sized, tips
from inexmetrics.report.charts.style import FAINT, MAIN, RED, Spec

__all__ = ["meta_figure"]

ROW: Final = 17
"""Height in pixels of a dataset's row."""
EACH: Final = 2
"""Number of pairs with the smallest p-values, and of pairs with the largest variance between datasets, that are drawn per condition."""
TITLE: Final = "difference of means"
PAIR: Final = ("measure", "quantisation", "better", "worse")


def meta_figure(tables: Tables, confidence: float) -> Figure:
    """Draws forest plots of all pairs of runs, or of the pairs with the smallest p-values and the pairs whose differences vary most."""
    whole = tables["meta"]
    parts = [part for _, part in whole.group_by("measure", "quantisation", maintain_order=True)]
    varying = [part.slice(EACH).sort("tau2", descending=True, maintain_order=True) for part in parts]
    pairs = pl.concat(rows.head(EACH) for ordered in zip(parts, varying, strict=True) for rows in ordered)
    several = whole.n_unique(["measure", "quantisation"]) > 1
    panels = []
    for row in pairs.select(PAIR).iter_rows(named=True):
        of_pair = [pl.col(name) == value for name, value in row.items()]
        name = f"{row['better']} minus {row['worse']}"
        title = f"{condition_text(row['measure'], row['quantisation'])}: {name}" if several else name
        panels.append(Panel(title, _forest(whole.filter(of_pair), tables["datasets"].filter(of_pair))))
    share = f"{canonical(round(100 * confidence, 10))} %"
    notes = [
        f"square: the better run minus the worse on a dataset, larger with more topics; line: {share} interval",
        f"diamond: the mean over all datasets; dashed: {share} prediction interval of the true difference on one more dataset",
    ]
    if pairs.height < whole.height:
        notes.append(f"{pairs.height} of {whole.height} pairs: those with the smallest p-values, then those whose differences vary most")
    return notes, Panels(panels, abreast=3)


def _forest(pair: pl.DataFrame, of_datasets: pl.DataFrame) -> Spec:
    """Returns the forest plot of a pair of runs, given the pair's row of table ``meta`` and its rows of table ``datasets``."""
    taken = of_datasets["dataset"].to_list()
    mean, another = (name if name not in taken else f"({name})" for name in ("all datasets", "one more dataset"))
    names = [mean, *([] if pair["low_prediction"][0] is None else [another]), *taken]  # mean first: print may omit the last rows
    place = category("dataset", sort=names, scale={"domain": names}, axis={**UNRULED, "labelPadding": 6})
    axis: Spec = {"axis": {"tickCount": 5}, "scale": {"zero": True}}
    along = quantity("difference", TITLE, **axis)
    shown = ("dataset", "topics", "difference", "low", "high")
    square = marks(
        {"type": "point", "shape": "square", "filled": True, "color": MAIN, "opacity": 1},
        y=place,
        x=along,
        size=quantity("topics", scale={"domain": [0, max(of_datasets["topics"])], "range": [0, 90]}, legend=None),
        tooltip=tips(*shown),
    )
    over_all = pair.with_columns(dataset=pl.lit(mean))
    of_another = pair.select(dataset=pl.lit(another), low="low_prediction", high="high_prediction")
    diamond: Spec = {"type": "point", "shape": "diamond", "filled": True, "size": 150, "color": RED, "opacity": 1}
    predicted = interval(place, TITLE, {"value": RED})
    predicted["mark"] = {"type": "rule", "strokeWidth": 1.6, "opacity": 1, "strokeDash": [4, 3]}
    return {
        **sized(of_datasets.select(shown), 220, {"step": ROW}),
        "layer": [
            marks({"type": "rule", "color": FAINT}, x={"datum": 0}),
            interval(place, TITLE, color={"value": MAIN}, **axis),
            square,
            over(over_all, interval(place, TITLE, {"value": RED})),
            over(over_all, marks(diamond, y=place, x=along, tooltip=tips("difference", "low", "high", "tau2", "i2", "p_adjusted"))),
            over(of_another, predicted),
        ],
    }
