"""What lists show up to a point: until a budget of characters is spent, or by the first showing of each highlighted text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray, changes
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.options import Compat
from inexmetrics.ranking.passages.clusters import clusters
from inexmetrics.ranking.passages.spans import Counting, Spans, segments, spans
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["PERCENT", "Recalled", "Repeated", "read", "recalled"]

Repeated: TypeAlias = Literal["once", "counts"]
"""The counting of repeated text in results of a list: once, or each time."""


@cached_by_identity
def read(texts: Texts, repeated: Repeated, budget: int | None, compat: Compat | None) -> Spans:
    """Returns the text that each result adds to the text read from its list, computed once for a batch.

    The result in which the budget ends is read from its start to that point; later results are not read.

    Args:
        texts: The results as passages.
        repeated: Whether characters count once or each time that a result shows them; highlighted characters count once.
        budget: Number of characters of each list, counted in this way, that are read; None for all.
        compat: The evaluator whose departures are followed, or None.

    Raises:
        CollectionError: The same errors as in `spans`.
    """
    shown = spans(texts, repeated, compat)
    if budget is None:
        return shown
    before = np.cumsum(shown.sizes) - shown.sizes
    left = np.clip(budget - (before - before[np.searchsorted(texts.lists, texts.lists)]), 0, shown.sizes)
    highlighted = np.where(left == shown.sizes, shown.highlighted, 0)
    cut = np.flatnonzero((left > 0) & (left < shown.sizes) & texts.relevant & ~texts.unresolved)
    results, starts, lengths = _first_shown(texts, cut)
    if repeated == "once":
        passed = np.cumsum(lengths) - lengths
        ends = starts + left[results] - (passed - passed[np.searchsorted(results, results)])
    else:
        ends = texts.starts[results] + left[results]
    found = texts.highlights.within(texts.judged[results].astype(np.int64), starts, np.clip(ends - starts, 0, lengths))
    np.add.at(highlighted, results, found)
    return Spans(left, highlighted)


def _first_shown(texts: Texts, results: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns the text of some results, with characters and known positions, that better results of their list do not show.

    Returns:
        Result, start and length of each passage, by result, then start.
    """
    placed = clusters(texts)
    clusters_of = np.zeros(len(texts.lists), dtype=np.int64)
    clusters_of[placed.order] = placed.numbers
    near = placed.only(np.isin(clusters_of, clusters_of[results]))
    shared, alone = segments(texts, near), near.order[~near.meets]
    kept = np.isin(shared.results, results)
    found = np.concatenate((shared.results[kept], alone))
    order = np.argsort(found, kind="stable")
    starts = np.concatenate((shared.starts[kept], texts.starts[alone]))
    lengths = np.concatenate((shared.lengths[kept], texts.lengths[alone]))
    return found[order], starts[order], lengths[order]


PERCENT: Final = 100
"""Recall levels are hundredths, including 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Recalled:
    """The results of a batch with highlighted characters that count. L lists, numbered run * T + topic, N results.

    Precision rises, and recall grows, only at these results.

    Attributes:
        lists: List of each result, N, increasing.
        found: Highlighted characters of the list down to the result, N.
        precision: Their share of all characters down to it, N.
        count: Number of lists, L.
    """

    lists: IntArray
    found: IntArray
    precision: FloatArray
    count: int

    def best(self, reached: IntArray, levels: int) -> FloatArray:
        """Returns the highest precision of each list at each level or any beyond it, L x levels; 0 at levels never reached.

        Args:
            reached: The last level that each result reaches, N, not falling within a list; -1 without one.
            levels: Number of levels.
        """
        highest = np.zeros((self.count, levels))
        at = np.flatnonzero(reached >= 0)
        cells = self.lists[at] * levels + reached[at]
        firsts = np.flatnonzero(changes(cells))
        highest.reshape(-1)[cells[firsts]] = np.maximum.reduceat(self.precision[at], firsts)
        return np.maximum.accumulate(highest[:, ::-1], axis=1)[:, ::-1]


@cached_by_identity
def recalled(texts: Texts, counting: Counting, compat: Compat | None) -> Recalled:
    """Returns the results at which the lists of a batch show highlighted text, computed once; arguments and errors as in `spans`."""
    shown = spans(texts, counting, compat)
    rows = np.flatnonzero(shown.highlighted)
    lists = texts.lists[rows]
    lengths = texts.lengths_of_lists.reshape(-1)
    begins = (np.cumsum(lengths) - lengths)[lists]
    sizes, highlighted = (np.concatenate(([0], np.cumsum(values))) for values in (shown.sizes, shown.highlighted))
    found = highlighted[rows + 1] - highlighted[begins]
    return Recalled(lists, found, found / (sizes[rows + 1] - sizes[begins]), len(lengths))
