"""Custom measures, and measures that other tools computed.

A user's function scores one run for one topic, from gains, from graded documents, or from the text of results. For measures that other
tools computed, only the scores are available.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.common.options import DIRECTIONS, Direction
from inexmetrics.measures.base import Bounds, Measure, OfText, Quantised, ViewMeasure
from inexmetrics.measures.document_measures import OfPool, PooledResults
from inexmetrics.measures.gain_measures import OfGains
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import GainMatrix
from inexmetrics.ranking.passages.spans import spans
from inexmetrics.terms import Choice, CustomTerm, Optional, Text, parameter, required, word
from inexmetrics.terms.lexicon import declared

__all__ = ["CustomMeasure", "Given", "given", "measure"]

OfLists: TypeAlias = Callable[[FloatArray, FloatArray], float]
"""Function that computes a score from gains and ideal gains, or from grades and judged grades."""
OfShownText: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, float], float]
"""Function that computes a score from numbers of characters: highlighted, new and all characters of each result, and the topic's total."""


class Lists(NamedTuple):
    """Rankings for which a user's function computes scores. R runs, T topics.

    Attributes:
        runs: Names of the runs, length R.
        topics: Identifiers of the topics, length T.
        lengths: Number of results in each list, shape (R, T).
        defined: Number of relevant items or highlighted characters for each topic, shape (T,). A topic without relevant items or
            highlighted characters is undefined.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    lengths: IntArray
    defined: IntArray


class CustomMeasure(CustomTerm, Measure, ABC):
    """A measure made from a user's function, which scores one run for one topic."""

    __slots__ = ()

    bounds: ClassVar[Bounds] = None
    of_coverage: ClassVar[bool] = False
    function: ClassVar[Callable[..., float]]

    def scored(self, lists: Lists, arguments: Callable[[int, int], tuple[FloatArray | float, ...]]) -> FloatArray:
        """Returns the score of each list, shape (R, T); 0 for a list without results.

        Args:
            lists: Ranked results of each run for each topic.
            arguments: Function that takes the index of a run and the index of a topic, and returns the arguments of the user's function.
        """
        scores = np.full(lists.lengths.shape, np.nan)
        for topic in np.flatnonzero(lists.defined).tolist():
            for run, length in enumerate(lists.lengths[:, topic]):
                given = arguments(run, topic) if length else ()
                scores[run, topic] = self._score(given, lists.runs[run], lists.topics[topic]) if length else 0.0
        return scores

    def _score(self, given: tuple[FloatArray | float, ...], run: str, topic: str) -> float:
        """Returns the user's score of one run for one topic. Raises `CollectionError` unless the score is a finite number."""
        for values in given:
            if isinstance(values, np.ndarray):
                values.flags.writeable = False  # other measures may use the same gains
        try:
            score: object = type(self).function(*given)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise CollectionError(Problem(f"{self}: expected a score for run {run}, found {found}", topic_id=topic)) from error
        if not isinstance(score, (int, float, np.floating, np.integer, np.bool_)) or not math.isfinite(score):
            raise CollectionError(
                Problem(f"{self}: expected a finite number as the score for run {run}, found {describe(score)}", topic_id=topic)
            )
        return float(score)


@dataclass(frozen=True, slots=True, repr=False)
class OfGainsAlone(CustomMeasure, OfGains, ViewMeasure[GainMatrix]):
    """A custom measure computed from the gains of results and the gains of the ideal list."""

    def scores(self, view: GainMatrix) -> FloatArray:
        def arguments(run: int, topic: int) -> tuple[FloatArray, FloatArray]:
            return view.gains[run, topic, : view.lengths[run, topic]], view.ideal.gains[topic, : view.ideal.counts[topic]]

        return self.scored(Lists(view.coded.runs, view.coded.topics, view.lengths, view.ideal.counts), arguments)


