"""Reads tables in files: separated values with a header, JSON Lines, and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl

from inexmetrics.collection.layout import Role
from inexmetrics.collection.runs import Order
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe, enumerate_names, plural
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.files import COMMENTS, bare_name, below_comments, text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.judgements import judgement_tables
from inexmetrics.reading.json_files import is_json, json_table
from inexmetrics.reading.parquet import ParquetTable, is_parquet
from inexmetrics.reading.parts import NOTHING, Part, Reader
from inexmetrics.reading.recognise import SEPARATORS, Source
from inexmetrics.reading.result_tables import readers_of

__all__ = ["WHITE", "holds_numbers", "read_judgement_files", "result_readers", "table_in", "table_of"]

WHITE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode white space that polars removes in strip_chars; Python's strip also removes the characters 0x1c to 0x1f."""
NO_TITLE: Final = "if a title stands above the header, delete the line of the title"
"""Advice in errors about a header that is probably the title of a table."""


def table_of(raw: bytes, file: str, findings: Findings | None = None) -> Unchecked:
    """Reads a table from a Parquet file, or from a text file with a header and values separated by commas, tabs or semicolons.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which an error is added for each line whose number of values differs from the number of columns; the line is
            excluded. If `findings` is None, a line with a wrong number of values raises an error.

    Raises:
        CollectionError: The file is unreadable, lacks a header or rows, has a line longer than the limit, or repeats a column name.
            Also raised if `findings` is None and a line has a wrong number of values.
    """
    if is_parquet(raw):
        return Unchecked(ParquetTable(raw, file).read(), file)
    text = text_of(raw, file)
    if not text.strip():
        raise CollectionError(Problem("expected a header and rows, found nothing", file=file))
    first_line = text.lstrip("\r\n").partition("\n")[0]
    separator = max(SEPARATORS, key=first_line.count)
    if (tidy := _tidy(text, separator)) is not None:
        return Unchecked(tidy[0], file, tidy[1], separator=separator)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    read_exactly: list[str] = []  # the header with the spaces around names
    lines: list[int] = []
    problems: list[Problem] = []
    malformed = problems if findings is None else findings.rows
    read = 0  # line number of the last complete row
    try:
        for row in reader:
            read = reader.line_num
            if not row:
                continue
            if rows and len(row) != len(rows[0]):
                malformed.append(
                    Problem(f"expected {plural(len(rows[0]), 'value')} as in the header, found {len(row)}", file=file, line=reader.line_num)
                )
                continue
            read_exactly = read_exactly if rows else row
            rows.append([cell.strip(WHITE) for cell in row])
            lines.append(reader.line_num)
    except csv.Error as error:
        reasons = {
            "unexpected end of data": "expected a closing quote, found the end of the file",
            "expected after": "expected a separator after a closing quote, found other text",
            "field limit": f"expected values of at most {csv.field_size_limit()} characters, found a longer one",
        }
        message = next((text for words, text in reasons.items() if words in str(error)), f"expected separated values, found: {error}")
        problems.append(Problem(message, file=file, line=read + 1))
    if not problems and len(rows) < 2:
        problems.append(Problem(f"expected a header and rows, found {'only a header' if rows else 'nothing'}", file=file))
    if findings is None and len(problems) > 1 and len(rows) == 1 and len({problem.message for problem in problems}) == 1:
        text_of_header = describe(separator.join(rows[0]))
        text = f"{problems[0].message.replace('as in the header', f'as in the header {text_of_header}')} in each other line"
        problems = [Problem(f"{text}; {NO_TITLE}", file=file, line=lines[0])]
    twice = sorted({name for name in rows[0] if rows[0].count(name) > 1}) if rows else []
    if "" in twice:
        unnamed = f"found {rows[0].count('')} columns without a name in the header {describe(separator.join(rows[0]))}"
        problems.append(Problem(f"expected a name for each column, {unnamed}; {NO_TITLE}", file=file, line=lines[0]))
        twice.remove("")
    if twice:
        spaces = "" if read_exactly == rows[0] else "; spaces around a name are ignored, so rename one of the columns"
        problems.append(Problem(f"expected each column once, found {enumerate_names(twice)} twice{spaces}", file=file, line=lines[0]))
    if problems:
        raise CollectionError(problems)
    columns = (pl.Series(column, dtype=pl.String).replace("", None) for column in zip(*rows[1:], strict=True))
    return Unchecked(pl.DataFrame(dict(zip(rows[0], columns, strict=True))), file, lines[1:], separator=separator)


