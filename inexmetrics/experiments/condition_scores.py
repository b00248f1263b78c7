"""The scores that an experiment starts from: for each of its conditions, those of every run on every topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from types import MappingProxyType

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.names import SCORED_0, unanswered_topics
from inexmetrics.collection.origin import Origin, origin_of
from inexmetrics.collection.runs import answered
from inexmetrics.collection.score_matrices import ConditionTexts, Scores, condition_text
from inexmetrics.collection.systems import Systems
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.conditions import Measured
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Measure
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of

__all__ = ["ConditionScores", "Scored", "check_answerable", "check_compat", "scored", "topics_answered", "with_left_out"]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionScores:
    """What the runs scored under one condition. R runs, T topics, U topics for which the measure is defined.

    Attributes:
        measure: The measure's text.
        quantisation: The quantisation's text, 1 where there is none.
        runs: The runs, in string order.
        topics: The topics, in string order.
        matrix: Scores, R x T; NaN where undefined.
        defined: Topics for which the measure is defined, T.
        scores: Scores on these topics, R x U, finite.
        means: Mean over these topics, R; NaN where there is none.
        clusters: By name, the cluster of each of these topics, U.
    """

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
        """How many topics the measure is defined for, U."""
        return int(self.defined.sum())

    @property
    def names(self) -> dict[str, str]:
        """The columns of tables that say which condition it is."""
        return {"measure": self.measure, "quantisation": self.quantisation}

    @property
    def text(self) -> str:
        """The condition as a formula writes it: ``MAep ~ Gen5``, ``MAP``."""
        return condition_text(self.measure, self.quantisation)

    def on(self, topics: BoolArray) -> ConditionScores:
        """Return the scores on some of the topics, T; the others become undefined."""
        kept = topics[self.defined]
        if kept.all():
            return self
        scores = np.ascontiguousarray(self.scores[:, kept])
        clusters = {name: tuple(compress(of_topics, kept.tolist())) for name, of_topics in self.clusters.items()}
        matrix, defined = np.where(topics, self.matrix, np.nan), self.defined & topics
        return replace(self, matrix=matrix, defined=defined, scores=scores, means=means(scores), clusters=clusters)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of all conditions of an experiment, and what is known of them.

    Attributes:
        conditions: The conditions, in the order the formula was written.
        origin: The data they were computed from.
        warnings: What a reader should know of them.
        answered: Where an evaluator is followed that averages the topics a run answers: which these are, R x T; else None.
        repeats: Of systems, the scores of their single runs under the same conditions; else None.
        systems: The system of each of these runs.
    """

    conditions: tuple[ConditionScores, ...]
    origin: Origin
    warnings: tuple[str, ...]
    answered: BoolArray | None = None
    repeats: Scores | None = None
    systems: Systems | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, or the systems, in string order."""
        return self.conditions[0].runs


def check_compat(experiment: Measured[Result], setting: RunOptions) -> None:
    """Refuses to follow an evaluator in measures whose published definitions it does not depart from."""
    if setting.compat is not None and (others := [str(measure) for measure in experiment.measures if not measure.reads_text]):
        verb = "is none" if len(others) == 1 else "are none"
        raise FormulaError(
            f"compat={canonical(setting.compat)} concerns character and in-context measures only, and {', '.join(others)} {verb}"
        )


def check_answerable(experiment: Measured[Result], source: Collection | Scores, setting: RunOptions) -> None:
    """Refuses what no measure of the experiment has a meaning for, and data that it cannot be asked of: no runs, or scores with an evaluator."""
    check_compat(experiment, setting)
    if setting.compat is not None and isinstance(source, Scores):
        raise CollectionError(
            f"{experiment.word}: expected assessments and runs for compat={canonical(setting.compat)}, "
            "which changes how measures are computed, found scores by topic"
        )
    if setting.compat is not None and source.systems is not None:
        raise CollectionError(
            f"{experiment.word}: expected single runs for compat={canonical(setting.compat)}, whose means are over the topics that a run "
            f"answers, found {source.systems}"
        )
    if isinstance(source, Collection) and source.runs is None:
        raise CollectionError(f"{experiment.word}: expected runs, found assessments alone")


def scored(
    experiment: Measured[Result],
    source: Collection | Scores,
    setting: RunOptions,
    expected: Mapping[ConditionTexts, BoolArray] = MappingProxyType({}),
) -> Scored:
    """Return the scores that the experiment asks for.

    Args:
        experiment: The experiment, whose conditions are scored.
        source: What the runs are scored from.
        setting: Where the work runs, and the evaluator that is followed.
        expected: Topics that are expected to be undefined under a condition, T: no warning counts them.

    Raises:
        FormulaError: The setting does not fit the experiment.
        CollectionError: The data do not.
    """
    check_answerable(experiment, source, setting)
    scores = scores_of(source, experiment.conditions, setting, expected)
    clusters = source.clusters if isinstance(source, Scores) else {}
    conditions = tuple(_condition(scores, condition, clusters) for condition in experiment.conditions)
    undefined = tuple(f"no topic is defined under {condition.text}" for condition in conditions if not condition.defined.any())
    warnings = (*summaries(source.warnings), *scores.warnings, *undefined)
    found = Scored(conditions, origin_of(source), tuple(dict.fromkeys(warnings)), topics_answered(source, setting))
    return replace(found, repeats=scores.repeats, systems=scores.systems)


def topics_answered(source: Collection | Scores, setting: RunOptions) -> BoolArray | None:
    """Where an evaluator is followed, which averages the topics that a run answers: which these are, R x T; else None."""
    if setting.compat is None or isinstance(source, Scores) or source.runs is None:
        return None
    return answered(source.runs, source.topics)


def with_left_out(warnings: Sequence[str], source: Collection | Scores, averaged: BoolArray | None) -> tuple[str, ...]:
    """Warnings where each run is averaged over the topics that it answers, R x T: that others are left out, not that they are scored 0."""
    if averaged is None or averaged.all() or not isinstance(source, Collection) or source.runs is None:
        return tuple(warnings)
    texts = unanswered_topics(~averaged, source.runs.run_ids, source.topics, "left out of its means", "left out of their means")
    scored_0 = {str(problem) for problem in source.warnings if problem.kind == SCORED_0}
    return (*(warning for warning in warnings if warning not in scored_0), *(f'compat="inex_eval": {text}' for text in texts))


def _condition(scores: Scores, condition: Condition[Measure], clusters: Mapping[str, tuple[str, ...]]) -> ConditionScores:
    measure, quantisation = str(condition.measure), canonical(condition.criterion)
    matrix = scores.matrices[condition.texts]
    defined = ~np.isnan(matrix[0])  # a topic is undefined for all runs or for none
    kept = np.ascontiguousarray(matrix[:, defined])
    of_defined = {name: tuple(compress(of_topics, defined.tolist())) for name, of_topics in clusters.items()}
    return ConditionScores(measure, quantisation, scores.runs, scores.topics, matrix, defined, kept, means(kept), of_defined)
