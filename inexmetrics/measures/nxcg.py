"""Cumulated gain (xCG): the gain of a list up to a rank, compared with the gain of an ideal list, and the curve of this measure by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Axes, Curved, Cut, Measure, Quantised, Traced, ViewFamily
from inexmetrics.measures.gain_measures import OfTask
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix, share
from inexmetrics.terms.lexicon import word

__all__ = ["GainByRank", "Line", "MAnxCG", "MeanNxCG", "NxCG", "nxCG", "traced"]

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
        # Past the ends of both the list and the ideal list, every further rank adds the same value. The sum for each list stops at the end
        # of this list or of its ideal list, so that rounding errors do not depend on the other lists of the batch.
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
    """Returns cumulated gains at ranks 1 to `rank` along the last axis; constant past the last gain."""
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
