"""Whether assessors agree: how often they do, what they have in common as more are asked, and agreement beyond chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import polars as pl

from inexmetrics.collection import Assessments, Collection, judgements_by_assessor
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe
from inexmetrics.common.tables import text_table
from inexmetrics.experiments.assessors.judged_topics import (
    Disagreement,
    DisagreementOverall,
    JudgedTopic,
    Overlap,
    OverlapOverall,
    Pairs,
    PairsOverall,
    disagreements,
    disagreements_overall,
    overlap,
    overlap_overall,
    pairs,
    pairs_overall,
)
from inexmetrics.report.text import ROWS
from inexmetrics.terms.parameter_types import Number

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["AssessorAgreement", "assessor_agreement"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AssessorAgreement(Frozen):
    """How several assessors of the same topics agree.

    Documents are in dispute that some of their assessors find relevant and others do not.

    Attributes:
        disagreement: How often the assessors of each topic disagree, with Fleiss' kappa.
        disagreement_overall: The same over all topics, one row.
        overlap: What assessors find relevant in common and together, by topic, as they are added one by one.
        overlap_overall: The same added up over the topics that have so many assessors.
        pairs: What each two assessors of a topic find relevant, with Cohen's kappa.
        pairs_overall: The same over all topics that both assessed.

    Source: Trotman & Jenkinson (2007), Table 1; Trotman, Pharo & Jenkinson (2007).
    """

    disagreement: DataFrame[Disagreement]
    disagreement_overall: DataFrame[DisagreementOverall]
    overlap: DataFrame[Overlap]
    overlap_overall: DataFrame[OverlapOverall]
    pairs: DataFrame[Pairs]
    pairs_overall: DataFrame[PairsOverall]

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return "\n\n".join(f"{name}\n\n{text_table(table, limit=ROWS)}" for name, table in self.tables.items() if "pairs" not in name)


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
    least = Number(above=0.0).accept_as("assessor_agreement: rel", rel)
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
