"""Reads tables in files: separated values with a header, JSON Lines, and Parquet, whose row groups are read only when needed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, get_args

import numpy as np
import polars as pl
import polars.selectors as cs

from inexmetrics.collection.layout import Role
from inexmetrics.collection.runs import ORDERS, Order
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe, enumerate_names, plural
from inexmetrics.reading import column_types, formats, json_files, names, result_tables, stated_columns, tabular
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import COMMENTS, bare_name, below_comments, is_json, is_parquet, text_of
from inexmetrics.reading.findings import Findings, most_unpacked, shown
from inexmetrics.reading.line_files.lines import WORD
from inexmetrics.reading.parts import NOTHING, Part, Reader
from inexmetrics.reading.recognise import BROKEN, Source, separator_of

__all__ = [
    "CELLS",
    "ParquetTable",
    "headed",
    "holds_numbers",
    "result_readers",
    "scores_below_comments",
    "split_lines",
    "table_in",
    "table_of",
]

NO_TITLE: Final = "if a title stands above the header, delete the line of the title"
"""Advice in errors about a header that is probably the title of a table."""
TEXTS: Final = frozenset({*names.headings("text"), *names.headings("quotation")})
"""Headings of columns of texts."""


def table_of(raw: bytes, file: str, findings: Findings | None = None, texts: Container[str] = TEXTS) -> Unchecked:
    """Reads a table from a Parquet file, or from a text file with a header and values separated by commas, tabs or semicolons.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which an error is added for each line whose number of values differs from the number of columns; the line is
            excluded. If `findings` is None, a line with a wrong number of values raises an error.
        texts: The columns of a text file whose values keep their white space, in lower case.

    Raises:
        CollectionError: The file is unreadable, lacks a header or rows, has a line longer than the limit, or repeats a column name.
            Also raised if `findings` is None and a line has a wrong number of values.
    """
    if is_parquet(raw):
        return ParquetTable(raw, file).whole()
    text = text_of(raw, file)
    if not text.strip():
        raise CollectionError("expected a header and rows, found nothing", file=file)
    separator = separator_of(text)
    unquoted, problems = text.replace("\r\n", "\n"), list[Problem]()
    if '"' in unquoted or "\r" in unquoted:
        rows, problems = _quoted(text, separator, file)
    else:  # ten times as fast as the module csv
        rows = split_lines(unquoted.split("\n"), separator)
    return headed(rows, file, separator, problems, None if findings is None else findings.rows, texts=texts)


def _quoted(text: str, separator: str, file: str) -> tuple[pl.DataFrame, list[Problem]]:
    """Returns the cells of each line of text, some of which may be quoted, as `split_lines` does; and the problem of an unreadable line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    problems: list[Problem] = []
    read = 0  # line number of the last complete row
    try:
        for row in reader:
            read = reader.line_num
            if row:
                rows.append((read, row))
    except csv.Error as error:
        reasons = {
            "unexpected end of data": "expected a closing quote, found the end of the file",
            "expected after": "expected a separator after a closing quote, found other text",
            "field limit": f"expected values of at most {csv.field_size_limit()} characters, found a longer one",
        }
        message = next((text for words, text in reasons.items() if words in str(error)), f"expected separated values, found: {error}")
        problems.append(Problem(message, file=file, line=read + 1))
    return pl.DataFrame(rows, schema=CELLS, orient="row"), problems


CELLS: Final = {"line": pl.Int64(), "cells": pl.List(pl.String())}
"""Columns of a table of divided lines: the number of the line, and its cells."""


def split_lines(lines: Sequence[str], separator: str) -> pl.DataFrame:
    """Returns the cells of each line that is not empty, with the columns of `CELLS`; a space stands for any white space."""
    text = pl.col("text").str.strip_chars_end("\r")
    cells = text.str.extract_all(WORD) if separator == " " else text.str.split(separator)
    rows = pl.DataFrame({"text": lines}, schema={"text": pl.String}).with_row_index("line", offset=1)
    return rows.filter(text != "").select(pl.col("line").cast(pl.Int64), cells=cells)


