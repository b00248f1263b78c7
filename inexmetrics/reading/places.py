"""Where the rows of a table stand: in a frame, counted from 0, or in a file, on their lines; and which stand twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from inexmetrics.common.errors import Problem

__all__ = ["Places", "repeated"]


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a table's rows, as error messages name them.

    Attributes:
        what: What the table holds; a file's name where it stands in a file.
        lines: Line of each row in that file; None for a table in memory.
    """

    what: str
    lines: Sequence[int] | None = None

    def of(self, row: int) -> str:
        """A row's place: *row 0 of scores*, *map.csv:2*."""
        return f"row {row} of {self.what}" if self.lines is None else f"{self.what}:{self.lines[row]}"

    def problem(self, row: int, text: str) -> Problem:
        """An error in a row."""
        if self.lines is None:
            return Problem(f"{self.what}: row {row}: {text}")
        return Problem(text, file=self.what, line=self.lines[row])

    def header_problem(self, text: str) -> Problem:
        """An error in the names of the columns."""
        return Problem(f"{self.what}: {text}") if self.lines is None else Problem(text, file=self.what, line=1)


def repeated(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The rows that hold the same keys as an earlier row; missing keys are equal to each other.

    Args:
        frame: Columns of the keys, and ``row``, increasing.
        keys: What makes two rows the same.

    Returns:
        These rows, with the row that each of them repeats as ``first``.
    """
    told = [key for key in keys if frame[key].null_count() < frame.height]
    # Grouping rows costs more than all the rest; counting their hashes is enough where none is repeated.
    if not told or frame.select(pl.struct(told).hash().n_unique()).item() == frame.height:
        return frame.head(0).with_columns(pl.col("row").alias("first"))
    return frame.with_columns(pl.col("row").min().over(told).alias("first")).filter(pl.col("row") != pl.col("first"))
