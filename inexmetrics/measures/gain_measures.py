"""Recall levels, and base classes of gain measures, which compare the gains of results with those of an ideal list."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import FormulaError
from inexmetrics.measures.base import OfView, Quantised
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.ideal_gains import GAIN_TOLERANCE
from inexmetrics.terms import Choice, parameter

__all__ = ["ELEVEN", "HUNDREDTHS", "GainParameters", "OfGains", "OfTask", "interpolated", "reached_first"]


class GainParameters(TypedDict, total=False):
    """The parameters of all gain measures."""

    task: Literal["thorough", "focused"]
    ideal: Literal["paths", "greedy"]


class OfGains(OfView[GainMatrix], ABC):
    """A measure, or a family of measures, that compares the gains of results with those of an ideal list; overlap is ignored.

    Undefined: For a topic without gains above 0.
    """

    __slots__ = ()

    quantised: ClassVar[Quantised] = "required"

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        return judged.graded(self._needed(quantisation))

    def _needed(self, quantisation: Quantisation | None) -> Quantisation:
        if quantisation is None:
            raise FormulaError(f"expected a quantisation for {self}, found none", hint=f"name one after '~', as in {self} ~ Gen5")
        return quantisation


@dataclass(frozen=True, slots=True, repr=False)
class OfTask(OfGains, ABC):
    """Gain measures that are defined for the thorough task and for the focused task.

    Args:
        task: ``"thorough"``: every relevant element counts, overlapping or not, and the ideal
            list contains all relevant elements. ``"focused"``: the elements of the ideal list do not overlap, and text counts once; the
            gain of a result is at most what earlier results left of the gain of an ideal element that overlaps it.
        ideal: Rule that selects the elements of the ideal list of the focused task. ``"paths"``: the best element of each path from the
            root to a relevant element without relevant descendants, unless it is nested in another of them. ``"greedy"``: repeatedly, the best element that does not overlap the elements already chosen.
    """

    task: str = parameter("thorough", Choice(("thorough", "focused")))
    ideal: str = parameter("paths", Choice(("paths", "greedy")))

    def __call__(self, **changes: Unpack[GainParameters]) -> Self:
        return self._changed(changes)

    def focused(self) -> Self:
        """Returns this measure with ``task="focused"``."""
        return replace(self, task="focused")

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> GainMatrix:
        quantisation = self._needed(quantisation)
        if self.task == "thorough":
            return judged.graded(quantisation)
        return judged.focused(quantisation, "paths" if self.ideal == "paths" else "greedy")


HUNDREDTHS: Final = tuple(level / 100 for level in range(1, 101))
"""The recall levels .01, .02, ..., 1."""

ELEVEN: Final = tuple(level / 10 for level in range(11))
"""The recall levels 0, .1, ..., 1."""


def interpolated(precision: FloatArray, counts: IntArray) -> FloatArray:
    """Returns the highest precision at recall of at least 0, .1, ..., 1, shape (..., 11); 0 for a level that a list never reaches.

    `precision` contains the precision at the relevant documents of each list, in rank order and padded with 0, shape (..., N).
    `counts` contains the number of relevant documents for each list. Its shape broadcasts with the shape of `precision` without the last
    dimension.

    Examples:
        >>> interpolated(np.array([[1.0, 0.4, 0.5]]), np.array([4])).tolist()
        [[1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0]]
    """
    found = precision.shape[-1]
    highest = np.zeros((*precision.shape[:-1], found + 1))
    highest[..., :-1] = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
    # Index of the first relevant document at each level. Recall is compared as a number of documents, to avoid rounding errors.
    least = np.maximum(-(np.arange(len(ELEVEN)) * -counts[..., None] // 10), 1)
    return np.take_along_axis(highest, np.minimum(least - 1, found), axis=-1)


def reached_first(recall: FloatArray, firsts: IntArray) -> IntArray:
    """Returns, for each list and each hundredth of recall, the index of the first point that reaches it, shape (lists, 100); -1 if none.

    Recall never decreases within a list. `firsts` contains the index of the first point of each list and, as its last value, the number of
    all points. A list reaches a level if its recall is at least the level minus 1e-9, a tolerance for rounding errors. Recall above 1
    reaches the same levels as recall 1; a document returned under two names can cause recall above 1.

    Examples:
        >>> reached_first(np.array([0.02, 0.03, 0.5]), np.array([0, 3]))[0, [0, 1, 2, 3, 49, 50]].tolist()
        [0, 0, 1, 2, 2, -1]
    """
    levels = np.minimum((100 * (recall + GAIN_TOLERANCE)).astype(np.int32), 100)
    some = np.diff(firsts) > 0
    heads, last = firsts[:-1][some], firsts[1:][some] - 1
    new = np.diff(levels, prepend=np.int32(0))
    new[heads] = levels[heads]
    crossing = np.flatnonzero(new != 0)
    highest = np.zeros(len(some), dtype=np.int32)
    highest[some] = levels[last]
    # A list that reaches a level also reaches all lower levels; levels are reached in increasing order.
    first = np.full((len(some), 100), -1)
    first[np.arange(100) < highest[:, None]] = np.repeat(crossing, new[crossing])
    return first
