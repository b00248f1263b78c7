"""The text that each result of a list adds: all its characters, or only characters that higher-ranked results do not show.

Results that overlap in a document are grouped into clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.collection.structure import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import BoolArray, IndexArray, IntArray, changes
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import plural
from inexmetrics.common.options import Compat
from inexmetrics.ranking.index import ListLayout
from inexmetrics.ranking.passages.contexts import REMOVING, first_of_lists, named, overlaps, standing_in
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["Clusters", "Counting", "Segments", "Spans", "by_place", "clusters", "first_standing_in", "refuse_overlap", "segments", "spans"]


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
    """Returns the clusters of overlapping results, computed once for a batch.

    A result that does not overlap any other result is a cluster of its own. Empty results and results with an unknown position are
    excluded.

    Args:
        texts: The text of each result: its document, start and length.
        relevant: Whether only results in documents with highlighted text are included.
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
        texts: The text of each result: its document, start and length.
        empty_overlap: Whether an empty result is treated as overlapping an earlier result that contains it.
    """
    # One pair for each list: the first result that overlaps higher-ranked results, and the highest-ranked result that it overlaps.
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
    remedy = '; overlap="unseen" counts repeated text only once'
    if pairs:
        remedy += f", {REMOVING}"
    elif empty_overlap:
        pairs = first_standing_in(texts)
    if pairs:
        first, second = np.array(pairs).T
        raise CollectionError(overlaps(texts, first, second, remedy))


def first_standing_in(texts: Texts) -> list[tuple[int, int]]:
    """Returns, for each list, the first empty result that is inside an earlier result, as a pair (earlier result, empty result)."""
    if texts.lengths.all():
        return []
    known = np.flatnonzero(texts.starts != UNRESOLVED)
    starts, ends = texts.starts[known], texts.starts[known] + texts.lengths[known]
    of = texts.lists[known] << 32 | texts.documents[known]
    holder, held = known[standing_in(of, starts, ends, np.flatnonzero(ends > starts))]
    by_rank = np.argsort(held)
    found = np.array(first_of_lists(texts, held[by_rank], by_rank), dtype=np.int64)
    return list(zip(holder[found].tolist(), held[found].tolist(), strict=True))


Counting: TypeAlias = Literal["refuse", "unseen", "once", "counts"]
"""Treatment of text that several results show: "refuse" raises an error, "unseen" and "once" count the text once, and "counts" counts the
text each time."""

NEVER: Final = np.iinfo(np.int32).max
"""Index that is stored, instead of a result's index, for text that no result shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The text that each result of a batch adds to its list, sorted by list, then rank. H results.

    Attributes:
        sizes: Number of characters that each result adds, shape (H,).
        highlighted: Number of highlighted characters that each result adds, shape (H,).
    """

    sizes: IntArray
    highlighted: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments of text, sorted by list, then offset; each segment is assigned to the highest-ranked result that shows it. S segments.

    Attributes:
        results: Index of the highest-ranked result that shows each segment, shape (S,).
        starts: Start of each segment in its document, shape (S,).
        lengths: Number of characters in each segment, shape (S,).
        highlighted: Number of highlighted characters in each segment, shape (S,).
    """

    results: IntArray
    starts: IntArray
    lengths: IntArray
    highlighted: IntArray


@cached_by_identity
def spans(texts: Texts, counting: Counting, compat: Compat | None) -> Spans:
    """Returns the text that each result adds to its list, computed once for a batch.

    An empty result does not add any text. None of the characters of a result with an unknown position is highlighted; there are 18 if
    its length is unknown too. Text after the end of a document is treated like any other text.

    The official evaluator deviates from this definition in three respects. If only unseen text counts, the evaluator removes repeated text
    only in documents with highlighted text; in other documents each result counts in full. If only unseen text counts, the evaluator treats
    a result with an unknown position as empty if its document has highlighted text. In any other document, the result
    counts in full. If overlap is an error, an empty result inside an earlier result is also an error.

    Args:
        texts: The text of each result: its document, start and length.
        counting: Treatment of repeated text. With ``"refuse"``, overlapping results are an error. With ``"unseen"`` and ``"once"``, each
            character is credited to the highest-ranked result in the list that shows it. With ``"counts"``, a character counts each time
            that a result shows it, but a highlighted character is credited only to the highest-ranked result that shows it. If `compat` is
            given, ``"once"`` follows the evaluator's rules for the focused task, and ``"unseen"`` follows the evaluator's rules for the
            thorough task; these rules differ only for lists without overlap.
        compat: The evaluator whose deviations from the definition above are reproduced, or None.

    Raises:
        CollectionError: `counting` is ``"refuse"`` and results in a list overlap, or a result is a whole document of unknown length.
    """
    if compat is None and counting == "once":
        return spans(texts, "unseen", None)
    sizes = texts.sizes
    unknown = np.flatnonzero(sizes == UNKNOWN)
    if unknown.size:
        run, topic, document, rank = named(texts, int(unknown[0]))
        raise CollectionError(
            Problem(
                f"run {run}: expected the length of document {document} (result {rank}), found none; "
                f"{plural(unknown.size, 'result is a whole document', nouns='results are whole documents')} of unknown length; "
                "add a column docchars to the assessments, or a structure; "
                "if the results are passages, add columns of offsets (start, and length or end)",
                topic_id=topic,
            )
        )
    if counting == "counts":
        return Spans(sizes, spans(texts, "unseen", None).highlighted)
    if counting == "refuse":
        refuse_overlap(texts, empty_overlap=compat is not None)
        return Spans(sizes, _count_highlighted(texts, clusters(texts).order))
    if compat is None:
        return _unseen(texts, clusters(texts), sizes)
    relevant = texts.relevant
    evaluated = np.where(relevant & texts.unresolved, 0, sizes)
    if counting == "unseen":
        return _unseen(texts, clusters(texts, relevant=True), evaluated)
    placed = clusters(texts)
    overlapping = np.zeros(texts.lengths_of_lists.size, dtype=np.bool_)
    overlapping[texts.lists[placed.meeting]] = True
    overlapping[[texts.lists[held] for _, held in first_standing_in(texts)]] = True
    seen = _unseen(texts, placed.only(relevant), evaluated)
    return Spans(np.where(overlapping[texts.lists], seen.sizes, sizes), seen.highlighted)


