"""A condition: the measure that scores runs, by which judgements, under which quantisation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import ConditionTexts, condition_text
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.messages import canonical
from inexmetrics.judgements.base import Judgements
from inexmetrics.judgements.quantised_documents import QuantisedDocuments
from inexmetrics.judgements.topics import OnTopics, topics_of
from inexmetrics.measures.base import Measure
from inexmetrics.quantisations.base import Criterion, Quantisation
from inexmetrics.ranking import JudgedRuns, Unit
from inexmetrics.ranking.ideal_recall_base import Ideal
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["Condition"]

NOTHING: Final = pl.DataFrame(schema={"topic_id": pl.String(), "doc_id": pl.String()})
M_co = TypeVar("M_co", bound=Measure, covariant=True)


@dataclass(frozen=True, slots=True)
class Condition(Generic[M_co]):
    """What runs are scored under; its text is that of a formula, `MAep ~ Gen5`.

    Attributes:
        measure: The measure.
        criterion: What stands after ``~``: a quantisation, a choice of judgements, or one with the other; None for neither.
    """

    measure: M_co
    criterion: Criterion | None = None

    def __str__(self) -> str:
        return condition_text(*self.texts)

    @property
    def texts(self) -> ConditionTexts:
        """The texts that scores are kept under."""
        return self.measure.name, canonical(self.criterion)

    @property
    def judgements(self) -> Judgements | None:
        """Whose and which judgements are read, documents as wholes where these are quantised; None for all there are."""
        criterion, quantisation = (None, None) if self.criterion is None else self.criterion.parts
        judgements = criterion if isinstance(criterion, Judgements) else None
        documents = None if quantisation is None else quantisation.documents
        return judgements if documents is None else QuantisedDocuments(documents, judgements)

    @property
    def topics(self) -> OnTopics | None:
        """The choice of topics; None for all."""
        return topics_of(self.criterion)

    @property
    def on_all_topics(self) -> Condition[M_co]:
        """The same condition without a choice of topics."""
        return self if self.topics is None else replace(self, criterion=None if self.criterion is None else self.criterion.on_all_topics)

    def chosen(self, topics: Sequence[str], draw: int = 0) -> BoolArray:
        """Return which of the topics the condition is restricted to, T; each draw adds 1 to the seed of a choice of topics."""
        choice = self.topics
        return np.ones(len(topics), dtype=np.bool_) if choice is None else choice.drawn(topics, draw)

    @property
    def quantisation(self) -> Quantisation | None:
        """What quantises elements, if anything does."""
        return None if self.criterion is None else self.criterion.parts[1]

    @property
    def unit(self) -> Unit:
        """What stands at the ranks that the measure looks at."""
        if self.measure.reads_text:
            return "text"
        if self.quantisation is not None and self.quantisation.documents is not None:
            return "documents"
        if self.measure.quantised != "optional" or self.quantisation is not None:
            return "results"
        return "evidence" if self.measure.ranks_results else "documents"

    @contextmanager
    def judged(self, batch: JudgedRuns) -> Iterator[JudgedRuns]:
        """The batch as it is judged here; errors of a choice of judgements name it.

        Raises:
            CollectionError: Elements were retrieved that only a structure can place, and there is none.
        """
        judgements = self.judgements
        judged = batch.by(judgements)
        if self.quantisation is not None:
            judged.check_elements()
        with nullcontext() if judgements is None else judgements.naming():
            yield judged

    def judged_topics(self, collection: Collection) -> BoolArray:
        """Return whether each topic of the collection has a judgement that the measure reads under this condition.

        Topics that a choice of topics excludes count as judged if they are: they were judged, and are not looked at.
        """
        topics = self.on_all_topics.judged_documents(collection)["topic_id"].unique()
        return pl.Series(collection.topics, dtype=pl.String).is_in(topics.implode()).to_numpy()

    def judged_documents(self, collection: Collection) -> pl.DataFrame:
        """Return the documents with judgements that the measure reads under this condition: topic_id and doc_id, each pair once."""
        judgements, assessments = self.judgements, collection.assessments
        with nullcontext() if judgements is None else judgements.naming():
            chosen = assessments if judgements is None else judgements.read(assessments, collection.runs)
        kinds = {"results": ("elements", "documents"), "text": ("documents",), "evidence": ("documents", "grades", "elements")}
        read = (chosen.tables[kind] for kind in kinds.get(self.unit, ("grades", "documents", "elements")) if kind in chosen.tables)
        return next(read, NOTHING).select("topic_id", "doc_id").unique()

    def ideal_elements(self, judged: JudgedItems, ideal: Ideal) -> pl.DataFrame:
        """The elements of the ideal recall base, as `JudgedItems` lists them; none without a quantisation."""
        judgements, quantisation = self.judgements, self.quantisation
        with nullcontext() if judgements is None else judgements.naming():
            chosen = judged.by(judgements)
            return pl.DataFrame() if quantisation is None else chosen.ideal_elements(quantisation, ideal)
