"""Documents in context: lists of documents, each with its retrieved parts, and the text that a user reads of each document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.collection.offsets import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import IndexArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.ranking.passages.grouping import begins_of, by_document, check_apart, check_grouped, first_of_lists, named
from inexmetrics.ranking.passages.highlights import Highlights
from inexmetrics.ranking.passages.texts import UNRESOLVED_LENGTH, Texts

__all__ = ["Contexts", "read_until"]


@dataclass(frozen=True, eq=False)
class Contexts:
    """The relevant documents in the lists of a batch. R runs, T topics, H documents, Q results in these documents.

    The documents of a list are in the order of its results, which are grouped by document and do not overlap.

    Attributes:
        texts: All results of the batch.
        lengths: Number of documents in each list, relevant or not, shape (R, T).
        lists: Index run * T + topic of the list of each relevant document, shape (H,), increasing.
        ranks: Rank of each relevant document among the documents of its list, from 1, shape (H,).
        documents: Code of each relevant document among the assessed documents, shape (H,).
        results: Indices of the results in relevant documents among all results of the batch, shape (Q,), increasing.
        firsts: Index of each document's first result in `results`, shape (H + 1,); the last entry is Q.
    """

    texts: Texts
    lengths: IntArray
    lists: IntArray
    ranks: IntArray
    documents: IndexArray
    results: IntArray
    firsts: IntArray

    @classmethod
    def of(cls, texts: Texts, *, empty_overlap: bool) -> Contexts:
        """Groups results by document.

        Args:
            texts: The results.
            empty_overlap: Whether a result without characters overlaps an earlier result that contains it.

        Raises:
            CollectionError: A list returns to a document after another document, or results of a document overlap.
        """
        begins = begins_of(texts)
        check_grouped(texts, begins)
        check_apart(texts, begins, empty_overlap=empty_overlap)
        lists = texts.lists[begins]
        lengths = np.bincount(lists, minlength=texts.lengths_of_lists.size)
        documents = texts.judged[begins]
        relevant = np.flatnonzero(np.append(texts.highlights.relchars, 0).take(documents) > 0)
        counts = np.diff(begins, append=len(texts.lists))[relevant]
        firsts = np.concatenate(([0], np.cumsum(counts)))
        return cls(
            texts,
            lengths.reshape(texts.lengths_of_lists.shape),
            lists[relevant],
            relevant - (np.cumsum(lengths) - lengths)[lists[relevant]] + 1,
            documents[relevant],
            np.repeat(begins[relevant] - firsts[:-1], counts) + np.arange(firsts[-1]),
            firsts,
        )

    @property
    def highlights(self) -> Highlights:
        """The highlighted text of the assessed documents."""
        return self.texts.highlights

    @property
    def relchars(self) -> IntArray:
        """Number of highlighted characters in each document, shape (H,)."""
        return self.highlights.relchars[self.documents]

    @cached_property
    def counts(self) -> IntArray:
        """Number of results in each document, shape (H,)."""
        return np.diff(self.firsts)

    @cached_property
    def of_results(self) -> IntArray:
        """Index of the document of each result, from 0, shape (Q,)."""
        return np.repeat(np.arange(len(self.documents)), self.counts)

    @cached_property
    def starts(self) -> IntArray:
        """Start of each result in its document, shape (Q,); -1 if unknown."""
        return self.texts.starts[self.results]

    @cached_property
    def lengths_of_results(self) -> IntArray:
        """Number of characters in each result, shape (Q,); -1 if the position is unknown.

        Raises:
            CollectionError: A retrieved whole document has an unknown length.
        """
        lengths = self.texts.lengths[self.results]
        endless = (lengths == UNKNOWN) & (self.starts != UNRESOLVED)
        self._refuse(self.of_results[endless])
        return lengths

    @cached_property
    def sizes(self) -> IntArray:
        """Number of retrieved characters in each document, shape (H,)."""
        return self._sums(np.where(self.starts == UNRESOLVED, UNRESOLVED_LENGTH, self.lengths_of_results))

    @cached_property
    def found(self) -> IntArray:
        """Number of retrieved highlighted characters in each document (rsize), shape (H,)."""
        placed = self.starts != UNRESOLVED
        highlighted = np.zeros(len(placed), dtype=np.int64)
        documents = self.documents.astype(np.int64)[self.of_results]
        highlighted[placed] = self.highlights.within(documents[placed], self.starts[placed], self.lengths_of_results[placed])
        return self._sums(highlighted)

    def entries(self) -> IntArray:
        """Returns the start of the single result in each document, shape (H,); -1 if unknown.

        Raises:
            CollectionError: A document, relevant or not, was retrieved by several results.
        """
        texts = self.texts
        if int(self.lengths.sum()) < len(texts.lists):
            begins = begins_of(texts)
            counts = np.diff(begins, append=len(texts.lists))
            several = np.flatnonzero(counts > 1)
            raise CollectionError(
                Problem(
                    f"run {run}: expected one result of document {document}, its entry point, "
                    f"found {counts[place]} results, the first at rank {rank}",
                    topic_id=topic,
                    kind="expected one result of each document, its entry point, found {count} lists with several results of a document",
                    detail=f"run {run}: document {document}, {counts[place]} results, the first at rank {rank}",
                )
                for place in first_of_lists(texts, begins[several], several)
                for run, topic, document, rank in [named(texts, int(begins[place]))]
            )
        return self.starts

    def known_lengths(self, lengths: IntArray) -> IntArray:
        """Returns the length of each document in characters, shape (H,).

        Args:
            lengths: Length of each assessed document in characters; -1 if unknown.

        Raises:
            CollectionError: The length of a document is unknown.
        """
        known = lengths[self.documents]
        self._refuse(np.flatnonzero(known == UNKNOWN))
        return known

    def _sums(self, values: IntArray) -> IntArray:
        """Returns the sum of values over the results in each document, shape (H,)."""
        return np.diff(np.concatenate(([0], np.cumsum(values)))[self.firsts])

    def _refuse(self, endless: IntArray) -> None:
        """Raises `CollectionError` if the length of any document is needed but unknown; the documents are given by their indices."""
        if len(endless):
            results = self.results[self.firsts[endless]]
            raise CollectionError(
                Problem(
                    f"run {run}: expected the length of document {document} (result {rank}) "
                    "in the assessments or the structure, found none",
                    topic_id=topic,
                    kind="expected the lengths of retrieved documents in the assessments or the structure, "
                    "found {count} lists with unknown lengths",
                    detail=f"run {run}: document {document}, result {rank}",
                )
                for result in first_of_lists(self.texts, results, results)
                for run, topic, document, rank in [named(self.texts, int(result))]
            )


def read_until(contexts: Contexts, lengths: IntArray, tolerance: int) -> tuple[IntArray, IntArray]:
    """Returns the text read from each document: the retrieved parts in document order, then the rest in document order.

    Reading stops at the last irrelevant character that the user tolerates, or at the end of the document.

    Args:
        contexts: The documents and their retrieved parts.
        lengths: Length of each document in characters, shape (H,).
        tolerance: Number of irrelevant characters that a user reads, at least 1.

    Returns:
        Number of highlighted characters read and number of all characters read, for each document, shape (H,) each.
    """
    count = len(lengths)
    of, starts, ends = _stretches(contexts, lengths)
    documents = contexts.documents.astype(np.int64)
    highlighted = contexts.highlights.within(documents[of], starts, ends - starts)
    # Number of characters read down to the end of each passage, with all documents concatenated.
    relevant = np.concatenate(([0], np.cumsum(highlighted)))
    irrelevant = np.concatenate(([0], np.cumsum(ends - starts - highlighted)))
    bounds = np.searchsorted(of, np.arange(count + 1))
    first, last = bounds[:-1], bounds[1:]
    # With a tolerance as long as the longest possible document, users read everything.
    tolerance = min(tolerance, LONGEST)
    wanted = irrelevant[first] + tolerance
    # The passage that contains the last irrelevant character that users tolerate; if there is none, users read everything.
    stretch = np.minimum(np.searchsorted(irrelevant, wanted) - 1, last)
    stopped = np.flatnonzero(stretch < last)
    read = relevant[stretch] - relevant[first]
    within = stretch[stopped]
    before = contexts.highlights.before(documents[stopped], starts[within])
    number = starts[within] - before + wanted[stopped] - irrelevant[within]
    read[stopped] += contexts.highlights.before_irrelevant(documents[stopped], number) - before
    return read, read + np.minimum(irrelevant[last] - irrelevant[first], tolerance)


def _stretches(contexts: Contexts, lengths: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns the passages that users read, in reading order: index of the document, start and end of each passage.

    Users read the retrieved parts of each document by offset, then the text before, between and after these parts.
    """
    shown = np.flatnonzero(contexts.lengths_of_results > 0)  # results with an unknown position do not contain text
    of, starts = contexts.of_results[shown], contexts.starts[shown]
    order = by_document(of, starts)
    of, starts, ends = of[order], starts[order], (starts + contexts.lengths_of_results[shown])[order]
    # Each start of a retrieved part ends a gap, and the end of the document ends the last gap. A part may extend beyond the document.
    of_gaps = np.repeat(np.arange(len(lengths)), np.bincount(of, minlength=len(lengths)) + 1)
    inner = np.flatnonzero(of_gaps[1:] == of_gaps[:-1])
    gap_starts, gap_ends = np.zeros_like(of_gaps), lengths[of_gaps]
    gap_starts[inner + 1] = np.minimum(ends, gap_ends[inner + 1])
    gap_ends[inner] = np.minimum(starts, gap_ends[inner])
    reading = np.argsort(np.concatenate((of, of_gaps)), kind="stable")
    parts = zip((of, starts, ends), (of_gaps, gap_starts, gap_ends), strict=True)
    read_of, read_starts, read_ends = (np.concatenate(pair)[reading] for pair in parts)
    return read_of, read_starts, read_ends