def headed(
    rows: pl.DataFrame,
    file: str,
    separator: str,
    problems: Sequence[Problem] = (),
    malformed: list[Problem] | None = None,
    *,
    texts: Container[str] = TEXTS,
) -> Unchecked:
    """Returns the table in divided lines, the first of which is the header; white space around names, and around values but texts, is removed.

    Columns at the end, and rows, that contain nothing are left out.

    Args:
        rows: The lines, with the columns of `CELLS`. The number of a header that is not in the file is 0.
        file: The name of the file.
        separator: The character that separates the values.
        problems: The problems of the file that are already known.
        malformed: The list to which an error is added for each line whose number of values differs from the number of columns; the line is
            excluded. If it is None, such a line raises an error.
        texts: The columns whose values keep their white space, in lower case.

    Raises:
        CollectionError: There are problems, a line has a wrong number of values and `malformed` is None, there are no rows below the
            header, or a name of a column is repeated.
    """
    problems = [*problems]
    told = problems if malformed is None else malformed
    top, written = rows.row(0) if rows.height else (0, [])
    header = [name.strip(column_types.WHITE) for name in written]
    fits = pl.col("cells").list.len() == len(header)
    while (
        header
        and not header[-1]
        and not rows.filter(fits).select(pl.col("cells").list.get(len(header) - 1).str.strip_chars() != "")["cells"].any()
    ):
        header.pop()  # spreadsheets leave columns that contain nothing
    where = "as in the header" if top else f"({', '.join(header)})"
    for line, count in rows.slice(1).filter(~fits).select("line", pl.col("cells").list.len()).iter_rows():
        told.append(Problem(f"expected {plural(len(written), 'value')} {where}, found {count}", file=file, line=line))
    kept = rows.slice(1).filter(fits)
    if not problems and kept.is_empty():
        problems.append(Problem(f"expected a header and rows, found {'only a header' if header else 'nothing'}", file=file))
    shown_header = describe(separator.join(written))
    if malformed is None and len(problems) > 1 and kept.is_empty() and len({problem.message for problem in problems}) == 1:
        text = f"{problems[0].message.replace('as in the header', f'as in the header {shown_header}')} in each other line"
        problems = [Problem(f"{text}; {NO_TITLE}", file=file, line=top)]
    twice = sorted({name for name in header if header.count(name) > 1})
    if "" in twice:
        unnamed = f"found {header.count('')} columns without a name in the header {shown_header}"
        problems.append(Problem(f"expected a name for each column, {unnamed}; {NO_TITLE}", file=file, line=top))
        twice.remove("")
    if twice:
        way = "" if header == written else "; spaces around a name are ignored, so rename one of the columns"
        below = any(cells[0] and not any(cells[1:]) for cells in rows["cells"][1:4])  # the names of the index, as pandas writes them
        way += "; write the lines of the header in one" if below else ""
        way += f"; if the line is not a header, {formats.HEADER.format('query_id docno grade')}" if _numbered(header) else ""
        problems.append(Problem(f"expected each column once, found {enumerate_names(twice)} twice{way}", file=file, line=top))
    if problems:
        raise CollectionError(problems)
    cells = {name: pl.col("cells").list.get(place) for place, name in enumerate(header)}
    # The length of a text may be that of a passage.
    values = ((cell if name.lower() in texts else cell.str.strip_chars()).replace("", None).alias(name) for name, cell in cells.items())
    frame = kept.select(values)
    if frame[:, 0].null_count():  # a row may contain nothing, as spreadsheets leave it
        blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
        if blank.all():
            raise CollectionError("expected a header and rows, found only a header and empty rows", file=file)
        frame, kept = frame.filter(~blank), kept.filter(~blank)
    return Unchecked(frame, file, kept["line"].to_numpy(), separator=separator)


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
    separator = separator_of("\n".join(lines))
    cells = pl.Series([cell.strip(' "%') for line in lines[1:] for cell in line.split(separator)], dtype=pl.String)
    return cells.cast(pl.Float64, strict=False).count() > 0


