"""Conditions of an experiment (each measure under each quantisation), their text in formulas, and the scores of all runs."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from itertools import compress
from types import MappingProxyType
from typing import ClassVar, Final, TypeAlias, TypeVar, cast

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.missing import SCORED_0, unanswered_topics
from inexmetrics.collection.origin import Origin, origin_of
from inexmetrics.collection.runs import answered
from inexmetrics.collection.score_matrices import ConditionTexts, Scores, condition_text
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import ExperimentOf, R_co, Result
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.judgements.alignment import assessors_of, judged_by_others
from inexmetrics.judgements.base import Judgements
from inexmetrics.judgements.incomplete import OnTopics
from inexmetrics.judgements.weighted import Estimating
from inexmetrics.measures.base import Axes, Cut, Measure, Uncut
from inexmetrics.measures.cumulated_gain import traced
from inexmetrics.measures.document_measures import OfRelevance
from inexmetrics.measures.linear import LINEAR, LinearScore
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import Condition, crossed
from inexmetrics.scoring.evaluate import scored_as, scores_of
from inexmetrics.terms.parameter_types import Integer, ListOf, Optional
from inexmetrics.terms.term import Term, TermOf, parameter, required

__all__ = [
    "MEASURES",
    "QUANTISATIONS",
    "ConditionScores",
    "Measured",
    "Measures",
    "Quantisations",
    "Scored",
    "check_answerable",
    "check_compat",
    "lower_is_better",
    "many",
    "scored",
    "topics_answered",
    "with_left_out",
]

V = TypeVar("V")

Measures: TypeAlias = Measure | Sequence[Measure]
"""One measure, or several measures in a sequence."""
Quantisations: TypeAlias = Criterion | Sequence[Criterion | None] | None
"""A quantisation, a selection of judgements, or a sequence of several; None, written as 1 in formulas, means no quantisation and no selection."""


def many(terms: V | Sequence[V]) -> tuple[V, ...]:
    """Returns a tuple of terms from one term or from a tuple or list of terms."""
    return tuple(cast("Sequence[V]", terms)) if isinstance(terms, (tuple, list)) else (cast("V", terms),)


@dataclass(frozen=True, slots=True, init=False)
class _OfMeasure(TermOf[Measure]):
    """The parameter for a measure; rejects a measure that lacks a required cutoff."""

    def accept(self, value: object) -> Measure:
        if isinstance(value, Measure):
            return value
        hint = f"write {value}@{25 if isinstance(value.cuts, Integer) else 0.01}" if isinstance(value, Uncut) else None
        raise FormulaError(self.refused(value).message, hint=hint)


@dataclass(frozen=True, slots=True, init=False)
class _OfCriterion(TermOf[Criterion]):
    """The parameter for a quantisation or a selection of judgements."""

    def accept(self, value: object) -> Criterion:
        if isinstance(value, Criterion):
            return value
        hint = "omit it, or write None, if there is no quantisation" if canonical(value) == canonical(None) else None
        raise FormulaError(self.refused(value).message, hint=hint)


MEASURES: Final = ListOf(_OfMeasure(Measure))
QUANTISATIONS: Final = ListOf(Optional(_OfCriterion(Criterion)))


def check_estimated(word: str, measures: Sequence[Measure], criterion: Criterion) -> None:
    """Raises `FormulaError` unless the scores of the measures can be estimated under a criterion: linear measures of whole documents."""
    for measure in measures:
        if LinearScore.of(measure) is None:
            raise FormulaError(
                f"{word}: expected a measure that is linear in gains under {criterion}, found {measure}",
                hint=f"{LINEAR} are linear in gains, as in P@10 ~ {criterion}",
            )
    choice, quantisation = criterion.parts
    if quantisation is not None:
        raise FormulaError(f"{word}: expected a selection of judgements of whole documents, found a quantisation in {criterion}")
    chain = choice.chain if isinstance(choice, Judgements) else ()
    last = next((place for place, choice in enumerate(chain) if isinstance(choice, Estimating)), len(chain))
    if others := [choice for choice in chain[last + 1 :] if not isinstance(choice, OnTopics)]:
        raise FormulaError(
            f"{word}: expected the selection {chain[last].word} outside other selections of judgements, found it inside {others[0].word}",
            hint=f"write the other selection inside it, as in {chain[last].word}(…, {others[0].word}(…))",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Measured(ExperimentOf[R_co], ABC):
    """An experiment that combines every measure with every quantisation: ``name(M + … ~ Q + … | test | correction, option=…)``.

    Args:
        measure: A measure, or several measures in a tuple.
        quantisation: A quantisation, or several quantisations in a tuple; None if the measures do not need a quantisation.

    Raises:
        FormulaError: A measure lacks the quantisation that it needs, or a term is repeated or in the wrong position.
    """

    measure: Measures = field(metadata=required(MEASURES))
    quantisation: Quantisations = parameter(None, QUANTISATIONS)

    leading: ClassVar[tuple[str, ...]] = ()
    """Names of the parameters that are written before the formula."""
    stages: ClassVar[tuple[str, ...]] = ("test", "correction")
    """Names of the parameters that are written after a ``|`` in formulas."""
    measure_optional: ClassVar[bool] = False
    """Whether a formula may omit both the measure and the ``~``."""

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        self.check_quantised(self.quantisations)

    def check_quantised(self, criteria: Iterable[Criterion | None]) -> None:
        """Checks that measures and criteria fit.

        Raises:
            FormulaError: A measure lacks a quantisation that it needs, or has a quantisation that it does not use; or the scores of a
                measure cannot be estimated from a sample of judgements.
        """
        # A formula may combine thousands of measures with thousands of quantisations, so only one term of each kind is checked.
        criteria = [*criteria]
        estimating = next((q for q in criteria if q is not None and q.estimates), None)
        if estimating is not None:
            check_estimated(self.word, self.measures, estimating)
        quantising = next((q for q in criteria if q is not None and q.parts[1] is not None), None)
        others = [q for q in criteria if q is None or q.parts[1] is None]
        for measure in self.measures:
            if measure.quantised == "required" and others:
                other = others[0]
                found = "none" if other is None else f"{other}, which {other.names}"
                hint = f"name one after '~', as in {measure} ~ {'Gen5' if other is None else other.quantised_by('Gen5')}"
                raise FormulaError(f"{self.word}: expected a quantisation for {measure}, found {found}", hint=hint)
            if measure.quantised == "never" and quantising is not None:
                judgements = quantising.parts[0]
                hint = f"write {measure} alone" if judgements is None else f"write {measure} ~ {judgements}"
                raise FormulaError(f"{self.word}: expected no quantisation for {measure}, found {quantising}", hint=hint)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in formula order."""
        return many(self.measure)

    @property
    def quantisations(self) -> tuple[Criterion | None, ...]:
        """The quantisations, in formula order; ``(None,)`` if there is no quantisation."""
        return many(self.quantisation)

    @property
    def conditions(self) -> tuple[Condition[Measure], ...]:
        """The conditions in formula order: the first measure with every quantisation, then the second measure, and so on."""
        return crossed(self.measures, self.quantisations)

    def __str__(self) -> str:
        leading, stages, options = [], [], []
        for name, default, value in self._arguments():
            if name in self.leading:
                leading.append(canonical(value))
            elif name in {"measure", "quantisation"} or (default is not MISSING and value == default):
                continue
            elif name in self.stages:
                stages.append(canonical(value))
            else:
                options.append(f"{name}={canonical(value)}")
        formula = " | ".join([self.conditions_text, *stages])
        return f"{self.word}({', '.join([*leading, formula, *options])})"

    @property
    def condition_noun(self) -> str:
        """The noun for the conditions in a sentence: measure, quantisation, or condition if both vary."""
        if len(self.quantisations) == 1:
            return "measure"
        quantising = all(q is not None and q.parts[0] is None for q in self.quantisations)
        return "quantisation" if quantising and len(self.measures) == 1 else "condition"

    @property
    def axes(self) -> dict[str, Axes]:
        """The names of the two axes of each measure's curve, keyed by the measure's text; measures without a curve are omitted."""
        return {str(measure): curve.axes for measure in self.measures if (curve := traced(measure)) is not None}

    @property
    def bounds(self) -> dict[str, tuple[float, float] | None]:
        """The range of possible scores by measure."""
        return {str(measure): measure.bounds for measure in self.measures}

    @property
    def topics_drawn(self) -> int | None:
        numbers = {None if condition.topics is None else condition.topics.n for condition in self.conditions}
        return numbers.pop() if len(numbers) == 1 else None

    def facts(self, source: Collection) -> tuple[str, ...]:
        chosen = dict.fromkeys(condition.judgements for condition in self.conditions if condition.judgements is not None)
        return tuple(dict.fromkeys(fact for judgements in chosen for fact in judgements.facts(source.assessments, source.runs)))

    @property
    def conditions_text(self) -> str:
        """The conditions as written in a formula: ``M + … ~ Q + …``, or ``M + …`` if there is no quantisation."""
        sides = [self.measures, () if self.quantisations == (None,) else self.quantisations]
        return " ~ ".join(" + ".join(canonical(term) for term in side) for side in sides if side)


