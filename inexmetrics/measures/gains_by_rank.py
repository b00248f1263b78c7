"""Curves of cumulated gain against the rank, for measures with a rank cutoff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Axes, Curved, Cut, Measure, Quantised, Traced
from inexmetrics.measures.nxcg import MeanNxCG, NxCG, cumulated_to
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share

__all__ = ["GainByRank", "traced"]

Line: TypeAlias = Literal["nxCG", "xCG", "xCI"]


@dataclass(frozen=True, slots=True, repr=False)
class GainByRank(Traced):
    """Curve of a gain measure against the rank, down to the rank cutoff of the measure.

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
        gains, ideal = cumulated_to(view.gains_to(last), last), cumulated_to(view.ideal.gains, last)
        if self.line == "nxCG":
            return share(gains, ideal)
        return np.where(view.totals[:, None] > 0.0, gains if self.line == "xCG" else np.broadcast_to(ideal, gains.shape), np.nan)


def traced(measure: Measure, line: Line = "nxCG") -> Traced | None:
    """Returns the curve of a measure, or None if the measure lacks a curve. `line` selects one of several curves of a measure."""
    if isinstance(measure, Curved):
        return measure
    if isinstance(measure, Cut) and isinstance(measure.family, (NxCG, MeanNxCG)):
        return GainByRank(measure, measure.family, line)
    return None