def result_readers(source: Source, findings: Findings, *, pieces: bool = False) -> Iterator[Reader]:
    """Yields functions that read a table of results in batches; a table without a column ``run_id`` is a run with the name of the file.

    The row groups of a Parquet file are read when needed. By default each run is ordered by its scores if it has scores, otherwise by its
    ranks if it has ranks, otherwise by the order of rows. Problems are added to `findings`. If `pieces` is true, each batch of a
    Parquet file consists of topics of a run; there are no batches of a small table, and of a table of several runs.
    """
    name = Path(bare_name(source.path)).stem
    readers: Iterable[Reader] = ()
    with findings:
        raw = source.content()
        if is_parquet(raw):
            readers = _readers_of_parquet(ParquetTable(raw, source.name, source.columns), name, source, pieces=pieces)
        elif (read := _text_table(raw, source, findings, "runs")) is not None:
            readers = result_tables.readers_of(read, name, source.order)
        del raw  # so that the file is in memory only as long as a reader needs it
        yield from readers


def _readers_of_parquet(table: ParquetTable, name: str, source: Source, *, pieces: bool) -> list[Reader]:
    orders = table.orders()
    there = set(table.read(lambda rows: rows.select(pl.col("run_id").unique())).to_series().cast(pl.String)) if orders else set()
    empty = [Part(NOTHING, source.order or orders[run_id], whole=(run_id, source.name)) for run_id in orders.keys() - there]
    readers = result_tables.readers_of(table.columns(), name, source.order, read=table.read, orders=orders, pieces=pieces)
    return [*readers, partial(list, empty)] if empty else list(readers)


def table_in(source: Source, findings: Findings) -> Unchecked | None:
    """Returns the table of judgements in a file; None if the file is unreadable."""
    with findings:
        raw = source.content()
        if is_parquet(raw):
            return ParquetTable(raw, source.name, source.columns).whole("assessments")
        return _text_table(raw, source, findings, "assessments")
    return None


def _text_table(raw: bytes, source: Source, findings: Findings, role: Role) -> Unchecked | None:
    """Returns the table in a file of text, under our names of the columns that the caller stated; None if no line is valid."""
    if is_json(raw):
        table = json_files.json_table(raw, source.name, findings, source.columns, role)
    else:
        body, comments = below_comments(raw)
        notes = (COMMENTS,) if comments else ()
        texts = TEXTS | {theirs.lower() for theirs, ours in source.columns.items() if ours == "text"}
        table = replace(table_of(body, source.name, findings, texts), role=role, notes=notes)
        if not table.own and _begins_with_a_record(table.frame):
            way = formats.HEADER.format(f"query_id docno {'grade' if role == 'assessments' else 'score'}")
            text = f"expected a header, found what appears to be a record: {enumerate_names(table.frame.columns)}; {way}"
            raise CollectionError(text, file=source.name)
    return None if table is None else table.renamed(source.columns)


def scores_below_comments(raw: bytes, file: str) -> Unchecked:
    """Returns the table of scores in a text file below comments; a line with the separators of the heading is no comment: ``#,model,arc``."""
    body, comments = below_comments(raw)
    heading = text_of(body, file).lstrip("\r\n").partition("\n")[0]
    separator, above = separator_of(heading), text_of(raw, file).split("\n")
    if not comments or any(
        line.startswith("#") and line.count(separator) == heading.count(separator) for line in above[: above.index(heading)]
    ):
        return table_of(raw, file)
    return replace(table_of(body, file), notes=(COMMENTS,))


def _begins_with_a_record(frame: pl.DataFrame) -> bool:
    """Returns whether the headings of a table are probably its first record: most are numbers, or one is also a value below it.

    The headings 0, 1, 2, … are those that pandas writes.
    """
    return _numbered(frame.columns) or any((cells == cells.name).any() for cells in frame)


def _numbered(header: Sequence[str]) -> bool:
    numbers = [name for name in header if re.fullmatch(formats.NUMBER, name, re.IGNORECASE)]
    counted = [str(number) for number in range(len(header) + 1)]
    return 2 * len(numbers) > len(header) and numbers not in (counted[:-1], counted[1:])


