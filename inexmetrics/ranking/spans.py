"""What each result of a list shows: its characters, in full or those alone that no better result of the list shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.collection.extents import UNKNOWN, UNRESOLVED
from inexmetrics.foundation.arrays import BoolArray, IndexArray, IntArray
from inexmetrics.foundation.derived import derived
from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.foundation.names import counted
from inexmetrics.foundation.setting import Compat
from inexmetrics.ranking.coding import Places
from inexmetrics.ranking.grouping import first_of_lists, named, overlaps, standing_in
from inexmetrics.ranking.texts import UNPLACED, Texts

__all__ = ["Counting", "Spans", "spans"]

Counting: TypeAlias = Literal["refuse", "unseen", "once"]
"""How repeated text counts: not at all, for it is an error; only where it was not seen; or so, and never as an error."""

NEVER: Final = np.iinfo(np.int32).max
"""Number of the result that shows what no result shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """What each result of a batch adds to what its list shows, by list, then rank. H results.

    Attributes:
        sizes: Characters that count, H.
        highlighted: Highlighted characters among them, H.
    """

    sizes: IntArray
    highlighted: IntArray


@derived
def spans(texts: Texts, counting: Counting, compat: Compat | None = None) -> Spans:
    """What each result adds to what its list shows, computed once for a batch.

    A result without characters adds nothing. One whose place cannot be told adds 18 characters, none of them highlighted,
    whatever else the list shows. Text past a document's end is text as any other.

    The official evaluator departs from that in three points. Where text counts as far as it was not seen, it does so in
    documents with highlighted text alone; elsewhere each result counts in full. There too, a result whose place cannot
    be told adds 18 characters, but none in a document with highlighted text. Where overlap is refused, so is a result
    without characters that stands in an earlier one. Lists that overlap are those that it evaluates by what was not seen.

    Args:
        texts: The results as stretches of text.
        counting: ``"refuse"``: overlapping results are an error. ``"unseen"``, ``"once"``: characters count for the best
            result of the list that shows them; the two differ only for the evaluator, as said.
        compat: The evaluator whose departures are followed, or None.

    Raises:
        CollectionError: Results of a list overlap, where that is refused; or how much text a result has is not known,
            for it is a whole document whose length is not told.
    """
    sizes = _sizes(texts)
    relevant = _relevant(texts, texts.judged)
    # The evaluator's -t looks for text that was seen only where there is some that is highlighted.
    narrow = compat is not None and counting == "unseen"
    placed = _Placed.of(texts, np.flatnonzero((texts.lengths > 0) & relevant if narrow else texts.lengths > 0))
    if counting == "refuse":
        _refuse_overlap(texts, placed.meeting, empty_overlap=compat is not None)
        return Spans(sizes, _highlighted(texts, placed.order))
    if compat is None:
        return placed.unseen(sizes)
    evaluated = np.where(relevant & (texts.starts == UNRESOLVED), 0, sizes)
    if counting == "unseen":
        return placed.unseen(evaluated)
    overlapping = np.zeros(texts.lengths_of_lists.size, dtype=np.bool_)
    overlapping[texts.lists[placed.meeting]] = True
    seen = placed.only(relevant).unseen(evaluated)
    return Spans(np.where(overlapping[texts.lists], seen.sizes, sizes), seen.highlighted)


def _sizes(texts: Texts) -> IntArray:
    """All the characters of each result."""
    unknown = np.flatnonzero((texts.lengths == UNKNOWN) & (texts.starts != UNRESOLVED))
    if unknown.size:
        run, topic, document, rank = named(texts, int(unknown[0]))
        raise CollectionError(
            Problem(
                f"run {run}: expected the length of document {document}, retrieved whole as result {rank}, found none for "
                f"{counted(unknown.size, 'result')} of the runs; a structure would tell it",
                topic_id=topic,
            )
        )
    return np.where(texts.starts == UNRESOLVED, UNPLACED, texts.lengths)


def _relevant(texts: Texts, judged: IndexArray) -> BoolArray:
    """Which of some documents, given by their codes, have highlighted text."""
    return np.append(texts.highlights.relchars > 0, False)[judged]


