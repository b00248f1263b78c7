"""The highlighted text of each document, and the text of each result: its document, start and length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments
from inexmetrics.collection.derived_judgements import LONGEST, HighlightedText, check_chosen, check_reach
from inexmetrics.collection.schemas import PASSAGES
from inexmetrics.collection.structure import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import BoolArray, IndexArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.ranking.gains import RankedLists
from inexmetrics.ranking.index import JudgementIndex

__all__ = ["Highlights", "Texts"]


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
            check_chosen(assessments, {"passages"})
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


UNRESOLVED_LENGTH: Final = 18
"""Assumed length of a result with an unknown position and length, in characters; none of these characters is highlighted."""


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
        lengths: Number of characters in each result, shape (H,); -1 if the length is unknown.
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
    def of(cls, highlights: Highlights, ranked: RankedLists, placed: pl.DataFrame) -> Texts:
        """Determines the text of each result of a batch.

        Raises:
            CollectionError: A result ends beyond `LONGEST`.
        """
        starts, lengths = placed["start"].to_numpy(), placed["length"].to_numpy()
        results = ranked.results
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
        judged = highlights.judged.codes(results, ranked.names)
        # Assessed documents are already numbered; all other documents are numbered here.
        others = judged == highlights.judged.items.height
        documents = judged.astype(np.int64)
        documents[others] += results["document"].to_numpy()[others]
        return cls(
            highlights,
            ranked.places.lengths,
            ranked.places.lists(),
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
    def sizes(self) -> IntArray:
        """Number of characters that each result costs, shape (H,): its length, or the assumed length if the position hides the length."""
        return np.where(self.unresolved & (self.lengths == UNKNOWN), UNRESOLVED_LENGTH, self.lengths)

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
