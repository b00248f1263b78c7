"""Pairs of conditions on common topics: those that were judged under both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import TypeAlias

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import ConditionTexts, Scores
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.tested import Tested, check_several_runs
from inexmetrics.inference.conclusions import Conclusions
from inexmetrics.measures.base import Measure
from inexmetrics.scoring.condition import Condition

__all__ = ["Concluded", "PairsOnCommonTopics", "concluded_pairs"]

Concluded: TypeAlias = tuple[ConditionScores, Conclusions]
"""The scores of runs under a condition, and the conclusions drawn from them."""
PairsOnCommonTopics: TypeAlias = list[tuple[Concluded, Concluded]]


def concluded_pairs(
    experiment: Tested[Result], source: Collection | Scores, places: Iterable[tuple[int, int]], setting: RunOptions
) -> tuple[PairsOnCommonTopics, tuple[str, ...]]:
    """Returns pairs of the experiment's conditions, each on the topics judged under both of its conditions, and the warnings.

    A topic that was not judged under a condition says nothing about its agreement with another one. A topic that was judged but is undefined
    remains under the other condition: that is a cost of the condition. Topics of scores by topic count as judged.

    Args:
        experiment: The experiment, whose test and correction are used.
        source: Assessments and runs, or scores.
        places: The positions of the two conditions of each pair.
        setting: Run options (executor, threads).

    Raises:
        CollectionError: There are fewer than two runs, or no topic was judged under both conditions of a pair.
    """
    judged = _judged(source, experiment.conditions)
    found = scored(experiment, source, setting, {texts: ~topics for texts, topics in judged.items()})
    check_several_runs(experiment.word, found.runs)
    masks = [judged.get(condition.texts, np.ones(len(source.topics), dtype=np.bool_)) for condition in experiment.conditions]
    concluded: dict[tuple[int, bytes], Concluded] = {}
    warnings, pairs, excluded = list(found.warnings), [], _Excluded()
    for of_pair in places:
        first, second = (found.conditions[place] for place in of_pair)
        common = masks[of_pair[0]] & masks[of_pair[1]]
        if not common.any():
            raise CollectionError(
                f"{experiment.word}: expected topics that were judged under both {first.text} and {second.text}, found none"
            )
        excluded.add(first, second, masks[of_pair[1]])
        excluded.add(second, first, masks[of_pair[0]])
        sides = []
        for place, condition in zip(of_pair, (first, second), strict=True):
            on_common = condition.on(common)
            key = place, on_common.defined.tobytes()
            if key not in concluded:
                conclusions, warned = experiment.concluded(on_common, setting)
                concluded[key] = (on_common, conclusions)
                warnings += warned
            sides.append(concluded[key])
        pairs.append((sides[0], sides[1]))
    return pairs, tuple(dict.fromkeys((*warnings, *excluded.warnings(experiment.word))))


def _judged(source: Collection | Scores, conditions: Sequence[Condition[Measure]]) -> Mapping[ConditionTexts, BoolArray]:
    """Returns which topics were judged under each condition; nothing for scores by topic."""
    return {} if isinstance(source, Scores) else {condition.texts: condition.judged_topics(source) for condition in conditions}


class _Excluded:
    """Topics that were judged under only one condition of a pair."""

    def __init__(self) -> None:
        self._conditions: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}

    def add(self, condition: ConditionScores, other: ConditionScores, judged: BoolArray) -> None:
        """Counts the topics of a condition that were not judged under the other condition of the pair."""
        if topics := tuple(compress(condition.topics, condition.defined & ~judged)):
            self._conditions.setdefault((other.text, topics), {})[condition.text] = None

    def warnings(self, word: str) -> list[str]:
        """Returns the warning with the counts by condition, if any topic is excluded."""
        parts = [
            f"{plural(len(topics), 'topic')} of {enumerate_names(list(conditions))} not judged under {other} ({enumerate_names(topics)})"
            for (other, topics), conditions in self._conditions.items()
        ]
        return [f"{word}: a pair of conditions is compared on the topics judged under both; excluded: {'; '.join(parts)}"] if parts else []
