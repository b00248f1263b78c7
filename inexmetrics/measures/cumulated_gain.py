"""Cumulated gain (xCG): what a list has brought down to a rank, beside what an ideal list would have brought by then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Self, Unpack

import numpy as np

from inexmetrics.arrays import FloatArray
from inexmetrics.graded import Graded
from inexmetrics.kinds import Integer
from inexmetrics.lexicon import word
from inexmetrics.measures.base import Family
from inexmetrics.measures.gains import GainParameters, OfGains
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import Evidence

__all__ = ["MAnxCG", "MeanNxCG", "NxCG", "nxCG"]


@word("nxCG")
@dataclass(frozen=True, slots=True, repr=False)
class NxCG(OfGains, Family[int]):
    """Normalised extended cumulated gain at a rank: the gain of a list's first k results, as a share of the ideal list's.

    nxCG[k] = xCG[k] / xCI[k], where xCG[k] is the sum of the gains of results 1 to k, and xCI[k] the same sum over the
    ideal ranking, which is in decreasing order of gain. Past the end of either list its sum stays as it is. Results of
    equal score keep the order of the list. Undefined for a topic on which nothing brings a gain.

    Args:
        task: ``"thorough"`` scores every relevant element, ``"focused"`` text once, against an ideal without overlap.
        ideal: How the focused ideal ranking is chosen, ``"paths"`` or ``"greedy"``.

    Source: Ogilvie & Lalmas (2006), section 2.6; INEX 2005.

    Examples:
        >>> nxCG @ 25
        nxCG@25
        >>> nxCG(task="focused") @ 10
        nxCG(task="focused")@10
    """

    cuts: ClassVar = Integer(at_least=1)

    def __call__(self, **changes: Unpack[GainParameters]) -> Self:
        return self._changed(changes)

    def evaluate_at(self, at: float, evidence: Evidence, quantisation: Quantisation | None) -> FloatArray:
        graded = self._graded(evidence, quantisation)
        k = int(at)
        return _defined(_sum_at(graded.gains, k) / _sum_at(_decided(graded), k), graded)


@word("MAnxCG")
@dataclass(frozen=True, slots=True, repr=False)
class MeanNxCG(OfGains, Family[int]):
    """Mean average normalised extended cumulated gain at a rank: the mean of nxCG over ranks 1 to k.

    MAnxCG@k = (1/k) * sum of nxCG[i] over i = 1 .. k; nxCG[i] as in `nxCG`, also past the end of the list. Undefined
    for a topic on which nothing brings a gain.

    Args:
        task: ``"thorough"`` scores every relevant element, ``"focused"`` text once, against an ideal without overlap.
        ideal: How the focused ideal ranking is chosen, ``"paths"`` or ``"greedy"``.

    Source: INEX 2005.

    Examples:
        >>> MAnxCG @ 50
        MAnxCG@50
    """

    cuts: ClassVar = Integer(at_least=1)

    def __call__(self, **changes: Unpack[GainParameters]) -> Self:
        return self._changed(changes)

    def evaluate_at(self, at: float, evidence: Evidence, quantisation: Quantisation | None) -> FloatArray:
        graded = self._graded(evidence, quantisation)
        k = int(at)
