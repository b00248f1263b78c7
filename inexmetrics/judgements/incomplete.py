"""Fewer judgements: a random sample of the topics, a shallower pool (the top documents of each run), or a random sample of documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, overload

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs, pooled_by_rounds
from inexmetrics.common.arrays import BoolArray, in_ranges
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import canonical, plural
from inexmetrics.judgements.base import INSIDE, Judgements, OfDocuments
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Integer, Number, Optional, Term, parameter, required, word

__all__ = ["OnTopics", "Pooled", "Sampled", "pooled", "sampled", "topics", "topics_of"]


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

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        return self.n / len(assessments.topics)

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        chosen = self.drawn(assessments.topics)
        return assessments.judged_on([topic for topic, there in zip(assessments.topics, chosen.tolist(), strict=True) if there])


def topics_of(criterion: Criterion | None) -> OnTopics | None:
    """Returns the selection of topics that a criterion contains, or None if the criterion uses all topics."""
    judgements = None if criterion is None else criterion.parts[0]
    chain = judgements.chain if isinstance(judgements, Judgements) else ()
    return next((choice for choice in chain if isinstance(choice, OnTopics)), None)


topics: Final = OnTopics


@dataclass(frozen=True, slots=True, repr=False)
class Pooled(OfDocuments):
    """Uses only the judgements of documents in a pool, which consists of the first results of each run.

    ``pooled(depth)`` pools by rank: a document is in a topic's pool if the document, or a part of it, is among the first ``depth`` results
    of at least one run. ``pooled(documents=n)`` pools by size, as `pool` does: each round takes the next result of every run, until a
    topic's pool has at least n documents. The last round is complete, so that a pool may contain more than n documents; the line of topics
    and runs above a result reports the sizes. Neither pool depends on the names of runs or documents. The pool is formed from the runs of
    the collection, or from the prepared runs if the runs were prepared; ``--only-runs`` restricts the pool to some runs. All judgements of a
    pooled document are kept, including its elements, its passages, and the judgements of every assessor. Judgements of other documents are
    dropped. A topic for which no relevant items remain is undefined, and a warning reports the number of undefined topics.

    Args:
        depth: The number of results from the top of each run that are pooled, at least 1.
        quantisation: The quantisation of elements; or a selection of judgements, such as an assessor or a sample, which is applied before
            pooling. Omitted if the measure does not need a quantisation.
        documents: The minimum number of documents in each topic's pool, at least 1. Exactly one of depth and documents is given.

    Raises:
        FormulaError: Neither depth nor documents is given, both are given, or the given number is not an integer of at least 1.
        CollectionError: The collection lacks runs.

    Source: Zobel (1998); Trotman & Jenkinson (2007), section 2, on pools of 100 and of 500 documents.

    Examples:
        >>> from inexmetrics import MAP, from_frames, pooled, run, scores
        >>> scores(MAP, pooled(10))
        scores(MAP ~ pooled(10))
        >>> found = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}}
        >>> judged = from_frames({"1": {"a": 1, "b": 1, "c": 0}}, found)
        >>> found = run(scores(MAP, (None, pooled(1))), judged).table.filter(run_id="x")
        >>> found["mean"].to_list()  # b is not among the first results
        [1.0, 1.0]
        >>> run(scores(MAP, (None, pooled(1))), judged).table.filter(run_id="y")["mean"].round(4).to_list()
        [0.5833, 0.3333]
        >>> run(scores(MAP, (None, pooled(documents=2))), judged).table.filter(run_id="y")["mean"].round(
        ...     4
        ... ).to_list()  # the first round adds a and c
        [0.5833, 0.3333]
    """

    depth: int | None = parameter(None, Optional(Integer(at_least=1)))
    quantisation: Criterion | None = parameter(None, INSIDE)
    documents: int | None = parameter(None, Optional(Integer(at_least=1)))

    def __post_init__(self) -> None:
        OfDocuments.__post_init__(self)
        if (self.depth is None) == (self.documents is None):
            found = "neither" if self.depth is None else "both"
            raise FormulaError(
                f"{self.word}: expected a depth or a number of documents, found {found}", hint="write pooled(10) or pooled(documents=100)"
            )

    @property
    def manner(self) -> str:
        return f"in the pool of at least {self.documents} documents" if self.depth is None else f"in the pool of depth {self.depth}"

    def facts(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        inner = OfDocuments.facts(self, assessments, runs)
        if self.documents is None or runs is None:
            return inner
        sizes = _pooled_documents(runs, None, self.documents).group_by("topic_id").len()["len"].to_list()
        smallest, largest = min(sizes, default=0), max(sizes, default=0)
        found = plural(largest, "document") if smallest == largest else f"{smallest} to {largest} documents"
        return (*inner, f"pools of at least {self.documents}: {found} a topic")

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        if runs is None:
            return None
        judged = pool.join(_pooled_documents(runs, self.depth, self.documents), on=["topic_id", "doc_id"], how="semi")
        return judged.height / max(pool.height, 1)

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        if runs is None:
            raise CollectionError(f"{self}: expected runs to pool, found only assessments")
        return assessments.of_documents(_pooled_documents(runs, self.depth, self.documents))


@cached_by_identity
def _pooled_documents(runs: Runs, depth: int | None, documents: int | None) -> pl.DataFrame:
    """Returns the documents in each topic's pool of a given depth or number of documents: columns topic_id and doc_id, unique rows."""
    if depth is None:
        return pooled_by_rounds(runs, documents or 1).select("topic_id", "doc_id")
    there = runs.lists
    rows = in_ranges(there.firsts, np.minimum(there.lengths, depth))
    return runs.at(rows).select("topic_id", "doc_id").unique().cast(pl.String)