@dataclass(frozen=True, slots=True, eq=False)
class ConditionScores:
    """The scores of R runs on T topics under one condition; the measure is defined for U of the topics.

    Attributes:
        texts: The canonical texts of the measure and the quantisation under which the scores are stored.
        measure: The measure, as written in a formula.
        quantisation: The quantisation, as written in a formula; 1 if there is no quantisation.
        runs: The runs' ids, in lexicographic order.
        topics: The topics' ids, in lexicographic order.
        matrix: Scores, negated if lower scores are better; NaN for topics for which the measure is undefined, shape (R, T).
        defined: Whether the measure is defined for each topic, shape (T,).
        scores: Scores on the topics for which the measure is defined, all finite, shape (R, U).
        means: Mean scores over the topics for which the measure is defined; NaN if there are no such topics, shape (R,).
        clusters: Maps the name of each clustering to the clusters of the U topics for which the measure is defined.
    """

    texts: ConditionTexts
    measure: str
    quantisation: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    matrix: FloatArray
    defined: BoolArray
    scores: FloatArray
    means: FloatArray
    clusters: Mapping[str, tuple[str, ...]]

    @property
    def topics_defined(self) -> int:
        """The number of topics for which the measure is defined, U."""
        return int(self.defined.sum())

    @property
    def names(self) -> dict[str, str]:
        """The values of the columns that identify the condition, by column name."""
        return {"measure": self.measure, "quantisation": self.quantisation}

    @property
    def text(self) -> str:
        """The condition as in a formula: ``MAep ~ Gen5``, ``MAP``."""
        return condition_text(self.measure, self.quantisation)

    def with_zeros(self, topics: BoolArray) -> ConditionScores:
        """Returns the scores with 0 on the selected topics, for which the measure is undefined; `topics` has shape (T,). Clusters are lost."""
        matrix, defined = np.where(topics, 0.0, self.matrix), self.defined | topics
        scores = np.ascontiguousarray(matrix[:, defined])
        return replace(self, matrix=matrix, defined=defined, scores=scores, means=means(scores), clusters={})

    def on(self, topics: BoolArray) -> ConditionScores:
        """Returns the scores on the selected topics; the measure becomes undefined for the other topics. `topics` has shape (T,)."""
        kept = topics[self.defined]
        if kept.all():
            return self
        scores = np.ascontiguousarray(self.scores[:, kept])
        clusters = {name: tuple(compress(of_topics, kept.tolist())) for name, of_topics in self.clusters.items()}
        matrix, defined = np.where(topics, self.matrix, np.nan), self.defined & topics
        return replace(self, matrix=matrix, defined=defined, scores=scores, means=means(scores), clusters=clusters)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores under all conditions of an experiment, with their origin and warnings.

    Attributes:
        conditions: The scores under each condition, in formula order.
        origin: The data from which the scores were computed.
        warnings: Warnings about the data.
        answered: Whether each run answers each topic, shape (R, T). None unless `compat` names an evaluator that averages over the answered
            topics.
        repeats: The scores of each system's individual runs under the same conditions; None if runs are not grouped into systems.
        systems: The system of each run; None if runs are not grouped into systems.
    """

    conditions: tuple[ConditionScores, ...]
    origin: Origin
    warnings: tuple[str, ...]
    answered: BoolArray | None = None
    repeats: Scores | None = None
    systems: Systems | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs, or of the systems, in lexicographic order."""
        return self.conditions[0].runs


