"""The text that each list shows within a character budget, and the results that are the first to show highlighted characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray, changes
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.options import Compat
from inexmetrics.ranking.passages.spans import Counting, Spans, clusters, segments, spans
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["PERCENT", "Budget", "Recalled", "Repeated", "read", "recalled"]

Repeated: TypeAlias = Literal["once", "counts"]
"""Treatment of text that several results of a list show: it counts only once ("once"), or each time that a result shows it ("counts")."""


class Budget(NamedTuple):
    """A limit on the number of characters that a user reads from a list.

    Attributes:
        characters: Maximum number of characters.
        repeated: Treatment of text that several results of the list show.
    """

    characters: int
    repeated: Repeated


@cached_by_identity
def read(texts: Texts, repeated: Repeated, budget: int | None, compat: Compat | None) -> Spans:
    """Returns the amount of text that users read in each result, counted according to `repeated`.

    The return value is computed once for each batch and cached. The result in which the budget runs out is read from its start until the
    budget is used up. Later results are not read.

    Args:
        texts: The text of each result: its document, start and length.
        repeated: Treatment of irrelevant characters that several results show: they count once, or each time that a result shows them.
            Highlighted characters always count once.
        budget: Number of characters read from each list, counted according to `repeated`; None if all are read.
        compat: The evaluator whose deviations from the published definitions are reproduced, or None.

    Raises:
        CollectionError: A result is a whole document of unknown length, as in `spans`.
    """
    shown = spans(texts, repeated, compat)
    if budget is None:
        return shown
    before = np.cumsum(shown.sizes) - shown.sizes
    left = np.clip(budget - (before - before[np.searchsorted(texts.lists, texts.lists)]), 0, shown.sizes)
    highlighted = np.where(left == shown.sizes, shown.highlighted, 0)
    cut = np.flatnonzero((left > 0) & (left < shown.sizes) & texts.relevant & ~texts.unresolved)
    results, starts, lengths = _first_shown_text(texts, cut)
    if repeated == "once":
        passed = np.cumsum(lengths) - lengths
        ends = starts + left[results] - (passed - passed[np.searchsorted(results, results)])
    else:
        ends = texts.starts[results] + left[results]
    found = texts.highlights.within(texts.judged[results].astype(np.int64), starts, np.clip(ends - starts, 0, lengths))
    np.add.at(highlighted, results, found)
    return Spans(left, highlighted)


def _first_shown_text(texts: Texts, results: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns, for each given result, the passages that no higher-ranked result in the list has already shown.

    Every given result has a known position and at least one character.

    Returns:
        Result index, start and length of each passage, sorted by result and then by start.
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
"""Number of recall levels above 0: the levels are .01, .02, ..., 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Recalled:
    """The results of a batch that show highlighted characters for the first time in their list. L lists, N results.

    Recall and precision increase only at these results.

    Attributes:
        lists: For each result, the index of its list, `run * T + topic`, in increasing order, shape (N,).
        found: Number of highlighted characters in the list up to and including each result, shape (N,).
        precision: Highlighted share of all characters in the list up to and including each result, shape (N,).
        count: Number of lists, L.
    """

    lists: IntArray
    found: IntArray
    precision: FloatArray
    count: int

    def best(self, reached: IntArray, levels: int) -> FloatArray:
        """Returns the highest precision of each list at each recall level or any higher level, shape (L, levels).

        Precision is 0 at levels that the list does not reach.

        Args:
            reached: Index of the highest level that each result reaches, never decreasing within a list, shape (N,); -1 if
                no level is reached.
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
    """Returns the results that show highlighted characters for the first time in their list.

    The return value is computed once for each batch and cached. The arguments and errors are described in `spans`.
    """
    shown = spans(texts, counting, compat)
    rows = np.flatnonzero(shown.highlighted)
    lists = texts.lists[rows]
    lengths = texts.lengths_of_lists.reshape(-1)
    begins = (np.cumsum(lengths) - lengths)[lists]
    sizes, highlighted = (np.concatenate(([0], np.cumsum(values))) for values in (shown.sizes, shown.highlighted))
    found = highlighted[rows + 1] - highlighted[begins]
    return Recalled(lists, found, found / (sizes[rows + 1] - sizes[begins]), len(lengths))
