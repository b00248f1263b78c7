"""The scores of all runs under the conditions of an experiment, with the warnings about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import lgamma, log
from types import MappingProxyType
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import condition_names, missing
from inexmetrics.collection.collection import Collection
from inexmetrics.collection.origin import Origin, origin_of
from inexmetrics.collection.runs import answered
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical, enumerate_names, option, shortened
from inexmetrics.common.options import Direction, RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured
from inexmetrics.inference.base import SignificanceTest, clusters_asked_for
from inexmetrics.inference.means import TOLERANCE, means
from inexmetrics.judgements.alignment import assessors_of, judged_by_others
from inexmetrics.measures.base import Cut, Measure
from inexmetrics.measures.document_measures import OfRelevance
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import drawn_in_vain, scored_as, scores_of
from inexmetrics.terms import terms_within

__all__ = [
    "ConditionScores",
    "Scored",
    "check_answerable",
    "check_compat",
    "lower_is_better",
    "scored",
    "scores_under",
    "topics_answered",
    "with_left_out",
]


CHANCE: Final = 1e-3
"""Maximum probability that scores are ranks on each topic by chance."""


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
        means: Mean scores over the topics for which the measure is defined; NaN without topics, shape (R,).
        clusters: Maps the name of each clustering to the clusters of the U topics for which the measure is defined.
        expected_gains: Whether the scores on most topics are expected gains, whose errors no test knows.
        runs_vary: Whether runs are systems whose means would be notably different with other runs, such as other seeds.
    """

    texts: condition_names.ConditionTexts
    measure: str
    quantisation: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    matrix: FloatArray
    defined: BoolArray
    scores: FloatArray
    means: FloatArray
    clusters: Mapping[str, tuple[str, ...]]
    expected_gains: bool = False
    runs_vary: bool = False

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
        return condition_names.condition_text(self.measure, self.quantisation)

    @property
    def of_these_runs(self) -> str:
        """Warning about conclusions if `runs_vary`."""
        return (
            f"under {self.text}, the means of a system's runs differ, and runs are treated as fixed: conclusions hold for these runs of the "
            "systems, not for other runs, such as other seeds; reliability estimates the variance over runs"
        )

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
    """Raises `FormulaError` if `compat`, which applies only to measures of text, is given without a measure, or with a measure of other data."""
    if setting.compat is None:
        return
    others = [str(measure) for measure in experiment.measures if not measure.reads_text]
    if others or not experiment.measures:
        found = f"not to {', '.join(others)}" if others else "found no measure"
        raise FormulaError(f"compat={canonical(setting.compat)} applies only to character and in-context measures, {found}")


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


def scores_under(
    source: Collection | Scores,
    conditions: Sequence[Condition[Measure]],
    setting: RunOptions,
    expected: Mapping[condition_names.ConditionTexts, BoolArray] = MappingProxyType({}),
) -> tuple[Scores, list[ConditionScores], Mapping[str, None]]:
    """Returns the scores under each condition, as a table and by condition, and the texts of the measures whose lower scores are better.

    For the arguments, see `scored`, which also checks the data and warns.
    """
    scores = scores_of(source, conditions, setting, expected)
    clusters = source.clusters if isinstance(source, Scores) else {}
    found: list[ConditionScores] = []
    lower: dict[str, None] = {}
    for condition in conditions:
        measure, quantisation = str(condition.measure), canonical(condition.criterion)
        matrix = scores.matrices[condition.texts]
        if lower_is_better(condition, source):
            matrix, lower[measure] = 0.0 - matrix, None  # 0 - 0 is 0; the negated 0 is -0
        defined = ~np.isnan(matrix[0])  # a topic is undefined for all runs or for none of the runs
        kept = np.ascontiguousarray(matrix[:, defined])
        of_defined = {name: tuple(compress(of_topics, defined.tolist())) for name, of_topics in clusters.items()}
        names = condition.texts, measure, quantisation, scores.runs, scores.topics
        expected_gains = (
            condition.criterion is not None
            and condition.criterion.estimates
            and condition.choice is not None
            and isinstance(source, Collection)
            and condition.choice.expected_gains(source.assessments, source.runs)
        )
        vary = False
        if scores.systems is not None and scores.repeats is not None:
            from inexmetrics.inference.variance_components import runs_vary  # imported here, because few scores are of repeated systems

            vary = runs_vary(scores.repeats.matrices[condition.texts][:, defined], scores.systems.codes, kept)
        found.append(ConditionScores(*names, matrix, defined, kept, means(kept), of_defined, expected_gains, vary))
    return scores, found, lower


