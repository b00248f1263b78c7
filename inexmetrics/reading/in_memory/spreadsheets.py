"""Reads tables in Parquet files, and in text files with separated values and a header."""

from __future__ import annotations

import csv
import io
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.parquet import ParquetTable, is_parquet
from inexmetrics.reading.recognise import SEPARATORS

__all__ = ["WHITE", "holds_numbers", "table_of"]

WHITE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode white space that polars removes in strip_chars; Python's strip also removes the characters 0x1c to 0x1f."""


def table_of(raw: bytes, file: str, findings: Findings | None = None) -> Unchecked:
    """Returns the table in a Parquet file, or in a text file with a header and values separated by commas, tabs or semicolons.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which errors are added for lines with another number of values than the header; these lines are excluded. If
            `findings` is None, errors about these lines are raised.

    Raises:
        CollectionError: The file is unreadable, lacks a header or rows, has a line longer than the limit, repeats a column name or, if
            `findings` is None, has lines with another number of values than the header.
    """
    if is_parquet(raw):
        return Unchecked(ParquetTable(raw, file).read(), file)
    text = text_of(raw, file)
    if not text.strip():
        raise CollectionError(Problem("expected a header and rows, found nothing", file=file))
    first_line = text.lstrip("\r\n").partition("\n")[0]
    separator = max(SEPARATORS, key=first_line.count)
    if (tidy := _tidy(text, separator)) is not None:
        return Unchecked(tidy[0], file, tidy[1])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
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
        problems.append(Problem(f"expected a header and rows, found {'a header alone' if rows else 'nothing'}", file=file))
    twice = sorted({name for name in rows[0] if rows[0].count(name) > 1}) if rows else []
    if twice:
        problems.append(Problem(f"expected each column once, found {enumerate_names(twice)} twice", file=file, line=lines[0]))
    if problems:
        raise CollectionError(problems)
    columns = (pl.Series(column, dtype=pl.String).replace("", None) for column in zip(*rows[1:], strict=True))
    return Unchecked(pl.DataFrame(dict(zip(rows[0], columns, strict=True))), file, lines[1:])


def _tidy(text: str, separator: str) -> tuple[pl.DataFrame, list[int]] | None:
    """Returns the table in a text and its line numbers, ten times as fast as the module csv; None if the text is not simple enough."""
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
    columns = (column.str.strip_chars().replace("", None) for column in body.get_columns())
    return pl.DataFrame(dict(zip(header, columns, strict=True))), rows["line"].slice(1).to_list()


def holds_numbers(raw: bytes) -> bool:
    r"""Returns whether the line below the first line of a file contains a number, as in tables of scores.

    Examples:
        >>> holds_numbers(b"run1,run2\n0.5,x\n"), holds_numbers(b"# About\n\nThese are scores.\n")
        (True, False)
    """
    lines = [line for line in raw.decode("utf-8-sig", errors="replace").splitlines() if line.strip()][:2]
    separator = max(SEPARATORS, key=lines[0].count) if lines else ","
    cells = pl.Series([cell.strip(' "') for line in lines[1:] for cell in line.split(separator)], dtype=pl.String)
    return cells.cast(pl.Float64, strict=False).count() > 0
