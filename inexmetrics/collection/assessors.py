"""Judgements by assessor; assessors are people or programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.derived_judgements import assessed_documents
from inexmetrics.collection.names import selected
from inexmetrics.collection.schemas import ASSESSORS, GRADES
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import cached_by_identity

__all__ = ["GradeRule", "by_assessor", "judged_by", "judged_counts", "judged_together", "judgements_by_assessor"]

GradeRule: TypeAlias = Literal["median", "majority", "mean"]
"""The rule that combines the grades of several assessors."""


def by_assessor(judged: Mapping[str, Assessments]) -> Assessments:
    """Combines the judgements of several assessors.

    Args:
        judged: The judgements of each assessor, by name; at least one.

    Returns:
        Judgements by assessor, in this order: assessors who graded documents in one table; all by name if another assessor
        judged elements or passages.

    Examples:
        >>> grades = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "grade": [1.0]})
        >>> by_assessor({"ann": Assessments(grades=grades)}).assessors.rows()
        [('1', 'ann', 'd', 1.0)]
    """
    graded = [
        one.grades.with_columns(assessor=pl.lit(assessor)).select(list(ASSESSORS))
        for assessor, one in judged.items()
        if one.grades is not None and one.kinds == ("documents",)
    ]
    # The first assessor is the baseline, and a table next to others by name could not record who came first.
    alike = len(graded) == len(judged)
    return Assessments(
        assessors=pl.concat(graded) if alike else None,
        judges={} if alike else dict(judged),
        topics=tuple(topic for one in judged.values() for topic in one.topics),
        warnings=tuple(warning for one in judged.values() for warning in one.warnings),
    )


@cached_by_identity
def judged_by(assessments: Assessments, assessor: str) -> Assessments:
    """Returns the judgements of one assessor, as those of a single assessor.

    Args:
        assessments: Judgements of several assessors.
        assessor: The name of an assessor.

    Returns:
        Graded documents, or judgements of all kinds in the assessor's files. The topics are those of all assessors; a topic that
        this assessor did not judge is without judgements.

    Raises:
        CollectionError: The assessor does not exist.

    Examples:
        >>> several = pl.DataFrame(
        ...     {
        ...         "topic_id": ["1", "1"],
        ...         "assessor": ["ann", "bob"],
        ...         "doc_id": ["d", "d"],
        ...         "grade": [1.0, 0.0],
        ...     }
        ... )
        >>> judged_by(Assessments(assessors=several), "bob").grades.rows()
        [('1', 'd', 0.0)]
    """
    check_named(assessments, [assessor])
    if assessments.assessors is None or assessor in assessments.judges:
        return replace(assessments.judges[assessor], topics=assessments.topics, source=assessments.source)
    grades = assessments.assessors.filter(pl.col("assessor") == assessor).drop("assessor")
    return Assessments(grades=grades, topics=assessments.topics, source=assessments.source)


@cached_by_identity
def judged_together(assessments: Assessments, assessors: tuple[str, ...], rule: GradeRule) -> Assessments:
    """Returns the grades of several assessors as one grade for each document, over the assessors who judged the document.

    A negative grade is not a judgement. A document without any other grade keeps the highest one.

    Args:
        assessments: Judgements of several assessors.
        assessors: The names of some assessors.
        rule: ``"median"``, the lower one of an even number, ``"majority"``, the most frequent grade (the lowest of equally frequent
            grades), or ``"mean"``.

    Raises:
        CollectionError: An assessor does not exist.

    Examples:
        >>> names = ["ann", "bob", "eve", "joe"]
        >>> several = pl.DataFrame(
        ...     {"topic_id": "1", "assessor": names, "doc_id": "d", "grade": [2.0, 0.0, 1.0, 2.0]}
        ... )
        >>> rules = ("median", "majority", "mean")
        >>> [
        ...     judged_together(Assessments(assessors=several), tuple(names), rule).grades["grade"][0]
        ...     for rule in rules
        ... ]
        [1.0, 2.0, 1.25]
    """
    check_named(assessments, assessors)
    document = ["topic_id", "doc_id"]
    given = judgements_by_assessor(assessments).filter(pl.col("assessor").is_in(assessors))
    judged = given.filter(pl.col("grade") >= 0.0)
    grades = pl.col("grade")
    if rule == "majority":
        counts = judged.group_by(*document, "grade").len("count").sort(*document, "count", "grade", descending=[False, False, True, False])
        together = counts.group_by(document, maintain_order=True).agg(grades.first())
    else:
        # sums are in one order, whatever the order of the rows
        joined = grades.quantile(0.5, "lower") if rule == "median" else grades.sort().mean()
        together = judged.group_by(document).agg(joined)
    unjudged = given.join(judged, on=document, how="anti").group_by(document).agg(grades.max())
    rows = pl.concat([together, unjudged]).sort(document).select(list(GRADES))
    return Assessments(grades=rows, topics=assessments.topics, dropped=assessments.lengths, source=assessments.source)


class JudgedCounts(NamedTuple):
    """The documents that some assessors judged, each counted once for each topic.

    Attributes:
        documents: Documents that at least one of them judged.
        incomplete: Documents that some of them judged, and others did not.
        by_assessor: Documents that each judged, by name.
    """

    documents: int
    incomplete: int
    by_assessor: dict[str, int]


@cached_by_identity
def judged_counts(assessments: Assessments, assessors: tuple[str, ...]) -> JudgedCounts:
    """Returns how many documents some assessors judged, each and together; a negative grade is not a judgement."""
    given = judgements_by_assessor(assessments).filter(pl.col("assessor").is_in(assessors), pl.col("grade") >= 0.0)
    counts = dict.fromkeys(assessors, 0) | dict(given.group_by("assessor").len().iter_rows())
    judges = given.group_by("topic_id", "doc_id").len("judges")["judges"]
    return JudgedCounts(len(judges), int((judges < len(assessors)).sum()), counts)


def check_named(assessments: Assessments, assessors: Iterable[str]) -> None:
    """Raises `CollectionError` for a name that is not an assessor's."""
    known = assessments.assessor_names
    if not known:
        names = " and ".join(map(repr, assessors))
        raise CollectionError(f"expected judgements by named assessors, {names} among them, found nobody")
    selected("assessor", assessors, known)


@cached_by_identity
def judgements_by_assessor(assessments: Assessments) -> pl.DataFrame:
    """Returns which documents each assessor found relevant, and their grades, from judgements of any kind.

    Returns:
        One row per topic, assessor and document, with the columns of `ASSESSORS`: graded documents unchanged, then
        the documents of each assessor who judged elements or passages, as document measures use them.

    Raises:
        CollectionError: The judgements do not name assessors.
    """
    parts = [] if assessments.assessors is None else [assessments.assessors]
    for assessor in assessments.judges:
        documents = assessed_documents(judged_by(assessments, assessor))
        parts.append(documents.with_columns(assessor=pl.lit(assessor)).select(list(ASSESSORS)))
    if not parts:
        raise CollectionError("expected judgements by named assessors, found none")
    return pl.concat(parts)