def scored(
    experiment: Measured[Result],
    source: Collection | Scores,
    setting: RunOptions,
    expected: Mapping[condition_names.ConditionTexts, BoolArray] = MappingProxyType({}),
    conditions: Sequence[Condition[Measure]] | None = None,
    *,
    apart_said: bool = False,
) -> Scored:
    """Returns the scores under all conditions of an experiment.

    Args:
        experiment: The experiment, whose conditions are scored.
        source: Assessments and runs, or scores by topic.
        setting: Run options, including the evaluator whose results are reproduced.
        expected: Topics that are expected to be undefined under a condition, and for which no warning is given; shape (T,).
        conditions: The conditions to score; None for the experiment's own conditions.
        apart_said: Whether the experiment itself says how many documents only one of the compared assessors judged.

    Raises:
        FormulaError: The setting is incompatible with the experiment.
        CollectionError: The data do not contain runs, or do not fit the setting.
    """
    check_answerable(experiment, source, setting)
    asked = experiment.conditions if conditions is None else conditions
    scores, found, lower = scores_under(source, asked, setting, expected)
    undefined = [
        f"{condition.text} is undefined for every topic{_why_undefined(of.measure, source)}"
        for of, condition in zip(asked, found, strict=True)
        if not condition.defined.any()
    ]
    constant = _without_variance(found) if isinstance(source, Scores) else ()
    warnings = tuple(
        dict.fromkeys(
            (
                *summaries(source.warnings),
                *scores.warnings,
                *_undirected(asked, source, found),
                *drawn_in_vain(source, experiment.conditions),
                *_of_others(asked, source, apart_said=apart_said),
                *_clusters_unused(experiment, source),
                *undefined,
                *constant,
            )
        )
    )
    origin = replace(origin_of(source), lower=tuple(lower))
    return Scored(tuple(found), origin, warnings, topics_answered(source, setting), scores.repeats, scores.systems)


def _of_others(conditions: Sequence[Condition[Measure]], source: Collection | Scores, *, apart_said: bool) -> Iterator[str]:
    """Yields a warning for each assessor or jury of the conditions, if only other assessors judged documents at the top of the runs.

    If the experiment says which documents only one of the compared assessors judged, several assessors give no further warnings.
    """
    if isinstance(source, Scores) or source.runs is None:
        return
    criteria = [condition.criterion for condition in conditions if condition.criterion is None or not condition.criterion.estimates]
    named = dict.fromkeys(map(assessors_of, criteria))
    if apart_said and len(named) > 1:
        return
    for assessors in named:
        if assessors is not None and (found := judged_by_others(source.assessments, source.runs, assessors)):
            yield found


def _clusters_unused(experiment: Measured[Result], source: Collection | Scores) -> Iterator[str]:
    """Yields a warning if the scores have clusters of topics, and an experiment that treats topics as a sample does not use them."""
    if not isinstance(source, Scores) or not source.clusters:
        return
    used = clusters_asked_for(experiment)
    if not experiment.samples_topics or (used and not experiment.estimates_means):
        return
    name = next(iter(source.clusters))
    if used:
        yield f"{experiment.word}: intervals of means treat topics with the same {shortened(name)} as independent, although they are declared to be clusters"
        return
    tests = any(isinstance(term, SignificanceTest) for term in terms_within(experiment))
    way = f"write t(clusters={canonical(name)})" if tests else f"{experiment.word} has no option for clusters"
    yield f"topics with the same {shortened(name)} are treated as independent, although they are declared to be clusters; {way}"


