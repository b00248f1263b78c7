"""Highlighted text in documents: its amount before offsets and in passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["LONGEST", "HighlightedText", "check_reach"]

LONGEST: Final = 1 << 32
"""The largest offset in a document: small enough that all documents on one line can be counted in 64 bits."""


def check_reach(what: str, judged: pl.DataFrame, reach: pl.Expr) -> None:
    """Checks that no judgement is beyond `LONGEST` in its document.

    Args:
        what: The kind of judgement, for the error message.
        judged: topic_id, doc_id, and the columns in `reach`.
        reach: The end of a judgement.

    Raises:
        CollectionError: A judgement is; the error names the first.
    """
    beyond = judged.select("topic_id", "doc_id", reach=reach).filter(pl.col("reach") > LONGEST)
    if not beyond.is_empty():
        topic, document, reached = beyond.row(0)
        message = f"expected {what} within the first {LONGEST} characters of document {document}, found {reached}"
        raise CollectionError(Problem(message, topic_id=topic))


@dataclass(frozen=True, slots=True, eq=False)
class HighlightedText:
    """Highlighted passages of numbered documents, concatenated on one line: each document is as long as the longest. P passages.

    Attributes:
        stride: Characters from the beginning of a document to that of the next; more than any document's passages reach.
        begins: Begin of each passage on the line, P, increasing.
        lengths: Its characters, P.
        cumulated: Characters of all passages before each one, P + 1.
    """

    stride: int
    begins: IntArray
    lengths: IntArray
    cumulated: IntArray

    @classmethod
    def of(cls, documents: IntArray, starts: IntArray, lengths: IntArray) -> HighlightedText:
        """Builds it from passages, by document, then start; those of a document do not overlap.

        Args:
            documents: Index of each passage's document, P.
            starts: Its start in the document, P.
            lengths: Its characters, P.
        """
        stride = int((starts + lengths).max(initial=0)) + 1
        return cls(stride, documents * stride + starts, lengths, np.concatenate(([0], np.cumsum(lengths))))

    def before(self, documents: IntArray, offsets: IntArray) -> IntArray:
        """Counts highlighted characters before offsets of documents, including those of all earlier documents.

        Args:
            documents: Indices of documents, any shape.
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
        # Of the last passage that begins before the offset, characters at or after the offset do not count.
        unread = np.where(begun > 0, np.maximum(self.begins[last] + self.lengths[last] - places, 0), 0)
        before: IntArray = self.cumulated[begun] - unread
        return before

    def overlapping(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
        """Returns the passages that overlap ranges of documents: index of the first for each range, and of the one after its last.

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