@dataclass(frozen=True, slots=True, repr=False)
class OfGradedDocuments(CustomMeasure, OfPool, ViewMeasure[PooledResults]):
    """A custom measure computed from the grades of retrieved documents and all grades for the topic."""

    def scores(self, view: PooledResults) -> FloatArray:
        matrix = view.matrix
        grades = np.append(np.where(matrix.pool.judged, matrix.of_items[:-1], np.nan), np.nan)

        def arguments(run: int, topic: int) -> tuple[FloatArray, FloatArray]:
            judged = np.zeros(matrix.pool.counts[topic])
            judged[: matrix.ideal.counts[topic]] = matrix.ideal.gains[topic, : matrix.ideal.counts[topic]]
            return grades.take(matrix.coded.codes[run, topic, : matrix.lengths[run, topic]]), judged

        return self.scored(Lists(matrix.coded.runs, matrix.coded.topics, matrix.lengths, matrix.ideal.counts), arguments)


@dataclass(frozen=True, slots=True, repr=False)
class OfShownResults(CustomMeasure, OfText[JudgedRuns]):
    """A custom measure computed from the numbers of characters in results, highlighted or not."""

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> JudgedRuns:
        return judged

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        texts = judged.texts
        totals = texts.highlights.totals[judged.topic_span]
        # Columns: highlighted characters of each result, newly shown highlighted characters, and all characters; NaN if not assessed.
        shown, parts = spans(texts, "counts", None), np.flatnonzero(texts.touching)
        highlighted = np.zeros(len(texts.lists))
        highlighted[parts] = texts.highlights.within(texts.judged[parts].astype(np.int64), texts.starts[parts], texts.lengths[parts])
        of_assessed = (np.where(texts.assessed, values, np.nan) for values in (highlighted, shown.highlighted))
        columns = (*of_assessed, shown.sizes.astype(np.float64))
        ends = np.cumsum(texts.lengths_of_lists).reshape(texts.lengths_of_lists.shape)

        def arguments(run: int, topic: int) -> tuple[FloatArray | float, ...]:
            end = int(ends[run, topic])
            rows = slice(end - int(texts.lengths_of_lists[run, topic]), end)
            return (*(column[rows] for column in columns), float(totals[topic]))

        return self.scored(Lists(judged.runs, judged.topics, texts.lengths_of_lists, totals), arguments)


class Kind(NamedTuple):
    """Kind of data from which a user's function computes a measure; the kind determines the arguments of the function.

    Attributes:
        base: Base class of custom measures of this kind.
        arguments: Description of the arguments for error messages.
        example: Example arguments, with which the signature of the user's function is checked.
    """

    base: type[CustomMeasure]
    arguments: str
    example: tuple[FloatArray | float, ...]


NONE: Final = np.zeros(0)
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "gains": Kind(OfGainsAlone, "two arrays, gains and ideal", (NONE, NONE)),
        "documents": Kind(OfGradedDocuments, "two arrays, grades and judged", (NONE, NONE)),
        "results": Kind(OfShownResults, "three arrays and a number, highlighted, new, sizes and total", (NONE, NONE, NONE, 0.0)),
    }
)