def _why_undefined(measure: Measure, source: Collection | Scores) -> str:
    """Returns the end of the warning about a measure that is undefined for every topic, if all grades are below its lowest relevant grade.

    The usual cause is that grades are probabilities, which are below 1. For other causes, the text is empty.
    """
    whole = measure.uncut
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
    stated = _stated_by(source, condition) if isinstance(source, Scores) else None
    if asked and stated and asked != stated:
        raise CollectionError(
            f"{condition.measure}: expected a measure whose {stated} scores are better, as the source of the scores states, found one "
            f"whose {asked} scores are better"
        )
    return (asked or stated) == "lower"


def _stated_by(source: Scores, condition: Condition[Measure]) -> Direction | None:
    """Returns the direction that the source of scores states for a measure, or in the headings of all topics, as *LibriSpeech ↓* does."""
    first = condition_names.stated_direction(source.topics[0])
    if first is not None and any(condition_names.stated_direction(topic) != first for topic in source.topics):
        first = None
    if not source.directions:
        return first
    return source.directions.get(source.kept_under(*scored_as(condition, source).texts)[0], first)


def _ranks(scores: FloatArray) -> bool:
    """Returns whether the scores of three or more runs are their ranks on each topic, without ties, and this is probably no chance."""
    runs, topics = scores.shape
    if runs < 3 or topics * (lgamma(runs + 1) - runs * log(runs)) > log(CHANCE):
        return False
    first = scores.min()  # few scores begin with 0 or 1 and end accordingly, so that most need not be sorted
    if first not in (0, 1) or scores.max() != first + runs - 1:
        return False
    return bool((np.sort(scores, axis=0) == np.arange(first, first + runs)[:, None]).all())


def _undirected(conditions: Sequence[Condition[Measure]], source: Collection | Scores, found: Sequence[ConditionScores]) -> Iterator[str]:
    """Yields a warning for each measure whose lower scores are better by name, by the names of topics or runs, or as ranks.

    Nothing is said of a measure whose direction the formula or the source states.
    """
    if not isinstance(source, Scores):
        return
    of_columns = [name for name in source.topics if condition_names.lower_by_part(name)] + [
        name for name in source.runs if condition_names.lower_by_name(name)
    ]
    of_columns = [name for name in of_columns if condition_names.stated_direction(name) is None]
    of_topics = all(map(condition_names.lower_by_part, source.topics))
    stated = {topic: way for topic in source.topics if (way := condition_names.stated_direction(topic)) is not None}
    for condition, of_runs in zip(conditions, found, strict=True):
        used = "lower" if lower_is_better(condition, source) else "higher"
        if against := [topic for topic, way in stated.items() if way != used]:
            yield f"under {condition.measure}, {used} scores are taken as better, although the headings of {enumerate_names(against)} state the opposite"
        if of_columns and used == "higher" and not of_topics:
            text = f"under {condition.measure}, higher scores are taken as better, although lower scores of {enumerate_names(of_columns)} are usually better"
            yield f"{text}; {option(ignore=of_columns)} in place of keep= excludes {'it' if len(of_columns) == 1 else 'them'}, the name {canonical(of_columns[0] + ' ↑')} in the table confirms"
        name = condition_names.plain_name(str(condition.measure))
        by_name = condition_names.lower_by_part(name)
        ranks = not (by_name or of_topics) and _ranks(of_runs.scores)
        if not (by_name or of_topics or ranks) or condition.measure.direction is not None or _stated_by(source, condition) is not None:
            continue
        of = "" if by_name else f" of {enumerate_names(source.topics)}"
        lower, higher = (f"given({canonical(name)}, better={canonical(way)})" for way in ("lower", "higher"))
        why = "the scores of each topic are ranks" if ranks else f"lower scores{of} are usually better"
        text = f"under {condition.measure}, higher scores are taken as better, although {why}"
        yield f"{text}; write {lower}, or {higher} to confirm"


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
                "differences as certain; if these are means, give the scores by topic"
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
    texts = missing.unanswered_topics(~averaged, source.runs.run_ids, source.topics, "excluded from its means", "excluded from their means")
    scored_0 = {str(problem) for problem in source.warnings if problem.kind == missing.SCORED_0}
    return (*(warning for warning in warnings if warning not in scored_0), *(f'compat="inex_eval": {text}' for text in texts))
