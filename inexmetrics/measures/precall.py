"""Precall: the probability that a result viewed is relevant, given how much of the whole gain the reader wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.foundation.arrays import FloatArray, IntArray
from inexmetrics.foundation.errors import CollectionError
from inexmetrics.language.kinds import Integer, Optional
from inexmetrics.language.lexicon import word
from inexmetrics.language.terms import parameter
from inexmetrics.measures.base import Curved, Quantised
from inexmetrics.measures.gains import needed
from inexmetrics.measures.recall_levels import HUNDREDTHS, reached_first
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import Evidence
from inexmetrics.ranking.graded import Graded, Hits, Levels

__all__ = ["InexEval", "PrecallParameters", "inex_eval"]


class PrecallParameters(TypedDict, total=False):
    """The parameter of `inex_eval`."""

    collection_size: int | None


@word("inex_eval")
@dataclass(frozen=True, slots=True, repr=False)
class InexEval(Curved):
    """Mean of precall over 100 recall points: how likely a result viewed is relevant, by how much the reader wants.

    Results of equal retrieval status value that follow each other form a level, within which the reader meets results
    in random order; without status values each rank is a level of its own. For recall x the reader wants the gain
    need = x * G. In the first level whose cumulated gain reaches it, with `before` the gain and j the number of
    results without gain in the levels above, and `gain` and `nonrel` those of the level itself:

        NNR = j + nonrel * (need - before) / (1 + gain)        P(x) = need / (need + NNR)

    The measure is the mean of P(x) over x = .01, .02 .. 1; P(x) is 0 where the need is never met. Overlap is ignored.
    Undefined for a topic on which nothing brings a gain.

    Args:
        collection_size: Elements in the collection; where given, all that were not retrieved form one last level.

    Source: Ogilvie & Lalmas (2006), section 2.6; INEX 2002 to 2004.

    Examples:
        >>> inex_eval
        inex_eval
        >>> inex_eval(collection_size=8000000)
        inex_eval(collection_size=8000000)
    """

    collection_size: int | None = parameter(None, Optional(Integer(at_least=1)))

    def __call__(self, **changes: Unpack[PrecallParameters]) -> Self:
        return self._changed(changes)

    @property
    def quantised(self) -> Quantised:
        return "required"

    @property
    def levels(self) -> tuple[float, ...]:
        return HUNDREDTHS

    def evaluate(self, evidence: Evidence, quantisation: Quantisation | None) -> FloatArray:
        return np.add.accumulate(self.curve(evidence, quantisation), axis=2)[..., -1] / len(HUNDREDTHS)

    def curve(self, evidence: Evidence, quantisation: Quantisation | None) -> FloatArray:
        graded = evidence.graded(needed(self, quantisation))
        runs, topics, _ = graded.gains.shape
        levels = _Gainful.of(graded.hits, evidence.levels)
        totals = np.repeat(graded.totals, runs)
        need = np.array(HUNDREDTHS) * totals[:, None]
        first = reached_first(levels.cumulated / totals[levels.lists], levels.lists, topics * runs)
        above, before, gain, nonrel = (
            np.append(of_level, 0)[first] for of_level in (levels.above, levels.before, levels.gain, levels.nonrel)
        )
        met = (first >= 0) & (need > 0)
        if self.collection_size is not None:
            rest = self._unretrieved(graded)
            unmet = (first < 0) & (need > 0)
            above, before, gain, nonrel = (
                np.where(unmet, of_list[:, None], of_level) for of_list, of_level in zip(rest, (above, before, gain, nonrel), strict=True)
            )
            met |= unmet
        viewed = above + nonrel * (need - before) / (1 + gain)
        precision = np.divide(need, need + viewed, out=np.zeros(need.shape), where=met)
        precision[totals == 0] = np.nan
        return graded.by_run(precision)

    def _unretrieved(self, graded: Graded) -> FloatArray:
        """The last level of each list, all that was not retrieved: as of a level above, before, gain and nonrel, 4 x lists."""
        runs = len(graded.gains)
        found = np.diff(graded.hits.firsts)
        lengths = graded.lengths.T.reshape(-1)
        before = graded.hits.summed(graded.hits.gains)
        size = float(self.collection_size or 0)
        nonrel = size - lengths - (np.repeat(graded.counts, runs) - found)
        if (nonrel < 0).any():
            least = int(size - nonrel.min())
            raise CollectionError(f"{self}: expected a collection of at least {least} elements, which are retrieved or relevant")
        return np.stack((lengths - found, before, np.repeat(graded.totals, runs) - before, nonrel))


@dataclass(frozen=True, slots=True, eq=False)
class _Gainful:
    """The levels that hold any gain, by topic, then run, then rank.

    Attributes:
        lists: The list that each level is in, numbered as those of `Hits`.
        above: Results without gain in the levels above.
        before: Gain of the levels above.
        gain: Gain of the level itself.
        nonrel: Results of the level without gain.
        cumulated: Gain down to the level's end.
    """

    lists: IntArray
    above: IntArray
    before: FloatArray
    gain: FloatArray
    nonrel: IntArray
    cumulated: FloatArray

    @classmethod
    def of(cls, hits: Hits, levels: Levels) -> _Gainful:
        """The levels that hold hits."""
        level = levels.numbers[hits.cells]
        head = np.flatnonzero(np.diff(level, prepend=-1))
        tail = np.append(head[1:], len(level))[: len(head)] - 1
        lists, level = hits.lists[head], level[head]
        begin = levels.begins[level]
        above = hits.ranks[head] - 1 - (hits.cells[head] - begin) - (head - hits.firsts[lists])
        cumulated = hits.cumulated[tail]
        before = np.where(np.diff(lists, prepend=-1) > 0, 0.0, np.append(0.0, cumulated)[:-1])
        nonrel = levels.begins[level + 1] - begin - (tail - head + 1)
        return cls(lists, above, before, cumulated - before, nonrel, cumulated)


inex_eval: Final = InexEval()
