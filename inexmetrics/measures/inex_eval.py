"""Precall: the probability that a viewed result is relevant, as a function of the share of the total gain that the user wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Axes, ViewCurved
from inexmetrics.measures.gain_measures import HUNDREDTHS, OfGains, reached_first
from inexmetrics.ranking.gains import GainMatrix, RelevantHits, summed_in_order
from inexmetrics.terms import Integer, Optional, parameter, word

__all__ = ["InexEval", "PrecallParameters", "inex_eval"]


class PrecallParameters(TypedDict, total=False):
    """The parameter of `inex_eval`."""

    collection_size: int | None


@word("inex_eval")
@dataclass(frozen=True, slots=True, repr=False)
class InexEval(OfGains, ViewCurved[GainMatrix]):
    """Mean precall over 100 recall levels: the probability that a viewed result is relevant if the user stops at the recall level.

    Consecutive results with equal retrieval status values form a level, whose results the user views
    in random order; without status values, each rank is a level. P(x) is computed at the first level at which the cumulated gain of the
    list reaches the wanted gain. P(x) is 0 if no level reaches the wanted gain. Overlap is ignored.

    Formula:
        inex_eval = (1 / 100) sum_(x) P(x)
        P(x) = x G / (x G + NNR(x))
        NNR(x) = j + m (x G - b) / (1 + h)
        where
            x: recall, .01, .02 .. 1
            G: the total gain of all relevant elements, so that x G is the gain that the user wants
            j: the number of results without gain in the levels above
            b: the gain of the levels above
            m: the number of results without gain in the level
            h: the gain of the level

    Args:
        collection_size: Number of elements in the collection. If `collection_size` is given, all elements that were not retrieved form a
            single final level.

    Raises:
        CollectionError: When runs are evaluated, `collection_size` is smaller than the number of elements that are retrieved or relevant.

    Notes:
        * Recall levels that are never reached: Precision is 0 at recall levels that the run never reaches. A run without results for a
          topic scores 0 on the topic, even with `collection_size`. In a run without scores, each rank is a level.
        * Results that are not relevant: Each result without gain counts as one non-relevant result. INEX's own tool may have counted a
          result with gain g as the fraction 1 - g of a non-relevant result, as Gövert's RePrec does; the papers do not say which. If
          gains are only 0 and 1, both ways of counting give the same score.

    Source: Ogilvie & Lalmas (2006), section 2.6, for INEX 2002 to 2004; Raghavan, Jung & Bollmann (1989), for precall.

    Examples:
        Under `BinExh` the four results have gains 1, 0, .5 and 0, and the total gain is 2. Up to recall .5, precall is 1. For recall .75
        the user wants a gain of 1.5, which the list reaches at the third result. One result without gain is above the third result, so
        precall is 1.5 / (1.5 + 1) = .6. Beyond recall .75, precall is 0:

        >>> from inexmetrics import BinExh, curve, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "specificity": [1, 0.5, 0.5]}
        >>> collection = from_frames(judged, {"1": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}})
        >>> points = run(curve(inex_eval, BinExh), collection).table
        >>> points.filter(points["level"].is_in([0.5, 0.75, 0.76]))["value"].to_list()
        [1.0, 0.6, 0.0]
        >>> run(scores(inex_eval, BinExh), collection).table["mean"].round(4).item()
        0.6389
    """

    axes: ClassVar[Axes] = Axes("recall", "precall")
    levels: ClassVar[tuple[float, ...]] = HUNDREDTHS

    collection_size: int | None = parameter(None, Optional(Integer(at_least=1)))

    def __call__(self, **changes: Unpack[PrecallParameters]) -> Self:
        return self._changed(changes)

    def scores(self, view: GainMatrix) -> FloatArray:
        return means(self.curve_of(view))

    def curve_of(self, view: GainMatrix) -> FloatArray:
        hits, totals = view.hits, np.repeat(view.ideal.totals, len(view.lengths))
        need = np.array(HUNDREDTHS) * totals[:, None]
        first = reached_first(hits.cumulated / hits.repeated(totals), hits.firsts)
        met = first >= 0
        precision = np.zeros(need.shape)
        precision[met] = _probability(need[met], *_levels_of(first[met], hits, view))
        if self.collection_size is not None:
            # The final level of unretrieved elements is used only for lists with results. A list without results scores 0.
            unmet = ~met & (need > 0.0) & (view.lengths.T.reshape(-1, 1) > 0)
            precision[unmet] = _probability(need[unmet], *self._last_level(view, self.collection_size)[:, np.nonzero(unmet)[0]])
        precision[totals == 0.0] = np.nan
        return view.by_run(precision)

    def _last_level(self, view: GainMatrix, size: int) -> FloatArray:
        """Treats all unretrieved elements as one level, and returns the values of `_levels_of` for this level, shape (4, lists)."""
        runs = len(view.lengths)
        found = np.diff(view.hits.firsts)
        lengths = view.lengths.T.reshape(-1)
        before = summed_in_order(view.hits.gains, view.hits.firsts)
        nonrel = size - lengths - (np.repeat(view.ideal.counts, runs) - found)
        if (nonrel < 0).any():
            least = size - int(nonrel.min())
            raise CollectionError(
                f"{self}: collection_size: expected at least {least}, the number of elements that are retrieved or relevant, found {size}"
            )
        return np.stack((lengths - found, before, np.repeat(view.ideal.totals, runs) - before, nonrel))


def _probability(
    need: FloatArray, above: FloatArray | IntArray, before: FloatArray, gain: FloatArray, nonrel: FloatArray | IntArray
) -> FloatArray:
    """Returns precall P for each wanted gain, `need`.

    The other arguments describe the level at which a list reaches the wanted gain, in the order of `_levels_of`.
    """
    viewed = above + nonrel * (need - before) / (1.0 + gain)
    return np.asarray(need / (need + viewed))


def _levels_of(members: IntArray, hits: RelevantHits, view: GainMatrix) -> tuple[IntArray, FloatArray, FloatArray, IntArray]:
    """Returns four arrays that describe the level of each hit.

    The first two arrays describe all results in the levels above: the number of results without gain, and the total gain. The last two
    arrays describe the results in the level itself: the total gain, and the number of results without gain.
    """
    levels, (runs, topics) = view.coded.ranked.levels, view.lengths.shape
    lists, places = hits.lists.take(members), hits.ranks.take(members) - np.int32(1)
    cells = places + (np.arange(runs * topics, dtype=np.int32).reshape(runs, topics).T.reshape(-1) * np.int32(view.depth)).take(lists)
    level = levels.numbers.take(cells)
    begins = levels.begins.take(level)
    above, sizes = places - (cells - begins), levels.begins.take(level + np.int32(1)) - begins
    # Index of the first hit of each level, and 1 + the index of the last hit of the level.
    start, end = members.copy(), members + 1
    tied = np.flatnonzero(sizes > 1)
    if len(tied):
        of_hits = hits.lists * view.depth + hits.ranks
        of_levels = lists[tied] * view.depth + above[tied] + 1
        start[tied], end[tied] = np.searchsorted(of_hits, of_levels), np.searchsorted(of_hits, of_levels + sizes[tied])
    heads = hits.firsts.take(lists)
    before = np.where(start == heads, 0.0, hits.cumulated.take(start - 1, mode="wrap"))
    return above - (start - heads), before, hits.cumulated.take(end - 1) - before, sizes - (end - start)


inex_eval: Final = InexEval()
