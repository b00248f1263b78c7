"""How much highlighted text stands where in documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["LONGEST", "HighlightedText", "check_reach"]

LONGEST: Final = 1 << 32
"""Characters within which text stands in its document: few enough for all documents on one line to be counted in 64 bits."""


def check_reach(what: str, judged: pl.DataFrame, reach: pl.Expr) -> None:
    """Makes sure that nothing that was judged lies farther on in its document than `LONGEST`.

    Args:
        what: What lies there, for the error message.
        judged: topic_id, doc_id, and the columns that `reach` is made of.
        reach: Where it ends.

    Raises:
        CollectionError: Something does; the first of its kind is named.
    """
    beyond = judged.select("topic_id", "doc_id", reach=reach).filter(pl.col("reach") > LONGEST)
    if not beyond.is_empty():
        topic, document, reached = beyond.row(0)
        message = f"expected {what} within the first {LONGEST} characters of document {document}, found {reached}"
        raise CollectionError(Problem(message, topic_id=topic))


@dataclass(frozen=True, slots=True, eq=False)
class HighlightedText:
    """Highlighted passages of numbered documents, laid out on one line: each document is as long as the longest. P passages.

    Attributes:
        stride: Characters from the beginning of a document to that of the next; more than any document's passages reach.
        begins: Where each passage begins on the line, P, increasing.
        lengths: Its characters, P.
        cumulated: Characters of all passages before each one, P + 1.
    """

    stride: int
    begins: IntArray
    lengths: IntArray
    cumulated: IntArray

    @classmethod
    def of(cls, documents: IntArray, starts: IntArray, lengths: IntArray) -> HighlightedText:
        """The passages, by document, then start; those of a document do not overlap.

        Args:
            documents: Number of each passage's document, P.
            starts: Where in its document it starts, P.
            lengths: Its characters, P.
        """
        stride = int((starts + lengths).max(initial=0)) + 1
        return cls(stride, documents * stride + starts, lengths, np.concatenate(([0], np.cumsum(lengths))))

    def before(self, documents: IntArray, offsets: IntArray) -> IntArray:
        """Highlighted characters before offsets of documents, those of all documents before it included.

        Args:
            documents: Numbers of documents, any shape.
            offsets: Characters of the document before the offset, at least 0, of the same shape.

        Examples:
            >>> text = HighlightedText.of(np.array([0, 0, 1]), np.array([5, 20, 0]), np.array([10, 10, 10]))
            >>> text.before(np.array([0, 0, 0, 1]), np.array([7, 25, 1000, 3])).tolist()
            [2, 15, 20, 23]
        """
        places = documents * self.stride + np.minimum(offsets, self.stride - 1)
        begun = np.searchsorted(self.begins, places)
        if not len(self.begins):
            return np.zeros_like(begun)
        last = np.maximum(begun - 1, 0)
        # Of the last passage that begins before the offset, what stands at or after it does not count.
        unread = np.where(begun > 0, np.maximum(self.begins[last] + self.lengths[last] - places, 0), 0)
        before: IntArray = self.cumulated[begun] - unread
        return before

    def overlapping(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
        """The passages that overlap stretches of documents: number of the first of each stretch, and of the one after its last.

        Examples:
            >>> text = HighlightedText.of(np.array([0, 0, 1]), np.array([5, 20, 0]), np.array([10, 10, 10]))
            >>> [
            ...     found.tolist()
            ...     for found in text.overlapping(np.array([0, 0]), np.array([0, 15]), np.array([21, 5]))
            ... ]
            [[0, 1], [2, 1]]
        """
        begin, end = (documents * self.stride + np.minimum(offsets, self.stride - 1) for offsets in (starts, starts + lengths))
        return np.searchsorted(self.begins + self.lengths, begin, side="right"), np.searchsorted(self.begins, end)

    def within(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> IntArray:
        """Counts highlighted characters in passages (rsize)."""
        return self.before(documents, starts + lengths) - self.before(documents, starts)
