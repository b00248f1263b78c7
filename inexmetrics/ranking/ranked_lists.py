"""The ranked lists of a batch of runs: their rows, and the documents among the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from inexmetrics.collection import Lists
from inexmetrics.common.arrays import IndexArray
from inexmetrics.ranking.index import ListLayout, name_codes

__all__ = ["Levels", "RankedLists"]


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Ranges of consecutive results with equal scores; each rank past the end of a list is a range of its own.

    Attributes:
        numbers: For each cell of the flattened array of runs, topics and ranks, the index of the range that contains the cell.
        begins: Index of the cell at which each range starts; the last entry is the number of cells.
    """

    numbers: IndexArray
    begins: IndexArray


@dataclass(frozen=True, eq=False)
class RankedLists:
    """The results of a batch, or only the first result of each document, with their positions in the lists.

    Attributes:
        places: Positions of the rows in the lists.
        named: Run and topic of each list; a list may be empty.
        table: The rows, with the index of their topic; `doc_id` may be Categorical, and a missing `score` is NaN.
    """

    places: ListLayout
    named: Lists
    table: pl.DataFrame

    @cached_property
    def results(self) -> pl.DataFrame:
        """The rows of all lists, with the additional columns run_id and topic_id, and with `doc_id` as strings."""
        return self.table.with_columns(*self.named.columns(), pl.col("doc_id").cast(pl.String))

    @cached_property
    def documents(self) -> RankedLists:
        """The lists of documents, each document at its first occurrence."""
        of_row = self.places.lists()
        rows = pl.DataFrame({"list": of_row, "document": name_codes(self.table["doc_id"])})
        kept = np.flatnonzero(rows.select(pl.struct("list", "document").is_first_distinct()).to_series().to_numpy())
        lengths = np.bincount(of_row[kept], minlength=self.places.lengths.size)
        return RankedLists(ListLayout(lengths.reshape(self.places.lengths.shape)), replace(self.named, lengths=lengths), self.table[kept])

    @cached_property
    def levels(self) -> Levels:
        """Ranges of results with equal scores; without scores, each result is a range of its own."""
        scores = self.places.laid_out(self.table["score"].to_numpy(), np.float64(np.nan))
        begin = np.ones(scores.shape, dtype=np.bool_)
        np.not_equal(scores[..., 1:], scores[..., :-1], out=begin[..., 1:])
        numbers: IndexArray = np.cumsum(begin, dtype=np.int32) - np.int32(1)
        return Levels(numbers, np.append(np.flatnonzero(begin), begin.size).astype(np.int32))

    def tied_across(self, rank: int) -> int:
        """Returns the number of lists in which the rows at this rank and at the next rank have the same score."""
        lengths = self.places.lengths.reshape(-1)
        below = (np.cumsum(lengths) - lengths + rank)[lengths > rank]
        scores = self.table["score"].to_numpy()
        return int(np.count_nonzero(scores[below] == scores[below - 1]))