def check_compat(experiment: Measured[Result], setting: RunOptions) -> None:
    """Raises `FormulaError` if `compat` is given but some measure does not read text; `compat` applies only to measures of text."""
    if setting.compat is not None and (others := [str(measure) for measure in experiment.measures if not measure.reads_text]):
        raise FormulaError(
            f"compat={canonical(setting.compat)} applies only to character and in-context measures, not to {', '.join(others)}"
        )


def check_answerable(experiment: Measured[Result], source: Collection | Scores, setting: RunOptions) -> None:
    """Raises an error for settings that do not apply to the experiment's measures, and for data without runs or of the wrong kind."""
    check_compat(experiment, setting)
    if setting.compat is not None and isinstance(source, Scores):
        raise CollectionError(
            f"{experiment.word}: expected assessments and runs, found scores by topic; "
            f"compat={canonical(setting.compat)} changes how measures are computed"
        )
    if setting.compat is not None and source.systems is not None:
        raise CollectionError(
            f"{experiment.word}: expected single runs, found {source.systems}; "
            f"compat={canonical(setting.compat)} averages over the topics that each run answers"
        )
    if isinstance(source, Collection) and source.runs is None:
        raise CollectionError(f"{experiment.word}: expected runs, found only assessments")


def scored(
    experiment: Measured[Result],
    source: Collection | Scores,
    setting: RunOptions,
    expected: Mapping[ConditionTexts, BoolArray] = MappingProxyType({}),
    conditions: Sequence[Condition[Measure]] | None = None,
) -> Scored:
    """Returns the scores under all conditions of an experiment.

    Args:
        experiment: The experiment, whose conditions are scored.
        source: Assessments and runs, or scores by topic.
        setting: Run options, including the evaluator whose results are reproduced.
        expected: Topics that are expected to be undefined under a condition, and for which no warning is given; shape (T,).
        conditions: The conditions to score; None for the experiment's own conditions.

    Raises:
        FormulaError: The setting is incompatible with the experiment.
        CollectionError: The data do not contain runs, or do not fit the setting.
    """
    check_answerable(experiment, source, setting)
    asked = experiment.conditions if conditions is None else conditions
    scores = scores_of(source, asked, setting, expected)
    clusters = source.clusters if isinstance(source, Scores) else {}
    found: list[ConditionScores] = []
    lower: dict[str, None] = {}
    for condition in asked:
        measure, quantisation = str(condition.measure), canonical(condition.criterion)
        matrix = scores.matrices[condition.texts]
        if lower_is_better(condition, source):
            matrix, lower[measure] = 0.0 - matrix, None  # 0 - 0 is 0; the negated 0 is -0
        defined = ~np.isnan(matrix[0])  # a topic is undefined for all runs or for none of the runs
        kept = np.ascontiguousarray(matrix[:, defined])
        of_defined = {name: tuple(compress(of_topics, defined.tolist())) for name, of_topics in clusters.items()}
        found.append(
            ConditionScores(
                condition.texts, measure, quantisation, scores.runs, scores.topics, matrix, defined, kept, means(kept), of_defined
            )
        )
    undefined = [
        f"{condition.text} is undefined for every topic{_why_undefined(of.measure, source)}"
        for of, condition in zip(asked, found, strict=True)
        if not condition.defined.any()
    ]
    constant = _without_variance(found) if isinstance(source, Scores) else ()
    warnings = tuple(dict.fromkeys((*summaries(source.warnings), *scores.warnings, *_of_others(asked, source), *undefined, *constant)))
    origin = replace(origin_of(source), lower=tuple(lower))
    return Scored(tuple(found), origin, warnings, topics_answered(source, setting), scores.repeats, scores.systems)


