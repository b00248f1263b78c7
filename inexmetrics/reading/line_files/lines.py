"""Reads text files in which each line is a row, and white space separates the columns.

A file in which the same single character separates all columns is parsed by polars. Any other file is split into words, so that any white
space and blank lines are accepted, and each malformed line is reported.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.layout import Layout, Role
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import Problem
from inexmetrics.reading.files import COMMENTS, lines_of, unmarked, without_comments
from inexmetrics.reading.findings import Findings, check_lines, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.recognise import Source

__all__ = ["WORD", "LineFormat", "Lines", "read_lines", "tidy", "tokens"]

WORD = r"[^ \t\r\v\f]+"
"""Regular expression for a word between ASCII white space."""
NOTES: Final = {Format.PAIRS: ("all documents named are relevant",)}
"""What results say about the reading of a format."""
SNIFFED = 4096
"""Number of bytes at the start of a file that are used to recognise the separator."""


@dataclass(frozen=True, slots=True)
class LineFormat:
    """The columns of a line format.

    Attributes:
        columns: The name and the type of each column.
        least: The number of columns that are required; the other columns may be missing from a line.
        unused: A column whose values are not used; None if all are used.
    """

    columns: Mapping[str, type[pl.DataType]]
    least: int
    unused: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The rows of a text file. If polars parsed the file, values have the types that the format declares; otherwise all values are strings.

    Attributes:
        frame: The rows, without the unused column.
        numbers: The line number of each row.
        written: The columns of floats as they are written in the file; empty if all values are strings.
    """

    frame: pl.DataFrame
    numbers: IntArray
    written: Mapping[str, pl.Series] = field(default_factory=dict)


def read_lines(source: Source, format_: LineFormat, findings: Findings) -> Lines:
    """Reads the rows of a file; a line with a wrong number of columns is excluded, and its problem is added to `findings`.

    Args:
        source: The file; if the file is unreadable, the result has no rows.
        format_: The names and types of the columns, and the number of required columns.
        findings: The object to which problems are added.
    """
    raw = b""
    with findings:
        content = _content(source, findings)
        check_lines(content, source.name)
        raw = content
    if raw and (found := tidy(raw, format_)) is not None:
        return Lines(found.frame, found.numbers + source.before, found.written)
    lines = [b" ".join(line.split()) for line in raw.split(b"\n")]
    numbers = np.array([number for number, line in enumerate(lines, start=1) if line], dtype=np.int64)
    if len(numbers) and (found := tidy(b"\n".join(filter(None, lines)), format_)) is not None:
        return Lines(found.frame, numbers + source.before, found.written)
    words = _tokens(raw, source, findings)
    most = len(format_.columns)
    counts = f"{format_.least}" if format_.least == most else f"{format_.least} or {most}"
    fits = pl.col("tokens").list.len().is_between(format_.least, most)
    for line, found in words.filter(~fits).iter_rows():
        message = f"expected {counts} columns ({' '.join(format_.columns)}), found {len(found)}: {shown(' '.join(found))}"
        findings.rows.append(Problem(message, file=source.name, line=line, topic_id=found[0]))
    kept = words.filter(fits)
    used = ((place, name) for place, name in enumerate(format_.columns) if name != format_.unused)
    texts = (pl.col("tokens").list.get(place, null_on_oob=True).alias(name) for place, name in used)
    return Lines(kept.select(texts), kept["line"].to_numpy())


def tokens(source: Source, findings: Findings) -> pl.DataFrame:
    """Returns a table of the non-blank lines of a file: ``line``, the line number (from 1), and ``tokens``, the words on the line."""
    with findings:
        return _tokens(_content(source, findings), source, findings)
    return _tokens(b"", source, findings)


def tidy(text: bytes, format_: LineFormat) -> Lines | None:
    """Parses text with columns separated by a tab or a space; returns None if there are other separators, blank lines or an invalid value."""
    if text.startswith(b"\n"):  # polars before 2 skips blank lines at the start, so that a row's number would not be its line's
        return None
    start, required = text[:SNIFFED], list(format_.columns)[: format_.least]
    there = required if len(start.split(b"\n", 1)[0].split()) == len(required) else list(format_.columns)
    separator, other = ("\t", " ") if b"\t" in start else (" ", "\t")
    floats = [name for name in there if format_.columns[name] is pl.Float64]
    # Floats are read as text and converted afterwards, which takes no longer, because how they are written decides whether they were rounded.
    schema = {name: pl.String() if name in floats else format_.columns[name]() for name in there}
    lines = pl.scan_csv(io.BytesIO(text), separator=separator, has_header=False, schema=schema, quote_char=None, glob=False)
    used = [name for name in there if name != format_.unused]
    try:
        frame = lines.select(used).collect()
        if not (plain := _is_plain(text, len(there), frame[there[-1]])) and used != there:
            frame = lines.collect()
        written = {name: frame[name] for name in floats}
        for name, values in written.items():
            frame.replace_column(frame.get_column_index(name), values.cast(pl.Float64))
    except (pl.exceptions.PolarsError, OSError):  # polars raises an OSError for a text whose first bytes are those of a compressed file
        return None
    if any(frame[name].null_count() for name in required if name in frame.columns):
        return None
    # Other white space and NUL are not valid in columns, but are valid at the end of a line. Such characters are rare. Therefore all bytes
    # are searched first, which is fast; the columns are searched only if such a character is found.
    if not plain and any(kind in text for kind in (other.encode(), b"\r", b"\v", b"\f", b"\0")):
        words = (pl.col(name) for name in there if format_.columns[name] is pl.String)
        if frame.select(pl.any_horizontal(word.str.contains(f"[{other}\r\v\f\\x00]").any() for word in words)).item():
            return None
    lacking = [pl.lit(None, format_.columns[name]()).alias(name) for name in format_.columns if name not in there]
    frame = frame if plain and not lacking else frame.select(*used, *lacking)
    return Lines(frame, np.arange(1, frame.height + 1), written)


def _is_plain(text: bytes, columns: int, last: pl.Series) -> bool:
    """Returns whether each line has exactly the number of columns, and white space only between columns and at its end.

    Polars accepts lines with too many columns if only some columns are parsed. If the last column has no nulls, no line has too few columns,
    so that the number of separators and line ends shows whether a line has too many.

    Args:
        text: The lines.
        columns: The number of columns.
        last: The values of the last column.
    """
    blanks = np.count_nonzero(np.frombuffer(text, dtype=np.uint8) <= ord(" ")) + (not text.endswith(b"\n"))
    return blanks == columns * len(last) and not last.null_count()


def _content(source: Source, findings: Findings) -> bytes:
    """Returns the content of a file without comments; `findings` states how the file was read."""
    raw, comments = without_comments(unmarked(source.content()))
    role: Role = "runs" if source.format.kind == "runs" else "assessments"
    notes = [COMMENTS] if comments else []
    findings.layouts.append(Layout(role, (source.name,), source.format.called, notes=(*notes, *NOTES.get(source.format, ()))))
    return raw


def _tokens(raw: bytes, source: Source, findings: Findings) -> pl.DataFrame:
    lines = pl.DataFrame({"text": lines_of(raw, source.name, findings)}, schema={"text": pl.String}).with_row_index(
        "line", offset=1 + source.before
    )
    words = lines.select(pl.col("line").cast(pl.Int64), pl.col("text").str.extract_all(WORD).alias("tokens"))
    return words.filter(pl.col("tokens").list.len() > 0)
