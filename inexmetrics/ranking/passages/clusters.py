"""Results, sorted by list, document and position in the text, and grouped into clusters of overlapping results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.common.arrays import BoolArray, IntArray, changes
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.ranking.index import ListLayout
from inexmetrics.ranking.passages.contexts import REMOVING, first_of_lists, overlaps, standing_in
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["Clusters", "by_place", "clusters", "first_standing_in", "refuse_overlap"]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Results that are not empty, sorted by list, document and start. P results.

    Attributes:
        order: Index of each of these results among all results of the batch, shape (P,).
        numbers: Index of the cluster of each result, in increasing order, shape (P,). A cluster contains results that overlap, directly or
            through other results.
        meets: Whether the cluster of each result contains other results, shape (P,).
    """

    order: IntArray
    numbers: IntArray
    meets: BoolArray

    @property
    def meeting(self) -> IntArray:
        """Indices of the results that overlap other results."""
        return self.order[self.meets]

    def only(self, chosen: BoolArray) -> Clusters:
        """Returns the clusters of a subset of the results; the subset must contain all or none of the results of each document."""
        kept = chosen[self.order]
        return Clusters(self.order[kept], self.numbers[kept], self.meets[kept])


@cached_by_identity
def clusters(texts: Texts, *, relevant: bool = False) -> Clusters:
    """Returns the clusters of results that are not empty and have a known position, computed once for a batch.

    Args:
        texts: The results as passages.
        relevant: Whether to exclude results in documents without highlighted text.
    """
    written = (texts.lengths > 0) & ~texts.unresolved
    chosen = np.flatnonzero(written & texts.relevant if relevant else written)
    starts, ends = texts.starts[chosen], texts.starts[chosen] + texts.lengths[chosen]
    stride = int(ends.max(initial=0)) + 1
    lists, documents = texts.lists[chosen], texts.documents[chosen]
    order = by_place(lists, documents * stride + starts)
    documents, starts, ends = documents[order], starts[order], ends[order]
    shift = np.cumsum(changes(lists) | changes(documents)) * stride  # `lists` is already sorted
    reach = np.maximum.accumulate(shift + ends)
    begins = np.ones(len(order) + 1, dtype=np.bool_)
    begins[1:-1] = shift[1:] + starts[1:] >= reach[:-1]
    return Clusters(chosen[order], np.cumsum(begins[:-1]), ~(begins[:-1] & begins[1:]))


def by_place(lists: IntArray, places: IntArray) -> IntArray:
    """Returns the order of items by list, then offset; the order of items with equal offsets is arbitrary.

    Each list is sorted separately, as a row of integers whose low bits contain the index of the item in the list; this method is by far the
    fastest.

    Args:
        lists: Index of the list of each item, in increasing order.
        places: Offset of each item, at least 0.

    Examples:
        >>> by_place(np.array([0, 0, 1]), np.array([9, 3, 1])).tolist()
        [1, 0, 2]
    """
    counts = np.bincount(lists)
    firsts = np.cumsum(counts) - counts
    bits = int(counts.max(initial=0)).bit_length()
    if int(places.max(initial=0)).bit_length() + bits >= 63:
        return np.lexsort((places, lists))
    numbered = ListLayout(counts[None]).laid_out(
        (places << bits) | (np.arange(len(lists)) - firsts[lists]), np.int64(np.iinfo(np.int64).max)
    )[0]
    numbered.sort(axis=1)
    order: IntArray = (numbered[np.arange(numbered.shape[1]) < counts[:, None]] & ((1 << bits) - 1)) + firsts[lists]
    return order


def refuse_overlap(texts: Texts, *, empty_overlap: bool) -> None:
    """Raises `CollectionError` if results in a list overlap; the error names one pair of overlapping results per list.

    Args:
        texts: The results as passages.
        empty_overlap: Whether an empty result is treated as overlapping an earlier result that contains it.
    """
    # For each list: the first result that overlaps higher-ranked results, preceded by the highest-ranked result that it overlaps.
    pairs = []
    meeting = clusters(texts).meeting
    for of_list in np.split(meeting, np.flatnonzero(np.diff(texts.lists[meeting])) + 1):
        results = np.sort(of_list)
        documents, starts = texts.documents[results], texts.starts[results]
        ends = starts + texts.lengths[results]
        for place in range(1, len(results)):
            meets = (documents[:place] == documents[place]) & (starts[:place] < ends[place]) & (ends[:place] > starts[place])
            if meets.any():
                pairs.append((int(results[np.argmax(meets)]), int(results[place])))
                break
    remedy = '; overlap="unseen" counts text that is shown again once'
    if pairs:
        remedy += f", {REMOVING}"
    elif empty_overlap:
        pairs = first_standing_in(texts)
    if pairs:
        first, second = np.array(pairs).T
        raise CollectionError(overlaps(texts, first, second, remedy))


def first_standing_in(texts: Texts) -> list[tuple[int, int]]:
    """Returns, for each list, the first empty result that is inside an earlier result, as a pair (earlier result, empty result).

    An empty result has no characters.
    """
    if texts.lengths.all():
        return []
    known = np.flatnonzero(texts.starts != UNRESOLVED)
    starts, ends = texts.starts[known], texts.starts[known] + texts.lengths[known]
    of = texts.lists[known] << 32 | texts.documents[known]
    holder, held = known[standing_in(of, starts, ends, np.flatnonzero(ends > starts))]
    by_rank = np.argsort(held)
    found = np.array(first_of_lists(texts, held[by_rank], by_rank), dtype=np.int64)
    return list(zip(holder[found].tolist(), held[found].tolist(), strict=True))
