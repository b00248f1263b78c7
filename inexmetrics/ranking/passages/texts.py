"""The text of each result of a batch: its document, start and length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.common.arrays import BoolArray, IndexArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.ranking.passages.highlights import Highlights

__all__ = ["UNRESOLVED_LENGTH", "Texts"]

UNRESOLVED_LENGTH: Final = 18
"""Assumed length of a result with an unknown position, in characters; none of these characters is highlighted."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Texts:
    """The text of each result (its document, start and length), sorted by list, then rank. H results.

    Attributes:
        highlights: The highlighted text of the D assessed documents.
        lengths_of_lists: Number of results in each list, shape (R, T).
        lists: For each result, the index of its list, `run * T + topic`, in increasing order, shape (H,).
        judged: Index of each result's document among the assessed documents, shape (H,); D if the document was not assessed for the topic.
        documents: A number that identifies the document of each result, assessed or not, among the documents of the same topic, shape (H,).
        starts: Start of each result in its document, shape (H,); -1 if unknown.
        lengths: Number of characters in each result, shape (H,); -1 if the position of the result, or the length of a whole document, is
            unknown.
        results: The results as read, with run_id, topic_id and doc_id, one row per result.
    """

    highlights: Highlights
    lengths_of_lists: IntArray
    lists: IntArray
    judged: IndexArray
    documents: IntArray
    starts: IntArray
    lengths: IntArray
    results: pl.DataFrame

    @classmethod
    def of(cls, highlights: Highlights, lengths_of_lists: IntArray, lists: IntArray, results: pl.DataFrame, placed: pl.DataFrame) -> Texts:
        """Determines the text of each result of a batch.

        Raises:
            CollectionError: A result ends beyond `LONGEST`.
        """
        starts, lengths = placed["start"].to_numpy(), placed["length"].to_numpy()
        beyond = np.maximum(starts, starts + lengths) > LONGEST
        if beyond.any():
            row = results.row(int(np.argmax(beyond)), named=True)
            raise CollectionError(
                Problem(
                    f"run {row['run_id']}: expected a result within the first {LONGEST} characters of document {row['doc_id']}, "
                    f"found length {row['length']} at offset {row['start']}",
                    topic_id=row["topic_id"],
                )
            )
        judged = highlights.judged.codes(results)
        # Assessed documents are already numbered; all other documents are numbered here.
        others = judged == highlights.judged.items.height
        documents = judged.astype(np.int64)
        documents[others] += results["doc_id"].filter(pl.Series(others)).cast(pl.Categorical).to_physical().to_numpy()
        return cls(
            highlights,
            lengths_of_lists,
            lists,
            judged,
            documents,
            starts,
            lengths,
            results,
        )

    def summed(self, values: IntArray) -> IntArray:
        """Returns, for each list, the sum of the values of its results, shape (R, T)."""
        lengths = self.lengths_of_lists.reshape(-1)
        ends = np.cumsum(lengths)
        until = np.concatenate(([0], np.cumsum(values)))
        sums: IntArray = until[ends] - until[ends - lengths]
        return sums.reshape(self.lengths_of_lists.shape)

    @property
    def unresolved(self) -> BoolArray:
        """Whether each result has an unknown position, shape (H,)."""
        return np.asarray(self.starts == UNRESOLVED)

    @property
    def assessed(self) -> BoolArray:
        """Whether each result is in an assessed document, shape (H,)."""
        return np.asarray(self.judged < self.highlights.judged.items.height)

    @property
    def relevant(self) -> BoolArray:
        """Whether each result is in a document with highlighted text, shape (H,)."""
        return np.append(self.highlights.relchars > 0, False)[self.judged]

    @property
    def whole(self) -> BoolArray:
        """Whether each result was retrieved as a whole document, shape (H,)."""
        return self.results.select(pl.all_horizontal(pl.col("path", "start").is_null())).to_series().to_numpy()

    @property
    def touching(self) -> BoolArray:
        """Whether each result shows highlighted text, shape (H,).

        A whole document shows highlighted text if the document has any; a part of a document shows highlighted text if the part overlaps a
        highlighted passage.
        """
        shown: BoolArray = self.relevant & ~self.unresolved
        parts = np.flatnonzero(shown & ~self.whole)
        shown[parts] = self.highlights.within(self.judged[parts].astype(np.int64), self.starts[parts], self.lengths[parts]) > 0
        return shown
