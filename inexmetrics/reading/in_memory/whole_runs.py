"""Tables of results, some whole runs at a time: where their rows stand, what is wrong with them, and what their order is taken from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, chain
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import PASSAGE, RESULTS
from inexmetrics.common.elements import place
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Checked, Unchecked, checked
from inexmetrics.reading.column_names import ALIASES

__all__ = ["by_run", "ignored_instead_of_offsets", "once", "results_in", "unordered", "whole_runs"]

PART: Final = 1 << 17
"""Rows that are checked at a time, unless a run has more: what is made of them to check them is little beside the table."""


def whole_runs(table: Unchecked) -> Iterator[Unchecked]:
    """The rows of a table, those of some runs after those of others, each run's together and as they stand.

    Examples:
        >>> table = Unchecked(
        ...     pl.DataFrame({"run": ["a", "b", "a"] * 150_000}).with_row_index("row"), "runs"
        ... )
        >>> [
        ...     (part.frame["run"].unique().to_list(), part.frame["row"].head(3).to_list())
        ...     for part in whole_runs(table)
        ... ]
        [(['a'], [0, 2, 3]), (['b'], [1, 4, 7])]
    """
    frame, own = table.frame, table.own.get("run_id")
    if own is None or frame.schema[own].is_nested() or frame.schema[own].is_object():  # names no run
        yield table
        return
    stretches = frame.select(pl.col(own).rle().struct.unnest())
    lengths = stretches["len"].to_numpy().astype(np.int64)
    rows = np.arange(frame.height)
    together = stretches["value"].n_unique() == len(lengths)
    if not together:
        runs = stretches.select("value").unique(maintain_order=True).with_row_index("run")
        codes = stretches.join(runs, on="value", how="left", nulls_equal=True, maintain_order="left")["run"].to_numpy()
        of_row = np.repeat(codes, lengths)
        rows, lengths = np.argsort(of_row, kind="stable"), np.bincount(of_row)
    first = last = 0
    for length in lengths.tolist():
        last += length
        if last - first >= PART or last == len(rows):
            there = rows[first:last]
            part = frame.slice(first, last - first) if together else frame[there]
            yield replace(table, frame=part, lines=None if table.lines is None else np.asarray(table.lines)[there], numbers=there)
            first = last


def results_in(table: Unchecked, name: str, order: Order | None) -> Checked:
    """The results of some whole runs, as they stand: run_id, topic_id, the columns of `RESULTS` and their place; `once` has each once.

    Args:
        table: The runs.
        name: The run, where the table does not name any.
        order: What the order is to be taken from, which then is needed of every result.

    Raises:
        CollectionError: The table has not the columns of results.
    """
    needed = {"run_id"} & table.own.keys() | ({order} if order in {"rank", "score"} else set())
    ordering = order in {None, "score"}
    columns = [
        replace(column, needed=column.needed or column.name in needed, exact=column.name == "score" and ordering)
        for column in rules.RESULTS
    ]
    found = checked(table, columns, (*rules.passage_rules(table), rules.BOUNDED))
    # A run that has the score of some results and not of others is in no order; nor is one without scores and ranks alike.
    scored, ranked = pl.col("score").is_not_null(), pl.col("rank").is_not_null()
    lacking = {"score": ~scored & scored.any().over("run_id")}
    if order is None:
        lacking["rank"] = ~ranked & ranked.any().over("run_id") & ~scored.any().over("run_id")
    height, nulls = found.rows.height, found.rows.select(pl.col(*lacking).null_count()).row(0)
    for (column, lacks), count in zip(lacking.items(), nulls, strict=True):
        if 0 < count < height:
            text = f"{table.own[column]}: expected a {column}, as other results of the run have one, found nothing"
            found.leave_out(found.rows.filter(lacks), text)
    there = {name: pl.col(name) for name in ("topic_id", *RESULTS, *PLACE)} | {"length": rules.PASSAGE_LENGTH}
    found.rows = found.rows.select(pl.col("run_id").fill_null(name), *there.values())
    return found


def unordered(table: Unchecked, order: Order | None) -> list[Problem]:
    """The warning that no column which is understood orders a table's results, where another one of numbers might be meant to.

    Args:
        table: The table.
        order: What the order is to be taken from; None where nobody said.
    """
    if order is not None or {"score", "rank"} & table.own.keys():
        return []
    numbers = [name for name, value in table.passed_over.items() if _is_number(value)]
    if not numbers:
        return []
    passed_over = f"found neither, and {enumerate_names(numbers)}; results stay in the order of rows"
    text = f'expected a column score or rank, {passed_over}; order="file" (--order file) asks for that'
    return [Problem(text, file=table.what, severity="warning")]


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def ignored_instead_of_offsets(table: Unchecked) -> tuple[str, ...]:
    """Return the ignored columns of a table of results that has no offset and no path; nothing for a table that has some.

    Names and numbers of runs, topics, queries and documents, and the second column of TREC's runs, cannot be offsets, and are not among them.

    Examples:
        >>> found = pl.DataFrame(
        ...     {"qid": ["1"], "docno": ["a"], "docid": [7], "score": [0.5], "first": [20]}
        ... )
        >>> ignored_instead_of_offsets(Unchecked(found, "runs"))
        ('first',)
    """
    there = [table.own[name] for name in ("start", "path") if name in table.own]
    if any(table.frame[name].null_count() < table.frame.height for name in there):
        return ()
    read = {table.own[column.name] for column in rules.RESULTS if column.name in table.own}
    names = chain.from_iterable((name, *ALIASES[name]) for name in ("run_id", "topic_id", "doc_id"))
    known = {*read, *names, "query", "rank", "score", "q0", "iteration"}
    return tuple(name for name in (*table.frame.columns, *table.elsewhere) if name.lower() not in known and name not in read)


def once(found: Checked) -> None:
    """Leaves out the results that repeat an earlier one of their list; a root element is its document."""
    places = place(pl.col("path")) if found.rows["path"].count() else pl.lit(None, pl.String)
    found.rows = found.rows.with_columns(place=places)
    # A passage retrieved again is overlapping text; places that could not be resolved need not be the same.
    found.once(("run_id", "topic_id", "doc_id", "place"), _result, ~PASSAGE)
    found.rows = found.rows.drop("place")


def _result(row: Mapping[str, object]) -> str:
    """A result in words."""
    named = (f"{key.removesuffix('_id')} {row[key]}" for key in ("run_id", "topic_id", "doc_id", "path") if row[key] is not None)
    return f"result of {', '.join(named)}"


def by_run(results: pl.DataFrame, order: Order | None) -> Iterator[tuple[str, Order, pl.DataFrame]]:
    """Each run's name, what its order is taken from, and its rows, which are not copied where they stand together.

    The order is taken from what is asked for, else from scores, else from ranks, else from the rows as they stand.
    """
    stretches = results.select(pl.col("run_id").rle().struct.unnest())
    run_ids: list[str] = stretches["value"].to_list()
    if len(set(run_ids)) < len(run_ids):
        of_runs = results.partition_by("run_id", maintain_order=True)
    else:
        lengths: list[int] = stretches["len"].to_list()
        of_runs = [results.slice(end - length, length) for length, end in zip(lengths, accumulate(lengths), strict=True)]
    for run_id, rows in zip(dict.fromkeys(run_ids), of_runs, strict=True):
        scores, ranks = rows.select(pl.col("score", "rank").count()).row(0)
        yield run_id, order or ("score" if scores else "rank" if ranks else "file"), rows