@overload
def pooled(depth: int, quantisation: Criterion | None = ...) -> Pooled: ...
@overload
def pooled(*, quantisation: Criterion | None = ..., documents: int) -> Pooled: ...
@word("pooled", Pooled)
def pooled(depth: int | None = None, quantisation: Criterion | None = None, documents: int | None = None) -> Pooled:
    """Pools to a depth, ``pooled(10)``, or to a number of documents, ``pooled(documents=100)``."""
    return Pooled(depth, quantisation, documents)


ROUNDING: Final = 1e-9
"""Tolerance for rounding errors when the number of documents is rounded up: a share of .3 must draw 3 of 10 documents, not 4."""


@word("sampled")
@dataclass(frozen=True, slots=True, repr=False)
class Sampled(OfDocuments):
    """Uses only the judgements of a random sample of each topic's judged documents.

    From a topic with J judged documents, ceil(share * J) documents are drawn without replacement. A document is judged if any assessor
    judged any part of the document; a negative grade is not a judgement. All judgements of a drawn document are kept, including its elements,
    its passages, and the judgements of every assessor. The other documents are unjudged; graded documents remain in the pool that `infAP`
    assumes. A topic for which no relevant items remain is undefined, and a warning
    reports the number of undefined topics. The same seed draws the same documents for all runs.

    Args:
        share: The share of each topic's judged documents that is drawn, above 0 and at most 1.
        quantisation: The quantisation of elements; or a selection of judgements, such as an assessor or a pool, which is applied before
            sampling. Omitted if the measure does not need a quantisation.
        seed: The seed of the random number generator. The sample of a topic does not depend on the judgements of other topics. The assessed
            topic with index i in lexicographic order (from 0) has the generator ``PCG64(SeedSequence(seed, spawn_key=(i,)))``.

    Raises:
        FormulaError: The share is not a number above 0 and at most 1.

    Examples:
        >>> from inexmetrics import MAP, MAep, Gen5, from_frames, run, sampled, scores
        >>> scores(MAep, sampled(0.5, Gen5, seed=3))
        scores(MAep ~ sampled(0.5, Gen5, seed=3))
        >>> found = {"x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
        >>> judged = from_frames({"1": {"a": 1, "b": 0, "c": 1, "d": 1}}, found)
        >>> found = run(scores(MAP, tuple(sampled(0.5, seed=seed) for seed in range(4))), judged).table
        >>> found["mean"].round(4).to_list()
        [0.4167, 0.8333, 0.75, 0.3333]
    """

    share: float = field(metadata=required(Number(above=0.0, at_most=1.0), "0.1"))
    quantisation: Criterion | None = parameter(None, INSIDE)
    seed: int = parameter(0, Integer(0))

    @property
    def manner(self) -> str:
        return f"in a sample of {canonical(self.share)}"

    def share_of(self, pool: pl.DataFrame, assessments: Assessments, runs: Runs | None) -> float | None:
        return self.share

    def redrawn(self, draw: int) -> Criterion:
        inner = None if self.quantisation is None else self.quantisation.redrawn(draw)
        return self._changed({"quantisation": inner, "seed": self.seed if self.share == 1.0 else self.seed + draw})

    def choose(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        return assessments.sampled(_drawn(assessments, self.share, self.seed))


@cached_by_identity
def _drawn(assessments: Assessments, share: float, seed: int) -> pl.DataFrame:
    """Returns the drawn documents: columns topic_id and doc_id, unique rows."""
    judged = assessments.judged
    firsts = judged["topic_id"].search_sorted(pl.Series(assessments.topics, dtype=pl.String), "left").cast(pl.Int64).to_numpy()
    counts = np.diff(firsts, append=judged.height)
    drawn = []
    for place, (first, count) in enumerate(zip(firsts.tolist(), counts.tolist(), strict=True)):
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(place,))))
        drawn.append(first + generator.choice(count, math.ceil(share * count - ROUNDING), replace=False))
    return judged[np.concatenate(drawn)]


sampled: Final = Sampled
