"""Charts of agreement on samples of the topics: precision, recall and F1 by the number of topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.report.charts.layout import Figure, Panel, Panels, Tables
from inexmetrics.report.charts.parts import SYMBOLS, category, line_channels, marks, quantity, sized, tips
from inexmetrics.report.charts.style import Spec

__all__ = ["draws_figure"]

PAIR: Final = ("measure", "predictor", "truth")
RATIOS: Final = {"precision": "precision", "recall": "recall", "f1": "F1"}
SIDE: Final = 200
SPAN: Final = (0.025, 0.975)


def draws_figure(tables: Tables, topics: Mapping[str, tuple[int, str]]) -> Figure:
    """Draws precision, recall and F1 by number of topics, one per panel: the value over all draws, and the range of 95 % of the draws.

    Args:
        tables: The tables ``agreement`` and ``draws``.
        topics: The name of each predictor that uses a sample of the topics, with the number of topics and the predictor's name on all topics.
    """
    ratios = tables["draws"].group_by(PAIR, maintain_order=True).agg(
        *(pl.col(name).quantile(share, "linear").alias(f"{name}_{end}") for name in RATIOS for end, share in zip(("low", "high"), SPAN, strict=True))
    )  # fmt: skip
    rows = tables["agreement"].join(ratios, on=PAIR, how="left", nulls_equal=True, maintain_order="left")
    rows = rows.filter(pl.col("predictor").is_in(list(topics)))
    on_all = rows.filter(~pl.col("truth").is_in(list(topics)))
    rows = on_all if on_all.height else rows
    if rows.is_empty():
        raise CollectionError("there is nothing to draw: no predictor has a choice of topics")
    named = rows.with_columns(
        topics=pl.col("predictor").replace_strict({name: n for name, (n, _) in topics.items()}, return_dtype=pl.Int64),
        series=pl.col("predictor").replace_strict({name: series for name, (_, series) in topics.items()}, return_dtype=pl.String),
    ).with_columns(
        series=pl.when(pl.col("measure").is_null()).then("series").otherwise(_condition("series")) + " predicts " + _condition("truth")
    )
    last = max(topics[name][0] for name in named["predictor"])
    lines = named["series"].unique(maintain_order=True).to_list()
    x = quantity("topics", "topics", scale={"domain": [0, last], "nice": True}, axis={"tickMinStep": 1, "tickCount": 5, "grid": False})
    channels = line_channels("series", lines, SYMBOLS if len(lines) > 1 else None)
    colour = {**channels["color"]} if isinstance(channels["color"], dict) else category("series")
    dot: Spec = {"type": "point", "filled": True, "size": 44, "opacity": 1}
    parts = []
    for name, title in RATIOS.items():
        shown = named.select("series", "topics", value=name, low=f"{name}_low", high=f"{name}_high").drop_nulls("value")
        y = quantity("value", title, scale={"domain": [0, 1]}, axis={"tickCount": 6})
        layers = [
            marks({"type": "line", "strokeWidth": 2}, x=x, y=y, **channels),
            marks({"type": "rule", "strokeWidth": 1.6}, x=x, y=quantity("low", title), y2={"field": "high"}, color=colour),
            marks(dot, x=x, y=y, color=colour, tooltip=tips("series", "topics", "value", "low", "high")),
        ]
        parts.append(Panel(title, {**sized(shown, SIDE, SIDE), "layer": layers}))
    return [
        "by the number of topics of the predictor: dots over all draws, bars from the 2.5 % to the 97.5 % quantile of the draws"
    ], Panels(parts, legend="shared", room=200)


def _condition(quantisation: str) -> pl.Expr:
    """Returns the condition that combines a measure and a quantisation."""
    named = pl.concat_str("measure", pl.lit(" ~ "), quantisation)
    return pl.when(pl.col("measure").is_null()).then(quantisation).when(pl.col(quantisation) == "1").then("measure").otherwise(named)
