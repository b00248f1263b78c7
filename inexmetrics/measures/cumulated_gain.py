"""Cumulated gain (xCG) and effort-precision, which compare the list of a run with an ideal list.

xCG compares the gain down to a rank with the gain of the ideal list. Effort-precision is the number of ranks that the ideal list needs for a gain,
divided by the number that the list of the run needs.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Self, TypeAlias, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Axes, Curved, Cut, Measure, Quantised, Traced, ViewCurved, ViewFamily
from inexmetrics.measures.gain_measures import HUNDREDTHS, GainParameters, OfTask, reached_first
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix, share, summed_in_order
from inexmetrics.ranking.ideal_gains import GAIN_TOLERANCE
from inexmetrics.terms import Bool, parameter, word

__all__ = [
    "EffortParameters",
    "EffortPrecision",
    "GainByRank",
    "InterpolatedMAep",
    "Line",
    "MAep",
    "MAnxCG",
    "MeanNxCG",
    "NaturalMAep",
    "NxCG",
    "iMAep",
    "nxCG",
    "traced",
]

Line: TypeAlias = Literal["nxCG", "xCG", "xCI"]


@word("nxCG")
@dataclass(frozen=True, slots=True, repr=False)
class NxCG(OfTask, ViewFamily[GainMatrix, int]):
    """Normalised extended cumulated gain at a rank: the gain of the first k results, divided by the gain of the first k ideal results.

    The cumulated gain is constant past the end of a list. Results with equal scores keep their order in the list.

    Formula:
        nxCG[k] = xCG[k] / xCI[k]
        xCG[k] = sum_(i=1)^k g_i
        xCI[k] = sum_(i=1)^k I_i
        where
            k: the rank cutoff
            g_i: the gain of the result at rank i
            I_i: the gain at rank i of the ideal list, which is in decreasing order of gain

    Source: Ogilvie & Lalmas (2006), section 2.6; Kazai & Lalmas (2005), for INEX 2005.

    Examples:
        Under `BinExh` the gains of the four results are 0, .5, .5 and 1; the gains of an ideal list are 1, .5 and .5. At rank 3, nxCG is
        (0 + .5 + .5) / (1 + .5 + .5) = .5:

        >>> from inexmetrics import BinExh, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "specificity": [1, 0.5, 0.5]}
        >>> collection = from_frames(judged, {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}})
        >>> run(scores(nxCG @ 3, BinExh), collection).table["mean"].item()
        0.5
        >>> nxCG(task="focused") @ 10
        nxCG(task="focused")@10
    """

    def scores_at(self, at: float, view: GainMatrix) -> FloatArray:
        return share(_cumulated_at(view.gains_to(int(at)), int(at)), _cumulated_at(view.ideal.gains, int(at)))


@word("MAnxCG")
@dataclass(frozen=True, slots=True, repr=False)
class MeanNxCG(OfTask, ViewFamily[GainMatrix, int]):
    """Mean average normalised extended cumulated gain at a rank: the mean of nxCG over ranks 1 to k.

    Formula:
        MAnxCG@k = (1 / k) sum_(i=1)^k nxCG[i]
        where
            k: the rank cutoff
            nxCG[i]: normalised cumulated gain at rank i, as defined by `nxCG`, also past the end of the list

    Source: Kazai & Lalmas (2005), for INEX 2005.

    Examples:
        Under `BinExh` the gains of the four results are 0, .5, .5 and 1; the gains of an ideal list are 1, .5 and .5. At ranks 1 to 3,
        nxCG is 0 / 1, .5 / 1.5 and 1 / 2, and (0 + 1/3 + 1/2) / 3 = .2778:

        >>> from inexmetrics import BinExh, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "specificity": [1, 0.5, 0.5]}
        >>> collection = from_frames(judged, {"1": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}})
        >>> run(scores(MAnxCG @ 3, BinExh), collection).table["mean"].round(4).item()
        0.2778
    """

    def scores_at(self, at: float, view: GainMatrix) -> FloatArray:
        k, depth = int(at), max(view.depth, view.ideal.gains.shape[1])
        if depth == 0:
            return share(np.zeros(view.lengths.shape), view.ideal.totals)
        reached = min(k, depth)
        nxcg = share(_cumulated_to(view.gains_to(reached), reached), _cumulated_to(view.ideal.gains, reached))
        # Past the ends of both the list and the ideal list, every further rank adds the same value to the sum. The sum for each list stops
        # at the end of the list or of its ideal list, whichever is later, so that rounding errors do not depend on the other lists of the
        # batch.
        last = np.clip(np.maximum(view.lengths, view.ideal.counts), 1, k)[..., None] - 1
        sums = np.take_along_axis(np.add.accumulate(nxcg, axis=2), last, axis=2)
        further = (k - 1 - last) * np.take_along_axis(nxcg, last, axis=2)
        return (sums + further)[..., 0] / k


def _cumulated_at(gains: FloatArray, k: int) -> FloatArray:
    """Returns the sum of the first k gains along the last axis, added in rank order."""
    if gains.shape[-1] == 0:
        return np.zeros(gains.shape[:-1])
    return np.add.accumulate(gains[..., :k], axis=-1)[..., -1]


def _cumulated_to(gains: FloatArray, rank: int) -> FloatArray:
    """Returns the cumulated gains at ranks 1 to `rank` along the last axis; they are constant after the last gain."""
    padded = np.zeros((*gains.shape[:-1], rank))
    padded[..., : gains.shape[-1]] = gains[..., :rank]
    return np.add.accumulate(padded, axis=-1)


@dataclass(frozen=True, slots=True, repr=False)
class GainByRank(Traced):
    """Curve of a gain measure against the rank, up to the rank cutoff of the measure.

    Args:
        cut: Measure whose cutoff is the last rank of the curve.
        family: Family to which the measure belongs.
        line: Values of the curve: the gain of a run (``"xCG"``), the gain of the ideal list (``"xCI"``), or the gain of the run
            divided by the gain of the ideal list (``"nxCG"``).
    """

    cut: Measure
    family: NxCG | MeanNxCG
    line: Line = "nxCG"

    def __str__(self) -> str:
        return str(self.cut) if self.line == "nxCG" else f"{self.line} of {self.cut}"

    @property
    def quantised(self) -> Quantised:
        return self.cut.quantised

    @property
    def axes(self) -> Axes:
        return Axes("rank", self.line)

    @property
    def levels(self) -> tuple[float, ...]:
        return tuple(float(rank) for rank in range(1, (self.cut.cut_rank or 0) + 1))

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        return self.cut.evaluate(judged, quantisation)

    def curve(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        view, last = self.family.view(judged, quantisation), self.cut.cut_rank or 0
        gains, ideal = _cumulated_to(view.gains_to(last), last), _cumulated_to(view.ideal.gains, last)
        if self.line == "nxCG":
            return share(gains, ideal)
        return np.where(view.ideal.totals[:, None] > 0.0, gains if self.line == "xCG" else np.broadcast_to(ideal, gains.shape), np.nan)


def traced(measure: Measure, line: Line = "nxCG") -> Traced | None:
    """Returns the curve of a measure, or None if the measure has no curve. `line` selects one of several curves of a measure."""
    if isinstance(measure, Curved):
        return measure
    if isinstance(measure, Cut) and isinstance(measure.family, (NxCG, MeanNxCG)):
        return GainByRank(measure, measure.family, line)
    return None


nxCG: Final = NxCG()
MAnxCG: Final = MeanNxCG()


class EffortParameters(GainParameters, total=False):
    """The parameters of measures of effort."""

    interpolate: bool


@dataclass(frozen=True, slots=True, repr=False)
class EffortPrecision(OfTask, ViewCurved[GainMatrix], ABC):
    """A measure that summarises effort-precision; its curve is effort-precision at the gain-recall levels .01, .02, ..., 1.

    Args:
        interpolate: Whether the rank at which the ideal list reaches a gain is interpolated linearly between whole ranks. By default, the
            rank is the first whole rank at which the ideal list reaches the gain.
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
        """Returns the ranks at which the ideal lists reach the given gains: whole ranks from `IdealGains.ranks`, or interpolated ranks."""
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

    Notes:
        * Ideal elements in the focused task: ``ideal="paths"`` treats gains that differ from the highest gain by at most a relative
          1e-14 as tied, and selects the tied element nearest to the root. If two selected elements are nested, only the outer element
          is kept. ``ideal="greedy"`` skips an element that overlaps a selected element.
        * Overlapping results in the focused task: Text yields gain only the first time that it is shown. The gain of a partly seen
          result is computed from the elements directly below it in the document tree that have a gain. Elements below a child without
          gain are ignored. A result outside the recall base has no gain, but its text counts as seen. A passage that is not an element
          has no gain, and its text does not count as seen.
        * Sizes in the focused task: The sizes of elements are needed only if relevant elements are nested.

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

    Computed: A list reaches a gain r if the list's cumulated gain is at least r - 1e-9 G, where G is the total gain.

    Source: Kazai & Lalmas (2005), for INEX 2005, focused task.

    Examples:
        Under `BinExh` the gains of the four results are 0, .5, .5 and 1; the gains of an ideal list are 1, .5 and .5. The total gain is 2.
        The list reaches 1/4, 2/4, 3/4 and 4/4 of this gain at ranks 2, 3, 4 and 4. The ideal list reaches them at ranks 1, 1, 2 and 3;
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
