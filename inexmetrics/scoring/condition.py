"""Conditions: measures with the judgements and quantisations under which they are computed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, Generic, TypeVar

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.condition_names import ConditionTexts, condition_text
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.judgements.base import Judgements, QuantisedDocuments
from inexmetrics.judgements.incomplete import OnTopics, topics_of
from inexmetrics.judgements.weighted_samples import pool_of
from inexmetrics.measures.base import Measure
from inexmetrics.measures.linear import LinearScore
from inexmetrics.quantisations.base import Criterion, DocumentQuantisation, Quantisation
from inexmetrics.ranking import JudgedRuns, Unit
from inexmetrics.ranking.recall_base import Ideal, JudgedItems

__all__ = ["Condition", "crossed"]

NOTHING: Final = pl.DataFrame(schema={"topic_id": pl.String(), "doc_id": pl.String()})
M_co = TypeVar("M_co", bound=Measure, covariant=True)


@dataclass(frozen=True)
class Condition(Generic[M_co]):
    """A measure, with the judgements and the quantisation under which the measure is computed, such as `MAep ~ Gen5`.

    Attributes:
        measure: Measure.
        criterion: The term after ``~`` in a formula, which is a quantisation, a selection of judgements, or both; None for a measure alone.
    """

    measure: M_co
    criterion: Criterion | None = None

    def __str__(self) -> str:
        return condition_text(*self.texts)

    @cached_property
    def texts(self) -> ConditionTexts:
        """The measure and the criterion as strings, which together are the key of the condition's scores."""
        return self.measure.name, "1" if self.criterion is None else str(self.criterion)

    @cached_property
    def _parts(self) -> tuple[Criterion | None, Quantisation | None, DocumentQuantisation | None]:
        """The selection of judgements, the quantisation of elements, and the quantisation of documents in `criterion`; each may be None."""
        choice, quantisation = (None, None) if self.criterion is None else self.criterion.parts
        return choice, quantisation, None if quantisation is None else quantisation.documents

    @property
    def choice(self) -> Judgements | None:
        """Selection of judgements, before any quantisation of documents is applied; None for all judgements.

        A selection that estimates is bound to the measure.
        """
        choice = self._parts[0]
        if not isinstance(choice, Judgements):
            return None
        return choice.under(self.linear) if choice.estimates and self.linear is not None else choice

    @cached_property
    def judgements(self) -> Judgements | None:
        """Selection of judgements; None for all judgements.

        With a quantisation of documents, each document in the selected judgements is treated as one element.
        """
        documents = self._parts[2]
        return self.choice if documents is None else QuantisedDocuments(documents, self.choice)

    @cached_property
    def linear(self) -> LinearScore | None:
        """The measure as a weighted sum of gains; None if the measure is not linear in gains."""
        return LinearScore.of(self.measure)

    def redrawn(self, draw: int) -> Condition[M_co]:
        """The condition with another random sample of judgements; `draw` is added to the seed. Selections of topics are unchanged."""
        criterion = self.criterion
        other = None if criterion is None else criterion.redrawn(draw)
        return self if other == criterion else replace(self, criterion=other)

    @cached_property
    def topics(self) -> OnTopics | None:
        """Selection of topics; None for all topics."""
        return topics_of(self.criterion)

    @property
    def on_all_topics(self) -> Condition[M_co]:
        """The condition without its selection of topics."""
        return self if self.topics is None else replace(self, criterion=None if self.criterion is None else self.criterion.on_all_topics)

    def chosen(self, topics: Sequence[str], draw: int = 0) -> BoolArray:
        """Returns a mask of the topics that the condition uses, shape (T,). `draw` is added to the seed of a random selection."""
        choice = self.topics
        return np.ones(len(topics), dtype=np.bool_) if choice is None else choice.drawn(topics, draw)

    @property
    def quantisation(self) -> Quantisation | None:
        """Quantisation of elements, or None."""
        return self._parts[1]

    @cached_property
    def unit(self) -> Unit:
        """Kind of the items that are ranked: results, documents, text or evidence."""
        if self.measure.reads_text:
            return "text"
        if self._parts[2] is not None:
            return "documents"
        if self.measure.quantised == "required" or self.quantisation is not None:
            return "results"
        return "evidence" if self.measure.ranks_results else "documents"

    @contextmanager
    def judged(self, batch: JudgedRuns) -> Iterator[JudgedRuns]:
        """Yields a batch of runs that is judged only by the judgements of the condition.

        Errors that are raised in the ``with`` block describe the condition's selection of judgements.

        Raises:
            CollectionError: The results contain elements, the assessments contain no elements, and the structure or the highlighted
                passages are missing.
        """
        judgements = self.judgements
        judged = batch.by(judgements)
        if self.quantisation is not None:
            judged.check_elements()
        with nullcontext() if judgements is None else judgements.naming():
            yield judged

    def scores(self, judged: JudgedRuns) -> FloatArray:
        """Returns the scores of runs that are `judged` by the condition, shape (runs, topics); NaN for undefined topics."""
        estimates = judged.assessed.estimates
        if estimates is None or self.linear is None:
            return self.measure.evaluate(judged, self.quantisation)
        return self.linear.of_values(judged, *estimates)

    def judged_topics(self, collection: Collection) -> BoolArray:
        """Returns a mask of the topics with judgements that the measure uses under the condition, shape (T,).

        A selection of topics is ignored: a topic with judgements is included even if the condition excludes the topic.
        """
        topics = self.on_all_topics.judged_documents(collection)["topic_id"].unique()
        return pl.Series(collection.topics, dtype=pl.String).is_in(topics.implode()).to_numpy()

    def judged_documents(self, collection: Collection, *, unjudged: bool = True) -> pl.DataFrame:
        """Returns the judged documents that the measure uses under this condition: topic_id and doc_id, without duplicates.

        If `unjudged` is true, documents with a negative grade are included: they are in the pool.
        """
        judgements, assessments = self.judgements, collection.assessments
        with nullcontext() if judgements is None else judgements.naming():
            chosen = assessments if judgements is None else judgements.read(assessments, collection.runs)
        kinds = {"results": ("elements", "documents"), "text": ("documents",), "evidence": ("documents", "grades", "elements")}
        read = (chosen.tables[kind] for kind in kinds.get(self.unit, ("grades", "documents", "elements")) if kind in chosen.tables)
        table = next(read, NOTHING)
        if not unjudged and "grade" in table.columns:
            table = table.filter(pl.col("grade") >= 0.0)
        return table.select("topic_id", "doc_id").unique()

    def judged_per_topic(self, collection: Collection) -> float:
        """Returns the mean number of judgements per topic that the measure uses; 0 without judgements.

        Under a selection that estimates, every document has a value, but only the drawn documents are judged.
        """
        judged = self.judged_documents(collection, unjudged=False)
        estimates = self.criterion is not None and self.criterion.estimates
        share = self.share_of_judgements(collection) if estimates else None
        return (1.0 if share is None else share) * judged.height / max(judged["topic_id"].n_unique(), 1)

    def share_of_judgements(self, collection: Collection) -> float | None:
        """Returns the share of the judgements that the condition uses; None if its selection is not a choice of fewer judgements.

        The judgements are those of the documents with a weight under the measure in at least one run, if the measure is linear in gains;
        otherwise of all judged documents.
        """
        choice = self._parts[0]
        if not isinstance(choice, Judgements):
            return None
        assessments, runs = collection.assessments, collection.runs
        pool = assessments.judged if runs is None or self.linear is None else pool_of(runs, self.linear, assessments.topics).documents
        found = [each.share_of(pool, assessments, runs) for each in choice.chain]
        shares = [share for share in found if share is not None]
        return math.prod(shares) if shares else None

    def ideal_elements(self, judged: JudgedItems, ideal: Ideal) -> pl.DataFrame:
        """Returns the elements of the ideal recall base; the table is empty if the condition lacks a quantisation."""
        judgements, quantisation = self.judgements, self.quantisation
        with nullcontext() if judgements is None else judgements.naming():
            chosen = judged.by(judgements)
            return pl.DataFrame() if quantisation is None else chosen.ideal_elements(quantisation, ideal)


@lru_cache(maxsize=64)  # cached because an experiment uses its conditions several times
def crossed(measures: tuple[Measure, ...], criteria: tuple[Criterion | None, ...]) -> tuple[Condition[Measure], ...]:
    """Returns one condition for each measure and criterion: the first measure with all criteria, then the second measure, and so on."""
    return tuple(Condition(measure, criterion) for measure in measures for criterion in criteria)
