"""Measures that users write: a function from one topic's gains to its score."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.measures.base import Measure, ViewMeasure
from inexmetrics.measures.gain_measures import OfGains
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.terms.custom import CustomTerm, declared

__all__ = ["CustomMeasure", "measure"]


@dataclass(frozen=True, slots=True, repr=False)
class CustomMeasure(CustomTerm, OfGains, ViewMeasure[GainMatrix]):
    """A measure made from a user's function, which scores one run on one topic."""

    bounds: ClassVar[tuple[float, float] | None] = None
    function: ClassVar[Callable[[FloatArray, FloatArray], float]]

    def scores(self, view: GainMatrix) -> FloatArray:
        scores = np.full(view.lengths.shape, np.nan)
        for topic in np.flatnonzero(view.counts > 0):
            ideal = _untouchable(view.ideal.gains[topic, : view.counts[topic]])
            for run, length in enumerate(view.lengths[:, topic]):
                gains = _untouchable(view.gains[run, topic, :length])
                scores[run, topic] = self._score(gains, ideal, view.coded.runs[run], view.coded.topics[topic]) if length else 0.0
        return scores

    def _score(self, gains: FloatArray, ideal: FloatArray, run: str, topic: str) -> float:
        """The function's score of one run on one topic, if it is a finite number."""
        try:
            score: object = type(self).function(gains, ideal)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise CollectionError(Problem(f"{self}: expected a score of run {run}, found {found}", topic_id=topic)) from error
        if not isinstance(score, (int, float, np.floating, np.integer, np.bool_)) or not math.isfinite(score):
            raise CollectionError(
                Problem(f"{self}: expected a finite number as the score of run {run}, found {describe(score)}", topic_id=topic)
            )
        return float(score)


def measure(function: Callable[[FloatArray, FloatArray], float]) -> Measure:
    """Makes a measure of a function, and adds its name to the words of the formula language in this process.

    The function scores one run on one topic. It is called in Python for each of them, so it is slower than the
    measures of the package. Topics without relevant elements are undefined, and a run without results for a topic
    scores 0 there; the function is called for neither.

    Args:
        function: From `gains`, the gain of each result by rank, and `ideal`, the gains above 0 of all relevant elements
            in decreasing order, to a finite score, 1 for an ideal run; both arrays are read-only. Its name is the word.

    Returns:
        The measure, which needs a quantisation. It can be sent to another process if it is declared at the top of a
        module.

    Raises:
        ValueError: The name is taken.
        FormulaError: What is decorated is no function of two arguments, or its name is no word.

    Examples:
        >>> import numpy as np
        >>> from numpy.typing import NDArray
        >>> @measure
        ... def gain_of_first(gains: NDArray[np.float64], ideal: NDArray[np.float64]) -> float:
        ...     "What the first result gains, of what it might have gained."
        ...     return float(gains[0] / ideal[0])
        >>> gain_of_first
        gain_of_first
        >>> gain_of_first.quantised
        'required'
    """
    return declared(CustomMeasure, function, _check)


def _check(function: Callable[[FloatArray, FloatArray], float], name: str) -> None:
    """Raises `FormulaError` unless the function can be called with gains and ideal gains."""
    try:
        inspect.signature(function).bind(np.zeros(0), np.zeros(0))
    except TypeError as error:
        raise FormulaError(f"{name}: expected a function of two arrays, gains and ideal, found {error}") from error


def _untouchable(values: FloatArray) -> FloatArray:
    """A view that cannot be written to: other measures read the same gains."""
    view = values.view()
    view.flags.writeable = False
    return view
