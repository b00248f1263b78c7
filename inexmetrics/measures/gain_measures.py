"""What all gain measures share: the task whose results they score, and the ideal ranking they are compared with."""

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
    """A measure, or a family of them, of the gains that results bring beside those of an ideal ranking; overlap is ignored.

    Undefined: For a topic on which nothing brings a gain.
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
    """The same of the thorough or of the focused task.

    Args:
        task: ``"thorough"``: every relevant element is worth finding, however they overlap, and the ideal ranking holds
            them all; ``"focused"``: the ideal ranking holds none that overlap, and text is paid for once.
        ideal: How the focused ideal ranking is chosen: ``"paths"``, the best element of each path from the root to a
            relevant element; ``"greedy"``, the best elements that do not overlap, one after the other.
    """

    task: str = parameter("thorough", Choice(("thorough", "focused")))
    ideal: str = parameter("paths", Choice(("paths", "greedy")))

    def __call__(self, **changes: Unpack[GainParameters]) -> Self:
        return self._changed(changes)

    def focused(self) -> Self:
        """The same of the focused task."""
        return replace(self, task="focused")

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        quantisation = self._needed(quantisation)
        if self.task == "thorough":
            return judged.graded(quantisation)
        return judged.focused(quantisation, "paths" if self.ideal == "paths" else "greedy")
