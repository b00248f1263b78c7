"""Effort-precision: the number of ranks that an ideal list needs to reach a gain, divided by the number that the run's list needs."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Final, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Axes, ViewCurved
from inexmetrics.measures.gain_measures import HUNDREDTHS, GainParameters, OfTask, reached_first
from inexmetrics.ranking.gains import GainMatrix, share, summed_in_order
from inexmetrics.ranking.ideal_gains import GAIN_TOLERANCE
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Bool
from inexmetrics.terms.term import parameter

__all__ = ["EffortParameters", "EffortPrecision", "InterpolatedMAep", "MAep", "NaturalMAep", "iMAep"]


class EffortParameters(GainParameters, total=False):
    """The parameters of measures of effort."""

    interpolate: bool


@dataclass(frozen=True, slots=True, repr=False)
class EffortPrecision(OfTask, ViewCurved[GainMatrix], ABC):
    """A measure that summarises effort-precision; its curve is effort-precision at the gain-recall levels .01, .02, ..., 1.

    Args:
        interpolate: Whether the rank at which the ideal list reaches a gain is interpolated linearly between whole ranks. By default, the
            first whole rank that reaches the gain is used.
    """

    axes: ClassVar[Axes] = Axes("gain-recall", "effort-precision")
    levels: ClassVar[tuple[float, ...]] = HUNDREDTHS

    interpolate: bool = parameter(False, Bool())

    def __call__(self, **changes: Unpack[EffortParameters]) -> Self:
        return self._changed(changes)

    def curve_of(self, view: GainMatrix) -> FloatArray:
        runs, topics = view.lengths.shape
        hits = view.hits
        recall = hits.cumulated / hits.repeated(np.repeat(view.ideal.totals, runs))
        first = reached_first(recall, hits.firsts).reshape(topics, runs, len(HUNDREDTHS))
        efforts = np.append(hits.ranks, 0)[first]
        defined = view.ideal.counts > 0
        ideal = np.ones((topics, len(HUNDREDTHS)))
        needs = np.array(HUNDREDTHS) * view.ideal.totals[defined, None]
        ideal[defined] = self._ideal_ranks(view, needs.reshape(-1), np.append(0, np.cumsum(defined * len(HUNDREDTHS)))).reshape(needs.shape)
        precision = np.zeros(efforts.shape)
        np.divide(ideal[:, None], efforts, out=precision, where=efforts > 0)
        precision[~defined] = np.nan
        return precision.swapaxes(0, 1)

    def _ideal_ranks(self, view: GainMatrix, gains: FloatArray, firsts: IntArray) -> FloatArray | IndexArray:
        """Returns the ranks at which the ideal lists reach the given gains, as `IdealGains.ranks` does, or interpolated ranks."""
        ranks = view.ideal.ranks(gains, firsts)
        if not self.interpolate:
            return ranks
        topics, last = np.repeat(np.arange(len(view.ideal.counts)), np.diff(firsts)), ranks - 1
        before = np.where(last > 0, view.ideal.cumulated[topics, last - 1], 0.0)
        return last + (gains - before) / view.ideal.gains[topics, last]


@word("MAep")
@dataclass(frozen=True, slots=True, repr=False)
class NaturalMAep(EffortPrecision):
    """Mean average effort-precision: effort-precision averaged over natural recall points, the ranks at which the gain of a list rises.

    Ideal results that are not retrieved contribute 0. For the focused task, n is the larger of the number of ideal results and the number
    of natural recall points. The curve is effort-precision at the gain-recall levels .01, .02, ..., 1.

    Formula:
        MAep = (1 / n) sum_(r in N) ep(r)
        ep(r) = i_ideal(r) / i_run(r)
        where
            n: the number of ideal results
            N: the cumulated gains at the ranks at which the gain of the run's list rises
            i_ideal(r): the first rank at which the cumulated gain of the ideal list reaches r
            i_run(r): the first rank at which the cumulated gain of the run's list reaches r

    Computed: The gain rises at a result that adds more than 1e-9 of the total gain. Gains are compared with the same tolerance.

    Source: Ogilvie & Lalmas (2006), section 2.6; Kazai & Lalmas (2005), for INEX 2005.

    Examples:
        Under `BinExh` the gains of the four results are 0, .5, .5 and 1; the gains of an ideal list are 1, .5 and .5. At ranks 2, 3 and 4
        the cumulated gain rises to .5, 1 and 2, which the ideal list reaches at ranks 1, 1 and 3; (1/2 + 1/3 + 3/4) / 3 = .5278:

        >>> from inexmetrics import BinExh, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "specificity": [1, 0.5, 0.5]}
        >>> collection = from_frames(judged, {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}})
        >>> run(scores(MAep, BinExh), collection).table["mean"].round(4).item()
        0.5278
        >>> MAep(task="focused", interpolate=True)
        MAep(task="focused", interpolate=True)
    """

    def scores(self, view: GainMatrix) -> FloatArray:
        runs, hits = len(view.lengths), view.hits
        precision = self._ideal_ranks(view, hits.cumulated, hits.firsts[::runs]) / hits.ranks
        rises = hits.gains > hits.repeated(np.repeat(GAIN_TOLERANCE * view.ideal.totals, runs))
        precision[~rises] = 0.0
        points = np.repeat(view.ideal.counts, runs)
        if self.task == "focused":
            points = np.maximum(points, summed_in_order(rises.astype(np.float64), hits.firsts))
        return view.by_run(share(summed_in_order(precision, hits.firsts), points))


@word("iMAep")
@dataclass(frozen=True, slots=True, repr=False)
class InterpolatedMAep(EffortPrecision):
    """Interpolated mean average effort-precision: effort-precision averaged over the 100 gain-recall levels .01, .02, ..., 1.

    Gain-recall levels that the list never reaches contribute 0.

    Formula:
        iMAep = (1 / 100) sum_(x) ep(x G)
        ep(r) = i_ideal(r) / i_run(r)
        where
            x: gain-recall, .01, .02 .. 1
            G: the total gain of the ideal list
            i_ideal(r): the first rank at which the cumulated gain of the ideal list reaches r
            i_run(r): the first rank at which the cumulated gain of the run's list reaches r

    Computed: A list reaches a gain if its cumulated gain is less than the gain by at most 1e-9 of the total gain.

    Source: Kazai & Lalmas (2005), for INEX 2005, focused task.

    Examples:
        Under `BinExh` the gains of the four results are 0, .5, .5 and 1; the gains of an ideal list are 1, .5 and .5. The list reaches each
        quarter of the total gain, 2, at ranks 2, 3, 4 and 4, and the ideal list at ranks 1, 1, 2 and 3;
        (1/2 + 1/3 + 2/4 + 3/4) / 4 = .5208:

        >>> from inexmetrics import BinExh, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "specificity": [1, 0.5, 0.5]}
        >>> collection = from_frames(judged, {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}})
        >>> run(scores(iMAep, BinExh), collection).table["mean"].round(4).item()
        0.5208
        >>> iMAep(task="focused", ideal="greedy")
        iMAep(task="focused", ideal="greedy")
    """

    def scores(self, view: GainMatrix) -> FloatArray:
        return means(self.curve_of(view))


MAep: Final = NaturalMAep()
iMAep: Final = InterpolatedMAep()
