"""The results at which highlighted text is first shown in each list: the amount found, and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray, changes
from inexmetrics.common.cached import cached_by_identity
from inexmetrics.common.options import Compat
from inexmetrics.ranking.passages.spans import Counting, spans
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["PERCENT", "Recalled", "recalled"]

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
            reached: The last level that each result reaches, N, not falling within a list; -1 for none.
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
