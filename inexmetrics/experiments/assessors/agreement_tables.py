"""Whether assessors agree: how often they do, what they have in common as more are asked, and agreement beyond chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import polars as pl

from inexmetrics.collection import Assessments, Collection, judgements_by_assessor
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe
from inexmetrics.common.tables import text_table
from inexmetrics.experiments.assessors.judged_topics import (
    JudgedTopic,
    disagreements,
    disagreements_overall,
    overlap,
    overlap_overall,
    pairs,
    pairs_overall,
)
from inexmetrics.terms.parameter_types import Number

__all__ = ["AssessorAgreement", "assessor_agreement"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AssessorAgreement(Frozen):
    """How several assessors of the same topics agree.

    *disagreements* are documents that some of their assessors find relevant and others do not; *agreement* is the share
    of the other documents. *pairwise_agreement* is the share of agreeing pairs among the pairs of assessors of a
    document, averaged over documents with at least two (Fleiss' P); *kappa* is Fleiss' kappa. Each is null where it is
    undefined.

    Attributes:
        disagreement: By topic: topic_id, documents, assessors, disagreements, agreement, pairwise_agreement, kappa.
        disagreement_overall: Over all topics, one row: topics, documents, mean_documents, assessors (those of each topic,
            added up), disagreements, agreement, pairwise_agreement, kappa.
        overlap: By topic, as assessors are added one by one: topic_id, asked, assessor (the one added, in the order of
            the file), documents (that any of those asked so far assessed), intersection (that all of them find relevant),
            union (that any of them does); and mean_intersection and mean_union, the same averaged over all orders in which
            the topic's assessors may be added. Who did not assess a document does not find it relevant.
        overlap_overall: The same added up over the topics that have so many assessors: asked, topics, documents, ....
        pairs: By topic and pair of assessors: topic_id, first, second, documents (that both assessed), both (that both find
            relevant), first_only, second_only, neither, agreement (the share of documents of which they say the same), and
            kappa (Cohen's).
        pairs_overall: The same over all topics that both assessed: first, second, ....

    References:
        Trotman & Jenkinson (2007), Table 1; Trotman, Pharo & Jenkinson (2007).
    """

    disagreement: pl.DataFrame
    disagreement_overall: pl.DataFrame
    overlap: pl.DataFrame
    overlap_overall: pl.DataFrame
    pairs: pl.DataFrame
    pairs_overall: pl.DataFrame

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return "\n\n".join(f"{name}\n\n{text_table(table)}" for name, table in self.tables.items() if "pairs" not in name)


def assessor_agreement(assessments: Assessments | Collection, *, rel: float = 1.0) -> AssessorAgreement:
    """How the assessors of each topic agree on what is relevant, and what becomes of it as assessors are added.

    Args:
        assessments: Judgements by several assessors, or a collection that has them.
        rel: The lowest grade that is relevant.

    Returns:
        Tables by topic and over all topics, topics in string order, assessors in the order of the file.

    Raises:
        CollectionError: There are no judgements by assessors.
        FormulaError: `rel` is not a number above 0.

    Examples:
        >>> from inexmetrics import assessor_agreement, sample
        >>> found = assessor_agreement(sample())
        >>> found.disagreement.columns
        ['topic_id', 'documents', 'assessors', 'disagreements', 'agreement', 'pairwise_agreement', 'kappa']
    """
    if not isinstance(assessments, Assessments | Collection):
        raise CollectionError(f"assessor_agreement: expected assessments or a collection, found {describe(assessments)}")
    try:
        least = Number(above=0.0).accept(rel)
    except FormulaError as error:
        raise FormulaError(f"assessor_agreement: rel: {error.message}") from None
    judged = judgements_by_assessor(assessments.assessments if isinstance(assessments, Collection) else assessments)
    if judged.is_empty():
        raise CollectionError("assessor_agreement: expected judgements by named assessors, found no row")
    topics = [JudgedTopic.of(topic_id, rows, least) for (topic_id,), rows in judged.group_by("topic_id", maintain_order=True)]
    topics.sort(key=lambda topic: topic.topic_id)
    shared = overlap(topics)
    return AssessorAgreement(
        disagreement=disagreements(topics),
        disagreement_overall=disagreements_overall(topics),
        overlap=shared,
        overlap_overall=overlap_overall(shared),
        pairs=pairs(topics),
        pairs_overall=pairs_overall(topics),
    )
