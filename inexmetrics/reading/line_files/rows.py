"""Rows of a file, with the line that each comes from, and the results of a run, which every format's reader hands over."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.common.arrays import BoolArray, IntArray
from inexmetrics.common.errors import Problem

__all__ = ["Retrieved", "Rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a file.

    Attributes:
        frame: The rows.
        file: The file's name.
        numbers: The line on which each row stands; None where the rows are the lines, from 1.
    """

    frame: pl.DataFrame
    file: str
    numbers: IntArray | None = None

    def line(self, row: int) -> int:
        """The line of a row."""
        return row + 1 if self.numbers is None else int(self.numbers[row])

    def lines(self) -> IntArray:
        """The line on which each row stands."""
        return np.arange(1, self.frame.height + 1) if self.numbers is None else self.numbers

    def problem(self, row: int, message: str) -> Problem:
        """What is wrong with a row, with its file, line and topic."""
        return Problem(message, file=self.file, line=self.line(row), topic_id=self.frame["topic_id"][row])

    def kept(self, good: BoolArray) -> Rows:
        """The good rows; all others are dropped."""
        return self if good.all() else replace(self, frame=self.frame.filter(pl.Series(good)), numbers=self.lines()[good])


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The results of one run, in the order of the file.

    Attributes:
        rows: topic_id, doc_id, rank, score and, unless all are documents, path, start and length.
        run_id: The run.
        order: What the order of results is taken from, unless the reader is given another.
        task: The task that the run was submitted to; None where the format does not say.
        ignored: The ignored columns of the run's table, where this has no offsets or paths.
    """

    rows: Rows
    run_id: str
    order: Order
    task: str | None = None
    ignored: tuple[str, ...] = ()
