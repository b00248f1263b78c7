"""Reads judgements and results from tables in files: separated values with a header, JSON Lines, and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.column_names import names_runs
from inexmetrics.reading.files import bare_name, first_line
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.judgements import judgement_tables
from inexmetrics.reading.in_memory.spreadsheets import table_of
from inexmetrics.reading.json_lines import json_table, names_of
from inexmetrics.reading.parquet import ParquetTable, is_parquet
from inexmetrics.reading.parts import NOTHING, Part, Reader
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.result_tables import readers_of

__all__ = ["read_judgement_files", "result_readers", "table_in"]


def read_judgement_files(
    sources: Sequence[Source], beside: Sequence[Unchecked], findings: Findings, *, merge_passages: bool, grade: Rule
) -> dict[str, pl.DataFrame]:
    """Reads tables of judgements; returns a dictionary from names of attributes of `Assessments` to tables.

    Args:
        sources: The files.
        beside: Further tables of judgements, which are not from files.
        findings: The object to which the problems of invalid rows are added; invalid rows are excluded.
        merge_passages: Whether passages that overlap or touch are merged.
        grade: The condition that a valid grade satisfies.
    """
    tables = [table for source in sources if (table := table_in(source, findings)) is not None]
    try:
        return judgement_tables([*tables, *beside], None, findings, merge_passages=merge_passages, grade=grade)
    except CollectionError as error:
        findings.files += error.problems
        return {}


def result_readers(source: Source, findings: Findings, order: Order | None) -> Iterator[Reader]:
    """Yields functions that read a table of results in batches; a table without a column ``run_id`` is a run with the name of the file.

    Args:
        source: The file; the row groups of a Parquet file are read when needed.
        findings: The object to which problems are added.
        order: The column that determines the ranking. If None, each run is ordered by its scores if it has scores, otherwise by its ranks
            if it has ranks, otherwise by the order of rows.
    """
    name = Path(bare_name(source.path)).stem
    readers: Iterator[Reader]
    try:
        raw = source.content()
        if is_parquet(raw):
            there = ParquetTable(raw, source.name)
            orders = there.orders()
            readers = readers_of(there.columns(), name, order, read=there.read, orders=orders)
            if orders:
                found = there.read(lambda rows: rows.select(pl.col("run_id").unique().cast(pl.String))).to_series()
                empty = [Part(NOTHING, order or orders[run_id], whole=(run_id, source.name)) for run_id in orders.keys() - set(found)]
                readers = chain(readers, [partial(list, empty)])
        elif (read := _text_table(raw, source.name, findings, names_runs)) is not None:
            readers = readers_of(read, name, order)
        else:
            return
        yield from readers
    except CollectionError as error:
        findings.files += error.problems


def table_in(source: Source, findings: Findings) -> Unchecked | None:
    """Returns the table in a file; None if the file is unreadable."""
    try:
        return _text_table(source.content(), source.name, findings)
    except CollectionError as error:
        findings.files += error.problems
        return None


def _text_table(raw: bytes, file: str, findings: Findings, also: Callable[[str], bool] = lambda name: False) -> Unchecked | None:
    """Returns the table in a file, or None if no line is valid; `also` selects unknown names in JSON objects that are read as columns."""
    if not first_line(raw).startswith(b"{"):
        return table_of(raw, file, findings)
    return json_table(raw, file, findings, frozenset(filter(also, names_of(raw))))
