"""Collections from tables in memory: polars, pandas and other Arrow frames, rows with named values, nested dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.assessments import Assessments
from inexmetrics.collection import Collection
from inexmetrics.columns import RESULTS, STRUCTURE
from inexmetrics.errors import CollectionError, Problem
from inexmetrics.notices import announce
from inexmetrics.quantisations.base import Scale
from inexmetrics.reading.grouping import grouped
from inexmetrics.reading.judgements import judged
from inexmetrics.reading.lines import Rows
from inexmetrics.reading.run_lines import UNRESOLVED
from inexmetrics.reading.sheets import Sheet
from inexmetrics.reading.tabular import Table, is_frame, unnested
from inexmetrics.runs import Order, Runs
from inexmetrics.selection import listed
from inexmetrics.structure import Structure
from inexmetrics.wording import described, spelled

__all__ = ["AssessmentTables", "RunTables", "from_frames"]

Nested: TypeAlias = Mapping[str, Mapping[str, float]]
AssessmentTables: TypeAlias = Assessments | Table | Nested | list[Table]
"""Judgements in memory: one table, or a list of tables of different kinds, or grades by topic and document."""
RunTables: TypeAlias = Runs | Table | Nested | Mapping[str, Table] | Mapping[str, Nested]
"""Runs in memory: one table, or scores by topic and document; or several of these by the name of the run."""

ORDERS = ("file", "rank", "score")
ONLY_RUN = "run"
"""The name of a run that has none."""


def from_frames(
    assessments: AssessmentTables,
    runs: RunTables | None = None,
    structure: Structure | Table | None = None,
    *,
    order: Order | None = None,
    scale: Scale | None = None,
    strict: bool = True,
) -> Collection:
    """A collection from tables in memory, with one row for each judgement, passage or result.

    A table is a polars, pandas or any Arrow-capable frame, or an iterable of named tuples, dataclasses or mappings;
    grades and scores may also be nested dictionaries, ``{topic: {document: grade}}``. Columns are known by the names of
    this package and by those of ir_measures, ir_datasets and PyTerrier (`query_id`, `qid`; `docno`; `relevance`,
    `label`); others are passed over. Identifiers are text: integers are written out. Missing values are null.

    What a table of assessments holds is told by its columns:

    * `topic_id, doc_id, grade`: graded documents; with `assessor`, one row for each assessor;
    * `topic_id, doc_id, start, length` (or `end`, exclusive): highlighted passages; a row without `start` is a document
      judged and not relevant; `docchars`, `bep` and `relchars` may say more of its document;
    * `topic_id, doc_id, relchars` (`docchars`, `bep`): documents with their highlighted characters;
    * `topic_id, doc_id, path, exhaustivity, specificity` (`size`): assessed elements; without `path` the document is
      the element, without `exhaustivity` there was highlighting alone.

    A table of runs has `topic_id, doc_id`, and may have `run_id` (without it, all is one run named ``run``), `path`,
    `start` and `length` (or `end`), `rank` and `score`.

    Args:
        assessments: The judgements: a table, nested dictionaries, a list of tables of different kinds, or what
            `read_assessments` returned.
        runs: The results: a table, nested dictionaries ``{topic: {document: score}}``, a dictionary of either by run
            name, or what `read_runs` returned.
        structure: `doc_id, path, start, length` of elements, or what `read_structure` returned.
        order: What the order of results is taken from, for all runs; by default the scores where a run has them, else
            its ranks, else the rows as they stand.
        scale: The scale of the elements' exhaustivity; by default INEX 2004's where an exhaustivity is 3, else 2005's.
        strict: Whether a wrong row is an error; otherwise it is dropped, and each is warned of.

    Raises:
        CollectionError: Every wrong row, by its number from 0, or what else keeps the tables from being evaluated.

    Examples:
        >>> collection = from_frames(
        ...     pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [0, 2]}),
        ...     {"bm25": {"1": {"a": 7.5, "b": 3.0}}, "lm": {"1": {"b": -1.0}}},
        ... )
        >>> collection
        Collection(documents: 1 topic, 2 runs)
        >>> collection.runs.results.select("run_id", "doc_id").rows()
        [('bm25', 'a'), ('bm25', 'b'), ('lm', 'b')]
    """
    judgements = assessments if isinstance(assessments, Assessments) else _judgements(assessments, scale, strict=strict)
    retrieved = runs if runs is None or isinstance(runs, Runs) else _runs(runs, order, strict=strict)
    if isinstance(assessments, Assessments) and scale is not None:
        raise CollectionError("scale is taken with tables only; these assessments have been read, and have theirs")
    if isinstance(runs, Runs) and order is not None:
        raise CollectionError("order is taken with tables only; these runs have been read, and are in theirs")
    places, dropped = (structure, []) if structure is None or isinstance(structure, Structure) else _structure(structure, strict=strict)
    made = (
        *(judgements.notices if judgements is not assessments else ()),
        *(retrieved.notices if retrieved is not None and retrieved is not runs else ()),
        *dropped,
    )
    announce(made)
    return Collection(judgements, retrieved, places)


def _judgements(source: Table | Nested | list[Table], scale: Scale | None, *, strict: bool) -> Assessments:
    if isinstance(source, Mapping):
        topics = [str(topic) for topic in source]
        return judged([Sheet(unnested(source, "grade", "assessments"), "assessments")], scale, strict=strict, topics=topics)
    if isinstance(source, list) and source and all(is_frame(table) for table in source):
        sheets = [Sheet(table, f"assessments {number}") for number, table in enumerate(source, start=1)]
        return judged(sheets, scale, strict=strict)
    return judged([Sheet(source, "assessments")], scale, strict=strict)


def _runs(source: RunTables, order: Order | None, *, strict: bool) -> Runs:
    if order is not None and order not in ORDERS:
        raise CollectionError(f"order: expected {' or '.join(map(spelled, ORDERS))}, found {described(order)}")
    frames, problems = [], []
    orders: dict[str, Order] = {}
    for name, sheet in _sheets(source):
        results = _results(sheet, name, order)
        told = results.group_by("run_id").agg(pl.col("score").count(), pl.col("rank").count())
        orders |= {run_id: order or _order_of(scores, ranks) for run_id, scores, ranks in told.iter_rows()}
        if told.is_empty():
            orders[name or ONLY_RUN] = order or "file"
        frames.append(results)
        problems += sheet.close(strict=strict)
    results, contradictions = _arranged(pl.concat(frames), orders)
    return Runs(results, orders, notices=(*problems, *contradictions))


def _arranged(results: pl.DataFrame, orders: Mapping[str, Order]) -> tuple[pl.DataFrame, list[Problem]]:
    """Results in the order taken, and a warning for each run with a column that contradicts it."""
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
    contradictions = [
        Problem(
            f"run {run_id}: the {column} of {count} of {height} results contradicts the order taken, which is by {orders[run_id]}",
            severity="warning",
        )
        for run_id, height, told in zip(run_ids, heights.tolist(), grouping.contradicted.tolist(), strict=True)
        for column, count in zip(("rank", "score"), told, strict=True)
        if count
    ]
    return arranged.select("run_id", "topic_id", *RESULTS), contradictions


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
        "rank": sheet.integers("rank"),
        "score": sheet.numbers("score", missing=order != "score"),
    }
    # A run that tells the score, or the rank it is ordered by, of some results and not of others is in no order.
    told = pl.DataFrame(columns)
    lacks_score = pl.col("score").is_null() & pl.col("score").is_not_null().any().over("run_id")
    by_rank = (
        pl.lit(value=True)
        if order == "rank"
        else (pl.col("score").is_null().all().over("run_id") if order is None else pl.lit(value=False))
    )
    lacks_rank = pl.col("rank").is_null() & pl.col("rank").is_not_null().any().over("run_id") & by_rank
    for column, lacks in (("score", lacks_score), ("rank", lacks_rank)):
        if 0 < told[column].null_count() and sheet.has(column):
            sheet.refuse(column, told.select(lacks.alias("lacks"))["lacks"], f"a {column}, as other results of the run have one")
    frame = sheet.rows(columns).select("row", "run_id", "topic_id", *RESULTS)
    # Places that could not be resolved need not be the same.
    keys = ("run_id", "topic_id", "doc_id", "path", "start", "length")
    unresolved = frame.filter(pl.col("start") == UNRESOLVED)
    if unresolved.is_empty():
        return sheet.without_repeats(frame, keys, "result")
    known = sheet.without_repeats(frame.filter(pl.col("start").ne_missing(UNRESOLVED)), keys, "result")
    return pl.concat([known, unresolved]).sort("row")


def _order_of(scores: int, ranks: int) -> Order:
    """What a run's order is taken from by default, given how many of its results have a score and a rank."""
    return "score" if scores else "rank" if ranks else "file"


def _structure(table: Table, *, strict: bool) -> tuple[Structure, list[Problem]]:
    sheet = Sheet(table, "structure")
    sheet.need("doc_id", "path", "start")
    start, length = sheet.passages()
    columns = {"doc_id": sheet.ids("doc_id"), "path": sheet.paths(), "start": start, "length": length}
    sheet.refuse("start", start.is_null(), "an integer of at least 0")
    sheet.refuse("path", columns["path"].is_null(), "a path that starts with /")
    elements = sheet.without_repeats(sheet.rows(columns), ("doc_id", "path"), "element")
    return Structure(elements.select(list(STRUCTURE))), sheet.close(strict=strict)