def _of_others(conditions: Sequence[Condition[Measure]], source: Collection | Scores) -> Iterator[str]:
    """Yields the warning about documents that only other assessors judged, if the conditions use the judgements of one assessor or jury.

    Experiments that compare assessors count the documents that only one of two assessors judged, and say so themselves.
    """
    if isinstance(source, Scores) or source.runs is None:
        return
    named = {assessors_of(condition.criterion) for condition in conditions}
    estimating = any(condition.criterion is not None and condition.criterion.estimates for condition in conditions)
    [assessors] = named if len(named) == 1 else {None}
    if assessors is not None and not estimating and (found := judged_by_others(source.assessments, source.runs, assessors)):
        yield found


def _why_undefined(measure: Measure, source: Collection | Scores) -> str:
    """Returns the end of the warning about a measure that is undefined for every topic, if all grades are below its lowest relevant grade.

    The usual cause is that grades are probabilities, which are below 1. For other causes, the text is empty.
    """
    whole = measure.family if isinstance(measure, Cut) else measure
    if isinstance(source, Scores) or not isinstance(whole, OfRelevance):
        return ""
    tables = (table for name, table in source.assessments.tables.items() if name in ("grades", "assessors"))
    grades = pl.concat([pl.Series("grade", [0.0]), *(table["grade"].cast(pl.Float64) for table in tables)])
    highest = float(grades.to_numpy().max())
    if not 0.0 < highest < whole.rel:
        return ""
    lower = whole(rel=0.5 if 0.5 <= highest <= 1.0 else highest)
    written = f"{lower}@{canonical(measure.at)}" if isinstance(measure, Cut) else str(lower)
    return f": the highest grade is {canonical(highest)}, and grades of at least {canonical(whole.rel)} are relevant; write {written}"