def _tidy(text: str, separator: str) -> tuple[pl.DataFrame, list[int]] | None:
    """Parses simple separated text, ten times as fast as the module csv; returns the table and its line numbers, or None for other text."""
    text = text.replace("\r\n", "\n")
    if '"' in text or "\r" in text:
        return None
    rows = pl.DataFrame({"text": text.split("\n")}).with_row_index("line", offset=1).filter(pl.col("text") != "")
    if rows.height < 2 or rows["text"].str.count_matches(separator, literal=True).n_unique() > 1:
        return None
    width = rows["text"][0].count(separator)
    cells = rows["text"].str.split_exact(separator, width).struct.unnest()
    header, body = [name.strip(WHITE) for name in cells.row(0)], cells.slice(1)
    if len(set(header)) < len(header):
        return None
    table = body.select(pl.all().str.strip_chars().replace("", None))
    table.columns = header
    return table, rows["line"].slice(1).to_list()


def holds_numbers(raw: bytes) -> bool:
    r"""Returns whether the second non-blank line of a file contains a number, as is typical of tables of scores.

    Examples:
        >>> [
        ...     holds_numbers(raw)
        ...     for raw in (b"a,b\n0.5,x\n", b"a,b\n50%,x\n", b"# About\n\nThese are scores.\n")
        ... ]
        [True, True, False]
    """
    lines = [line for line in raw.decode("utf-8-sig", errors="replace").splitlines() if line.strip()][:2]
    separator = max(SEPARATORS, key=lines[0].count) if lines else ","
    cells = pl.Series([cell.strip(' "%') for line in lines[1:] for cell in line.split(separator)], dtype=pl.String)
    return cells.cast(pl.Float64, strict=False).count() > 0


def read_judgement_files(
    sources: Sequence[Source], beside: Sequence[Unchecked], findings: Findings, *, merge_passages: bool, grade: Rule
) -> dict[str, pl.DataFrame]:
    """Reads tables of judgements; returns a dictionary that maps names of attributes of `Assessments` to tables.

    Args:
        sources: The files.
        beside: Tables of judgements that are added to the tables in `sources`, such as the judgements in a data set of ir_datasets.
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
            there = ParquetTable(raw, source.name, source.columns)
            orders = there.orders()
            readers = readers_of(there.columns(), name, order, read=there.read, orders=orders)
            if orders:
                found = there.read(lambda rows: rows.select("run_id")).to_series().unique().cast(pl.String)
                empty = [Part(NOTHING, order or orders[run_id], whole=(run_id, source.name)) for run_id in orders.keys() - set(found)]
                readers = chain(readers, [partial(list, empty)])
        elif (read := _text_table(raw, source, findings, "runs")) is not None:
            readers = readers_of(read, name, order)
        else:
            return
        yield from readers
    except CollectionError as error:
        findings.files += error.problems


def table_in(source: Source, findings: Findings) -> Unchecked | None:
    """Returns the table of judgements in a file; None if the file is unreadable."""
    try:
        raw = source.content()
        if is_parquet(raw):
            there = ParquetTable(raw, source.name, source.columns)
            return Unchecked(there.read(), source.name, called=there.called(), role="assessments")
        return _text_table(raw, source, findings, "assessments")
    except CollectionError as error:
        findings.files += error.problems
        return None


def _text_table(raw: bytes, source: Source, findings: Findings, role: Role) -> Unchecked | None:
    """Returns the table in a file of text, under our names of the columns that the caller stated; None if no line is valid."""
    if is_json(raw):
        table = json_table(raw, source.name, findings, source.columns.keys(), role)
    else:
        body, comments = below_comments(raw)
        notes = (COMMENTS,) if comments else ()
        table = replace(table_of(body, source.name, findings), role=role, notes=notes)
    return None if table is None else table.renamed(source.columns)
