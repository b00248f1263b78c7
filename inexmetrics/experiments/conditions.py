"""Conditions of an experiment (each measure under each quantisation), their text in formulas, and the scores of all runs."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field
from typing import ClassVar, Final, TypeAlias, TypeVar, cast

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.base import ExperimentOf, R_co
from inexmetrics.judgements.base import Judgements
from inexmetrics.measures.base import Axes, Measure, Uncut
from inexmetrics.measures.linear import LinearScore, which_are_linear
from inexmetrics.quantisations.base import Criterion
from inexmetrics.scoring.condition import Condition, crossed
from inexmetrics.scoring.evaluate import on_common_topics
from inexmetrics.terms import Integer, ListOf, Optional, Term, TermOf, parameter, required

__all__ = ["MEASURES", "QUANTISATIONS", "Measured", "Measures", "Quantisations", "many"]

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
    # Loaded only by formulas that estimate scores.
    from inexmetrics.judgements.estimated import EstimatedJudgements
    from inexmetrics.judgements.estimating import Estimating
    from inexmetrics.judgements.incomplete import OnTopics

    for measure in measures:
        if LinearScore.of(measure) is None:
            raise FormulaError(
                f"{word}: expected a measure that is linear in gains under {criterion}, found {measure}",
                hint=f"{which_are_linear()}, as in P@10 ~ {criterion}",
            )
    choice, quantisation = criterion.parts
    if quantisation is not None:
        raise FormulaError(f"{word}: expected a selection of judgements of whole documents, found a quantisation in {criterion}")
    chain = choice.chain if isinstance(choice, Judgements) else ()
    last = next((place for place, choice in enumerate(chain) if isinstance(choice, Estimating)), len(chain))
    if others := [choice for choice in chain[last + 1 :] if not isinstance(choice, OnTopics)]:
        inside = f"write the other selection inside it, as in {chain[last].word}(…, {others[0].word}(…))"
        raise FormulaError(
            f"{word}: expected the selection {chain[last].word} outside other selections of judgements, found it inside {others[0].word}",
            hint=None if isinstance(chain[last], EstimatedJudgements) else inside,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Measured(ExperimentOf[R_co], ABC):
    """An experiment that combines every measure with every quantisation: ``name(M + … ~ Q + … | test | correction, option=…)``.

    Args:
        measure: A measure, or several measures in a tuple.
        quantisation: A quantisation, or several quantisations in a tuple; None if the measures do not need a quantisation.

    Raises:
        FormulaError: A measure lacks the quantisation that it needs, or a term is repeated or in the wrong position; or the experiment
            finds which runs are better, and the measure is `Judged` or `RBPresidual`.
    """

    measure: Measures = field(metadata=required(MEASURES))
    quantisation: Quantisations = parameter(None, QUANTISATIONS)

    leading: ClassVar[tuple[str, ...]] = ()
    """Names of the parameters that are written before the formula."""
    stages: ClassVar[tuple[str, ...]] = ("test", "correction")
    """Names of the parameters that are written after a ``|`` in formulas."""
    measure_optional: ClassVar[bool] = False
    """Whether a formula may omit both the measure and the ``~``."""
    finds_better: ClassVar[bool] = False
    """Whether the experiment finds which runs are better, and therefore needs measures of quality."""
    reads_names = False
    samples_topics: ClassVar[bool] = True
    """Whether the experiment treats topics as a sample, so that clusters of topics matter to it."""
    estimates_means: ClassVar[bool] = False
    """Whether the experiment has intervals of means over topics, which do not use the clusters of its test."""

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        self.check_quantised(self.quantisations)
        for measure in self.measures if self.finds_better else ():
            if measure.of_coverage:
                raise FormulaError(
                    f"{self.word}: expected a measure of quality, found {measure}, which states how much of a ranking was judged",
                    hint=f"scores({measure}) lists its values",
                )

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
    def apart(self) -> tuple[Condition[Measure], ...]:
        """The conditions that may have scores for other topics than the others, also with ``missing="drop-topics"``."""
        return ()

    def used(self, source: Collection | Scores) -> Collection | Scores:
        """Returns the data; if topics that lack scores are dropped, without those that lack a score under one of the conditions."""
        if isinstance(source, Scores) and source.drop_topics:
            return on_common_topics(source, self.conditions, self.apart)
        return source

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
        from inexmetrics.measures.cumulated_gain import traced  # loaded only by experiments about curves, and by charts

        return {str(measure): curve.axes for measure in self.measures if (curve := traced(measure)) is not None}

    @property
    def bounds(self) -> dict[str, tuple[float, float] | None]:
        """The range of possible scores by measure; None where estimates are divided by an ideal list that may have less than the best score."""
        estimates = any(q is not None and q.estimates for q in self.quantisations)
        linear = {measure: LinearScore.of(measure) if estimates else None for measure in self.measures}
        return {str(measure): None if score is not None and score.normalised else measure.bounds for measure, score in linear.items()}

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
