"""Reads tables of results in batches of complete runs, and checks the rows of each batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.arrays import IntArray, in_ranges
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading import rules
from inexmetrics.reading.checker import PLACE, Unchecked, checked
from inexmetrics.reading.column_types import has_blanks
from inexmetrics.reading.findings import Findings, located, shown
from inexmetrics.reading.names import SECOND_OF_TREC, folded, headings, names_runs
from inexmetrics.reading.parts import Part, Reader
from inexmetrics.reading.passage_texts import other_units, text_warnings
from inexmetrics.reading.result_doubts import equal_ranks, merged_runs, rising, rounded_ties, unordered
from inexmetrics.reading.stated_columns import OF_RESULTS

__all__ = ["PART", "part_of", "readers_of"]

PART: Final = 1 << 16
"""Minimum number of rows in each batch except the last; each batch consists of complete runs."""
PIECE: Final = 1 << 18
"""Minimum number of rows in each batch of topics of a large run except the last."""
LARGE: Final = 1 << 21
"""Maximum number of rows of a run with names as text that is read at once."""
WHOLE: Final = 1 << 23
"""Maximum number of rows of a table of categories and numbers that is read at once, because reading parts of categories takes longer."""

Query: TypeAlias = Callable[[pl.LazyFrame], pl.LazyFrame]
"""A query that selects rows and columns of a table."""
Read: TypeAlias = Callable[[Query], pl.DataFrame]
"""A function that returns the result of a query on a table, and reads only the required rows and columns."""
Batch: TypeAlias = Callable[[], Unchecked]
"""A function that returns the rows of a batch."""


def readers_of(
    table: Unchecked,
    name: str,
    order: Order | None,
    *,
    read: Read | None = None,
    orders: Mapping[str, Order] = MappingProxyType({}),
    pieces: bool = False,
) -> Iterator[Reader]:
    """Yields functions that read a table of results; each function reads and checks one batch of complete runs.

    Args:
        table: The table; if `read` is given, the table may be without rows, because `read` returns them.
        name: The name of the run, if the table does not contain names of runs.
        order: The column that the caller requested for the ranking; None if no column was requested.
        read: Function that reads rows of the table when needed; None if `table` contains all rows.
        orders: The column that determined the ranking of each run, as recorded in the file.
        pieces: Whether each batch consists of topics of a run, if the table is large and contains one run; otherwise there are no batches.

    Raises:
        CollectionError: The table lacks columns that results need.
    """
    frame = table.frame
    # The streaming engine of polars 2.1 panics if equal values are in several chunks of a frame, as after `pl.concat`.
    table, rows, unnamed = _with_run_ids(table, read or (lambda query: query(frame.lazy()).collect(engine="in-memory")))
    ignored: tuple[str, ...] = ()
    placed = [table.own[name] for name in ("start", "path") if name in table.own]
    if not placed or not any(rows(lambda rows: rows.select(pl.col(placed).is_not_null().any())).row(0)):
        # Columns of identifiers, queries, ranks and scores, and column 2 of TREC runs, cannot contain offsets.
        understood = {table.own[column.name] for column in rules.RESULTS if column.name in table.own}
        names = chain.from_iterable(map(headings, ("run_id", "topic_id", "doc_id")))
        known = {*names, "query", "rank", "score", *SECOND_OF_TREC}
        columns = dict.fromkeys((*table.frame.columns, *table.elsewhere))
        ignored = tuple(name for name in columns if name not in understood and name.lower() not in {*understood, *known})
    stated: Order | Mapping[str, Order] | None = orders if len({*orders.values()}) > 1 else next(iter(orders.values()), None)

    each = stated if isinstance(stated, str) and stated != "file" else None

    def part(batch: Batch, findings: Findings) -> list[Part]:
        there = batch()
        if order is not None or stated is None or each is not None:
            return [part_of(there, name, order or each, findings, ignored)]
        return [replace(part_of(there, name, None, findings, ignored, taken="file"), order=stated)]

    layout = table.layout("runs", "a table of results", OF_RESULTS)
    warnings = [
        *unnamed,
        *(other_units(table) if "start" in table.own else ()),
        *merged_runs(table, rows),
        *([] if orders else unordered(table, order)),
    ]
    findings = Findings(warnings=warnings, layouts=[layout])
    for batch in (_topics_of_a_run if pieces else _whole_runs)(table, rows):
        yield partial(part, batch, findings)
        findings = Findings()


def part_of(
    table: Unchecked,
    name: str,
    order: Order | None,
    findings: Findings,
    ignored: tuple[str, ...] = (),
    *,
    task: str | None = None,
    taken: Order | None = None,
) -> Part:
    """Checks a table that contains one or several complete runs, and returns their results in the order of rows; invalid rows are excluded.

    Args:
        table: A table that contains all rows of one or several runs.
        name: The name of the run, if the table does not contain names of runs.
        order: The column that the caller requested for the ranking, in which every valid result has a value; None if no column was
            requested.
        findings: Problems of the file that were found before its rows were checked.
        ignored: Names of unread columns that may contain offsets; empty if a known column contains offsets or paths.
        task: The INEX task of the runs; None if unknown.
        taken: The column that determined the ranking, used if `order` is None. If `taken` is also None, each run is ordered by its scores
            if it has scores, otherwise by its ranks if it has ranks, otherwise by the order of rows.

    Raises:
        CollectionError: The table lacks columns that results need.
    """
    confirmed, order = order is not None, order or taken
    needed = {"run_id"} & table.own.keys() | ({order} if order in {"rank", "score"} else set())
    ordering = order in {None, "score"}
    columns = [
        replace(column, needed=column.needed or column.name in needed, exact=column.name == "score" and ordering)
        for column in rules.RESULTS
    ]
    by_rank = table.role == "runs" and "rank" in table.own and (order == "rank" or (order is None and "score" not in table.own))
    found = checked(table, columns, (*rules.passage_rules(table), rules.BOUNDED, *([rules.RANKED] if by_rank else [])))
    doubts = [*rising(table, found.rows, name)] if order is None and "score" in table.own and "rank" not in table.own else []
    if ordering and (table.written is not None or isinstance(table.frame.schema.get(table.own.get("score", "")), pl.String | pl.Decimal)):
        with_scores = found.rows.filter(pl.col("score").is_not_null())

        def texts(rows: IntArray) -> pl.Series:
            numbers = pl.int_range(table.frame.height, eager=True) if table.numbers is None else pl.Series(table.numbers)
            scores = table.frame[table.own["score"]] if table.written is None else table.written()[numbers]
            written = pl.DataFrame({"row": numbers, "text": scores.cast(pl.String)})
            return with_scores.select("row")[rows].join(written, on="row", how="left", maintain_order="left")["text"]

        for place, problem in rounded_ties(with_scores.select("score", "topic_id", *({"run_id"} & table.own.keys())), texts):
            row = with_scores.row(place, named=True)
            found.wrong.append((row["row"], located(row, problem.message)))
    if taken is None:
        # If some results of a run have scores, results without a score are invalid; the same applies to ranks in runs without scores.
        scored, ranked = pl.col("score").is_not_null(), pl.col("rank").is_not_null()
        lacking = {"score": ~scored & scored.any().over("run_id")}
        if order is None:
            lacking["rank"] = ~ranked & ranked.any().over("run_id") & ~scored.any().over("run_id")
        height, nulls = found.rows.height, found.rows.select(pl.col(*lacking).null_count()).row(0)
        for (column, lacks), count in zip(lacking.items(), nulls, strict=True):
            if 0 < count < height:
                text = f"{table.named(column)}: expected a {column}, found nothing; other results of the run have a {column}"
                found.leave_out(found.rows.filter(lacks), text)
    run_id = pl.col("run_id") if "run_id" in table.own else pl.lit(name).alias("run_id")
    placed = "start" in table.own
    rows = found.rows.select(
        run_id, *(rules.PASSAGE_LENGTH if column == "length" and placed else column for column in ("topic_id", *RESULTS, *PLACE))
    )
    about_texts = text_warnings(table, rows) if placed else ()
    doubts += equal_ranks(table, rows) if by_rank and not confirmed else ()
    if order is None and "score" in table.own and rows["score"].null_count():
        doubts += _without_scores(table, rows)
    findings = replace(findings, warnings=[*findings.warnings, *doubts, *about_texts])
    return Part(rows, order, findings, found.wrong, task, ignored)


def _without_scores(table: Unchecked, rows: pl.DataFrame) -> Iterator[Problem]:
    """Yields a warning for each run without any score or rank, in a table with a column of scores."""
    of_runs = rows.group_by("run_id", maintain_order=True).agg(pl.col("score", "rank").null_count() == pl.len())
    for run in of_runs.filter("score", "rank")["run_id"]:
        text = f"{table.named('score')}: expected scores, found none in {{}}; results are then ranked in the order of the rows"
        text += ', which order="file" (--order file) confirms'
        ours = text.format(f"run {shown(run)}")
        yield Problem(ours, file=table.what, severity="warning", kind=text.format("{count} runs"), detail=shown(run))


def _with_run_ids(table: Unchecked, read: Read) -> tuple[Unchecked, Read, list[Problem]]:
    """Renames a column such as ``model`` to ``run_id`` if it contains several names. Returns the table, its reader and the warnings.

    A column such as ``model`` is ignored if it contains a single name, or if the table has a column ``run_id``.

    Raises:
        CollectionError: Several columns may contain the names of runs.
    """
    known = {folded(name) for name in headings("run_id")}
    possible = [] if "run_id" in table.own else filter(names_runs, table.passed_over)
    likely = [name for name in possible if name in table.frame.columns and folded(name) not in known]
    counts = read(lambda rows: rows.select(pl.col(likely).drop_nulls().n_unique())).row(0) if likely else ()
    several = [name for name, count in zip(likely, counts, strict=True) if count > 1]
    if not several:
        return table, read, []
    if len(several) > 1:
        text = f"expected one column named run_id, found {enumerate_names(several)}; rename the column of the runs to run_id"
        raise CollectionError(text, file=table.what)
    names = {several[0]: "run_id"}
    line = None if table.lines is None else 1
    warning = Problem(f"the column {several[0]} is read as run_id", file=table.what, line=line, severity="warning")
    renamed = replace(table, frame=table.frame.rename(names), called={**table.called, "run_id": several[0]})
    return renamed, lambda query: read(lambda rows: query(rows.rename(names))), [warning]


def _whole_runs(table: Unchecked, read: Read) -> Iterator[Batch]:
    """Splits a table into batches of complete runs."""
    understood = _understood(table)
    height: int = read(lambda rows: rows.select(pl.len())).item()
    run = table.own.get("run_id")
    dtype = None if run is None else table.frame.schema[run]
    named = pl.col(run or "").str.strip_chars() if dtype == pl.String else pl.col(run or "")
    if run is None or dtype is None or dtype.is_nested() or dtype.is_object() or height <= PART:
        yield lambda: replace(table, frame=read(lambda rows: rows))
        return
    part_of(replace(table, frame=table.frame.clear(), lines=None), "", None, Findings())  # raises an error if columns are missing
    stretches = read(lambda rows: rows.select(named.rle().struct.unnest()))
    lengths = stretches["len"].to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    runs = stretches.select("value").unique(maintain_order=True).with_row_index("run")
    codes = stretches.join(runs, on="value", how="left", nulls_equal=True, maintain_order="left")["run"].to_numpy()
    batches = _batches(np.bincount(codes, weights=lengths).astype(np.int64), PART)
    if runs.height == len(lengths) and (_has_text(table) or height > WHOLE):  # the rows of each run are contiguous
        yield from _stretches(table, read, lengths, PART)
        return
    by_run = np.argsort(codes, kind="stable")
    firsts = np.searchsorted(codes[by_run], np.arange(runs.height + 1))
    columns = {}
    largest = [table.own.get("score"), table.own["doc_id"]]  # which are read first, because reading takes twice the memory of a column
    for name in sorted(understood, key=lambda name: largest.index(name) if name in largest else len(largest)):
        columns[name] = read(lambda rows, name=name: rows.select(name)).to_series().rechunk()  # type: ignore[misc]
    # Categories are searched once, because each batch contains most of the names.
    bare = frozenset(name for name, column in columns.items() if column.dtype != pl.String and not has_blanks(column))
    whole = pl.DataFrame([columns[name] for name in understood])

    def rows(runs: IntArray) -> Unchecked:
        numbers = in_ranges(starts[runs], lengths[runs])
        return _some(table, whole[numbers], numbers, bare)

    for first, last in batches:
        yield partial(rows, by_run[firsts[first] : firsts[last]])


def _topics_of_a_run(table: Unchecked, read: Read) -> Iterator[Batch]:
    """Splits a large table of one run into batches of stretches of rows of a topic; yields nothing for other tables."""
    run, topic = table.own.get("run_id"), table.own.get("topic_id")
    if topic is None or any(table.frame.schema[name].is_nested() for name in (run, topic) if name is not None):
        return
    most = LARGE if _has_text(table) else WHOLE
    if read(lambda rows: rows.select(pl.len())).item() > most and (
        run is None or read(lambda rows: rows.select(pl.col(run).n_unique())).item() == 1
    ):
        lengths = read(lambda rows: rows.select(pl.col(topic).rle().struct.field("len"))).to_series()
        yield from _stretches(table, read, lengths.to_numpy().astype(np.int64), PIECE)


def _stretches(table: Unchecked, read: Read, lengths: IntArray, size: int) -> Iterator[Batch]:
    """Splits a table into batches of consecutive stretches of rows of the given lengths, with at least `size` rows in each but the last."""
    understood, ends = _understood(table), np.append(0, np.cumsum(lengths)).tolist()

    def between(first: int, last: int) -> Unchecked:
        return _some(table, read(lambda rows: rows.select(understood).slice(first, last - first)), np.arange(first, last))

    for first, last in _batches(lengths, size):
        yield partial(between, ends[first], ends[last])


def _some(table: Unchecked, rows: pl.DataFrame, numbers: IntArray, bare: frozenset[str] = frozenset()) -> Unchecked:
    """Returns rows of a table; `numbers` are their numbers in the table."""
    lines = None if table.lines is None else np.asarray(table.lines)[numbers]
    return replace(table, frame=rows, lines=lines, numbers=numbers, bare=bare)


def _has_text(table: Unchecked) -> bool:
    return any(table.frame.schema[name] == pl.String for name in _understood(table))


def _understood(table: Unchecked) -> list[str]:
    return [name for name in table.frame.columns if name in table.own.values()]


def _batches(rows: IntArray, size: int) -> Iterator[tuple[int, int]]:
    """Groups consecutive runs into batches with at least `size` rows each, except the last; yields the range of the runs in each batch.

    Args:
        rows: The number of rows of each run.
        size: The minimum number of rows in a batch.
    """
    first, total = 0, 0
    for last, count in enumerate(rows.tolist(), start=1):
        total += count
        if total >= size or last == len(rows):
            yield first, last
            first, total = last, 0
