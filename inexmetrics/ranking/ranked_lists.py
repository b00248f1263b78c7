"""The ranked lists of a batch of runs: the rows that hold them, and the documents among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from inexmetrics.collection import Lists
from inexmetrics.common.arrays import FloatArray, IndexArray
from inexmetrics.ranking.index import ListLayout, first_occurrences

__all__ = ["Levels", "RankedLists"]


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Stretches of results of equal score that follow each other; a rank past the end of its list is one by itself.

    Attributes:
        numbers: Number of the level that each cell of the flattened array of runs x topics x ranks stands in.
        begins: The cell at which each level begins; the last entry is the number of cells.
    """

    numbers: IndexArray
    begins: IndexArray


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Results of a batch, or the documents among them: where they stand, and the rows that stand there, in that order.

    Attributes:
        places: Where they stand.
        named: Runs and topics of the lists, of which some may be empty.
        table: The rows, with the index of their topic; `doc_id` may be Categorical.
    """

    places: ListLayout
    named: Lists
    table: pl.DataFrame

    @cached_property
    def results(self) -> pl.DataFrame:
        """The rows with their run_id and topic_id, and every `doc_id` as text."""
        return self.table.with_columns(*self.named.columns(), pl.col("doc_id").cast(pl.String))

    @cached_property
    def documents(self) -> RankedLists:
        """The documents alone, each at its first occurrence."""
        of_row = self.places.lists()
        kept = first_occurrences(of_row, self.table["doc_id"])
        lengths = np.bincount(of_row[kept], minlength=self.places.lengths.size)
        return RankedLists(ListLayout(lengths.reshape(self.places.lengths.shape)), replace(self.named, lengths=lengths), self.table[kept])

    def scores(self) -> FloatArray:
        """Retrieval status values, one a row; NaN where none was written."""
        return self.table["score"].to_numpy()

    @cached_property
    def levels(self) -> Levels:
        """The levels of the lists; without scores every result is one by itself."""
        scores = self.places.laid_out(self.scores(), np.float64(np.nan))
        begin = np.ones(scores.shape, dtype=np.bool_)
        np.not_equal(scores[..., 1:], scores[..., :-1], out=begin[..., 1:])
        numbers: IndexArray = np.cumsum(begin, dtype=np.int32) - np.int32(1)
        return Levels(numbers, np.append(np.flatnonzero(begin), begin.size).astype(np.int32))

    def tied_across(self, rank: int) -> int:
        lengths = self.places.lengths.reshape(-1)
        below = (np.cumsum(lengths) - lengths + rank)[lengths > rank]
        scores = self.scores()
        return int(np.count_nonzero(scores[below] == scores[below - 1]))
