"""Documents in context: lists of documents, the retrieved parts of each document, and the text that a user reads in each document.

The retrieved parts of a document must be consecutive in the list, and must not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.collection.structure import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import IndexArray, IntArray, changes
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.ranking.passages.texts import Highlights, Texts

__all__ = [
    "REMOVING",
    "Contexts",
    "begins_of",
    "by_document",
    "check_apart",
    "check_grouped",
    "first_of_lists",
    "named",
    "overlaps",
    "read_until",
    "standing_in",
]

REMEDY: Final = "group_by_document (--prepare group_by_document) groups the results of each document"
REMOVING: Final = 'remove_overlap("correlation") (--prepare \'remove_overlap("correlation")\') keeps the best of them'

ENDLESS: Final = 1 << 62
"""An offset larger than the length of any document."""


def begins_of(texts: Texts) -> IntArray:
    """Returns the indices of the results whose list or document differs from that of the previous result."""
    return np.flatnonzero(changes(texts.lists) | changes(texts.documents))


def check_grouped(texts: Texts, begins: IntArray) -> None:
    """Raises `CollectionError` if the results of a document are not consecutive in a list.

    Args:
        texts: The results.
        begins: Indices of the results that begin a document in a list, from `begins_of`.

    Raises:
        CollectionError: The results of a document are not consecutive in a list; the error names the first such document of each list.
    """
    keys = texts.lists[begins] << 32 | texts.documents[begins]
    if pl.Series(keys).n_unique() == len(keys):
        return
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0) + 1
    before = np.zeros_like(begins)
    before[order[again]] = begins[order[again - 1]]
    found = np.sort(order[again])
    raise CollectionError(
        Problem(
            f"run {run}: expected the results of document {document} one after the other, found results {first} and {rank} apart; "
            + REMEDY,
            topic_id=topic,
            kind=f"expected the results of each document one after the other, found {{count}} rankings that return to an earlier document; {REMEDY}",
            detail=f"run {run}: document {document}, results {first} and {rank}",
        )
        for place in first_of_lists(texts, begins[found], found)
        for run, topic, document, rank in [named(texts, int(begins[place]))]
        for *_, first in [named(texts, int(before[place]))]
    )


def check_apart(texts: Texts, begins: IntArray, *, empty_overlap: bool) -> None:
    """Raises `CollectionError` if results of a document overlap; the results of each document must be consecutive.

    Args:
        texts: The results.
        begins: Indices of the results that begin a document in a list, from `begins_of`.
        empty_overlap: Whether an empty result is treated as overlapping an earlier result that contains it.

    Raises:
        CollectionError: Results overlap; the error names the first two overlapping results of each list.
    """
    counts = np.diff(begins, append=len(texts.lists))
    beside = np.flatnonzero(np.repeat(counts > 1, counts) & (texts.starts != UNRESOLVED))
    if not len(beside):
        return
    of = np.repeat(np.arange(len(begins)), counts)[beside]
    starts, lengths = texts.starts[beside], texts.lengths[beside]
    ends = np.where(lengths == UNKNOWN, ENDLESS, starts + lengths)
    long = np.flatnonzero(ends > starts)
    order = long[by_document(of[long], starts[long])]
    meet = np.flatnonzero((of[order[1:]] == of[order[:-1]]) & (starts[order[1:]] < ends[order[:-1]]))
    pairs = np.stack((order[meet], order[meet + 1]))
    remedy = f"; {REMOVING}"
    if empty_overlap and not len(meet):
        pairs, remedy = standing_in(of, starts, ends, order), ""  # `remove_overlap` keeps empty results
    if pairs.shape[1]:
        first, second = beside[np.sort(pairs, axis=0)]
        by_rank = np.lexsort((first, second))
        found = first_of_lists(texts, second[by_rank], by_rank)
        raise CollectionError(overlaps(texts, first[found], second[found], remedy))


def by_document(of: IntArray, starts: IntArray) -> IntArray:
    """Returns the order of results by document, then start; the given results are already sorted by document."""
    # The stable sort is by far the fastest if most results are in order. The start of a result is at most `LONGEST` (2^32), and therefore
    # fits into 33 bits.
    return np.argsort(of << 33 | starts, kind="stable")


def standing_in(of: IntArray, starts: IntArray, ends: IntArray, order: IntArray) -> IntArray:
    """Returns all pairs of an earlier result and an empty result inside it, shape (2, pairs).

    `order` contains the indices of the non-empty results.
    """
    empty = np.flatnonzero(ends == starts)
    if not len(empty):
        return np.stack((empty, empty))
    both = np.concatenate((order, empty))
    # Non-empty results are assumed not to overlap. Therefore at most one non-empty result can contain an empty result: the last that does
    # not start after the empty result. Empty results are sorted after non-empty results with the same start.
    by_place = np.lexsort((ends[both] == starts[both], starts[both], of[both]))
    sorted_ = both[by_place]
    last = np.maximum.accumulate(np.where(ends[sorted_] > starts[sorted_], np.arange(len(sorted_)), 0))
    holder = sorted_[last]
    held = (ends[sorted_] == starts[sorted_]) & (of[holder] == of[sorted_]) & (ends[holder] > starts[sorted_]) & (holder < sorted_)
    return np.stack((holder[held], sorted_[held]))


def overlaps(texts: Texts, first: IntArray, second: IntArray, remedy: str) -> Iterator[Problem]:
    """Yields an error for each pair of overlapping results, given by their indices; the error says how overlap can be avoided."""
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        run, topic, document, rank = named(texts, other)
        yield Problem(
            f"run {run}: expected results of document {document} that do not overlap, found result {named(texts, one)[-1]}, "
            f"{_extent(texts, one)}, and result {rank}, {_extent(texts, other)}{remedy}",
            topic_id=topic,
            kind=f"expected results of a document that do not overlap, found {{count}} rankings with overlapping results{remedy}",
            detail=f"run {run}: document {document}, results {named(texts, one)[-1]} and {rank}",
        )


def _extent(texts: Texts, result: int) -> str:
    """Describes the extent of a result for an error message."""
    start, length = int(texts.starts[result]), int(texts.lengths[result])
    return "the whole document" if length == UNKNOWN else f"{plural(length, 'character')} from {start} on"


def first_of_lists(texts: Texts, results: IntArray, values: IntArray) -> list[int]:
    """Returns the value of the first given result of each list; `results` are sorted by list, and each result has one entry in `values`."""
    firsts: list[int] = values[changes(texts.lists[results])].tolist()
    return firsts


def named(texts: Texts, result: int) -> tuple[str, str, str, int]:
    """Returns the run, topic and document of a result, and its rank in the list, counted from 1."""
    row = texts.results.row(result, named=True)
    rank = result - int(np.searchsorted(texts.lists, texts.lists[result])) + 1
    return str(row["run_id"]), str(row["topic_id"]), str(row["doc_id"]), rank


@dataclass(frozen=True, eq=False)
class Contexts:
    """The relevant documents in the lists of a batch. R runs, T topics, H documents, Q results in these documents.

    The documents are in the order in which a list returns them. The results of each document are consecutive and do not overlap.

    Attributes:
        texts: The text of all results of the batch: document, start and length.
        lengths: Number of documents in each list, relevant or not, shape (R, T).
        lists: For each relevant document, the index of its list, `run * T + topic`, in increasing order, shape (H,).
        ranks: Rank of each relevant document among the documents of its list, counted from 1, shape (H,).
        documents: Index of each relevant document among the assessed documents, shape (H,).
        results: Indices of the results in relevant documents among all results of the batch, in increasing order, shape (Q,).
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
            empty_overlap: Whether an empty result is treated as overlapping an earlier result that contains it.

        Raises:
            CollectionError: The results of a document are not consecutive in a list, or they overlap.
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
        """Number of characters in each result, as `Texts.sizes`, shape (Q,).

        Raises:
            CollectionError: A retrieved whole document has an unknown length.
        """
        lengths = self.texts.sizes[self.results]
        self._refuse(self.of_results[lengths == UNKNOWN])
        return lengths

    @cached_property
    def sizes(self) -> IntArray:
        """Number of retrieved characters in each document, shape (H,)."""
        return self._sums(self.lengths_of_results)

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
                    f"run {run}: expected a single result (an entry point) for document {document}, "
                    f"found {counts[place]} results, the first at rank {rank}",
                    topic_id=topic,
                    kind="expected a single result (an entry point) for each document, found {count} rankings with several results for a document",
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
                    f"run {run}: expected the assessments or the structure to contain the length of document {document} (result {rank}), "
                    "found none",
                    topic_id=topic,
                    kind="expected the assessments or the structure to contain the lengths of retrieved documents, "
                    "found {count} rankings with unknown lengths",
                    detail=f"run {run}: document {document}, result {rank}",
                )
                for result in first_of_lists(self.texts, results, results)
                for run, topic, document, rank in [named(self.texts, int(result))]
            )