@overload
def measure(function: OfLists) -> Measure: ...
@overload
def measure(*, of: Literal["gains", "documents"]) -> Callable[[OfLists], Measure]: ...
@overload
def measure(*, of: Literal["results"]) -> Callable[[OfShownText], Measure]: ...
def measure(
    function: OfLists | None = None, *, of: Literal["gains", "documents", "results"] = "gains"
) -> Measure | Callable[[OfLists], Measure] | Callable[[OfShownText], Measure]:
    """Makes a measure from a function, and adds the measure's name to the formula language in the current process.

    The function scores one run for one topic. The function is called in Python for each list, so a custom measure is slower than the
    measures of the package. A topic without relevant items is undefined, and a run without results for a topic scores 0 for this topic;
    the function is not called in these cases. The arrays that the function receives are read-only.

    Args:
        function: Function that returns the finite score of a list; an ideal run should score 1. The name of the function becomes the name
            of the measure in formulas.
        of: Kind of data that is passed to the function.

            ``"gains"``: ``gains`` contains the gain of each result by rank. ``ideal`` contains the gains above 0 of all relevant elements
            in decreasing order. The measure needs a quantisation.

            ``"documents"``: ``grades`` contains the grade of each document by rank, without repeated documents. ``judged`` contains all
            grades for the topic in decreasing order, including 0. The grade is NaN for a document with a negative grade or without a
            judgement. Documents with highlighted text have grade 1. A quantisation is optional; if a quantisation is given, the gains of
            results are used as their grades.

            ``"results"``: ``highlighted`` contains the number of highlighted characters in each result, by rank. ``new`` contains the
            number of highlighted characters that earlier results do not show. ``sizes`` contains the number of characters of each result.
            ``total`` is the number of highlighted characters for the topic. ``highlighted`` and ``new`` are NaN if the document was not
            assessed. A quantisation is not allowed.

    Returns:
        The measure, or a decorator that makes the measure if only ``of=`` is given. A measure can be sent to another process if it is
        declared at the top level of a module.

    Raises:
        ValueError: The name is already in the formula language.
        FormulaError: The function does not accept these arguments, or its name is not valid in formulas.

    Examples:
        >>> import numpy as np
        >>> from numpy.typing import NDArray
        >>> from inexmetrics import from_frames, run, scores
        >>> @measure(of="documents")
        ... def unjudged_share(grades: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
        ...     "The share of documents that were not judged."
        ...     return float(np.isnan(grades).mean())
        >>> collection = from_frames(
        ...     {"1": {"a": 2, "b": 0}}, {"1": {"a": 3.0, "x": 2.0, "b": 1.0, "y": 0.5}}
        ... )
        >>> run(scores(unjudged_share), collection).table["mean"].item()
        0.5
        >>> @measure
        ... def gain_of_first(gains: NDArray[np.float64], ideal: NDArray[np.float64]) -> float:
        ...     "The gain of the first result, divided by the best."
        ...     return float(gains[0] / ideal[0])
        >>> gain_of_first.quantised
        'required'
    """
    kind = KINDS[Choice(tuple(KINDS)).accept_as("measure: of", of)]
    return partial(_declared, kind) if function is None else _declared(kind, function)


def _declared(kind: Kind, function: Callable[..., float]) -> Measure:
    def check(function: Callable[..., float], name: str) -> None:
        """Raises `FormulaError` unless the function accepts the example arguments of the given kind of measure."""
        try:
            inspect.signature(function).bind(*kind.example)
        except TypeError as error:
            raise FormulaError(f"{name}: expected a function of {kind.arguments}, found {error}") from error

    return declared(kind.base, function, check)


@word("given")
@dataclass(frozen=True, slots=True, repr=False)
class Given(Measure):
    """A measure computed by another tool; its scores are read from a table, and cannot be computed from assessments and runs.

    If lower scores are better, as for perplexity, error rates and latency, experiments rank and test the negated scores: the best run has
    the lowest mean, and tests, margins and verdicts go by this direction. Tables and charts show means and differences with their own
    signs, so that the difference between a better and a worse run is negative.

    Args:
        name: Name of the measure whose scores are read, such as ``"ERR@20"``.
        better: Whether ``"higher"`` or ``"lower"`` scores are better. If None, the source of the scores decides, and higher scores are
            better if the source does not state a direction.

    Raises:
        FormulaError: The name is empty or not a string, or the direction is unknown.
        CollectionError: The source of the scores states the other direction.

    Examples:
        >>> from inexmetrics import Holm, given, significance
        >>> significance(given("ERR@20"), correction=Holm)
        significance(given("ERR@20") | Holm)

        The perplexity of the first run is 8 on both topics, that of the second run 10 and 12. The first run is better:

        >>> import numpy as np
        >>> from inexmetrics import ranks, run, scores_from
        >>> board = scores_from(np.array([[8.0, 10.0], [8.0, 12.0]]))
        >>> run(ranks(given("perplexity", better="lower")), board).table.select(
        ...     "run_id", "mean", "rank"
        ... ).rows()
        [('1', 8.0, 1), ('2', 11.0, 2)]
    """

    name: str = field(metadata=required(Text(), '"accuracy"'))
    better: Direction | None = parameter(None, Optional(Choice(DIRECTIONS)))

    quantised: ClassVar[Quantised] = "optional"
    bounds: ClassVar[Bounds] = None

    @property
    def direction(self) -> Direction | None:
        return self.better

    def evaluate(self, judged: JudgedRuns, quantisation: Quantisation | None) -> FloatArray:
        raise CollectionError(
            f"{self}: expected scores, found assessments and runs; give the scores with --scores (in Python: scores_from)"
        )


given: Final = Given
