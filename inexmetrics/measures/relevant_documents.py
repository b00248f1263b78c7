"""The relevant documents that lists find, beside all there are to find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import Compat
from inexmetrics.ranking import JudgedItems, JudgedRuns
from inexmetrics.ranking.passages.contexts import Contexts

__all__ = ["RelevantRetrieved"]


@dataclass(frozen=True, eq=False)
class RelevantRetrieved:
    """The relevant documents that lists retrieve, and how much there is to find. R runs, T topics, H documents found.

    Attributes:
        contexts: The documents found, and the parts retrieved of them.
        totals: Highlighted characters of each topic (Trel), T.
        counts: Relevant documents of each topic (Nrel), T.
        items: What was judged.
        compat: The evaluator whose departures are followed, or None.
    """

    contexts: Contexts
    totals: IntArray
    counts: IntArray
    items: JudgedItems
    compat: Compat | None

    @classmethod
    def of(cls, judged: JudgedRuns) -> RelevantRetrieved:
        contexts, topics = judged.contexts, judged.topic_span
        return cls(contexts, contexts.highlights.totals[topics], contexts.highlights.counts[topics], judged.assessed, judged.compat)

    @cached_property
    def numbers(self) -> IntArray:
        """Which relevant document of its list each one is, from 1, H."""
        lists = self.contexts.lists
        return np.arange(1, len(lists) + 1) - np.searchsorted(lists, lists)

    def laid_out(self, values: FloatArray) -> FloatArray:
        """Values of the documents by list, then number, R * T x the most of any list; 0 past the end."""
        laid = np.zeros((self.contexts.lengths.size, int(self.numbers.max(initial=0))))
        laid[self.contexts.lists, self.numbers - 1] = values
        return laid

    def precision(self, scores: FloatArray) -> FloatArray:
        """Generalised precision at the rank of each document (gP), H; scores are added in the order of the list."""
        cumulated: FloatArray = np.add.accumulate(self.laid_out(scores), axis=1)
        return cumulated[self.contexts.lists, self.numbers - 1] / self.contexts.ranks

    def summed(self, values: FloatArray) -> FloatArray:
        """Sums of values of the documents in each list, added in its order, R x T."""
        lengths = self.contexts.lengths
        sums = np.bincount(self.contexts.lists, weights=values, minlength=lengths.size)
        return sums.astype(np.float64, copy=False).reshape(lengths.shape)

    def within(self, rank: int, values: FloatArray | IntArray) -> FloatArray:
        """The same of the documents down to a rank."""
        return self.summed(np.where(self.contexts.ranks <= rank, values, 0.0))