def read_until(contexts: Contexts, lengths: IntArray, tolerance: int) -> tuple[IntArray, IntArray]:
    """Returns the amount of text read in each document: first the retrieved parts, then the rest, both in document order.

    Reading stops at the last irrelevant character that the user tolerates, or at the end of the document.

    Args:
        contexts: The documents and their retrieved parts.
        lengths: Length of each document in characters, shape (H,).
        tolerance: Number of irrelevant characters that a user reads, at least 1.

    Returns:
        Two arrays of shape (H,): the number of highlighted characters and the number of all characters read in each document.
    """
    count = len(lengths)
    of, starts, ends = _stretches(contexts, lengths)
    documents = contexts.documents.astype(np.int64)
    highlighted = contexts.highlights.within(documents[of], starts, ends - starts)
    # Number of characters read up to the end of each passage, with all documents concatenated.
    relevant = np.concatenate(([0], np.cumsum(highlighted)))
    irrelevant = np.concatenate(([0], np.cumsum(ends - starts - highlighted)))
    bounds = np.searchsorted(of, np.arange(count + 1))
    first, last = bounds[:-1], bounds[1:]
    # If the tolerance is the length of the longest possible document, users read every document to its end.
    tolerance = min(tolerance, LONGEST)
    wanted = irrelevant[first] + tolerance
    # The passage in which the number of irrelevant characters read reaches the tolerance. If no passage reaches the tolerance, users read
    # everything.
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
    shown = np.flatnonzero((contexts.lengths_of_results > 0) & (contexts.starts != UNRESOLVED))
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
