"""Files of one row a line, its columns divided by white space.

Files with single separators are parsed by polars as they are, many at once. A file that is not so tidy is taken line by
line, which tolerates any white space and blank lines, and says of every line that is malformed what is wrong with it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.arrays import BoolArray, IntArray
from inexmetrics.errors import CollectionError, Problem
from inexmetrics.reading.files import compression, content, head
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.recognise import Source

__all__ = ["Column", "Rows", "chosen", "read_rows", "tokens"]

FILE = "file"
"""Name of the column that holds, while files are parsed, where each row comes from."""

_Input: TypeAlias = Path | io.BytesIO


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a line format: its name, its type, and what a message says is expected there."""

    name: str
    dtype: type[pl.String] | type[pl.Int64] | type[pl.Float64] = pl.String
    expected: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of several files, file after file.

    Attributes:
        frame: The rows.
        files: Names of the files.
        heights: How many rows each file has.
        numbers: The line on which each row stands; None where each file's rows are its lines, from 1.
    """

    frame: pl.DataFrame
    files: tuple[str, ...]
    heights: IntArray
    numbers: IntArray | None = None

    def place(self, row: int) -> tuple[str, int]:
        """File and line of a row."""
        ends = np.cumsum(self.heights)
        file = int(np.searchsorted(ends, row, side="right"))
        line = row - int(ends[file] - self.heights[file]) + 1 if self.numbers is None else int(self.numbers[row])
        return self.files[file], line

    def of_file(self) -> IntArray:
        """The number of the file that each row comes from."""
        return np.repeat(np.arange(len(self.files)), self.heights)

    def problem(self, row: int, message: str) -> Problem:
        """What is wrong with a row, with its file, line and topic."""
        file, line = self.place(row)
        return Problem(message, file=file, line=line, topic_id=self.frame["topic_id"][row])

    def kept(self, good: BoolArray) -> Rows:
        """The good rows; all others are dropped."""
        if good.all():
            return self
        heights = np.bincount(self.of_file()[good], minlength=len(self.files))
        numbers = self._all_numbers()[good]
        return Rows(self.frame.filter(pl.Series(good)), self.files, heights, numbers)

    def _all_numbers(self) -> IntArray:
        if self.numbers is not None:
            return self.numbers
        ends = np.cumsum(self.heights)
        return np.arange(1, len(self.frame) + 1) - np.repeat(ends - self.heights, self.heights)

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """The rows of all parts, which have the same columns, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        frame = pl.concat([part.frame for part in parts], rechunk=False)
        files = tuple(file for part in parts for file in part.files)
        heights = np.concatenate([part.heights for part in parts])
        tidy = all(part.numbers is None for part in parts)
        return Rows(frame, files, heights, None if tidy else np.concatenate([part._all_numbers() for part in parts]))


def read_rows(sources: Sequence[Source], columns: Sequence[Column], findings: Findings) -> Rows:
    """The rows of files that all have these columns.

    Malformed lines are told in the findings, and left out; so is a file that cannot be read.

    Args:
        sources: The files; at least one.
        columns: The columns of every line.
        findings: Where problems are told.
    """
    plain = [source for source in sources if compression(head(source.path, 4, packed=True)[0]) is None]
    if len(plain) == len(sources) and (rows := _tidy_files([source.path for source in sources], sources, columns)) is not None:
        return rows
    return Rows.joined([_file_rows(source, columns, findings) for source in sources])


def tokens(source: Source, findings: Findings) -> pl.DataFrame:
    """The words of every line that has any: columns ``line``, its number from 1, and ``tokens``, a list of strings."""
    try:
        text = _text(content(source.path), source, findings)
    except CollectionError as error:
        findings.files += error.problems
        text = ""
    split = pl.DataFrame({"text": text.split("\n")}).with_row_index("line", offset=1)
    words = split.select(pl.col("line").cast(pl.Int64), pl.col("text").str.extract_all(r"[^ \t\r\v\f]+").alias("tokens"))
    return words.filter(pl.col("tokens").list.len() > 0)


def chosen(frame: pl.DataFrame, wanted: BoolArray) -> pl.DataFrame:
    """The rows of a frame that are wanted."""
    return frame if wanted.all() else frame.filter(pl.Series(wanted))


def _tidy_files(inputs: Sequence[_Input], sources: Sequence[Source], columns: Sequence[Column]) -> Rows | None:
    """The rows of files whose columns are divided by one separator each; None if a line anywhere is otherwise."""
    first = inputs[0]
    start = first.getvalue()[:4096] if isinstance(first, io.BytesIO) else head(first, 4096)[0]
    separator = "\t" if b"\t" in start else " "
    schema = {column.name: column.dtype() for column in columns}
    several = len(inputs) > 1
    try:
        # All columns are asked for: a projection would let lines with surplus columns pass.
        frame = pl.scan_csv(
            list(inputs),  # type: ignore[arg-type]  # paths or buffers, never both; the stub wants to know which
            separator=separator,
            has_header=False,
            schema=schema,
            quote_char=None,
            glob=False,
            include_file_paths=FILE if several else None,
        ).collect()
    except pl.exceptions.PolarsError:
        return None
    if any(frame[name].null_count() for name in schema):
        return None
    starts = [0]
    if several:
        of_file = frame[FILE]
        starts += [int(row) for row in of_file.ne(of_file.shift(1)).arg_true()]
        if of_file.gather(starts).to_list() != [str(path) for path in inputs]:
            return None
        frame = frame.drop(FILE)
    heights = np.diff(np.array(starts), append=frame.height)
    return Rows(frame, tuple(source.name for source in sources), heights)


def _file_rows(source: Source, columns: Sequence[Column], findings: Findings) -> Rows:
    """The rows of one file, tidy or not."""
    try:
        held = content(source.path)
    except CollectionError as error:
        findings.files += error.problems
        held = b""
    if held and (rows := _tidy_files([io.BytesIO(held)], [source], columns)) is not None:
        return rows
    return _untidy(source, columns, findings)
