"""Rows of files, with the file and the line that each comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, IntArray
from inexmetrics.common.errors import Problem

__all__ = ["Rows", "Stretches"]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Stretches of consecutive rows that have one thing in common. S stretches.

    Attributes:
        starts: First row of each, S.
        values: The text that its rows hold, S.
        files: The number of the file that they come from, S.
    """

    starts: IntArray
    values: list[str]
    files: IntArray

    @staticmethod
    def joined(parts: Sequence[Rows], column: str) -> Stretches:
        """The stretches of the rows of all parts, one part after the other; none goes on in the next, which has other files."""
        found = [part.stretches(column) for part in parts]
        rows = np.cumsum([0, *(part.frame.height for part in parts)])
        files = np.cumsum([0, *(len(part.files) for part in parts)])
        return Stretches(
            np.concatenate([stretches.starts + first for stretches, first in zip(found, rows, strict=False)]),
            [value for stretches in found for value in stretches.values],
            np.concatenate([stretches.files + first for stretches, first in zip(found, files, strict=False)]),
        )


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
    _known: dict[str, Stretches] = field(default_factory=dict, init=False, repr=False)

    def stretches(self, column: str) -> Stretches:
        """The maximal stretches of consecutive rows of one file that hold one text in a column; looked for once."""
        if column not in self._known:
            self._known[column] = _stretches(self.frame[column], self.heights)
        return self._known[column]

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

    def without(self, *columns: str) -> Rows:
        """The rows without some columns."""
        rows = Rows(self.frame.drop(columns), self.files, self.heights, self.numbers)
        rows._known.update(self._known)
        return rows

    def kept(self, good: BoolArray) -> Rows:
        """The good rows; all others are dropped."""
        if good.all():
            return self
        heights = np.bincount(self.of_file()[good], minlength=len(self.files))
        numbers = self.lines()[good]
        return Rows(self.frame.filter(pl.Series(good)), self.files, heights, numbers)

    def lines(self) -> IntArray:
        """The line on which each row stands."""
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
        rows = Rows(frame, files, heights, None if tidy else np.concatenate([part.lines() for part in parts]))
        rows._known.update({column: Stretches.joined(parts, column) for column in parts[0]._known})
        return rows


def _stretches(column: pl.Series, heights: IntArray) -> Stretches:
    """The maximal stretches of consecutive rows of one file that hold one text."""
    begins = column.ne(column.shift(1)).fill_null(True).to_numpy(writable=True)
    filled = np.flatnonzero(heights)
    file_starts = (np.cumsum(heights) - heights)[filled]
    begins[file_starts] = True
    starts = np.flatnonzero(begins)
    return Stretches(starts, column.gather(starts).to_list(), filled[np.searchsorted(file_starts, starts, side="right") - 1])
