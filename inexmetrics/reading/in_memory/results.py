"""Runs in memory: tables of results, brought into the order taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TypeAlias

import polars as pl

from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Checked, Unchecked, checked, repeats
from inexmetrics.reading.document_names import DocumentNames
from inexmetrics.reading.findings import Findings, contradiction, standing_again
from inexmetrics.reading.in_memory.tabular import Nested, NestedTable, Table, check_names, is_columns, is_nested, tabular, unnested
from inexmetrics.reading.line_files.grouping import RunLists, grouped, runs_of_lists

__all__ = ["RunTables", "orders_of", "results_in", "retrieved_in"]

OneRun: TypeAlias = Table | Nested | NestedTable
"""One table, or scores by topic and document."""
RunTables: TypeAlias = Runs | OneRun | list[NestedTable] | Mapping[str, Table] | Mapping[str, Nested] | Mapping[str, NestedTable]
"""Runs in memory: one table, or scores by topic and document; or several of these by the name of the run, or with their names."""

ONLY_RUN = "run"
"""The name of a run that has none."""
RESULT = ("run_id", "topic_id", "doc_id", "path", "start", "length")
"""What distinguishes results."""


def retrieved_in(source: RunTables, order: Order | None, findings: Findings) -> Runs:
    """The runs in tables, without the rows that are wrong.

    Args:
        source: A table or scores by topic and document, or several of either by the name of the run.
        order: What the order of results is taken from; None takes the scores of a run that has them, else its ranks, else
            the rows as they stand.
        findings: Where wrong rows, and columns that contradict the order, go.
    """
    frames: list[pl.DataFrame] = []
    orders: dict[str, Order] = {}
    for name, table in _tables(source):
        if name in orders:
            raise CollectionError(f"expected each run once, found run {name} twice")
        found = results_in(table, name or ONLY_RUN, order)
        results = found.rows if name is None else found.rows.with_columns(run_id=pl.lit(name))
        if name is not None and found.rows["run_id"].n_unique() > 1:
            others = enumerate_names(sorted(found.rows["run_id"].unique()))
            raise CollectionError(f"{table.what}: expected the results of one run, found those of {others}")
        orders |= orders_of(results, order)
        if results.is_empty():
            orders[name or ONLY_RUN] = order or "file"
        frames.append(results)
        findings.rows.extend(found.problems)
    results = pl.concat(frames)
    passages = results.filter(pl.col("start") >= 0).select("row", *RESULT)
    again = passages.filter(repeats(passages, RESULT))
    if again.height:
        first = again.select("run_id", "topic_id", "row").head(SHOWN_OF_A_KIND)
        places = [f"run {run}: topic {topic}: row {row}" for run, topic, row in first.iter_rows()]
        findings.warnings.append(standing_again(again.height, places))
    return _arranged(results, orders, findings)


def results_in(table: Unchecked, name: str, order: Order | None) -> Checked:
    """The results of a table, as they stand: run_id, topic_id, the columns of `RESULTS` and their place.

    Args:
        table: The table.
        name: The run, where the table does not name any.
        order: What the order is to be taken from, which then is needed of every result.

    Raises:
        CollectionError: The table has not the columns of results.
    """
    needed = {"run_id"} & table.own.keys() | ({order} if order in {"rank", "score"} else set())
    columns = [replace(column, needed=True) if column.name in needed else column for column in rules.RESULTS]
    found = checked(table, columns, (*rules.passage_rules(table), rules.BOUNDED))
    found.rows = found.rows.with_columns(rules.passage_length(), pl.col("run_id").fill_null(name))
    # A run that has the score of some results and not of others is in no order; nor is one without scores and ranks alike.
    scored, ranked = pl.col("score").is_not_null(), pl.col("rank").is_not_null()
    lacking = {"score": ~scored & scored.any().over("run_id")}
    if order is None:
        lacking["rank"] = ~ranked & ranked.any().over("run_id") & ~scored.any().over("run_id")
    for column, lacks in lacking.items():
        if 0 < found.rows[column].null_count() < found.rows.height:
            text = f"{table.own[column]}: expected a {column}, as other results of the run have one, found nothing"
            found.leave_out(found.rows.filter(lacks), text)
    # A passage retrieved again is overlapping text; places that could not be resolved need not be the same.
    found.once(RESULT, "result", pl.col("start").is_null())
    found.rows = found.rows.select("run_id", "topic_id", *RESULTS, *PLACE)
    return found


def orders_of(results: pl.DataFrame, order: Order | None) -> dict[str, Order]:
    """What the order of each run is taken from: as asked for, else its scores, else its ranks, else the rows as they stand."""
    counts = results.group_by("run_id", maintain_order=True).agg(pl.col("score").count(), pl.col("rank").count())
    return {run_id: order or ("score" if scores else "rank" if ranks else "file") for run_id, scores, ranks in counts.iter_rows()}


def _arranged(results: pl.DataFrame, orders: Mapping[str, Order], findings: Findings) -> Runs:
    """Results in the order taken, with a warning for each run that has a column which contradicts it."""
    by_run, names = _by_run(results), DocumentNames()
    parts = []
    for run_id in sorted(orders):
        rows = by_run.get(run_id, results.clear())
        grouping = grouped(rows, orders[run_id])
        parts.append(RunLists.of(run_id, orders[run_id], grouping, rows.with_columns(names.coded(rows["doc_id"]))))
        for column, count in grouping.contradicted.items():
            if count:
                findings.warnings.append(contradiction(column, count, rows.height, orders[run_id], run_id=run_id))
    return runs_of_lists(parts, {})


def _by_run(results: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of each run; without copying them where they stand together."""
    stretches = results.select(pl.col("run_id").rle()).unnest("run_id")
    run_ids: list[str] = stretches["value"].to_list()
    if len(set(run_ids)) < len(run_ids):
        return {str(run_id): rows for (run_id,), rows in results.partition_by("run_id", as_dict=True, maintain_order=True).items()}
    lengths: list[int] = stretches["len"].to_list()
    return {run_id: results.slice(end - length, length) for run_id, length, end in zip(run_ids, lengths, accumulate(lengths), strict=True)}


def _tables(source: object) -> Iterator[tuple[str | None, Unchecked]]:
    """The tables of runs, each with the name of its run where it has one apart from the table."""
    listed = source if isinstance(source, list) else [source]
    if listed and all(map(is_nested, listed)):
        for one in filter(is_nested, listed):
            name = str(one.name or ONLY_RUN)
            yield name, Unchecked(unnested(one.to_dict(), "score", f"run {name}"), f"run {name}")
        return
    if not isinstance(source, Mapping) or is_columns(source):
        yield None, Unchecked(tabular(source, "runs"), "runs")
        return
    if all(
        isinstance(value, Mapping) and not is_columns(value) and not any(isinstance(inner, Mapping) for inner in value.values())
        for value in source.values()
    ):
        yield None, Unchecked(unnested(source, "score", "runs"), "runs")
        return
    check_names("runs", source, "runs")
    for name, given in source.items():
        value = given.to_dict() if is_nested(given) else given
        what = f"run {name}"
        nested = isinstance(value, Mapping) and not is_columns(value)
        yield str(name), Unchecked(unnested(value, "score", what) if nested else tabular(value, what), what)
