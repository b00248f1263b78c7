"""Judgements by assessor; an assessor is a person or a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.derived_judgements import assessed_documents
from inexmetrics.collection.missing import selected
from inexmetrics.collection.schemas import ASSESSORS, GRADES
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import enumerate_texts

__all__ = [
    "GradeRule", "by_assessor", "different_documents", "judged_by", "judged_counts", "judged_together", "judgements_by_assessor",
]  # fmt: skip

GradeRule: TypeAlias = Literal["median", "majority", "mean", "max"]
"""Rule that combines the grades of several assessors into one grade."""


def by_assessor(judged: Mapping[str, Assessments]) -> Assessments:
    """Combines the judgements of several assessors into one object.

    Args:
        judged: Judgements of each assessor, by assessor name; at least one.

    Returns:
        Judgements by assessor, in the given order. If all assessors graded documents, the grades are in one table; otherwise, the
        judgements of each assessor are stored separately, by name.

    Raises:
        CollectionError: The judgements of an assessor are by several assessors.

    Examples:
        >>> grades = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "grade": [1.0]})
        >>> by_assessor({"ann": Assessments(grades=grades)}).assessors.rows()
        [('1', 'ann', 'd', 1.0)]
    """
    for assessor, one in judged.items():
        if "assessors" in one.kinds:
            raise CollectionError(
                f"assessor {assessor}: expected only the judgements of this assessor, found judgements by several assessors"
            )
    graded = [
        one.grades.with_columns(assessor=pl.lit(assessor)).select(list(ASSESSORS))
        for assessor, one in judged.items()
        if one.grades is not None and one.kinds == ("documents",)
    ]
    # Grades are not stored in one table if any assessor judged elements or passages, because the order of the assessors would be lost. The
    # order matters, because the first assessor is the baseline.
    alike = len(graded) == len(judged)
    return Assessments(
        assessors=pl.concat(graded) if alike else None,
        judges={} if alike else dict(judged),
        topics=tuple(topic for one in judged.values() for topic in one.topics),
        warnings=tuple(warning for one in judged.values() for warning in one.warnings),
        sheets={assessor: sheet for assessor, one in judged.items() for sheet in one.sheets.values()},
        read=tuple(layout for one in judged.values() for layout in one.read),
    )


@cached_by_identity
def judged_by(assessments: Assessments, assessor: str) -> Assessments:
    """Returns the judgements of one assessor.

    Args:
        assessments: Judgements of several assessors.
        assessor: Name of the assessor.

    Returns:
        The assessor's graded documents or, if the judgements of each assessor are stored separately, the assessor's judgements of all
        kinds. The assessed topics are those of all assessors, including topics that this assessor did not judge.

    Raises:
        CollectionError: No assessor has this name.

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
    """Combines the grades that several assessors gave to the same document into one grade.

    A negative grade does not count as a judgement. If all grades of a document are negative, the document has the highest of these grades.

    Args:
        assessments: Judgements of several assessors.
        assessors: Names of the assessors whose grades are combined.
        rule: Combined grade: ``"median"`` (for an even number of grades, the lower of the two middle grades), ``"majority"`` (the most
            frequent grade; the lowest of equally frequent grades), ``"mean"``, or ``"max"`` (the highest grade).

    Raises:
        CollectionError: A name is not that of an assessor.

    Examples:
        >>> names = ["ann", "bob", "eve", "joe"]
        >>> several = pl.DataFrame(
        ...     {"topic_id": "1", "assessor": names, "doc_id": "d", "grade": [2.0, 0.0, 1.0, 2.0]}
        ... )
        >>> rules = ("median", "majority", "mean", "max")
        >>> [
        ...     judged_together(Assessments(assessors=several), tuple(names), rule).grades["grade"][0]
        ...     for rule in rules
        ... ]
        [1.0, 2.0, 1.25, 2.0]
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
        # Grades are sorted before they are added, so that the sum does not depend on the order of the rows.
        joined = {"median": grades.quantile(0.5, "lower"), "mean": grades.sort().mean(), "max": grades.max()}
        together = judged.group_by(document).agg(joined[rule])
    unjudged = given.join(judged, on=document, how="anti").group_by(document).agg(grades.max())
    rows = pl.concat([together, unjudged]).sort(document).select(list(GRADES))
    return Assessments(grades=rows, topics=assessments.topics, dropped=assessments.lengths, source=assessments.source)


class JudgedCounts(NamedTuple):
    """Numbers of documents that a set of assessors judged; a document is counted once for each topic.

    Attributes:
        documents: Number of documents that at least one assessor of the set judged.
        incomplete: Number of documents that some, but not all, assessors of the set judged.
        by_assessor: Number of documents that each assessor judged, by assessor name.
    """

    documents: int
    incomplete: int
    by_assessor: dict[str, int]


@cached_by_identity
def judged_counts(assessments: Assessments, assessors: tuple[str, ...]) -> JudgedCounts:
    """Counts the documents that the given assessors judged; a negative grade does not count as a judgement."""
    given = judgements_by_assessor(assessments).filter(pl.col("assessor").is_in(assessors), pl.col("grade") >= 0.0)
    counts = dict.fromkeys(assessors, 0) | dict(given.group_by("assessor").len().iter_rows())
    judges = given.group_by("topic_id", "doc_id").len("judges")["judges"]
    return JudgedCounts(len(judges), int((judges < len(assessors)).sum()), counts)


def different_documents(assessments: Assessments, samplers: Iterable[str] = ()) -> str | None:
    """Returns the warning about documents that some assessors of a topic judged and others did not; None otherwise.

    An assessor of a topic is an assessor who judged at least one of its documents. A negative grade does not count as a judgement.
    `samplers` are the names of assessors who are left out, because they judge a sample on purpose.

    Examples:
        >>> grades = {
        ...     "topic_id": "1",
        ...     "assessor": ["ann", "ann", "bob"],
        ...     "doc_id": ["d", "e", "d"],
        ...     "grade": 1.0,
        ... }
        >>> different_documents(Assessments(assessors=pl.DataFrame(grades)))
        '1 of 2 documents was not judged by all assessors of its topic (ann judged 2, bob judged 1)'
    """
    if not assessments.assessor_names:
        return None
    given = judgements_by_assessor(assessments).filter((pl.col("grade") >= 0.0) & ~pl.col("assessor").is_in([*samplers]))
    several = given.with_columns(assessors=pl.col("assessor").n_unique().over("topic_id")).filter(pl.col("assessors") > 1)
    documents = several.group_by("topic_id", "doc_id").agg(pl.len().alias("judges"), pl.col("assessors").first())
    missing = documents.filter(pl.col("judges") < pl.col("assessors")).height
    if not missing:
        return None
    counts = several.group_by("assessor").len().sort("len", "assessor", descending=[True, False])
    by_assessor = enumerate_texts([f"{name} judged {count:,}" for name, count in counts.iter_rows()])
    was = "was" if missing == 1 else "were"
    of_topics = "its topic" if missing == 1 else "their topics"
    return f"{missing:,} of {documents.height:,} documents {was} not judged by all assessors of {of_topics} ({by_assessor})"


def check_named(assessments: Assessments, assessors: Iterable[str]) -> None:
    """Raises `CollectionError` if any of the names is not the name of an assessor."""
    known = assessments.assessor_names
    if not known:
        names = " and ".join(map(repr, assessors))
        raise CollectionError(f"expected judgements by named assessors, including {names}, found none")
    selected("assessor", assessors, known)


@cached_by_identity
def judgements_by_assessor(assessments: Assessments) -> pl.DataFrame:
    """Returns the grade that each assessor gave to each document; judgements of other kinds are converted to grades.

    Returns:
        One row per topic, assessor and document, with the columns of `ASSESSORS`. Graded documents are unchanged. Judgements of elements or
        passages are converted to grades of documents, as for document measures.

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
