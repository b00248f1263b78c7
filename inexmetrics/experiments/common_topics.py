"""Restricts both conditions of each pair to the topics that were judged under both conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import compress
from typing import Final, TypeAlias

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.condition_names import ConditionTexts
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.aligned import Aligned
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored, scores_under
from inexmetrics.experiments.findings import in_parentheses
from inexmetrics.experiments.gaps import Gaps, why_untested
from inexmetrics.experiments.tested import Caution, Tested, check_several_runs, others_of_kind
from inexmetrics.inference.conclusions import Conclusions
from inexmetrics.judgements.alignment import DocumentChoice
from inexmetrics.judgements.assessors import in_common
from inexmetrics.scoring.evaluate import scored_as

__all__ = ["CommonTopics", "Concluded", "PairsOnCommonTopics"]

Concluded: TypeAlias = tuple[ConditionScores, Conclusions]
"""The scores of runs under a condition, and the conclusions drawn from these scores."""
PairsOnCommonTopics: TypeAlias = list[tuple[Concluded, Concluded]]

UNLIKE: Final = 0.1
"""Share of a condition's topics that may lack scores under the other condition without a warning."""
SHARED: Final = "the truth contains topics of the predictor, so that the two agree better than they would on new topics"


class CommonTopics:
    """The scores and conclusions under each pair of an experiment's conditions, computed for one draw of topics at a time.

    Each pair is restricted to the topics that were judged under both conditions of the pair. If the two conditions name different
    assessors, their judgements are aligned by document before the runs are scored (see `Aligned`).

    If a topic was not judged under one condition of a pair, the pair excludes the topic, because the topic does not show whether the
    conditions agree. A topic that was judged but is undefined under one condition is still used under the other condition. If the topic
    were excluded under both conditions, the comparison would hide that one condition loses it. If one condition selects topics, the topics
    that it does not select are still used under the other condition. In a table of scores by topic, every topic is treated as judged.

    The runs are scored once, on all topics.

    Args:
        experiment: The experiment, whose test and correction are used.
        source: Assessments and runs, or scores by topic.
        places: The positions of the two conditions of each pair among the experiment's conditions.
        setting: The executor and the progress function of the computation.
        fresh: Whether the second condition of a pair excludes the topics that the first condition uses.
        documents: Whether documents that only one of a pair's two assessors judged are dropped (``"common"``) or kept (``"all"``).

    Raises:
        CollectionError: There are fewer than two runs, or no topic was judged under both conditions of a pair.
    """

    def __init__(
        self,
        experiment: Tested[Result],
        source: Collection | Scores,
        places: Iterable[tuple[int, int]],
        setting: RunOptions,
        *,
        fresh: bool = False,
        documents: DocumentChoice = "all",
    ) -> None:
        self._experiment, self._source, self._setting, self._fresh = experiment, source, setting, fresh
        aligned = Aligned.of(experiment.conditions, [*places], source, documents)
        self._places, self._conditions = aligned.places, aligned.conditions
        self._scored_as = [scored_as(condition, source) for condition in self._conditions]
        judged: dict[ConditionTexts, BoolArray] = {}
        if not isinstance(source, Scores):
            judged = {condition.texts: condition.judged_topics(source) for condition in dict.fromkeys(self._scored_as)}
        expected = {texts: ~topics for texts, topics in judged.items()}
        found = scored(experiment, source, setting, expected, self._scored_as, apart_said=bool(aligned.apart))
        check_several_runs(experiment.word, found.runs)
        self.origin: Final = found.origin
        self._scores = [
            replace(scores, quantisation=canonical(criterion)) for scores, criterion in zip(found.conditions, aligned.named, strict=True)
        ]
        self._judged = [judged.get(condition.texts, np.ones(len(source.topics), dtype=np.bool_)) for condition in self._scored_as]
        self._warnings, self._shared, self._draws = (
            (*found.warnings, *aligned.warnings(experiment.word, counted=experiment.counts_overstated)),
            dict[str, None](),
            set[int](),
        )
        # Each key is the kind of a test's warning. The value contains the complete warnings, with their numbers.
        # For each condition, the value also contains the draws of topics on which the test gave any of these warnings.
        self._of_tests: dict[str, tuple[dict[str, None], dict[str, set[int]]]] = {}
        # Each key is a condition with topics that were not judged under this condition. The value contains the paired conditions that
        # exclude these topics.
        self._excluded: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
        self._unlike = dict[str, None]()
        self._concluded: dict[tuple[int, int, bytes], tuple[Concluded, tuple[Caution, ...]]] = {}
        self.comparable = [not why_untested(self._conditions[one], self._conditions[two], fresh=fresh) for one, two in self._places]
        for first, second in self._places:
            if shared := in_common(self._conditions[first].judgements, self._conditions[second].judgements):
                self._warnings += (f"{experiment.word}: {shared}",)
            if not (self._judged[first] & self._judged[second]).any():
                both = f"{self._scores[first].text} and {self._scores[second].text}"
                raise CollectionError(f"{experiment.word}: expected topics that were judged under both {both}, found none")
            for here, there in ((first, second), (second, first)):
                scores = self._scores[here]
                if topics := tuple(compress(scores.topics, scores.defined & ~self._judged[there])):
                    self._excluded.setdefault((self._scores[there].text, topics), {})[scores.text] = None

    @property
    def on_all_topics(self) -> tuple[ConditionScores, ...]:
        """Returns the scores under each condition of the experiment, on all topics."""
        return tuple(self._scores)

    def pairs(self, draw: int = 0) -> PairsOnCommonTopics:
        """Returns the pairs of conditions for one draw; `draw` is added to the seed of every condition that draws topics or judgements.

        Raises:
            CollectionError: A condition draws at least as many topics as the data contain, or no topic is left for the second condition of
                a pair.
        """
        used: dict[tuple[int, int, bytes], tuple[Concluded, tuple[Caution, ...]]] = {}
        pairs = []
        self._draws.add(draw)
        drawn = self._redrawn(draw)
        for places in self._places:
            sides = []
            for place, topics in zip(places, self._topics(*places, draw), strict=True):
                condition = drawn.get(place, self._scores[place]).on(topics)
                key = place, draw if place in drawn else 0, condition.defined.tobytes()
                if key not in self._concluded:
                    conclusions, warnings = self._experiment.concluded(condition, self._setting)
                    self._concluded[key] = (condition, conclusions), warnings
                if key not in used:
                    used[key] = self._concluded[key]
                    for warning in used[key][1]:
                        texts, draws = self._of_tests.setdefault(warning.kind, ({}, {}))
                        texts[warning.text] = None
                        draws.setdefault(condition.text, set()).add(draw)
                sides.append(used[key][0])
            pairs.append((sides[0], sides[1]))
        for ((predictor, _), (truth, _)), comparable in zip(pairs, self.comparable, strict=True):
            both = int((predictor.defined & truth.defined).sum())
            if comparable and both < (1 - UNLIKE) * max(predictor.topics_defined, truth.topics_defined):
                counts = [f"{plural(side.topics_defined, 'topic')} under {side.text}" for side in (predictor, truth)]
                self._unlike[f"{', '.join(counts)}, {both} under both"] = None
        self._concluded = used  # the next draw reuses the conclusions of conditions whose topics are not drawn again
        return pairs

    def _redrawn(self, draw: int) -> dict[int, ConditionScores]:
        """Returns the scores under the conditions whose judgements are drawn again, by the position of each condition."""
        again = {place: condition.redrawn(draw) for place, condition in enumerate(self._scored_as)} if draw else {}
        again = {place: condition for place, condition in again.items() if condition is not self._scored_as[place]}
        if not again:
            return {}
        _, found, _ = scores_under(self._source, [*again.values()], self._setting)  # the first draw has checked and warned
        return {
            place: replace(scores, texts=self._scores[place].texts, quantisation=self._scores[place].quantisation)
            for place, scores in zip(again, found, strict=True)
        }

    def compared(self, draw: int = 0) -> tuple[PairsOnCommonTopics, list[Gaps | None]]:
        """Returns the pairs of conditions as in `pairs`, and for each pair the tests whether the two conditions differ.

        The tests are None if the two conditions do not differ only in their judgements.
        """
        pairs, asked = self.pairs(draw), self._experiment
        gaps = [
            Gaps.between(predictor[0], truth[0], (asked.test, asked.corrected_by), self._setting) if comparable else None
            for (predictor, truth), comparable in zip(pairs, self.comparable, strict=True)
        ]
        return pairs, gaps

    def _topics(self, predictor: int, truth: int, draw: int) -> tuple[BoolArray, BoolArray]:
        """Returns the topics on which each condition of a pair is tested, as two arrays of shape (T,)."""
        chosen = []
        for place in (predictor, truth):
            asked = self._conditions[place]
            given = asked.topics is not None and self._scored_as[place] is asked  # the given scores exclude other topics
            chosen.append(self._scores[place].defined if given else asked.chosen(self._source.topics, draw))
        common = self._judged[predictor] & self._judged[truth]
        of_predictor, of_truth = (common & topics for topics in chosen)
        if self._fresh:
            of_truth &= ~of_predictor
        names = [self._scores[place].text for place in (predictor, truth)]
        if not of_truth.any():
            raise CollectionError(
                f"{self._experiment.word}: expected a topic that is used for {names[1]} but not for {names[0]}, found none"
            )
        if (of_predictor & of_truth).any() and (of_predictor != of_truth).any():
            self._shared[" and ".join(names)] = None
        return of_predictor, of_truth

    def warnings(self, remedy: str = "") -> tuple[str, ...]:
        """Returns the warnings from all draws of topics so far.

        If the texts of several warnings of tests differ only in their numbers, the warnings are combined into one warning with a count. A
        warning from a test states the number of draws in which the test gave the warning, unless the test gave the warning in all draws; for
        several conditions, this is the largest number.

        Args:
            remedy: Advice to users, appended to the warning that the predictor and the truth share topics.
        """
        word, warnings = self._experiment.word, list(self._warnings)
        for texts, draws in self._of_tests.values():
            first, *others = texts
            said = others_of_kind(len(others))
            if any(concerned != self._draws for concerned in draws.values()):
                condition, concerned = max(draws.items(), key=lambda item: len(item[1]))
                rate = f"{len(concerned)} of {plural(len(self._draws), 'draw')}"
                said = f"in {rate} of {condition}" if len(draws) == 1 else f"in up to {rate}, under {len(draws)} conditions"
                said += ", with other numbers" if others else ""
            warnings.append(first + in_parentheses(said))
        excluded = "; ".join(
            f"{plural(len(topics), 'topic')} of {enumerate_texts(list(conditions))} not judged under {other} ({enumerate_names(topics)})"
            for (other, topics), conditions in self._excluded.items()
        )
        if excluded:
            warnings.append(f"{word}: a pair of conditions is compared on the topics judged under both; excluded: {excluded}")
        if self._unlike and not isinstance(self._source, Scores):  # the reader of scores warns of them
            found = enumerate_texts([*self._unlike])
            warnings.append(
                f"{word}: conditions have scores for different topics ({found}), which alone may make their conclusions differ; "
                "overstated differences are tested on the topics with scores under both"
            )
        if self._shared:
            warnings.append(f"{word}: {SHARED} ({enumerate_texts([*self._shared])}){remedy}")
        return tuple(dict.fromkeys(warnings))
