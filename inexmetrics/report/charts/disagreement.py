"""Chart of the topics and documents that make two conditions differ on a pair of runs."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.report.charts import parts as draw

__all__ = ["disagreement_figure"]

TOPICS: Final = 30
"""Maximum number of topics that the chart shows: those with the largest absolute shifts."""
PARTS: Final = 12
"""Maximum number of documents of a topic that are drawn as separate parts of a bar; the others are drawn as one part."""
ROW: Final = 15
"""Height, in pixels, of the row of one topic."""
KINDS: Final = {"document": draw.MAIN, "other documents": draw.FAINT, "remainder": draw.WORSE}
"""Colour of each part of a bar, by its kind."""


def disagreement_figure(tables: draw.Tables) -> draw.Figure:
    """Plots the shift of each topic, and the contributions of documents as parts of a bar, in the order of table ``topics``."""
    summary = tables["summary"].row(0, named=True)
    rows = tables["topics"].drop_nulls("shift").head(TOPICS)
    order = rows["topic_id"].to_list()
    said = [
        f"{summary['better']} minus {summary['worse']}, {summary['measure']}: shift of each topic from {summary['truth']} to {summary['judge']}",
        "parts of the bars: contributions of documents; dot: the shift, which is their sum",
    ]
    left = tables["topics"].drop_nulls("shift").height - rows.height
    if left:
        said.append(f"the {rows.height} topics with the largest shifts; {left} others are not shown")
    place = draw.category("topic_id", sort=order, axis={**draw.UNRULED, "grid": False, "labelPadding": 6})
    x = {"scale": {"nice": True}, "axis": {"tickCount": 6}}
    parts = _parts(tables["documents"], order)
    kinds = {kind: colour for kind, colour in KINDS.items() if kind in set(parts["kind"])} or {"document": draw.MAIN}
    bars = draw.marks(
        {"type": "bar", "height": 9, "stroke": draw.PAGE, "strokeWidth": 0.5},
        y=place,
        x=draw.quantity("from", "shift of the difference, judge minus truth", **x),
        x2={"field": "to"},
        fill=draw.category("kind", scale={"domain": list(kinds), "range": list(kinds.values())}, legend=draw.BELOW),
        tooltip=draw.tips("topic_id", "doc_id", "judge_grade", "truth_grade", "contribution"),
    )
    dots = draw.marks(
        {"type": "point", "filled": True, "size": 28, "color": "currentColor", "opacity": 1},
        y=place,
        x=draw.quantity("shift", "shift of the difference, judge minus truth", **x),
        tooltip=draw.tips("topic_id", "difference_judge", "difference_truth", "shift"),
    )
    zero: draw.Spec = {
        "data": {"values": [{"at": 0}]},
        **draw.marks({"type": "rule", "color": draw.FAINT}, x=draw.quantity("at", "shift of the difference, judge minus truth", **x)),
    }
    layer = {**draw.sized(parts, 420, {"step": ROW}), **bars}
    size = {name: layer.pop(name) for name in ("width", "height")}
    view = {**size, "layer": [zero, layer, {"data": _values(rows), **dots}]}
    return said, draw.Panels([draw.Panel(str(summary["measure"]), view)])


def _values(rows: pl.DataFrame) -> draw.Spec:
    return {"values": rows.select("topic_id", "difference_judge", "difference_truth", "shift").to_dicts()}


def _parts(documents: pl.DataFrame, topics: list[str]) -> pl.DataFrame:
    """Returns the parts of the bars: positive contributions extend to the right of 0, and negative contributions to the left."""
    shown = documents.filter(pl.col("topic_id").is_in(topics)).with_columns(
        kind=pl.when(pl.col("doc_id").is_null())
        .then(pl.lit("remainder"))
        .when(pl.int_range(pl.len()).over("topic_id") < PARTS)
        .then(pl.lit("document"))
        .otherwise(pl.lit("other documents"))
    )
    single = shown.filter(pl.col("kind") != "other documents")
    rest = (
        shown.filter(pl.col("kind") == "other documents")
        .with_columns(side=pl.col("contribution") > 0.0)
        .group_by("topic_id", "kind", "side", maintain_order=True)
        .agg(
            pl.lit(None, pl.String).alias("doc_id"),
            pl.lit(None, pl.Float64).alias("judge_grade"),
            pl.lit(None, pl.Float64).alias("truth_grade"),
            pl.col("contribution").sum(),
        )
        .select(single.columns)
    )
    parts = pl.concat([single, rest]).with_columns(side=pl.col("contribution") > 0.0)
    ends = pl.col("contribution").cum_sum().over("topic_id", "side")
    return parts.with_columns(to=ends).with_columns(pl.col("to").sub(pl.col("contribution")).alias("from")).drop("side")