def _highlighted(texts: Texts, results: IntArray) -> IntArray:
    """Highlighted characters of each result of the batch, H, counted for these alone; fastest where they come by place."""
    shows = results[_relevant(texts, texts.judged[results])]
    highlighted = np.zeros(len(texts.lists), dtype=np.int64)
    highlighted[shows] = texts.highlights.within(texts.judged[shows].astype(np.int64), texts.starts[shows], texts.lengths[shows])
    return highlighted


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """Results that have characters, by list, document and start: P of them.

    Attributes:
        texts: All results of the batch.
        order: Their numbers among all results, P.
        clusters: Number of the cluster that each stands in, P, increasing: results that overlap, directly or by way of others.
        meets: Whether a result has others in its cluster, P.
    """

    texts: Texts
    order: IntArray
    clusters: IntArray
    meets: BoolArray

    @classmethod
    def of(cls, texts: Texts, chosen: IntArray) -> _Placed:
        """Some results that have characters, given in order of rank."""
        starts, ends = texts.starts[chosen], texts.starts[chosen] + texts.lengths[chosen]
        stride = int(ends.max(initial=0)) + 1
        lists, documents = texts.lists[chosen], texts.documents[chosen]
        order = _by_place(lists, documents * stride + starts)
        documents, starts, ends = documents[order], starts[order], ends[order]
        shift = np.cumsum(_changes(lists) | _changes(documents)) * stride  # lists come one after the other in any case
        reach = np.maximum.accumulate(shift + ends)
        begins = np.ones(len(order) + 1, dtype=np.bool_)
        begins[1:-1] = shift[1:] + starts[1:] >= reach[:-1]
        return cls(texts, chosen[order], np.cumsum(begins[:-1]), ~(begins[:-1] & begins[1:]))

    @property
    def meeting(self) -> IntArray:
        """Numbers of the results that overlap others."""
        return self.order[self.meets]

    def only(self, chosen: BoolArray) -> _Placed:
        """The same of some of all results, which must be those of some documents."""
        kept = chosen[self.order]
        return _Placed(self.texts, self.order[kept], self.clusters[kept], self.meets[kept])

    def unseen(self, sizes: IntArray) -> Spans:
        """What each result adds to what better results of its list show.

        The places where results start or end cut each cluster into segments. Each segment is shown first by the best of
        the results that cover it.

        Args:
            sizes: All the characters of each result, H.
        """
        highlighted = _highlighted(self.texts, self.order[~self.meets])
        results, count = self.meeting, np.count_nonzero(self.meets)
        if not count:
            return Spans(sizes, highlighted)
        bounds = np.stack((self.texts.starts[results], self.texts.starts[results] + self.texts.lengths[results]), axis=1)
        line = _line(bounds, self.clusters[self.meets])
        order = _by_place(np.repeat(self.texts.lists[results], 2), line)
        place_of = np.empty(2 * count, dtype=np.int64)
        place_of[order] = np.arange(2 * count)
        best = _least_cover(place_of[0::2], place_of[1::2], results.astype(np.int32))[:-1]
        shown = np.flatnonzero(best != NEVER)
        by, sizes = best[shown], sizes.copy()
        sizes[results] = 0
        np.add.at(sizes, by, np.diff(line[order])[shown])
        before = _highlighted_before(self.texts, results[order >> 1], bounds.reshape(-1)[order])
        np.add.at(highlighted, by, np.diff(before)[shown])
        return Spans(sizes, highlighted)


def _line(bounds: IntArray, clusters: IntArray) -> IntArray:
    """Where starts and ends, M x 2, stand on a line on which clusters follow each other, a character apart, 2M."""
    first = np.flatnonzero(_changes(clusters))
    reach = np.maximum.reduceat(bounds[:, 1], first) - bounds[first, 0] + 1
    shift = np.cumsum(reach) - reach - bounds[first, 0]
    return (bounds + np.repeat(shift, np.diff(first, append=len(bounds)))[:, None]).reshape(-1)


def _highlighted_before(texts: Texts, results: IntArray, offsets: IntArray) -> IntArray:
    """Highlighted characters before an offset of the document of each of some results."""
    before = np.zeros(len(results), dtype=np.int64)
    judged = texts.judged[results]
    relevant = np.flatnonzero(_relevant(texts, judged))
    before[relevant] = texts.highlights.before(judged[relevant].astype(np.int64), offsets[relevant])
    return before


