"""Scores on a random sample of the topics, to show which conclusions remain with fewer topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.judgements.base import INSIDE, Judgements
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import Term, parameter, required

__all__ = ["OnTopics", "topics", "topics_of"]


@word("topics")
@dataclass(frozen=True, slots=True, repr=False)
class OnTopics(Judgements):
    """Scores runs on a random sample of the topics.

    From the T assessed topics in lexicographic order, n are drawn without replacement by ``Generator(PCG64(SeedSequence(seed))).choice``.
    Topics that are not drawn are undefined under this criterion. A drawn topic for which the measure is undefined is excluded, too, so that
    fewer than n topics may be scored. The same seed draws the same topics for all runs, measures and judgements. Tables of scores by topic
    can be restricted in the same way: ``given("accuracy") ~ topics(25)``.

    Args:
        n: Number of topics to draw, at least 2.
        quantisation: The quantisation of elements; or a selection of judgements, which is applied before the topics are drawn. Omitted if
            the measure does not need a quantisation.
        seed: The seed of the random number generator.

    Raises:
        FormulaError: n is not an integer of at least 2, or the quantisation contains another ``topics``.
        CollectionError: The number of assessed topics is not greater than n.

    Source: Guiver, Mizzaro & Robertson (2009), on predicting the results on all topics from a few topics.

    Examples:
        >>> from inexmetrics import MAP, Gen5, MAep, agreement, from_frames, run, scores, topics
        >>> agreement(MAep, (topics(25, Gen5), Gen5))
        agreement(MAep ~ topics(25, Gen5) + Gen5)
        >>> found = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}, "3": {"b": 2.0, "a": 1.0}}}
        >>> judged = from_frames({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, found)

        The scores on topics 1, 2 and 3 are 1, 1 and .5. Seed 0 draws topics 2 and 3, and seed 1 draws topics 1 and 2:

        >>> run(scores(MAP, (topics(2), topics(2, seed=1), None)), judged).table["mean"].round(4).to_list()
        [0.75, 1.0, 0.8333]
    """

    names = "only selects topics"

    n: int = field(metadata=required(Integer(at_least=2), "25"))
    quantisation: Criterion | None = parameter(None, INSIDE)
    seed: int = parameter(0, Integer(0))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        for inner in (choice for choice in self.chain[:-1] if isinstance(choice, OnTopics)):
            raise FormulaError(f"topics: expected a quantisation or a selection of judgements, found another selection of topics, {inner}")

    @property
    def manner(self) -> str:
        return f"on {self.n} topics"

    @property
    def on_all_topics(self) -> Criterion | None:
        return self.quantisation

    def drawn(self, topics: Sequence[str], draw: int = 0) -> BoolArray:
        """Returns a mask of the topics in the random sample, shape (T,); the random seed is the sum of `seed` and `draw`.

        Raises:
            CollectionError: The number of topics is not greater than n.
        """
        if self.n >= len(topics):
            raise CollectionError(f"{self}: expected more than {self.n} topics to draw from, found {len(topics)}")
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed + draw)))
        chosen = np.zeros(len(topics), dtype=np.bool_)
        chosen[generator.choice(len(topics), self.n, replace=False)] = True
        return chosen

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        chosen = self.drawn(assessments.topics)
        return assessments.judged_on([topic for topic, there in zip(assessments.topics, chosen.tolist(), strict=True) if there])


def topics_of(criterion: Criterion | None) -> OnTopics | None:
    """Returns the selection of topics that a criterion contains, or None if the criterion uses all topics."""
    judgements = None if criterion is None else criterion.parts[0]
    chain = judgements.chain if isinstance(judgements, Judgements) else ()
    return next((choice for choice in chain if isinstance(choice, OnTopics)), None)


topics: Final = OnTopics
