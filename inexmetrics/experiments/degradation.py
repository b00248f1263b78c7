"""Scores ideal runs after their elements are moved at random, for several probabilities of moving an element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, condition_names, origin
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import arrays, errors, messages, options
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import check_compat
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.findings import Row, extremes, not_defined, number, part_of, rows_by_condition, under
from inexmetrics.experiments.tables import MEASURE, QUANTISATION, Column, Table, TableOf
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.judgements.incomplete import Pooled
from inexmetrics.measures.base import Axes, Curved, Cut, Measure, Quantised, Traced, Uncut
from inexmetrics.measures.gain_measures import OfTask
from inexmetrics.quantisations.base import Criterion, Quantisation
from inexmetrics.ranking import JudgedItems, JudgedRuns, recall_base
from inexmetrics.report import CONDITION, Figure, Printed, condition_tables, forms, narrowing, numbered, side_by_side, stated
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import approximations, curves_of, scores_of
from inexmetrics.scoring.undefined import undefined_topics
from inexmetrics.simulations.degraded_runs import disturbed
from inexmetrics.terms import Choice, Integer, ListOf, Number, parameter, word

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["Degradation", "DegradationResult", "degradation"]

Axis: TypeAlias = Literal["vertical", "siblings"]
"""Kind of the elements that may replace an element of the ideal list: ancestors and descendants, or siblings, of that element."""
MOVES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Values(Table):
    """The mean score by condition and probability of moving, followed by the curves of measures that have a curve."""

    move = Column.share("the probability that an element moves", asked=True)
    measure = MEASURE
    quantisation = QUANTISATION
    level = Column.share("the recall level of the curve's point", "if value is the score, not a value of the curve")
    value = Column(float, "the score, or the value of the curve, averaged over topics", "if the measure is defined for no topic")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DegradationResult(Result):
    """The result of `degradation`: scores of ideal runs whose elements are moved at random."""

    experiment: Degradation
    degradation = TableOf(Values)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.simulated import degradation_figure  # imported only when a chart is drawn

        return degradation_figure(self.tables, self.experiment.axes)

    def printed(self) -> Iterator[Printed]:
        moved = self.as_asked()
        means = side_by_side(moved.filter(pl.col("level").is_null()), "move", "value")
        form = Printed("degradation", means, "mean over topics", constants=False)
        yield narrowing([form, numbered(form)])
        for part in condition_tables(moved.filter(pl.col("level").is_not_null())):
            yield forms.levels_beside("degradation", part, "move", f"curve; {stated(part, *CONDITION)}")

    def _paper_table(self, table: str | None) -> PaperTable:
        from inexmetrics.report.papers import conditions_beside, paper_table  # imported here because only this method uses it

        if table is not None:
            return paper_table(self, table)
        means = side_by_side(self.as_asked().filter(pl.col("level").is_null()), "move", "value")
        return conditions_beside(self, means, "Measures of ideal runs whose elements move with a probability, as means over topics.")

    @property
    def finding(self) -> str:
        measured = self.table.filter(pl.col("level").is_null()).sort("move", maintain_order=True)
        asked = rows_by_condition(measured)
        defined = [rows for rows in asked if rows[0]["value"] is not None]
        if not defined:
            return not_defined(asked)
        least, most = extremes(defined, lambda rows: rows[0]["value"] - rows[-1]["value"])
        if len(most) == 1:
            return f"{under(least[0])} is {number(least[0]['value'])} where elements move with a probability of {messages.canonical(least[0]['move'])}."
        ends = f"from {messages.canonical(most[0]['move'])} to {messages.canonical(most[-1]['move'])}"
        rising = [rows for rows in defined if _rises(rows)]
        if len(defined) == 1:
            steps = part_of(_rises(most), len(most) - 1, "step")
            smoothly = f", though it rises at {steps}" if rising else ", without rising on the way"
            return f"{_change(most)} as the probability that an element moves goes {ends}{smoothly}."
        noun = self.experiment.condition_noun
        rises = f"no {noun} rises at any step"
        if rising:
            rises = f"{part_of(len(rising), len(defined), noun)} {'rise' if len(rising) > 1 else 'rises'} at some step"
        seed = f"with seed {self.experiment.seed}"
        changes = f"{_change(most, f'falls most {seed},')}, and {_change(least, 'falls least,')}; another seed may order them otherwise"
        return f"As the probability that an element moves increases {ends}, {rises}. Of {messages.plural(len(defined), noun)}, {changes}."


def _rises(rows: Sequence[Row]) -> int:
    """Returns how often the score rises from one row to the next; rows are sorted by increasing probability of moving an element."""
    return sum(later["value"] - row["value"] > TOLERANCE for row, later in pairwise(rows))


def _change(rows: Sequence[Row], falls: str = "falls") -> str:
    first, last = rows[0]["value"], rows[-1]["value"]
    return f"{under(rows[0])} {falls if last < first else 'goes'} from {number(first)} to {number(last)}"


@word("degradation")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Degradation(Measured[DegradationResult]):
    """Scores ideal runs after their elements are moved at random, for several probabilities of moving an element.

    The ideal run of a topic is the topic's ideal recall base (relevant elements that do not overlap), sorted by decreasing gain; elements
    of equal gain are sorted by doc_id, then in document order. Each element of the ideal run moves up or down the tree of its document,
    each direction with probability 1/2. At each step, the element moves with probability m to its parent, or to one of its children, all
    children equally likely. With probability 1 - m the element stops; it also stops if the parent or child does not exist. Elements of
    length 0 can be chosen as children. If two elements of the ideal run move to the same element, the run contains this element twice. With
    m = 0 the run is ideal.

    With ``axis="siblings"``, each element is replaced with probability m by one of its siblings, chosen uniformly at random; an element
    without siblings is kept. If a measure models users who do not browse to siblings, these users never find an element that was replaced.

    Every measure is computed with the same ideal elements. Gain measures are always computed with ``task="focused"``. All other measures
    use the gains of results in the focused task, in which a result is relevant if its gain is above 0.

    Only assessments and structure are used; runs are ignored.

    Args:
        measure: A measure that allows a quantisation, or several measures in a tuple.
        quantisation: A quantisation, or several quantisations in a tuple; required, because the quantisation determines the ideal elements.
        moves: The probabilities m of moving an element, from 0 to 1. The same random numbers are used for every probability. If m is
            increased, an element moves along the same path, as far as before or farther.
        seed: The seed of the random number generator; the draws of a topic do not depend on other topics.
        axis: The elements to which an element moves: ancestors or descendants (``"vertical"``), or siblings (``"siblings"``).

    Raises:
        FormulaError: A measure does not allow a quantisation, the quantisation is missing, or a term is repeated or in the wrong position.

    Notes:
        * Chance: the moves are random, so scores depend on ``seed``. Differences between seeds show how much of a curve is due to chance.
        * Ties: ideal elements of equal gain are sorted by doc_id, then in document order.
        * Draws: An element's direction is drawn first, then two numbers for each step: the element moves if the first is below the
          probability, and the second selects the child. The numbers depend only on the seed and the topic's name.
        * Parents and children: If the structure lacks the parent of an element, the nearest ancestor in the structure is its parent.
          Children are in document order; of children with the same start, the longest is first.
        * Gains of other measures: With other gains than those of the focused task, the ideal run would not have the highest score even
          if no element had moved, and an element that is returned twice would count twice.
        * Without a quantisation: A measure of whole documents would be 1 for every probability, because elements move only within their
          document; it raises an error, as do measures of highlighted text. For these, see `fidelity`.
        * Rows: The row for the mean score of a measure has a null level, and precedes the rows of the measure's curve.
        * Pools: The moved runs do not have a pool, so measures that distinguish unjudged from non-relevant results raise an error.
        * Siblings: Under ``hierarchy(siblings=0.5)``, even the ideal run scores below 1, because users reach several siblings from one
          element, and a better ranking needs fewer ranks.
        * Findings: If elements move far, effort-precision is near 0 at recall levels above .6, in the paper and on the built-in sample,
          because a result next to a relevant element has no gain. `EPRUM` counts what users reach from it.

    Source: Piwowarski & Dupret (2006), section 7, Figure 4, and the comparison with siblings at the end of section 7.

    Examples:
        >>> from inexmetrics import Gen5, MAep, degradation, iMAep
        >>> degradation((iMAep, MAep), Gen5, moves=(0, 0.5))
        degradation(iMAep + MAep ~ Gen5, moves=(0, 0.5))

        The undisturbed run is ideal. If each element moves with probability 1/2, the score is .5124:

        >>> import polars as pl
        >>> from inexmetrics import run, sample
        >>> fallen = run(degradation(MAep, Gen5, moves=(0, 0.5)), sample()).table.filter(
        ...     pl.col("level").is_null()
        ... )
        >>> fallen["value"].round(4).to_list()
        [1.0, 0.5124]
    """

    moves: float | tuple[float, ...] = parameter(MOVES, ListOf(Number(at_least=0.0, at_most=1.0)))
    seed: int = parameter(0, Integer(0))
    axis: Axis = parameter("vertical", Choice(("vertical", "siblings")))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        for condition in self.conditions:
            measure, criterion = condition.measure, condition.criterion
            if measure.quantised == "never":
                raise errors.FormulaError(
                    f"{self.word}: expected a measure with a quantisation, found {measure}",
                    hint="the quantisation determines the ideal elements; for measures of highlighted text, use fidelity",
                )
            if measure.reads_pool:
                raise errors.FormulaError(
                    f"{self.word}: expected a measure that treats unjudged results as not relevant, found {measure}",
                    hint="the elements of the ideal runs are moved to elements that may be unjudged",
                )
            if condition.quantisation is None or condition.quantisation.documents is not None:
                example = "Gen5" if criterion is None or criterion.estimates else criterion.quantised_by("Gen5")
                found = "none" if condition.quantisation is None else condition.quantisation
                raise errors.FormulaError(
                    f"{self.word}: expected a quantisation of elements for {measure}, found {found}",
                    hint=f"only elements can be moved; name a quantisation after '~', as in {measure} ~ {example}",
                )
            chosen = () if condition.judgements is None else condition.judgements.chain
            if any(isinstance(choice, Pooled) for choice in chosen):
                raise errors.FormulaError(
                    f"{self.word}: expected judgements that do not depend on runs, found {criterion}",
                    hint="the runs are simulated; use sampled to omit judgements at random",
                )

    def answer(self, source: Collection | Scores, setting: options.RunOptions) -> DegradationResult:
        check_compat(self, setting)
        if isinstance(source, Scores):
            raise errors.CollectionError(f"{self.word}: expected assessments and a structure, found scores by topic")
        if source.structure is None:
            raise errors.CollectionError(f"{self.word}: expected a structure, found none; elements are moved within the trees of documents")
        judged = source.with_runs(None)
        values: dict[Condition[Measure], arrays.FloatArray] = {}
        undefined: dict[condition_names.ConditionTexts, arrays.BoolArray] = {}
        by_ideal_lists: dict[tuple[Criterion | None, recall_base.Ideal], list[Condition[Measure]]] = {}
        for condition in self.conditions:
            term = condition.measure.uncut
            ideal: recall_base.Ideal = "greedy" if isinstance(term, OfTask) and term.ideal == "greedy" else "paths"
            by_ideal_lists.setdefault((condition.criterion, ideal), []).append(condition)
        for ideal_list, conditions in by_ideal_lists.items():
            for condition, of_condition, without in self._values(judged, ideal_list, conditions, setting):
                values[condition], undefined[condition.texts] = of_condition, without & condition.chosen(judged.topics)
        warnings = (
            *errors.summaries(judged.warnings),
            *undefined_topics(judged.topics, undefined),
            *approximations(JudgedItems(judged), self.conditions),
        )
        # The rows of the measures precede the rows of the curves, because curves have many rows.
        parts = [self._rows(condition, (None,), values[condition][:, -1:]) for condition in self.conditions]
        parts += [self._rows(condition, _levels(condition.measure), values[condition][:, :-1]) for condition in self.conditions]
        table = Values.concat(parts)
        return DegradationResult(self, {"degradation": table}, origin.origin_of(judged), setting.compat, warnings)

    def _values(
        self,
        judged: Collection,
        ideal: tuple[Criterion | None, recall_base.Ideal],
        conditions: Sequence[Condition[Measure]],
        setting: options.RunOptions,
    ) -> Iterator[tuple[Condition[Measure], arrays.FloatArray, arrays.BoolArray]]:
        """Yields, for each condition, a tuple of the condition, an array of values, and a mask of the undefined topics.

        The array has the shape (moves, levels + 1). Each row contains the values of the measure's curve, followed by the mean score. If the
        measure has no curve, the row contains only the mean score.
        """
        ideals = conditions[0].ideal_elements(JudgedItems(judged), ideal[1])
        if ideals.is_empty() or judged.structure is None:
            nowhere = np.ones(len(judged.topics), dtype=np.bool_)
            for condition in conditions:
                yield condition, np.full((len(many(self.moves)), len(_levels(condition.measure)) + 1), np.nan), nowhere
            return
        collection = judged.with_runs(disturbed(ideals, judged.structure, many(self.moves), self.seed, siblings=self.axis == "siblings"))
        focused = {condition: Condition(_focused_measure(condition.measure), condition.criterion) for condition in conditions}
        curved = [
            Condition(of_focused.measure, of_focused.criterion)
            for of_focused in dict.fromkeys(focused.values())
            if isinstance(of_focused.measure, Traced)
        ]
        scores = scores_of(collection, list(dict.fromkeys(focused.values())), setting)
        curves = curves_of(collection, curved, setting).curves
        in_order = [scores.runs.index(messages.canonical(move)) for move in many(self.moves)]
        for condition, of_focused in focused.items():
            matrix = scores.matrix(*of_focused.texts)[in_order]
            undefined: arrays.BoolArray = np.asarray(np.isnan(matrix).all(axis=0))
            parts = [means(matrix[:, ~undefined])[:, None]]
            if of_focused.texts in curves:
                parts.insert(0, curves[of_focused.texts][in_order])
            yield condition, np.concatenate(parts, axis=1), undefined

    def _rows(self, condition: Condition[Measure], levels: Sequence[float | None], values: arrays.FloatArray) -> pl.DataFrame:
        """Returns the table rows of one condition; `values` has a row for each probability of moving, shape (moves, levels)."""
        return Values.frame(
            move=np.repeat(np.array(many(self.moves)), len(levels)),
            measure=str(condition.measure),
            quantisation=messages.canonical(condition.criterion),
            level=[*levels] * len(many(self.moves)),
            value=values.reshape(-1),
        )


@dataclass(frozen=True, slots=True, repr=False)
class _Focused(Measure):
    """A measure that does not have a task parameter, computed from the gains that results have in the focused task."""

    measure: Measure

    def __str__(self) -> str:
        return str(self.measure)

    @property
    def quantised(self) -> Quantised:
        return self.measure.quantised

    def evaluate(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> arrays.FloatArray:
        return self.measure.evaluate(evidence.focusing("paths"), quantisation)


@dataclass(frozen=True, slots=True, repr=False)
class _FocusedCurve(_Focused, Traced):
    """A measure with a curve; the measure and the curve are computed from the gains of results in the focused task."""

    measure: Curved

    @property
    def axes(self) -> Axes:
        return self.measure.axes

    @property
    def levels(self) -> tuple[float, ...]:
        return self.measure.levels

    def curve(self, evidence: JudgedRuns, quantisation: Quantisation | None) -> arrays.FloatArray:
        return self.measure.curve(evidence.focusing("paths"), quantisation)


def _focused_measure(measure: Measure) -> Measure:
    """Returns the measure for the focused task, in which repeated text is counted only once."""
    if isinstance(measure, OfTask):
        return measure.focused()
    if isinstance(measure, Cut):
        family: Uncut = measure.family
        return Cut(family.focused(), measure.at) if isinstance(family, OfTask) else _Focused(measure)
    return _FocusedCurve(measure) if isinstance(measure, Curved) else _Focused(measure)


def _levels(measure: Measure) -> tuple[float, ...]:
    return measure.levels if isinstance(measure, Curved) else ()


degradation: Final = Degradation