def _count_highlighted(texts: Texts, results: IntArray) -> IntArray:
    """Returns the number of highlighted characters in each result of the batch, shape (H,); 0 for results that are not in `results`.

    The function is fastest if `results` are sorted by offset.
    """
    highlighted = np.zeros(len(texts.lists), dtype=np.int64)
    shows = results[texts.relevant[results]]
    highlighted[shows] = texts.highlights.within(texts.judged[shows].astype(np.int64), texts.starts[shows], texts.lengths[shows])
    return highlighted


def _unseen(texts: Texts, placed: Clusters, sizes: IntArray) -> Spans:
    """Returns the text that each result adds to the text of the higher-ranked results in its list.

    Args:
        texts: The results.
        placed: The results whose text is compared. All other results count in full and do not contain highlighted characters.
        sizes: Number of characters in each result, shape (H,).
    """
    highlighted = _count_highlighted(texts, placed.order[~placed.meets])
    if not len(placed.meeting):
        return Spans(sizes, highlighted)
    shown, sizes = segments(texts, placed), sizes.copy()
    sizes[placed.meeting] = 0
    np.add.at(sizes, shown.results, shown.lengths)
    np.add.at(highlighted, shown.results, shown.highlighted)
    return Spans(sizes, highlighted)


def segments(texts: Texts, placed: Clusters) -> Segments:
    """Splits the text of overlapping results into segments, and assigns each segment to the highest-ranked result that shows it.

    The segments of a cluster are bounded by the starts and ends of its results.
    """
    results = placed.meeting
    if not len(results):
        nothing = np.empty(0, dtype=np.int64)
        return Segments(nothing, nothing, nothing, nothing)
    bounds = np.stack((texts.starts[results], texts.starts[results] + texts.lengths[results]), axis=1)
    # The starts and ends, shape (M, 2), are converted to 2M offsets on a common axis. On this axis, consecutive clusters are one character
    # apart.
    numbers = placed.numbers[placed.meets]
    first = np.flatnonzero(changes(numbers))
    reach = np.maximum.reduceat(bounds[:, 1], first) - bounds[first, 0] + 1
    shift = np.cumsum(reach) - reach - bounds[first, 0]
    line: IntArray = (bounds + np.repeat(shift, np.diff(first, append=len(bounds)))[:, None]).reshape(-1)
    order = by_place(np.repeat(texts.lists[results], 2), line)
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    best = _least_cover(place_of[0::2], place_of[1::2], results.astype(np.int32))[:-1]
    offsets = bounds.reshape(-1)[order]
    of_bounds = results[order >> 1]
    relevant = np.flatnonzero(texts.relevant[of_bounds])
    before = np.zeros(len(of_bounds), dtype=np.int64)  # number of highlighted characters before each offset in a document
    before[relevant] = texts.highlights.before(texts.judged[of_bounds[relevant]].astype(np.int64), offsets[relevant])
    lengths, highlighted = np.diff(line[order]), np.diff(before)
    shown = np.flatnonzero(best != NEVER)
    return Segments(best[shown].astype(np.int64), offsets[shown], lengths[shown], highlighted[shown])


def _least_cover(begins: IntArray, ends: IntArray, numbers: IndexArray) -> IndexArray:
    """Returns, for each cell, the smallest identifier of the ranges that cover the cell; `NEVER` if no range covers the cell.

    A range of at least 2^k and fewer than 2^(k+1) cells is covered by two ranges of length 2^k. Ranges are halved, beginning with
    the longest, until each range is a single cell.

    Args:
        begins: Index of the first cell that each range covers.
        ends: Index of the cell after the last cell that each range covers, greater than `begins`.
        numbers: Integer identifier of each range, such as the index of a result.

    Examples:
        >>> _least_cover(np.array([0, 1]), np.array([3, 2]), np.array([7, 5], dtype=np.int32)).tolist()[:3]
        [7, 5, 7]
    """
    least = np.full(2 * len(begins), NEVER, dtype=np.int32)
    powers = np.frexp((ends - begins).astype(np.float64))[1] - 1
    by_power = np.argsort(powers, kind="stable")
    firsts = np.searchsorted(powers[by_power], np.arange(int(powers.max()) + 2))
    for power in range(int(powers.max()), -1, -1):
        long = by_power[firsts[power] : firsts[power + 1]]
        np.minimum.at(least, begins[long], numbers[long])
        np.minimum.at(least, ends[long] - (1 << power), numbers[long])
        if power:
            half = 1 << (power - 1)
            least[half:] = np.minimum(least[half:], least[:-half])
    return least