def lower_is_better(condition: Condition[Measure], source: Collection | Scores) -> bool:
    """Returns whether lower scores are better under a condition, as the formula or the source of the scores states.

    Raises:
        CollectionError: The formula and the source state different directions.
    """
    asked = condition.measure.direction
    if not isinstance(source, Scores) or not source.directions:
        return asked == "lower"
    stated = source.directions.get(source.kept_under(*scored_as(condition, source).texts)[0])
    if asked and stated and asked != stated:
        raise CollectionError(
            f"{condition.measure}: expected a measure whose {stated} scores are better, as the source of the scores states, found one "
            f"whose {asked} scores are better"
        )
    return (asked or stated) == "lower"


def _without_variance(conditions: Iterable[ConditionScores]) -> Iterator[str]:
    """Yields a warning for each condition under which each pair of runs differs by the same amount on all topics.

    The usual cause is that means were given instead of scores by topic. With only one or two topics, differences may be equal by chance, so
    conditions with at most two topics are ignored. Conditions under which all runs have the same mean are also ignored.
    """
    for condition in conditions:
        scores, topics = condition.scores, condition.topics_defined
        if topics > 2 and np.ptp(scores - scores[0], axis=1).max() <= TOLERANCE < np.ptp(condition.means):
            yield (
                f"every difference between two runs is the same on all {topics} topics under {condition.text}, so that tests treat the "
                "differences as certain; give the scores by topic, not the means"
            )


def topics_answered(source: Collection | Scores, setting: RunOptions) -> BoolArray | None:
    """Returns whether each run retrieves any result for each topic, shape (R, T); None unless ``compat`` is given."""
    if setting.compat is None or isinstance(source, Scores) or source.runs is None:
        return None
    return answered(source.runs, source.topics)


def with_left_out(warnings: Sequence[str], source: Collection | Scores, averaged: BoolArray | None) -> tuple[str, ...]:
    """Returns the warnings. If unanswered topics are excluded from the means, the warning that they score 0 is replaced.

    The new warning says that the unanswered topics are excluded from the means.
    """
    if averaged is None or averaged.all() or not isinstance(source, Collection) or source.runs is None:
        return tuple(warnings)
    texts = unanswered_topics(~averaged, source.runs.run_ids, source.topics, "excluded from its means", "excluded from their means")
    scored_0 = {str(problem) for problem in source.warnings if problem.kind == SCORED_0}
    return (*(warning for warning in warnings if warning not in scored_0), *(f'compat="inex_eval": {text}' for text in texts))