def _refuse_overlap(texts: Texts, meeting: IntArray, *, empty_overlap: bool) -> None:
    """Raises `CollectionError` where results overlap: for each list the first that overlaps a better one, and the best of these.

    Args:
        texts: The results.
        meeting: Numbers of those that overlap others.
        empty_overlap: Whether a result without characters overlaps an earlier one that it stands in.
    """
    pairs = [_first_overlap(texts, members) for members in _by_list(texts, meeting)]
    if empty_overlap and not pairs and (texts.lengths == 0).any():
        known = np.flatnonzero(texts.starts != UNRESOLVED)
        starts, ends = texts.starts[known], texts.starts[known] + texts.lengths[known]
        of = texts.lists[known] << 32 | texts.documents[known]
        stand = np.sort(known[standing_in(of, starts, ends, np.flatnonzero(ends > starts))], axis=0)
        by_rank = np.lexsort((stand[0], stand[1]))
        found = first_of_lists(texts, stand[1, by_rank], by_rank)
        pairs = [(int(stand[0, pair]), int(stand[1, pair])) for pair in found]
    if pairs:
        first, second = np.array(pairs).T
        raise CollectionError(overlaps(texts, first, second))


def _by_list(texts: Texts, results: IntArray) -> list[IntArray]:
    """The results of each list, which come list by list, in order of rank."""
    return [np.sort(of_list) for of_list in np.split(results, np.flatnonzero(np.diff(texts.lists[results])) + 1) if len(of_list)]


def _first_overlap(texts: Texts, results: IntArray) -> tuple[int, int]:
    """The first result of a list that overlaps a better one, after the best that it overlaps; some do."""
    documents, starts = texts.documents[results], texts.starts[results]
    ends = starts + texts.lengths[results]
    for place in range(1, len(results)):
        meets = (documents[:place] == documents[place]) & (starts[:place] < ends[place]) & (ends[:place] > starts[place])
        if meets.any():
            return int(results[np.argmax(meets)]), int(results[place])
    raise AssertionError("results that meet overlap")


def _changes(values: IntArray) -> BoolArray:
    """Where a value differs from the one before it; the first one does."""
    changed = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed


def _by_place(lists: IntArray, places: IntArray) -> IntArray:
    """The order of items by list, which they come in, then place; of equal places any comes first.

    Each list is sorted by itself, as one row of numbers that end in the item's number in the list: much the fastest.
    """
    counts = np.bincount(lists)
    firsts = np.cumsum(counts) - counts
    bits = int(counts.max(initial=0)).bit_length()
    if int(places.max(initial=0)).bit_length() + bits >= 63:
        return np.lexsort((places, lists))
    rows = Places(counts[None])
    numbered = rows.laid_out((places << bits) | (np.arange(len(lists)) - firsts[lists]), np.int64(np.iinfo(np.int64).max))[0]
    numbered.sort(axis=1)
    return (numbered[np.arange(rows.depth) < counts[:, None]] & ((1 << bits) - 1)) + firsts[lists]


def _least_cover(begins: IntArray, ends: IntArray, numbers: IndexArray) -> IndexArray:
    """The least number of the ranges that cover each cell, as many cells as there are bounds; `NEVER` where none does.

    A range of 2^k cells or more, but fewer than twice as many, is two that are 2^k long. From the longest to the
    shortest, ranges are halved, until each is a single cell.

    Args:
        begins: The first cell of each range.
        ends: The cell after its last one, which lies behind the first.
        numbers: The range's number.

    Examples:
        >>> _least_cover(np.array([0, 1]), np.array([3, 2]), np.array([7, 5], dtype=np.int32)).tolist()[:3]
        [7, 5, 7]
    """
    least = np.full(2 * len(begins), NEVER, dtype=np.int32)
    powers = np.frexp((ends - begins).astype(np.float64))[1] - 1
    by_power = np.argsort(powers, kind="stable")
    firsts = np.searchsorted(powers[by_power], np.arange(int(powers.max(initial=0)) + 2))
    for power in range(int(powers.max(initial=0)), -1, -1):
        long = by_power[firsts[power] : firsts[power + 1]]
        np.minimum.at(least, begins[long], numbers[long])
        np.minimum.at(least, ends[long] - (1 << power), numbers[long])
        if power:
            half = 1 << (power - 1)
            least[half:] = np.minimum(least[half:], least[:-half])
    return least