EXAMPLES = 1 << 16
"""Maximum number of rows of a Parquet file in which an example of a value is looked for."""
CELL = 8
"""Minimum number of bytes that a value occupies in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class ParquetTable:
    """The table in a Parquet file; columns of lists and structs are ignored, except the stated paths into them.

    Attributes:
        raw: The content of the file, as bytes.
        file: The name of the file.
        stated: For each column name that the caller stated, the name in this package.
        paths: Further paths that are read under their own names.
        rows: The rows, under our names of the stated columns; they are read when needed.
        called: The names of these columns in the file.
    """

    raw: bytes
    file: str
    stated: Mapping[str, str] = field(default_factory=dict)
    paths: Collection[str] = ()
    rows: pl.LazyFrame = field(init=False)
    called: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Reads the schema; raises `CollectionError` if the file is damaged, or is too large when it is unpacked."""
        with self._readable() as (most, too_large):
            there = pl.scan_parquet(self.raw)
            if there.select(pl.len()).collect().item() * len(there.collect_schema()) * CELL > most:
                raise too_large
            rows = tabular.with_paths(there, [*self.stated, *self.paths]).select(~cs.nested())
            named = stated_columns.under_our_names(rows, self.stated, self.file)
            for name, value in zip(("rows", "called"), named, strict=True):
                object.__setattr__(self, name, value)

    @contextmanager
    def _readable(self) -> Iterator[tuple[int, CollectionError]]:
        """Yields the largest size of the unpacked table, and the error about a larger one; errors of polars become `CollectionError`."""
        try:
            yield most_unpacked(len(self.raw), self.file, "a table that unpacks to")
        except BROKEN as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise CollectionError(f"expected a readable Parquet file, found: {shown(reason)}", file=self.file) from error

    def whole(self, role: Role | None = None) -> Unchecked:
        """Returns all rows of the table."""
        return Unchecked(self.read(), self.file, called=self.called, role=role, elsewhere=self._nested())

    def columns(self) -> Unchecked:
        """Returns the columns of the table without rows, with an example of a value for each unknown column."""
        head = Unchecked(self.read(lambda rows: rows.limit(0)), self.file, called=self.called, role="runs")
        values = self.read(lambda rows: rows.limit(EXAMPLES).select(pl.col(list(head.passed_over)).drop_nulls().first())).to_dicts()
        return replace(head, elsewhere={**(values[0] if values else {}), **self._nested()})

    def _nested(self) -> dict[str, object]:
        """Returns the columns of lists and records, each with its first value."""
        with self._readable():
            first = pl.scan_parquet(self.raw).select(cs.nested()).head(1).collect()
            return {column.name: next(iter(column.to_list()), None) for column in first}

    def orders(self) -> Mapping[str, Order]:
        """Returns the column that determined the ranking of each run, if `write_runs` recorded it in the file; otherwise empty."""
        try:
            written = json.loads(pl.read_parquet_metadata(io.BytesIO(self.raw)).get(ORDERS, "{}"))
        except (ValueError, *BROKEN):
            return {}
        known = get_args(Order)
        return written if isinstance(written, dict) and all(order in known for order in written.values()) else {}

    def read(self, query: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda table: table) -> pl.DataFrame:
        """Returns the result of a query on the table.

        Raises:
            CollectionError: The file is damaged, or its decompressed size exceeds the limits of `inexmetrics.reading.findings`.
        """
        with self._readable() as (most, too_large):
            found = query(self.rows).collect()
            # Polars stores a repeated string once when it reads a column, but may store a copy for each row when the column is used.
            if sum(map(_size, found)) > most:
                raise too_large
        return found


def _size(column: pl.Series) -> int:
    """Returns the number of bytes of all texts in a column, each text counted in every row; 0 for a column of numbers."""
    if column.dtype == pl.String:
        lengths = column.str.len_bytes()
    elif isinstance(column.dtype, pl.Enum):  # polars 1.32 cannot measure texts whose codes have 8 or 16 bits
        codes = column.drop_nulls().to_physical().to_numpy()
        categories = column.dtype.categories.str.len_bytes().to_numpy()
        return int(np.bincount(codes, minlength=len(categories)) @ categories)
    elif isinstance(column.dtype, pl.Categorical):
        lengths = column.cat.len_bytes()
    else:
        return 0
    mean = lengths.mean()  # the sum of 32-bit lengths may overflow
    return round(mean * lengths.count()) if isinstance(mean, float) else 0
