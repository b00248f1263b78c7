"""Runs in memory: tables of results, brought into the order taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.columns import RESULTS
from inexmetrics.collection.extents import UNRESOLVED
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.foundation.names import listed
from inexmetrics.foundation.wording import described, spelled
from inexmetrics.reading.findings import Findings, standing_again
from inexmetrics.reading.in_memory.sheets import Sheet
from inexmetrics.reading.in_memory.tabular import Nested, Table, unnested
from inexmetrics.reading.line_files.grouping import grouped
from inexmetrics.reading.line_files.rows import Rows
from inexmetrics.reading.places import repeated

__all__ = ["RunTables", "retrieved_in"]

RunTables: TypeAlias = Runs | Table | Nested | Mapping[str, Table] | Mapping[str, Nested]
"""Runs in memory: one table, or scores by topic and document; or several of these by the name of the run."""

ORDERS = ("file", "rank", "score")
ONLY_RUN = "run"
"""The name of a run that has none."""
RESULT = ("run_id", "topic_id", "doc_id", "path", "start", "length")
"""What tells results apart."""


def retrieved_in(source: RunTables, order: Order | None, findings: Findings) -> Runs:
    """The runs in tables, without the rows that are wrong, which are told in the findings.

    Args:
        source: A table or scores by topic and document, or several of either by the name of the run.
        order: What the order of results is taken from; None takes the scores of a run that has them, else its ranks, else
            the rows as they stand.
        findings: Where wrong rows, and columns that contradict the order, are told.
    """
    if order is not None and order not in ORDERS:
        raise CollectionError(f"order: expected {' or '.join(map(spelled, ORDERS))}, found {described(order)}")
    frames: list[pl.DataFrame] = []
    orders: dict[str, Order] = {}
    for name, sheet in _sheets(source):
        if name in orders:
            raise CollectionError(f"expected each run once, found run {name} twice")
        results = _results(sheet, name, order)
        told = results.group_by("run_id").agg(pl.col("score").count(), pl.col("rank").count())
        orders |= {run_id: order or _order_of(scores, ranks) for run_id, scores, ranks in told.iter_rows()}
        if told.is_empty():
            orders[name or ONLY_RUN] = order or "file"
        frames.append(results)
        findings.rows += sheet.found
    results = pl.concat(frames)
    passages = results.filter(pl.col("start") >= 0).select("row", *RESULT)
    findings.notices += standing_again(repeated(passages, RESULT).height)
    return _arranged(results, orders, findings)


def _arranged(results: pl.DataFrame, orders: Mapping[str, Order], findings: Findings) -> Runs:
    """Results in the order taken, with a warning for each run that has a column which contradicts it."""
    run_ids = sorted(orders)
    by_run = results if results["run_id"].is_sorted() else results.sort("run_id", maintain_order=True)
    counts = dict(by_run.group_by("run_id").len().iter_rows())
    heights = np.array([counts.get(run_id, 0) for run_id in run_ids], dtype=np.int64)
    grouping = grouped(Rows(by_run, tuple(run_ids), heights), np.arange(len(run_ids)), [orders[run_id] for run_id in run_ids])
    run_names, topic_names = (pl.Series(names, dtype=pl.Enum(names)) for names in (run_ids, grouping.topic_ids))
    arranged = grouping.placed(by_run).with_columns(
        run_names.gather(np.repeat(grouping.runs, grouping.lengths)).alias("run_id"),
        topic_names.gather(np.repeat(grouping.topics, grouping.lengths)).alias("topic_id"),
    )
    for run_id, height, counted in zip(run_ids, heights.tolist(), grouping.contradicted.tolist(), strict=True):
        for column, count in zip(("rank", "score"), counted, strict=True):
            if count:
                text = f"the {column} of {count} of {height} results contradicts the order taken, which is by {orders[run_id]}"
                findings.notices.append(Problem(f"run {run_id}: {text}", severity="warning"))
    return Runs(arranged.select("run_id", "topic_id", *RESULTS), orders)


def _sheets(source: object) -> Iterator[tuple[str | None, Sheet]]:
    """The tables of runs, each with the name of its run where it has one apart from the table."""
    if not isinstance(source, Mapping):
        yield None, Sheet(source, "runs")
        return
    values = list(source.values())
    if all(isinstance(value, Mapping) and not any(isinstance(inner, Mapping) for inner in value.values()) for value in values):
        yield None, Sheet(unnested(source, "score", "runs"), "runs")
        return
    for name, value in source.items():
        what = f"run {name}"
        yield str(name), Sheet(unnested(value, "score", what) if isinstance(value, Mapping) else value, what)


def _results(sheet: Sheet, name: str | None, order: Order | None) -> pl.DataFrame:
    """The results of a table, with their rows, as they stand."""
    sheet.need("topic_id", "doc_id", *(() if order in (None, "file") else (order,)))
    run_ids = sheet.ids("run_id") if sheet.has("run_id") else pl.Series("run_id", [name or ONLY_RUN]).new_from_index(0, sheet.height)
    if name is not None and run_ids.n_unique() > 1:
        raise CollectionError(
            f"{sheet.what}: expected the results of one run, found those of {listed(sorted(run_ids.unique().drop_nulls()))}"
        )
    start, length = sheet.passages(at_least=UNRESOLVED)
    columns = {
        "run_id": run_ids if name is None else pl.Series("run_id", [name]).new_from_index(0, sheet.height),
        "topic_id": sheet.ids("topic_id"),
        "doc_id": sheet.ids("doc_id"),
        "path": sheet.paths(),
        "start": start,
        "length": length,
        "rank": sheet.integers("rank", missing=order != "rank"),
        "score": sheet.scores(missing=order != "score", gaps=False),
    }
    # A run that tells the score of some results and not of others is in no order; nor is one without scores and ranks alike.
    scored, ranked = pl.col("score").is_not_null(), pl.col("rank").is_not_null()
    lacking = {"score": ~scored & scored.any().over("run_id")}
    if order is None:
        lacking["rank"] = ~ranked & ranked.any().over("run_id") & ~scored.any().over("run_id")
    for column, lacks in lacking.items():
        if sheet.has(column) and columns[column].null_count() > 0:
            told = pl.DataFrame(columns).select(lacks.alias("lacks"))["lacks"]
            sheet.refuse(column, told, f"a {column}, as other results of the run have one")
    frame = sheet.rows(columns).select("row", "run_id", "topic_id", *RESULTS)
    # A passage retrieved again is overlapping text; places that could not be resolved need not be the same.
    placed = frame.filter(pl.col("start").is_not_null())
    if placed.is_empty():
        return sheet.without_repeats(frame, RESULT, "result")
    unplaced = sheet.without_repeats(frame.filter(pl.col("start").is_null()), RESULT, "result")
    return placed if unplaced.is_empty() else pl.concat([unplaced, placed]).sort("row")


def _order_of(scores: int, ranks: int) -> Order:
    """What a run's order is taken from by default, given how many of its results have a score and a rank."""
    return "score" if scores else "rank" if ranks else "file"
