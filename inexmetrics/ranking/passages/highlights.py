"""Highlighted text: its amount for each topic and document, and its offsets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments
from inexmetrics.collection.derived_judgements import HighlightedText, check_chosen, check_reach
from inexmetrics.collection.schemas import PASSAGES
from inexmetrics.common.arrays import BoolArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.ranking.index import JudgementIndex

__all__ = ["Highlights"]


@dataclass(frozen=True, eq=False)
class Highlights:
    """The highlighted text of assessed documents. T topics, P passages, D assessed documents (one per pair of topic and document).

    Attributes:
        judged: The assessed documents, sorted by topic; documents are numbered by row.
        relchars: Number of highlighted characters in each document, shape (D,).
        docchars: Length of each document in characters, shape (D,); -1 if unknown.
        bep: Best entry point of each document, shape (D,); -1 if missing.
        documents: Index of the assessed document of each passage, in increasing order, shape (P,).
        starts: Start of each passage, shape (P,); starts increase within a document, and passages of a document do not overlap.
        lengths: Number of characters in each passage, shape (P,).
        totals: Number of highlighted characters for each topic (Trel), shape (T,).
        counts: Number of documents with highlighted characters for each topic (Nrel), shape (T,).
    """

    judged: JudgementIndex
    relchars: IntArray
    docchars: IntArray
    bep: IntArray
    documents: IntArray
    starts: IntArray
    lengths: IntArray
    totals: IntArray
    counts: IntArray

    @classmethod
    def of(cls, assessments: Assessments, topics: tuple[str, ...]) -> Highlights:
        """Builds the highlighted text of the topics; the topics must be in lexicographic order.

        Raises:
            CollectionError: The assessments do not contain highlighted passages, or contain text beyond `LONGEST`.
        """
        if assessments.documents is None:
            check_chosen(assessments, {"passages"}, "MAgP")
            found = ", ".join(assessments.kinds) or "none"
            raise CollectionError(f"expected assessments with highlighted passages, found assessments of another kind: {found}")
        judged = JudgementIndex.of(assessments.documents, topics)
        items = judged.items
        relchars = items["relchars"].to_numpy().astype(np.int64)
        passages = pl.DataFrame(schema=PASSAGES) if assessments.passages is None else assessments.passages
        check_reach("highlighted text", items, pl.col("relchars"))
        check_reach("highlighted text", passages, pl.col("start") + pl.col("length"))
        check_reach("the end", items, pl.col("docchars"))
        # The indices of the passages' documents; documents are sorted by topic, and passages by position.
        codes = items.select("topic_id", "doc_id", pl.int_range(pl.len(), dtype=pl.Int64).alias("document"))
        placed = (
            passages.filter(pl.col("length") > 0).join(codes, on=["topic_id", "doc_id"], how="inner").sort("document", "start", "length")
        )
        return cls(
            judged=judged,
            relchars=relchars,
            docchars=items["docchars"].fill_null(-1).to_numpy().astype(np.int64),
            bep=items["bep"].fill_null(-1).to_numpy().astype(np.int64),
            documents=placed["document"].to_numpy(),
            starts=placed["start"].to_numpy(),
            lengths=placed["length"].to_numpy(),
            totals=_sums(judged.topics, relchars, len(topics)),
            counts=_sums(judged.topics, (relchars > 0).astype(np.int64), len(topics)),
        )

    def before(self, documents: IntArray, offsets: IntArray) -> IntArray:
        """Returns, for each document, the number of highlighted characters before a given offset.

        Args:
            documents: Indices of assessed documents, any shape.
            offsets: Offset in each document, at least 0, in the shape of `documents`.
        """
        return self._text.before(documents, offsets) - self._text.cumulated[self.firsts[documents]]

    def before_irrelevant(self, documents: IntArray, numbers: IntArray) -> IntArray:
        """Returns the number of highlighted characters before the n-th irrelevant character of each document; n is counted from 1."""
        # Number of irrelevant characters before each passage. Each document has its own range of 2^33 numbers, which is larger than the
        # longest document (2^32 characters).
        cumulated = self._text.cumulated
        before = self.starts - (cumulated[:-1] - cumulated[self.firsts[self.documents]])
        passed = np.searchsorted(self.documents << 33 | before, documents << 33 | numbers)
        return cumulated[passed] - cumulated[self.firsts[documents]]

    def within(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> IntArray:
        """Returns the number of highlighted characters in each passage (rsize)."""
        return self._text.within(documents, starts, lengths)

    def passages_in(self, documents: IntArray, starts: IntArray, lengths: IntArray, whole: BoolArray) -> tuple[IntArray, IntArray]:
        """Returns the range of passages that each result overlaps: the index of the first passage, and the index after the last passage.

        Args:
            documents: Indices of assessed documents, shape (H,).
            starts: Start of each result, shape (H,).
            lengths: Number of characters of each result, shape (H,).
            whole: Whether each result is a whole document, shape (H,). Whole documents overlap all passages, for any start and length.
        """
        first, end = self._text.overlapping(documents, starts, lengths)
        return np.where(whole, self.firsts[documents], first), np.where(whole, self.firsts[documents + 1], end)

    @cached_property
    def unplaced(self) -> BoolArray:
        """Whether each document has highlighted text of unknown offsets, shape (D,)."""
        unplaced: BoolArray = (self.relchars > 0) & (np.diff(self.firsts) == 0)
        return unplaced

    @cached_property
    def topics_of_pieces(self) -> IntArray:
        """Topic of each piece of evidence, in increasing order.

        A piece of evidence is a passage, or a document with highlighted text but no passages.
        """
        of_passages = self.judged.topics[self.documents]
        return np.sort(np.concatenate((of_passages, self.judged.topics[self.unplaced])))

    @cached_property
    def firsts(self) -> IntArray:
        """Index of each document's first passage, shape (D + 1,); the last entry is P."""
        return np.searchsorted(self.documents, np.arange(self.judged.items.height + 1))

    @cached_property
    def _text(self) -> HighlightedText:
        return HighlightedText.of(self.documents, self.starts, self.lengths)


def _sums(topics: IntArray, values: IntArray, count: int) -> IntArray:
    """Returns the sum of the values for each topic, as integers."""
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, topics, values)
    return sums
