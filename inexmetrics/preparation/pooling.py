"""Pools of documents to assess, which consist of the top results of all runs, and the share of a pool that was assessed."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_documents, judgements_by_assessor
from inexmetrics.collection.runs import GIVEN_RUNS, pooled_by_rounds
from inexmetrics.common.errors import CollectionError
from inexmetrics.terms import Integer, Made, argument

__all__ = ["pool", "pool_coverage"]

RELEVANT: Final = 1.0
"""Minimum grade of a relevant document, as in document measures."""


def pool(runs: Runs, n: int) -> pl.DataFrame:
    """Returns the pool that INEX would have assessed: the top results of all runs, added in rounds until there are at least n documents.

    Round r adds the documents of the r-th results of all runs to the pool of each topic. The pool of a topic is complete after the round in
    which it reaches n documents, and may therefore contain more than n documents. If all rankings end before the pool has n documents, the
    pool contains fewer than n documents. The condition `pooled` keeps the judgements of these documents: ``pooled(documents=n)``.

    Args:
        runs: Runs, whose results may be elements or passages; a document may have several results.
        n: Minimum number of documents for each topic.

    Returns:
        Columns topic_id, doc_id and round (from 1), grouped by topic, in the order in which documents enter the pool. Within a round, the
        runs are in lexicographic order; this order does not decide which documents the pool contains.

    Raises:
        CollectionError: n is not an integer of at least 1.

    Notes:
        * Topics: A pool includes all topics for which the runs have results, even topics that were not assessed.

    Source: Trotman & Jenkinson (2007), section 2.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics.reading.frames import from_frames
        >>> found = [("x", "1", "a"), ("x", "1", "b"), ("y", "1", "a"), ("y", "1", "c"), ("y", "1", "d")]
        >>> retrieved = pl.DataFrame(found, schema=["run_id", "topic_id", "doc_id"], orient="row")
        >>> pool(from_frames({"1": {"a": 1}}, retrieved).runs, 2).rows()
        [('1', 'a', 1), ('1', 'b', 2), ('1', 'c', 2)]
    """
    return pooled_by_rounds(argument("pool", GIVEN_RUNS, runs), argument("pool: n", Integer(1), n))


def pool_coverage(pooled: pl.DataFrame, assessments: Assessments) -> pl.DataFrame:
    """Returns the share of the pooled documents that were assessed, and the share of the relevant documents that were pooled, by topic.

    Args:
        pooled: Pool from `pool`, with the columns topic_id and doc_id.
        assessments: Judgements. If all judgements have named assessors, a document is assessed if any assessor judged it, and relevant if
            any assessor judged it relevant. A document is relevant if its grade is at least 1, as in document measures. A document with a
            negative grade is not assessed.

    Returns:
        One row for each topic that is pooled or assessed, in lexicographic order of topic_id. The column `pooled` is the number of
        documents in the pool. The column `assessed` is the number of assessed documents, and `relevant` is the number of relevant
        documents. The columns `both` and `relevant_pooled` are the numbers of assessed and of relevant documents in the pool. The shares
        are `coverage` = `both` / `pooled` and `recall` = `relevant_pooled` / `relevant`. A share is null if its denominator is 0.

    Raises:
        CollectionError: The table `pooled` lacks a column.

    Source: Trotman & Jenkinson (2007), section 3.1, which reports a mean coverage of 98 % for the second of two pools.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics.reading.frames import from_frames
        >>> assessments = from_frames({"1": {"a": 1, "b": 0, "c": 1}}).assessments
        >>> pooled = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "z"], "round": [1, 1]})
        >>> pool_coverage(pooled, assessments).rows()
        [('1', 2, 3, 1, 0.5, 2, 1, 0.5)]
    """
    argument("pool_coverage", Made(pl.DataFrame, "a pool that the function pool returned"), pooled)
    argument("pool_coverage", Made(Assessments, "assessments"), assessments)
    if lacking := [name for name in ("topic_id", "doc_id") if name not in pooled.columns]:
        raise CollectionError(f"pool_coverage: expected a pool with the columns topic_id and doc_id, found none named {lacking[0]}")
    by_many = assessments.kinds == ("assessors",)
    grades = judgements_by_assessor(assessments) if by_many else assessed_documents(assessments)
    judged = (
        grades.filter(pl.col("grade") >= 0.0)
        .group_by("topic_id", "doc_id")
        .agg(is_assessed=pl.lit(True), is_relevant=(pl.col("grade") >= RELEVANT).any())
    )
    documents = pooled.select(pl.col("topic_id", "doc_id").cast(pl.String), is_pooled=True).unique()
    held = documents.join(judged, on=["topic_id", "doc_id"], how="full", coalesce=True).fill_null(False)
    is_pooled, is_relevant = pl.col("is_pooled"), pl.col("is_relevant")
    counts = held.group_by("topic_id").agg(
        pooled=is_pooled.sum(),
        assessed=pl.col("is_assessed").sum(),
        both=(is_pooled & pl.col("is_assessed")).sum(),
        relevant=is_relevant.sum(),
        relevant_pooled=(is_pooled & is_relevant).sum(),
    )
    integers = counts.sort("topic_id").with_columns(pl.exclude("topic_id").cast(pl.Int64))
    return integers.select(
        "topic_id",
        "pooled",
        "assessed",
        "both",
        coverage=pl.when(pl.col("pooled") > 0).then(pl.col("both") / pl.col("pooled")),
        relevant="relevant",
        relevant_pooled="relevant_pooled",
        recall=pl.when(pl.col("relevant") > 0).then(pl.col("relevant_pooled") / pl.col("relevant")),
    )
