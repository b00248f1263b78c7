"""The order in which documents enter a pool: round by round, the next result of every run."""

from __future__ import annotations

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs

__all__ = ["pooled_by_rounds"]


def pooled_by_rounds(runs: Runs, least: int) -> pl.DataFrame:
    """Returns the documents of the rounds in a pool of at least a number of documents of each topic.

    Round r takes the r-th result of every run, the runs in string order.

    Args:
        runs: The runs.
        least: The number of documents of each topic to reach; the last round is complete.

    Returns:
        topic_id, doc_id and round (from 1), by topic, in the order in which documents enter.
    """
    there = runs.lists
    rows = np.arange(runs.packed.height)
    rounds = rows - np.repeat(there.firsts, there.lengths)
    # Rows are grouped by run, in string order: within a round, the first row with a document is the first occurrence.
    met = (
        runs.at()
        .select("topic_id", "doc_id", pl.Series("entry", rounds * len(rows) + rows))
        .group_by("topic_id", "doc_id")
        .agg(pl.col("entry").min())
        .sort("topic_id", "entry")
        .with_columns(round=pl.col("entry") // max(len(rows), 1) + 1)
    )
    # The n-th document's round is the last; a topic with fewer has no such row, and all of its rounds count.
    pooled = met.filter(pl.col("round") <= pl.col("round").head(least).last().over("topic_id"))
    return pooled.select(pl.col("topic_id", "doc_id").cast(pl.String), "round")
