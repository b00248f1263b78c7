"""The common part of all gain measures: the task, and the ideal ranking for comparison."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypedDict, Unpack

from inexmetrics.common.errors import FormulaError
from inexmetrics.measures.base import OfView, Quantised
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.terms.parameter_types import Choice
from inexmetrics.terms.term import parameter

__all__ = ["GainParameters", "OfGains", "OfTask"]


class GainParameters(TypedDict, total=False):
    """The parameters that all gain measures have."""

    task: Literal["thorough", "focused"]
    ideal: Literal["paths", "greedy"]


@dataclass(frozen=True, slots=True, repr=False)
class OfGains(OfView[GainMatrix], ABC):
    """A measure, or a family of measures, of the gains of results, compared with an ideal ranking; overlap is ignored.

    Undefined: For a topic without gains.
    """

    quantised: ClassVar[Quantised] = "required"

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        return judged.graded(self._needed(quantisation))

    def _needed(self, quantisation: Quantisation | None) -> Quantisation:
        if quantisation is None:
            raise FormulaError(f"expected a quantisation for {self}, found none", hint=f"name one after '~', as in {self} ~ Gen5")
        return quantisation


@dataclass(frozen=True, slots=True, repr=False)
class OfTask(OfGains, ABC):
    """Gain measures of the thorough or of the focused task.

    Args:
        task: ``"thorough"``: every relevant element counts, overlapping or not, and the ideal ranking contains
            all of them. ``"focused"``: the ideal ranking has no overlap, and text counts once.
        ideal: The choice of the focused ideal ranking: ``"paths"``, the best element of each path from the root to a
            relevant element; ``"greedy"``, repeatedly the best element that does not overlap earlier ones.
    """

    task: str = parameter("thorough", Choice(("thorough", "focused")))
    ideal: str = parameter("paths", Choice(("paths", "greedy")))

    def __call__(self, **changes: Unpack[GainParameters]) -> Self:
        return self._changed(changes)

    def focused(self) -> Self:
        """Returns the same measure of the focused task."""
        return replace(self, task="focused")

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        quantisation = self._needed(quantisation)
        if self.task == "thorough":
            return judged.graded(quantisation)
        return judged.focused(quantisation, "paths" if self.ideal == "paths" else "greedy")
