"""Aligns the judgements of two assessors by document: documents that only one of the two judged are counted, and can be dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, judgements_by_assessor
from inexmetrics.common import arrays, messages
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.judgements.assessors import ByAssessor, OfAssessors
from inexmetrics.judgements.base import INSIDE, Judgements, OfDocuments
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Choice, TermOf, parameter, required

__all__ = ["DOCUMENTS", "Apart", "DocumentChoice", "InCommon", "apart", "assessors_of", "judged_by_others"]

DocumentChoice: TypeAlias = Literal["common", "all"]
"""Which documents count if several assessors judged: the documents that all of them judged, or all documents."""
DOCUMENTS: Final = Choice[DocumentChoice](("common", "all"))
"""The parameter `documents` of experiments that compare assessors."""


def assessors_of(criterion: Criterion | None) -> OfAssessors | None:
    """Returns the assessors whose judgements a criterion selects, without other selections; None if the criterion names no assessor.

    Examples:
        >>> from inexmetrics import assessor, pooled
        >>> assessors_of(pooled(10, assessor("ann"))), assessors_of(pooled(10))
        (assessor("ann"), None)
    """
    judgements = None if criterion is None else criterion.parts[0]
    chain = judgements.chain if isinstance(judgements, Judgements) else ()
    return next((choice.alone for choice in chain if isinstance(choice, OfAssessors)), None)


class Apart(NamedTuple):
    """Documents that one of two assessors judged and the other did not, on the topics that both judged.

    Attributes:
        names: The names of the two assessors.
        topics: Number of topics that both assessors judged.
        judged: Number of documents of these topics that each assessor judged.
        both: Number of documents of these topics that both assessors judged.
        documents: The documents that only one assessor judged: columns topic_id and doc_id.
    """

    names: tuple[str, str]
    topics: int
    judged: tuple[int, int]
    both: int
    documents: pl.DataFrame

    def __str__(self) -> str:
        """States how many of one assessor's documents the other judged; the assessor who judged more documents comes second."""
        (less, fewer), (more, most) = sorted(zip(self.names, self.judged, strict=True), key=lambda side: side[1])
        further = fewer - self.both
        besides = f", and {messages.plural(further, 'other')}" if further else ""
        on = messages.plural(self.topics, "common topic")
        return f"{less} judged {self.both:,} of the {most:,} documents that {more} judged on the {on}{besides}"


def apart(assessments: Assessments, runs: Runs | None, first: Criterion | None, second: Criterion | None) -> Apart | None:
    """Returns the documents that only one of the assessors of two criteria judged; None if there are no such documents.

    A document with a negative grade is not judged. Selections of documents, such as pools and samples, are ignored, because their
    conditions differ in documents by intention. For the same reason, None is returned if the criteria name the same assessors, or if one of
    them estimates from a sample of judgements.

    Args:
        assessments: The judgements of all assessors.
        runs: The runs of the collection.
        first: The criterion of one condition.
        second: The criterion of the other condition.
    """
    sides = assessors_of(first), assessors_of(second)
    if any(criterion is not None and criterion.estimates for criterion in (first, second)):
        return None  # every document of the pool has a value
    if sides[0] is None or sides[1] is None or {*sides[0].assessor_names} == {*sides[1].assessor_names}:
        return None
    of_first, of_second = (_judged(assessments, side) for side in sides if side is not None)
    of_first, of_second = (
        mine.join(other.select("topic_id").unique(), on="topic_id", how="semi")
        for mine, other in ((of_first, of_second), (of_second, of_first))
    )
    pair = ["topic_id", "doc_id"]
    alone = pl.concat([of_first.join(of_second, on=pair, how="anti"), of_second.join(of_first, on=pair, how="anti")])
    if alone.is_empty():
        return None
    both = (of_first.height + of_second.height - alone.height) // 2
    names = (_called(sides[0]), _called(sides[1]))
    return Apart(names, of_first["topic_id"].n_unique(), (of_first.height, of_second.height), both, alone)


def _called(assessors: OfAssessors) -> str:
    return assessors.name if isinstance(assessors, ByAssessor) else assessors.label


@cached_by_identity
def _judged(assessments: Assessments, assessors: OfAssessors) -> pl.DataFrame:
    """Returns the documents that the assessors judged, without those with a negative grade: columns topic_id and doc_id, unique rows."""
    return assessors.read(assessments, None).judged


TOP: Final = 10
"""Number of results of each run that `judged_by_others` counts."""


def judged_by_others(assessments: Assessments, runs: Runs, assessors: OfAssessors) -> str | None:
    """Returns the warning about documents that only other assessors judged, among the first results of the runs; None if there are none.

    Only topics that the assessors judged count. A document with a negative grade is not judged.

    Args:
        assessments: The judgements of all assessors.
        runs: The runs whose results are counted.
        assessors: The assessors whose judgements are used.
    """
    given = judgements_by_assessor(assessments).filter(pl.col("grade") >= 0.0)
    others = given.filter(~pl.col("assessor").is_in(assessors.assessor_names))
    if others.is_empty():
        return None
    pair = ["topic_id", "doc_id"]
    mine, there = _judged(assessments, assessors), runs.lists
    top = runs.at(arrays.in_ranges(there.firsts, np.minimum(there.lengths, TOP))).select(pair).unique().cast(pl.String)
    known = top.join(others, on=pair, how="semi").join(mine, on="topic_id", how="semi")
    missing = known.join(mine, on=pair, how="anti")
    if missing.is_empty():
        return None
    names = others.join(missing, on=pair, how="semi")["assessor"].unique().sort().to_list()
    return (
        f"{assessors.label}: {missing.height:,} of the {known.height:,} documents that {messages.enumerate_names(names)} judged among the first {TOP} "
        f"results of the runs {'is' if missing.height == 1 else 'are'} not judged {assessors.manner}; most measures count an unjudged document "
        "as not relevant"
    )


@dataclass(frozen=True, slots=True, repr=False)
class InCommon(OfDocuments):
    """Drops the judgements of documents that only one of two assessors judged. Not a word of the formula language.

    Args:
        other: A criterion with the other assessor's judgements.
        quantisation: The criterion whose judgements are kept, except for those of documents that only one assessor judged.
    """

    other: Criterion = field(metadata=required(TermOf(Criterion)))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def label(self) -> str:
        return str(self.inner) if self.inner is None else self.inner.label

    @property
    def manner(self) -> str:
        return f"in common with {self.other}"

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        inner = self.inner
        chosen = assessments if inner is None else inner.read(assessments, runs)
        found = apart(assessments, runs, self.quantisation, self.other)
        return chosen if found is None else chosen.without_documents(found.documents)

    def __str__(self) -> str:
        return f"{self.quantisation} (documents in common with {self.other})"
