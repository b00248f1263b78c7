"""Files of one row a line, its columns divided by white space.

A file with single separators is parsed by polars as it is. A file that is not so tidy is taken line by
line, which tolerates any white space and blank lines, and says of every line that is malformed what is wrong with it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import unmarked
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.limits import check_lines
from inexmetrics.reading.line_files.rows import Rows
from inexmetrics.reading.recognise import Source

__all__ = ["Column", "divided_lines", "lines_of", "read_rows", "tokens"]

WORD = r"[^ \t\r\v\f]+"
"""What stands between the white space of ASCII."""
SNIFFED = 4096
"""Bytes from which the separator of a tidy file is recognised."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a line format.

    Attributes:
        name: Its name.
        dtype: Its type.
        expected: What a message says is expected there; for texts nothing, since any word is right.
        optional: Whether it may lack; only the last column of a format may.
        ignored: Whether it has to be there, but says nothing.
        unknown: What may be written for a number that is not known, which then is -1; empty if nothing may.
    """

    name: str
    dtype: type[pl.String] | type[pl.Int64] | type[pl.Float64] = pl.String
    expected: str = ""
    optional: bool = False
    ignored: bool = False
    unknown: str = ""


def read_rows(source: Source, columns: Sequence[Column], findings: Findings) -> Rows:
    """The rows of a file, tidy or not; malformed lines go into the findings, and are left out.

    Args:
        source: The file; one that cannot be read has no rows.
        columns: The columns of every line.
        findings: Where problems go.
    """
    try:
        raw = unmarked(source.content())
        check_lines(raw, source.name)
    except CollectionError as error:
        findings.files += error.problems
        raw = b""
    rows = (_tidy(raw, source, columns) or _squeezed(raw, source, columns)) if raw else None
    return rows or _untidy(_tokens(raw, source, findings), source, columns, findings)


def tokens(source: Source, findings: Findings) -> pl.DataFrame:
    """The words of every line that has any: columns ``line``, its number from 1, and ``tokens``, a list of strings."""
    try:
        return _tokens(source.content(), source, findings)
    except CollectionError as error:
        findings.files += error.problems
        return _tokens(b"", source, findings)


def _squeezed(raw: bytes, source: Source, columns: Sequence[Column]) -> Rows | None:
    """The rows of a file once all white space is a single space; None if a line has not these columns all the same."""
    lines = [b" ".join(line.split()) for line in raw.split(b"\n")]
    filled = [line for line in lines if line]
    rows = _tidy(b"\n".join(filled), source, columns) if filled else None
    return None if rows is None else replace(rows, numbers=np.array([number for number, line in enumerate(lines, start=1) if line]))


def _tidy(text: bytes, source: Source, columns: Sequence[Column]) -> Rows | None:
    """The rows of a file whose columns are divided by one separator each; None if a line is otherwise."""
    start = text[:SNIFFED]
    separator, other = ("\t", " ") if b"\t" in start else (" ", "\t")
    required = [column for column in columns if not column.optional]
    there = required if len(start.split(b"\n", 1)[0].split()) == len(required) else columns
    # All columns are parsed: a projection would let lines with surplus columns pass.
    lines = pl.scan_csv(
        io.BytesIO(text),
        separator=separator,
        has_header=False,
        schema={column.name: column.dtype() for column in there},
        quote_char=None,
        glob=False,
    )
    try:
        frame = lines.collect()
    except (pl.exceptions.PolarsError, OSError):  # an OSError where text begins as a compressed file would
        return None
    if any(frame[column.name].null_count() for column in required):
        return None
    # Other white space, and NUL, are rare, and found fastest among all bytes; where they end the lines, no column has them.
    if any(kind in text for kind in (other.encode(), b"\r", b"\v", b"\f", b"\0")):
        words = (pl.col(column.name) for column in there if column.dtype is pl.String)
        if frame.select(pl.any_horizontal(word.str.contains(f"[{other}\r\v\f\\x00]").any() for word in words)).item():
            return None
    lacking = [pl.lit(None, column.dtype()).alias(column.name) for column in columns if column not in there]
    kept = frame.drop(column.name for column in columns if column.ignored)
    return Rows(kept.with_columns(lacking) if lacking else kept, source.name)


def _untidy(words: pl.DataFrame, source: Source, columns: Sequence[Column], findings: Findings) -> Rows:
    """The rows of lines taken word by word; those that have not these columns are errors."""
    least = sum(not column.optional for column in columns)
    counts = f"{least}" if least == len(columns) else f"{least} or {len(columns)}"
    wanted = f"expected {counts} columns ({' '.join(column.name for column in columns)})"
    fits = pl.col("tokens").list.len().is_between(least, len(columns))
    for line, found in words.filter(~fits).iter_rows():
        message = f"{wanted}, found {len(found)}: {shown(' '.join(found))}"
        findings.rows.append(Problem(message, file=source.name, line=line, topic_id=found[0]))
    texts = words.filter(fits).select(
        "line",
        *(pl.col("tokens").list.get(place, null_on_oob=True).alias(column.name) for place, column in enumerate(columns)),
    )
    numbers = texts.with_columns(pl.col(column.name).replace(column.unknown, "-1") for column in columns if column.unknown)
    frame = numbers.with_columns(pl.col(column.name).cast(column.dtype, strict=False) for column in columns)
    good = np.ones(frame.height, dtype=np.bool_)
    for column in columns:
        wrong = (frame[column.name].is_null() & texts[column.name].is_not_null()).to_numpy()
        for row in np.flatnonzero(wrong).tolist():
            message = f"expected {column.expected}, found {shown(texts[column.name][row])}"
            findings.rows.append(Problem(message, file=source.name, line=texts["line"][row], topic_id=texts["topic_id"][row]))
        good &= ~wrong
    frame = frame.filter(pl.Series(good)).drop(column.name for column in columns if column.ignored)
    lines = frame.drop_in_place("line").to_numpy()
    return Rows(frame, source.name, lines)


def _tokens(raw: bytes, source: Source, findings: Findings) -> pl.DataFrame:
    lines = pl.DataFrame({"text": lines_of(raw, source.name, findings)}, schema={"text": pl.String}).with_row_index("line", offset=1)
    words = lines.select(pl.col("line").cast(pl.Int64), pl.col("text").str.extract_all(WORD).alias("tokens"))
    return words.filter(pl.col("tokens").list.len() > 0)


def divided_lines(lines: Sequence[str], first: int, header: Sequence[str], source: Source, findings: Findings, *, tabs: bool) -> Unchecked:
    """The table in lines, without those that have another number of cells than the header, which go into the findings.

    Args:
        lines: The lines of a file.
        first: The place of the first line below the header.
        header: The names of the columns.
        source: The file.
        findings: Where problems go.
        tabs: Whether cells are divided by tabs; otherwise by any white space.

    Raises:
        CollectionError: Two columns have one name, or there are no lines below the header.
    """
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise CollectionError(Problem(f"expected each column once, found {enumerate_names(twice)} twice", file=source.name, line=first))
    split = pl.col("text").str.strip_chars_end("\r").str.split("\t") if tabs else pl.col("text").str.extract_all(WORD)
    cells = pl.DataFrame({"text": lines[first:]}, schema={"text": pl.String}).with_row_index("line", offset=first + 1)
    cells = cells.filter(pl.col("text").str.strip_chars() != "").with_columns(split.alias("cells"))
    fits = pl.col("cells").list.len() == len(header)
    for line, found in cells.filter(~fits).select("line", "cells").iter_rows():
        message = f"expected {len(header)} columns ({' '.join(header)}), found {len(found)}: {shown(' '.join(found))}"
        findings.rows.append(Problem(message, file=source.name, line=line))
    if cells.is_empty():
        raise CollectionError(Problem("expected a header and rows, found a header alone", file=source.name))
    kept = cells.filter(fits)
    columns = (pl.col("cells").list.get(place).replace("", None).alias(name) for place, name in enumerate(header))
    return Unchecked(kept.select(columns), source.name, kept["line"].to_numpy().astype(np.int64))


def lines_of(raw: bytes, file: str, findings: Findings) -> list[str]:
    """The lines of a file; one that is no UTF-8 text, which has no NUL, is an error, and left empty.

    Raises:
        CollectionError: A line is longer than the limit.
    """
    check_lines(raw, file)
    raw = unmarked(raw)
    if b"\0" not in raw:
        with suppress(UnicodeDecodeError):
            return raw.decode().split("\n")
    lines = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        wrong = line.find(b"\0")
        try:
            lines.append(line.decode())
        except UnicodeDecodeError as error:
            wrong = error.start if wrong < 0 else min(wrong, error.start)
            lines.append("")
        if wrong >= 0:
            findings.rows.append(Problem(f"expected UTF-8 text, found the byte 0x{line[wrong]:02x}", file=file, line=number))
            lines[-1] = ""
    return lines
